"""Models behind URLs, on fsspec's file system in memory."""

from __future__ import annotations

import builtins
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from shapeinfer import check_many
from shapeinfer.batch import remote
from tests.command import BAD, Shell, model_bytes
from tests.models import faults

fsspec = pytest.importorskip("fsspec")


@pytest.fixture(autouse=True)
def _memory() -> Iterator[None]:
    """Two models and another file in memory."""
    files = fsspec.filesystem("memory")
    files.pipe({"/z/a.onnx": model_bytes(), "/z/sub/b.onnx": model_bytes(BAD), "/z/notes.txt": b""})
    yield
    files.rm("/z", recursive=True)


@pytest.mark.parametrize(
    ("url", "names"),
    [
        ("memory://z/a.onnx", ["memory://z/a.onnx"]),
        ("memory://z", ["memory:///z/a.onnx", "memory:///z/sub/b.onnx"]),
        ("memory://z/**/*.onnx", ["memory:///z/a.onnx", "memory:///z/sub/b.onnx"]),
        ("memory://z/s*/*.onnx", ["memory:///z/sub/b.onnx"]),
    ],
)
def test_a_url_stands_for_models(url: str, names: list[str]) -> None:
    found = dict(check_many([url]))
    assert [name.replace("memory:///", "memory://") for name in found] == [n.replace(":///", "://") for n in names]
    assert [report.path for report in found.values()] == list(found)


def test_a_model_is_checked(shell: Shell) -> None:
    ended = shell("check", "memory://z/sub/b.onnx")
    assert "1 error in memory://z/sub/b.onnx\n" in ended.out
    assert ended.code == 1


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("memory://z/none.onnx", "no such file"),
        ("memory://z/x*.onnx", "no file matches this pattern"),
        ("nowhere://z/a.onnx", "the file cannot be read: Protocol not known: nowhere"),
    ],
)
def test_what_is_not_there_is_told(url: str, message: str) -> None:
    ((name, report),) = check_many([url])
    assert name == url
    assert faults(report) == ["error unreadable"]
    assert report.diagnostics[0].message == message


def test_what_is_too_large_is_not_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "MOST", 0)
    ((_, report),) = check_many(["memory://z/a.onnx"])
    assert report.diagnostics[0].message == "the file cannot be read: it is larger than 0 megabytes"


def test_no_more_is_fetched_than_a_model_may_take() -> None:
    fsspec.filesystem("memory").pipe("/z/large.onnx", bytes(3 << 20))
    ((_, report),) = check_many(["memory://z/large.onnx"], max_memory=2)
    assert report.diagnostics[0].message == "the file cannot be read: it is larger than 2 megabytes"


class Endless(io.RawIOBase):
    """What a server sends that does not stop."""

    sent = 0

    def read(self, size: int = -1) -> bytes:
        assert size >= 0, "all of it was asked for"
        self.sent += size
        return bytes(size)


@pytest.mark.parametrize(
    ("said", "sent", "message"),
    [
        (1000, 1001, "it has more bytes than its server said"),
        (None, (2 << 20) + 1, "it is larger than 2 megabytes"),
    ],
)
def test_a_server_may_send_more_than_it_said(
    monkeypatch: pytest.MonkeyPatch, said: int | None, sent: int, message: str
) -> None:
    file, files = Endless(), type(fsspec.filesystem("memory"))
    monkeypatch.setattr(files, "size", lambda self, path: said)
    monkeypatch.setattr(files, "open", lambda self, path, mode: file)
    ((_, report),) = check_many(["memory://z/a.onnx"], max_memory=2)
    assert report.diagnostics[0].message == f"the file cannot be read: {message}"
    assert file.sent == sent


def test_what_is_named_as_a_model_is_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether it is a directory, a web server's answer would have to be read for, however long that is."""
    asked: list[str] = []

    def isdir(_files: object, path: str) -> bool:
        asked.append(path)
        return False

    monkeypatch.setattr(type(fsspec.filesystem("memory")), "isdir", isdir)
    ((_, report),) = check_many(["memory://z/a.onnx"])
    assert report.ok
    assert asked == []


@pytest.mark.parametrize("url", ["file:///dev/zero", "local:///dev/zero", "zip://m.onnx::file:///dev/zero"])
def test_what_is_no_regular_file_is_none_behind_a_url_either(url: str) -> None:
    ((_, report),) = check_many([url])
    assert report.diagnostics[0].message == "the file cannot be read: it is no regular file"


def test_a_file_behind_a_url_is_read(shell: Shell) -> None:
    path = shell.folder / shell.save("m.onnx")
    ((_, report),) = check_many([path.as_uri()])
    assert report.ok
    assert report.path == path.as_uri()


def test_a_file_that_names_other_files_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(model_bytes())
    (tmp_path / "refs.json").write_text(json.dumps({"version": 1, "refs": {"m.onnx": [f"file://{tmp_path}/secret"]}}))
    ((_, report),) = check_many([f"reference://m.onnx::file://{tmp_path}/refs.json"])
    assert report.diagnostics[0].message == "a file of references is not read: it names other files"


def test_without_fsspec_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any) -> Any:
        if name.startswith("fsspec"):
            raise ImportError(name)
        return real(name, *args)

    monkeypatch.setattr(builtins, "__import__", without)
    ((_, report),) = check_many(["s3://bucket/m.onnx"])
    assert report.diagnostics[0].message == (
        "reading a URL needs fsspec; install it with pip install 'shapeinfer[remote]'"
    )


def test_it_cannot_be_watched(shell: Shell) -> None:
    ended = shell("check", "--watch", "memory://z/a.onnx")
    assert "--watch works with files only, not with standard input or a URL" in ended.err
    assert ended.code == 2
