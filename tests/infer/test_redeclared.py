"""``shapes`` with names: an input is declared anew, and what keeps a dim from other sizes is found."""

from __future__ import annotations

import pytest

from shapeinfer import Session, check, fold, infer_shapes
from tests.command import Shell
from tests.models import faults, in_general, parsed
from tests.rewrite.runs import fed, run

HEADER = '<ir_version: 10, opset_import: ["" : 20]>'
BAKED = """g (float[1, 8] x) => (float[1, 8] y) <int64[2] s = {1, 8}, float[1, 8] h> {
    h = Relu (x)
    y = Reshape (h, s)
}"""
RELU = "g (float[1, 8] x, float[1, 8] m) => (float[1, 8] y, float[1, 8] n) { y = Relu (x) n = Relu (m) }"


def found(text: str, **shapes: list[object]) -> list[str]:
    return [d.text for d in check(parsed(text), shapes=shapes).diagnostics]  # type: ignore[arg-type]


def test_a_name_declares_the_dim_anew() -> None:
    report = check(parsed(RELU), shapes={"x": ["batch", "seq + 1"]})
    assert [str(d) for d in report.shape("y") or ()] == ["batch", "seq + 1"]
    assert report.shape("n") == (1, 8)


def test_numbers_that_the_model_declares_of_what_is_computed_are_those_of_before() -> None:
    assert found(RELU, x=["batch", 8]) == []


def test_a_pinned_dim_is_reported_with_the_node_and_the_constant() -> None:
    (text,) = found(BAKED, x=["batch", 8])
    assert text.startswith("warning[pinned-dim]: requires batch == 1: cannot reshape [batch, 8]")
    assert text.endswith("at Reshape (node 1)")


def test_dims_that_must_be_equal_are_reported() -> None:
    model = parsed("g (float[2, 8] a, float[2, 8] b) => (float[2, 8] y) { y = Add (a, b) }")
    report = check(model, shapes={"a": ["n", 8], "b": ["m", 8]})
    assert faults(report)[0].startswith("warning tied-dims")
    assert in_general(report) == ["m == n"]


def test_one_name_is_one_size() -> None:
    model = parsed("g (float[2, 8] a, float[2, 8] b) => (float[2, 8] y) { y = Add (a, b) }")
    report = check(model, shapes={"a": ["n", 8], "b": ["n", 8]})
    assert (list(report.diagnostics), list(report.contract)) == ([], [])


def test_a_name_that_the_model_has_is_that_dim() -> None:
    model = parsed("g (float[N, 8] a, float[2, 8] b) => (float[N, 8] y) { y = Add (a, b) }")
    assert list(check(model, shapes={"b": ["N", 8]}).contract) == []


def test_a_dim_that_has_a_name_gets_the_new_one_everywhere() -> None:
    model = parsed("g (float[N, 8] a, float[N, 8] b) => (float[N, 8] y) { y = Add (a, b) }")
    report = check(model, shapes={"a": ["batch", 8]})
    assert [str(d) for d in report.shape("b") or ()] == ["batch", "8"]
    assert list(report.diagnostics) == []


def test_a_number_beside_names_must_be_the_one_declared() -> None:
    (text,) = found(RELU, x=["batch", 9])
    assert text == "error[binding-conflict]: axis 1 of x is declared 8; it cannot be 9"


@pytest.mark.parametrize(
    ("dims", "message"),
    [
        (["batch", "("], "x cannot be ['batch', '(']: unexpected"),
        (["batch"], "x is declared f32[1, 8], of rank 2; the shape given has 1 axes"),
        (["batch", -1], "x cannot be ['batch', -1]; a dim must be at least 0"),
    ],
)
def test_what_is_no_shape_of_the_input_is_refused(dims: list[object], message: str) -> None:
    (text,) = found(RELU, x=dims)
    assert text.startswith(f"error[binding-conflict]: {message}")


def test_bodies_are_not_held_to_the_sizes_of_before() -> None:
    text = """g (bool c, float[1, 8] x) => (float[1, 8] y) {
        y = If (c) <
            then_branch = t () => (float[1, 8] p) { p = Relu (x) },
            else_branch = e () => (float[1, 8] q) { q = Neg (x) }
        >
    }"""
    report = check(parsed(text), shapes={"x": ["batch", 8]})
    assert list(report.diagnostics) == []
    assert [str(d) for d in report.shape("y") or ()] == ["batch", "8"]


def test_infer_writes_the_new_inputs_and_what_follows() -> None:
    graph = infer_shapes(parsed(RELU), shapes={"x": ["batch", 8]}).graph
    dims = [[d.dim_param or d.dim_value for d in v.type.tensor_type.shape.dim] for v in (*graph.input, *graph.output)]
    assert dims == [["batch", 8], [1, 8], ["batch", 8], [1, 8]]


def test_fold_rewrites_for_the_new_inputs() -> None:
    text = """g (float[1, 8] x) => (float[1, 8] y) {
        s = Shape (x)
        y = Reshape (x, s)
    }"""
    folded = fold(parsed(text), shapes={"x": ["batch", 8]}).model
    outputs = run(folded, fed(folded, {"batch": 3}))
    assert not isinstance(outputs, str), outputs
    assert outputs[0].shape == (3, 8)


def test_a_session_has_the_new_inputs() -> None:
    session = Session(parsed(RELU), shapes={"x": ["batch", 8]})
    assert [str(d) for d in session.shape("y") or ()] == ["batch", "8"]


def test_the_command_line_takes_names_beside_numbers(shell: Shell) -> None:
    ended = shell("check", "--shape", "x=batch,8", shell.save("m.onnx", HEADER + BAKED), "--strict")
    assert "requires batch == 1" in ended.out
    assert ended.code == 1


def test_the_configuration_takes_them_too(shell: Shell) -> None:
    shell.save("m.onnx", HEADER + BAKED)
    (shell.folder / "shapeinfer.toml").write_text('[[models]]\npath = "*.onnx"\nshapes = { x = ["batch", 8] }\n')
    assert "requires batch == 1" in shell("check", "m.onnx").out
