"""Reports for people: colours only where they are wanted, and nothing from a model that a terminal would obey."""

from __future__ import annotations

import re
import sys

import pytest

from shapeinfer.api.report import Report
from shapeinfer.diagnostics.codes import NOT_BROADCASTABLE, Severity
from shapeinfer.diagnostics.diagnostic import Diagnostic, NodeRef, Operand
from shapeinfer.report import FORMATS
from shapeinfer.report.paint import Paint
from tests.command import BAD, BAD_TEXT, Shell
from tests.models import checked

PLACE = NodeRef(42, "/layer2/add", "Add", graph=("loop.body", "if.then_branch"))


def written(*diagnostics: Diagnostic, name: str = "m.onnx") -> str:
    return "".join(FORMATS["text"]([(name, Report(diagnostics))], several=False))


def test_a_place_names_the_graphs_around_the_node() -> None:
    text = written(Diagnostic(NOT_BROADCASTABLE, Severity.ERROR, "no", PLACE))
    assert '\n  m.onnx: Add "/layer2/add" (node 42 in loop.body / if.then_branch)\n' in text


def test_operands_are_aligned_and_followed_by_notes_and_help() -> None:
    operands = (
        Operand("A", "conv_out", "f32[N, 64, 56, 56]", 1, "64: axis 0 of initializer w"),
        Operand("B", "x", "f32[N, 128]", 1, ""),
    )
    text = written(
        Diagnostic(NOT_BROADCASTABLE, Severity.WARNING, "no", PLACE, operands=operands, notes=("first", "second"))
    )
    assert text.splitlines()[2:] == [
        "    A  conv_out  f32[N, 64, 56, 56]  64: axis 0 of initializer w",
        "    B  x         f32[N, 128]",
        "  note: first",
        "  note: second",
        "  help: shapeinfer explain not-broadcastable",
        "",
        "m.onnx: no errors, 1 warning, no values, no conditions",
    ]


@pytest.mark.parametrize("count", [1, 7])
def test_what_is_assumed_stands_below_the_conditions(count: int) -> None:
    outputs = ", ".join(f"int64[1, 5] y{i}" for i in range(count))
    nodes = " ".join(f"y{i} = NonZero(x{i})" for i in range(count))
    report = checked(f"g ({', '.join(f'float[N] x{i}' for i in range(count))}) => ({outputs}) {{ {nodes} }}")
    lines = "".join(FORMATS["text"]([("m.onnx", report)], several=False, paint=Paint())).splitlines()
    assert lines[:2] == ["m.onnx assumes these declarations:", "  axis 1 of y0 is 5  NonZero (node 0)"]
    assert lines[-2] == ("  and 2 more (--notes)" if count > 5 else lines[1])
    assert f"no conditions, {count} assumption" in lines[-1]


def test_errors_and_warnings_are_counted() -> None:
    error = Diagnostic(NOT_BROADCASTABLE, Severity.ERROR, "no")
    text = written(error, error, Diagnostic(NOT_BROADCASTABLE, Severity.WARNING, "hm"), name="unet.onnx")
    assert text.splitlines()[-1] == "2 errors, 1 warning in unet.onnx"


def test_control_characters_of_a_model_are_spelled_out() -> None:
    place = NodeRef(0, "a\x1b[2Jb\nerror[fake]: c\u202e", "Add")
    text = written(Diagnostic(NOT_BROADCASTABLE, Severity.ERROR, "x\r\x07", place), name="m\udc80.onnx")
    assert "x\\r\\x07\n" in text
    assert '  m\\udc80.onnx: Add "a\\x1b[2Jb\\nerror[fake]: c\\u202e" (node 0)\n' in text
    assert all(c.isprintable() or c == "\n" for c in text)


class TestColour:
    @pytest.fixture
    def terminal(self, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Shell:
        monkeypatch.setattr(type(sys.stdout), "isatty", lambda _: True)
        monkeypatch.setenv("COLUMNS", "120")
        return shell

    def test_a_terminal_gets_colours_and_the_same_words(self, terminal: Shell) -> None:
        out = terminal("check", terminal.save("bad.onnx", BAD)).out
        assert "\x1b[1;31merror[not-broadcastable]\x1b[0m: " in out
        assert re.sub(r"\x1b\[[\d;]*m", "", out) == BAD_TEXT.format(path="bad.onnx")

    @pytest.mark.parametrize("setting", [("NO_COLOR", "1"), ("TERM", "dumb")])
    def test_whoever_asks_for_none_gets_none(
        self, terminal: Shell, setting: tuple[str, str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv(*setting)
        assert terminal("check", terminal.save("bad.onnx", BAD)).out == BAD_TEXT.format(path="bad.onnx")

    def test_an_empty_no_color_asks_for_nothing(self, terminal: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("NO_COLOR", "")
        assert "\x1b[" in terminal("check", terminal.save("bad.onnx", BAD)).out

    def test_json_has_no_colours(self, terminal: Shell) -> None:
        assert "\x1b[" not in terminal("check", "--format", "json", terminal.save("bad.onnx", BAD)).out

    def test_a_pipe_gets_none_and_its_lines_do_not_depend_on_a_width(
        self, shell: Shell, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("COLUMNS", "20")
        assert shell("check", shell.save("bad.onnx", BAD)).out == BAD_TEXT.format(path="bad.onnx")
