"""Initializers that are inputs too: free to be overridden, as the format says, or fixed, where the caller says so."""

from __future__ import annotations

from collections.abc import Callable

import onnx
import pytest

import shapeinfer
from shapeinfer import Session, check
from shapeinfer.api import annotated
from shapeinfer.text import check_text
from tests.command import Shell
from tests.models import faults, outlines, parsed, texts

TEXT = """<ir_version: {ir}, opset_import: ["" : 8]>
g (float[N, 6] x, int64[2] to, float[{w}] w) => (y) <int64[2] to = {{-1, 3}}, float[3] w = {{1.0, 2.0, 3.0}}> {{
    r = Reshape(x, to) y = Add(r, w)
}}"""


def model(ir: int = 4, w: int = 3) -> onnx.ModelProto:
    return parsed(TEXT.format(ir=ir, w=w))


def test_an_override_may_hold_anything_so_that_nothing_is_concluded() -> None:
    report = check(model())
    assert outlines(report)["r"] == "f32[?, ?]"
    assert faults(report) == []


def test_fixed_ones_are_constants_and_a_note_says_so() -> None:
    report = check(model(), default_inputs="fixed")
    assert texts(report) == {"x": "f32[N, 6]", "r": "f32[2*N, 3]", "y": "f32[2*N, 3]"}
    assert faults(report) == ["note fixed-default-inputs"]
    (note,) = report.diagnostics
    assert note.message == ("default inputs are fixed: to, w cannot be overridden in this check, though callers may")


def test_before_ir_version_4_they_are_constants_anyway() -> None:
    for given in ("free", "fixed"):
        report = check(model(ir=3), default_inputs=given)
        assert texts(report)["r"] == "f32[2*N, 3]"
        assert faults(report) == []


def test_one_that_nobody_fixes_has_no_note() -> None:
    assert faults(check(parsed("g (float[N] x) => (y) { y = Relu(x) }"), default_inputs="fixed")) == []


@pytest.mark.parametrize("ir", [3, 4])
def test_a_default_fits_its_input_all_the_same(ir: int) -> None:
    """Runtimes refuse it, of whatever version."""
    report = check(model(ir, w=4), default_inputs="fixed")
    assert [f for f in faults(report) if "error" in f] == ["error declared-shape-mismatch"]


def test_another_word_is_refused() -> None:
    with pytest.raises(ValueError, match="default_inputs"):
        check(model(), default_inputs="free!")  # type: ignore[arg-type]


def of_inference(m: onnx.ModelProto) -> str:
    types = {v.name: v.type for v in shapeinfer.infer_shapes(m, default_inputs="fixed").graph.value_info}
    return str(types["r"].tensor_type.shape.dim[1].dim_value)


INTERFACES: dict[str, Callable[[onnx.ModelProto], str]] = {
    "infer_shapes": of_inference,
    "annotated": lambda m: str(annotated(m, default_inputs="fixed")[1].shape("r")),
    "Session": lambda m: str(Session(m, default_inputs="fixed").report.shape("r")),
    "Session's values": lambda m: str(Session(m, default_inputs="fixed").shape("r")),
    "text": lambda _: str(check_text(TEXT.format(ir=4, w=3), default_inputs="fixed").report.shape("r")),
}


@pytest.mark.parametrize("interface", INTERFACES)
def test_every_interface_takes_it(interface: str) -> None:
    assert "3" in INTERFACES[interface](model())


def test_fold_relies_on_fixed_ones_alone_and_keeps_them_as_inputs() -> None:
    source = parsed("""<ir_version: 8, opset_import: ["" : 20]>
    g (float[N] x, bool c) => (y) <bool c = {1}> {
        y = If(c) <then_branch = t () => (a) { a = Relu(x) }, else_branch = e () => (b) { b = Neg(x) }>
    }""")
    assert [n.op_type for n in shapeinfer.fold(source).model.graph.node] == ["If"]
    folded = shapeinfer.fold(source, default_inputs="fixed").model
    assert [n.op_type for n in folded.graph.node] == ["Relu"]
    assert ([v.name for v in folded.graph.input], [t.name for t in folded.graph.initializer]) == (["x", "c"], ["c"])


@pytest.mark.parametrize("command", ["check", "show", "why", "contract"])
def test_every_command_takes_it(shell: Shell, command: str) -> None:
    path = shell.save("m.onnx", TEXT.format(ir=4, w=3))
    more = {"check": ("--notes",), "why": ("r[1]",)}.get(command, ())
    free = shell(command, path, *more).out
    fixed = shell(command, path, *more, "--default-inputs", "fixed").out
    assert free != fixed
    assert shell(command, path, *more, "--default-inputs", "free").out == free


def test_the_configuration_says_it_of_all_models_or_of_some(shell: Shell) -> None:
    path = shell.save("m.onnx", TEXT.format(ir=4, w=3))
    config = shell.folder / "shapeinfer.toml"

    def says(text: str, *options: str) -> bool:
        config.write_text(text)
        return "fixed-default-inputs" in shell("check", "--notes", path, *options).out

    assert says('default-inputs = "fixed"')
    assert says('[[models]]\npath = "m.onnx"\ndefault-inputs = "fixed"')
    assert not says('[[models]]\npath = "n.onnx"\ndefault-inputs = "fixed"')
    assert not says('default-inputs = "fixed"', "--default-inputs", "free")
    assert not says('default-inputs = "fixed"\n[[models]]\npath = "m.onnx"\ndefault-inputs = "free"')
    config.write_text('default-inputs = "maybe"')
    assert "expected one of free, fixed, found 'maybe'" in shell("check", path).err
