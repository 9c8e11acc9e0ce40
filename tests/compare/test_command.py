"""``shapeinfer diff`` on the command line: what it prints, and the exit code."""

from __future__ import annotations

import json

import pytest

from tests.command import BAD, GOOD, Shell, model_bytes

FIXED = GOOD.replace("float[N, 3, 4] x", "float[2, 3, 4] x").replace("float[N, 12] y", "float[2, 12] y")


def test_what_breaks_callers_comes_first(shell: Shell) -> None:
    ended = shell("diff", shell.save("old.onnx"), shell.save("new.onnx", FIXED))
    assert ended.out == ("breaking\n  input x  axis 0 was N, is 2\n\nold.onnx -> new.onnx: 1 breaking change\n")
    assert ended.code == 1


def test_what_is_not_breaking_is_reported_too(shell: Shell) -> None:
    more = GOOD.replace("y = Flatten <axis = 1> (x)", "t = Relu (x)\n    y = Flatten <axis = 1> (t)")
    ended = shell("diff", shell.save("old.onnx"), shell.save("new.onnx", more))
    assert ended.out == "old.onnx -> new.onnx: no breaking changes, 1 value new\n"
    assert ended.code == 0


def test_sizes_hold_for_both(shell: Shell) -> None:
    assert shell("diff", "--bind", "N=2", shell.save("old.onnx"), shell.save("new.onnx", GOOD)).code == 0


def test_json_for_programs(shell: Shell) -> None:
    ended = shell("diff", "--format", "json", shell.save("old.onnx"), shell.save("new.onnx", FIXED))
    found = json.loads(ended.out)
    assert found["breaking"] is True
    assert found["values"] == {"new": [], "gone": []}
    assert found["changes"][0] == {
        "kind": "narrower",
        "breaking": True,
        "about": "input x",
        "message": "axis 0 was N, is 2",
    }
    assert ended.code == 1


def test_standard_input_may_be_one_of_them(shell: Shell) -> None:
    ended = shell("diff", "-", shell.save("new.onnx"), stdin=model_bytes())
    assert ended.out == "<stdin> -> new.onnx: no breaking changes\n"
    assert shell("diff", "-", "-", stdin=model_bytes()).code == 2


@pytest.mark.parametrize("order", [("none.onnx", "m.onnx"), ("m.onnx", "none.onnx")])
def test_a_model_that_cannot_be_read_is_exit_code_2(shell: Shell, order: tuple[str, str]) -> None:
    shell.save("m.onnx")
    ended = shell("diff", *order)
    assert ended.err.startswith("error[unreadable]: no such file\n  none.onnx\n")
    assert (ended.code, ended.out) == (2, "")


def test_errors_that_were_there_before_are_no_change(shell: Shell) -> None:
    assert shell("diff", shell.save("a.onnx", BAD), shell.save("b.onnx", BAD)).code == 0
