"""Models behind URLs, on fsspec's file system in memory."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
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
    monkeypatch.setattr(remote, "MOST", 3)
    ((_, report),) = check_many(["memory://z/a.onnx"])
    assert report.diagnostics[0].message == "the file cannot be read: it has more than 2 gigabytes"


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
