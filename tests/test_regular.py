"""What may be opened: regular files, and no more of them than is wanted."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from shapeinfer import ModelError, check, infer_shapes, regular
from shapeinfer.budget import MEGABYTE
from shapeinfer.frontends import files
from shapeinfer.frontends.formats import is_model_file
from shapeinfer.rewrite.fold import fold
from tests.ir import net, parameter, result

needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of POSIX")
TEXT = '<ir_version: 10, opset_import: ["" : 20]> g (float[N] x) => (y) { y = Relu (x) }'


@needs_pipes
@pytest.mark.parametrize("name", ["m.onnx", "m.onnxtxt", "m.xml", "m"])
def test_a_pipe_is_not_waited_for(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    (said,) = check(tmp_path / name).diagnostics
    assert (said.code.name, said.message) == ("unreadable", "the file cannot be read: it is no regular file")
    assert name != "m.xml" or not is_model_file(tmp_path / name)


@needs_pipes
def test_what_becomes_a_pipe_between_asking_and_opening_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "pipe")
    a_file = Path(__file__).stat()
    with monkeypatch.context() as patched:
        patched.setattr(os, "stat", lambda _path: a_file)
        with pytest.raises(OSError, match="it is no regular file"):
            regular.opened(tmp_path / "pipe")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="devices of POSIX")
def test_a_device_is_not_opened() -> None:
    (said,) = check("/dev/zero").diagnostics
    assert said.message == "the file cannot be read: it is no regular file"


class TestHowMuchIsRead:
    def test_as_much_as_may_be(self, tmp_path: Path) -> None:
        (tmp_path / "f").write_bytes(b"12345")
        assert regular.read(tmp_path / "f", 5) == b"12345"

    def test_nothing_of_what_is_larger(self, tmp_path: Path) -> None:
        (tmp_path / "f").write_bytes(b"12345")
        with pytest.raises(regular.TooLarge, match=f"^{re.escape(str(regular.TooLarge(4)))}$"):
            regular.read(tmp_path / "f", 4)

    def test_what_tells_no_size_is_read_until_it_is_too_much(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(regular, "PIECE", 2)
        assert regular.read_rest(io.BytesIO(b"12345"), 5, size=0) == b"12345"
        with pytest.raises(regular.TooLarge, match=f"^{re.escape(str(regular.TooLarge(4)))}$"):
            regular.read_rest(io.BytesIO(b"12345"), 4, size=0)


class TestTexts:
    """A text is larger in memory than in its file, so that its size is asked first."""

    @pytest.mark.parametrize(("name", "text"), [("m.onnxtxt", TEXT), ("m.xml", net(parameter("x"), result("x")))])
    def test_a_text_that_would_not_fit_into_the_memory_allowed_is_not_read(
        self, tmp_path: Path, name: str, text: str | bytes
    ) -> None:
        data = text if isinstance(text, bytes) else text.encode()
        (tmp_path / name).write_bytes(data + b" " * MEGABYTE)
        megabytes = files.TEXT_TAKES + 1
        assert check(tmp_path / name, max_memory=2 * megabytes).ok
        report = check(tmp_path / name, max_memory=megabytes / 2)
        (said,) = report.diagnostics
        assert said.code.name == "budget-exceeded"
        assert said.message.startswith("the text has more than 0.515625 megabytes, the limit")
        assert report.graph is None

    @pytest.mark.parametrize("work", [infer_shapes, fold])
    def test_the_budget_is_looked_at_while_a_text_is_read(self, work: Callable[..., object]) -> None:
        nodes = "".join(f"x{i + 1} = Relu (x{i}) " for i in range(2000))
        text = f'<ir_version: 10, opset_import: ["" : 20]> g (float[N] x0) => (x2000) {{ {nodes} }}'.encode()
        assert check(text, max_seconds=1e-9).diagnostics[0].code.name == "budget-exceeded"
        with pytest.raises(ModelError, match="the model was not read completely"):
            work(text, max_seconds=1e-9)

    def test_no_more_is_taken_of_one_that_is_mostly_holes(self, tmp_path: Path) -> None:
        with (tmp_path / "m.onnxtxt").open("wb") as file:
            file.truncate(3 << 30)
        (said,) = check(tmp_path / "m.onnxtxt").diagnostics
        assert said.message == "the text has more than 128 megabytes, the limit; raise --max-memory to read it"

    def test_a_binary_model_that_protobuf_cannot_read_is_not_read(self, tmp_path: Path) -> None:
        with (tmp_path / "m.onnx").open("wb") as file:
            file.truncate(3 << 30)
        with pytest.raises(ModelError, match="more than 2 gigabytes"):
            infer_shapes(tmp_path / "m.onnx")
