"""``shapeinfer diff`` on the command line: what it prints, and the exit code."""

from __future__ import annotations

import itertools
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


def chain(*shapes: str) -> str:
    """A model whose values ``/encoder/layer.0/Reshape_0_output_0`` and so on have these shapes."""
    steps = [("x", None), *((f'"/encoder/layer.0/Reshape_{i}_output_0"', shape) for i, shape in enumerate(shapes))]
    calls = "".join(
        f"s{i} = Constant <value_ints = [{shape}]> () {made} = Reshape ({used}, s{i}) "
        for i, ((used, _), (made, shape)) in enumerate(itertools.pairwise(steps))
    )
    return f"""<ir_version: 10, opset_import: ["" : 20]> g (float[N, 24] x) => (float[N, 24] y) {{
        {calls} t = Constant <value_ints = [-1, 24]> () y = Reshape ({steps[-1][0]}, t) }}"""


def test_values_that_changed_their_type_are_a_table(shell: Shell) -> None:
    shell.save("old.onnx", chain("-1, 4, 6", "-1, 2, 12"))
    shell.save("new.onnx", chain("-1, 6, 4", "-1, 24"))
    assert shell("diff", "old.onnx", "new.onnx").out.splitlines() == [
        "changed",
        "  value                                before         after",
        "  /encoder/layer.0/Reshape_0_output_0  f32[N, 4, 6]   f32[N, 6, 4]",
        "  s1                                   i64[3]         i64[2]",
        "  /encoder/layer.0/Reshape_1_output_0  f32[N, 2, 12]  f32[N, 24]",
        "",
        "old.onnx -> new.onnx: no breaking changes, 3 other changes",
    ]


def test_it_fits_the_columns_it_has(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    wide = chain("-1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 12", "-1, 24")
    ended = shell("diff", shell.save("old.onnx", chain("-1, 4, 6", "-1, 2, 12")), shell.save("new.onnx", wide))
    assert ended.out.splitlines() == [
        "changed",
        "  value                     before         after",
        "  s0                        i64[3]         i64[11]",
        "  /enco...shape_0_output_0",
        "    before  f32[N, 4, 6]",
        "    after   f32[N, 1, 1, 1, 1, 1, 1, 1, 1, 2, 12]",
        "  s1                        i64[3]         i64[2]",
        "  /enco...shape_1_output_0  f32[N, 2, 12]  f32[N, 24]",
        "",
        "old.onnx -> new.onnx: no breaking changes, 4 other changes",
    ]


def test_conditions_that_came_and_went_stand_with_what_requires_them(shell: Shell) -> None:
    def needs(number: int) -> str:
        return f"""<ir_version: 10, opset_import: ["" : 20]> g (float[N, 6] x) => (y) {{
            s = Constant <value_ints = [-1, {number}]> () y = Reshape (x, s) }}"""

    ended = shell("diff", shell.save("old.onnx", needs(4)), shell.save("new.onnx", needs(9)))
    assert ended.out.splitlines()[:6] == [
        "breaking",
        "  contract  N % 3 == 0 is now required by Reshape (node 1); the old model runs for N = 2",
        "  output y  axis 0 was N + N//2, is 2*N//3, which differs for N = 6; axis 1 was 4, is 9",
        "",
        "wider",
        "  contract  N % 2 == 0 is no longer required; the new model runs for N = 3",
    ]


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
        "before": "f32[N, 3, 4]",
        "after": "f32[2, 3, 4]",
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
