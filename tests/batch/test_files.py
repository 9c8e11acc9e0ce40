"""Which models paths stand for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from shapeinfer.batch.files import models_in, names_several

NAMES = ("d/b.onnx", "d/a.onnx", "d/sub/c.ONNX", "d/notes.txt", "e[1].onnx")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)


def found(*paths: str, exclude: str = "-") -> list[str]:
    return [path for path, fault in models_in(paths, lambda path: exclude in path) if fault is None]


def said(*paths: str, exclude: str = "-") -> list[str]:
    faults = [fault for _, fault in models_in(paths, lambda path: exclude in path) if fault is not None]
    return [f"{fault.path}: {d.message}" for fault in faults for d in fault.diagnostics]


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["d/a.onnx"], ["d/a.onnx"]),
        (["none.onnx"], ["none.onnx"]),
        (["d"], ["d/a.onnx", "d/b.onnx", "d/sub/c.ONNX"]),
        (["d/*.onnx"], ["d/a.onnx", "d/b.onnx"]),
        (["**/*.onnx"], ["d/a.onnx", "d/b.onnx", "e[1].onnx"]),
        (["d/*"], ["d/a.onnx", "d/b.onnx", "d/notes.txt"]),
        (["e[1].onnx"], ["e[1].onnx"]),
        (["d/[ab].onnx"], ["d/a.onnx", "d/b.onnx"]),
        (["d/b.onnx", "d", "d/b.onnx"], ["d/b.onnx", "d/a.onnx", "d/sub/c.ONNX"]),
        (["-"], ["-"]),
    ],
    ids=" ".join,
)
def test_paths_stand_for_models_each_once(paths: list[str], names: list[str]) -> None:
    assert found(*paths) == names


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("empty", "empty: no model (.onnx, .onnxtxt, .onnxtext, .xml) in this directory or below it"),
        ("x*.onnx", "x*.onnx: no file matches this pattern"),
    ],
)
def test_a_path_that_finds_nothing_is_told(path: str, message: str) -> None:
    assert said(path) == [message]


def test_what_is_excluded_is_left_out_unless_it_is_named() -> None:
    assert found("d", exclude="sub") == ["d/a.onnx", "d/b.onnx"]
    assert found("d/sub/c.ONNX", exclude="sub") == ["d/sub/c.ONNX"]
    assert said("d", exclude="d") == ["d: all 3 models here are excluded"]
    assert said("d/sub", exclude="c") == ["d/sub: the only model here is excluded"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of POSIX")
def test_what_would_never_end_is_not_opened() -> None:
    os.mkfifo("d/pipe.onnx")
    assert said("d") == ["d/pipe.onnx: this is not a regular file"]


@pytest.mark.parametrize(
    ("path", "several"),
    [
        ("d", True),
        ("d/*.onnx", True),
        ("d/a.onnx", False),
        ("e[1].onnx", False),
        ("s3://b/m", True),
        ("s3://b/m.onnx", False),
    ],
)
def test_a_path_is_one_model_or_as_many_as_there_are(path: str, several: bool) -> None:
    assert names_several(path) is several
