"""Nodes that give back what they read go, and only those."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from tests.models import parsed
from tests.rewrite.runs import ops, refolded

SIZES = {"N": 3, "M": 5}, {"N": 1, "M": 1}, {"N": 0, "M": 2}

GONE = {
    "Identity": "h = Identity(a)",
    "Cast to the same type": "h = Cast<to=1>(a)",
    "Cast to the type of its own kind": "h = CastLike(a, x)",
    "Dropout, which is for training": "h = Dropout(a)",
    "Dropout that is told that nobody trains": "ratio = Constant<value_float=0.5>() no = Constant<value = bool {0}>()"
    " h = Dropout(a, ratio, no)",
    "Reshape to its own shape": "s = Shape(a) h = Reshape(a, s)",
    "Reshape that copies every length": "s = Constant<value_ints=[0, 0, -1]>() h = Reshape(a, s)",
    "Expand to its own shape": "s = Shape(a) h = Expand(a, s)",
    "Expand by ones": "s = Constant<value_ints=[1, 1, 1]>() h = Expand(a, s)",
    "Tile once": "s = Constant<value_ints=[1, 1, 1]>() h = Tile(a, s)",
    "Slice of all": "b = Constant<value_ints=[0]>() e = Constant<value_ints=[9223372036854775807]>()"
    " h = Slice(a, b, e)",
    "Slice up to the length": "b = Constant<value_ints=[0]>() e = Shape<start=0, end=1>(a) h = Slice(a, b, e)",
    "Pad by nothing": "s = Constant<value_ints=[0, 0, 0, 0, 0, 0]>() h = Pad(a, s)",
    "Transpose that keeps the order": "h = Transpose<perm=[0, 1, 2]>(a)",
    "Concat of one": "h = Concat<axis=1>(a)",
    "Split into one": "h = Split<axis=0, num_outputs=1>(a)",
    "Squeeze of no axis": "i = Unsqueeze(a, one) h = Squeeze(i, one)",
    "two Transposes that undo each other": "i = Transpose<perm=[2, 0, 1]>(a) h = Transpose<perm=[1, 2, 0]>(i)",
    "Transpose and its reverse": "i = Transpose(a) h = Transpose(i)",
    "Flatten and back": "i = Flatten(a) s = Shape(a) h = Reshape(i, s)",
    "through three shapes and back": "i = Unsqueeze(a, one) f = Flatten<axis=3>(i) s = Shape(a) h = Reshape(f, s)",
}
OF_SOMETHING = ("-1", "Split")
"""What the runtime does not run on an empty axis."""
KEPT: dict[str, tuple[str, list[str]]] = {
    "Cast to another type": ("i = Cast<to=11>(a) j = Neg(i) h = Cast<to=1>(j)", ["Cast", "Neg", "Cast"]),
    "Cast of floats to fewer bits and back": ("i = Cast<to=10>(a) h = Cast<to=1>(i)", ["Cast", "Cast"]),
    "Cast of floats to more bits and back, which may change a NaN": (
        "i = Cast<to=11>(a) h = Cast<to=1>(i)",
        ["Cast", "Cast"],
    ),
    "Reshape of another order": (
        "s = Constant<value_ints=[2, -1, 4]>() i = Transpose(a) h = Reshape(i, s)",
        ["Transpose", "Reshape"],
    ),
    "Slice backwards": (
        "b = Constant<value_ints=[-1]>() e = Constant<value_ints=[-999]>() i = Sub(one, b) h = Slice(a, b, e, i, b)",
        ["Slice"],
    ),
    "Slice that cuts": (
        "b = Constant<value_ints=[1]>() e = Constant<value_ints=[9]>() h = Slice(a, b, e)",
        ["Slice"],
    ),
    "Pad that moves": ("s = Constant<value_ints=[0, 1, 0, 0, -1, 0]>() h = Pad(a, s)", ["Pad"]),
    "Tile twice": ("s = Constant<value_ints=[1, 2, 1]>() h = Tile(a, s)", ["Tile"]),
    "Transpose of axes of one length": (
        "c = Concat<axis=2>(a, a) h = Transpose<perm=[0, 2, 1]>(c)",
        ["Concat", "Transpose"],
    ),
    "Transposes that do not undo each other, of which one is left": (
        "i = Transpose<perm=[2, 0, 1]>(a) h = Transpose<perm=[2, 0, 1]>(i)",
        ["Transpose"],
    ),
    "Concat with itself": ("h = Concat<axis=1>(a, a)", ["Concat"]),
}


def model(body: str) -> str:
    return f"""g (float[N, 2, 4] x) => (float[A, B, C] y) <int64[1] one = {{1}}> {{ a = Neg(x) {body} y = Abs(h) }}"""


@pytest.mark.parametrize("body", GONE.values(), ids=GONE)
def test_what_gives_back_what_it_reads_goes(body: str) -> None:
    sizes = [size for size in SIZES if size["N"] or not any(op in body for op in OF_SOMETHING)]
    assert ops(refolded(parsed(model(body)), *sizes).graph) == ["Neg", "Abs"]


@pytest.mark.parametrize(("body", "expected"), KEPT.values(), ids=KEPT)
def test_what_changes_anything_stays(body: str, expected: list[str]) -> None:
    found = [op for op in ops(refolded(parsed(model(body)), *SIZES).graph) if op != "Constant"]
    assert found == ["Neg", *expected, "Abs"]


def test_a_concat_with_what_is_empty_is_the_rest() -> None:
    text = """g (float[N, 2] x, float[N, 0] none) => (float[N, 2] y) {
        a = Neg(x) h = Concat<axis=1>(none, a) y = Abs(h)
    }"""
    assert ops(refolded(parsed(text), *SIZES).graph) == ["Neg", "Abs"]


def test_a_node_stays_for_the_sake_of_its_other_outputs() -> None:
    text = """g (float[N] x) => (float[N] y, bool[N] mask) { a = Neg(x) h, mask = Dropout(a) y = Abs(h) }"""
    folded = refolded(parsed(text), *SIZES)
    assert ops(folded.graph) == ["Neg", "Dropout", "Abs"]
    assert list(folded.graph.node[2].input) == ["a"]


def test_axes_of_one_may_change_places() -> None:
    text = """g (float[N, 1, 4, 1] x) => (float[N, 1, 4, 1] y) {
        a = Neg(x) h = Transpose<perm=[0, 3, 2, 1]>(a) y = Abs(h)
    }"""
    assert ops(refolded(parsed(text), *SIZES).graph) == ["Neg", "Abs"]


def test_integers_that_were_only_widened_are_read_as_they_were() -> None:
    text = """g (int32[N] x) => (int32[N] y) { a = Neg(x) i = Cast<to=7>(a) h = Cast<to=6>(i) y = Abs(h) }"""
    assert ops(refolded(parsed(text), *SIZES).graph) == ["Neg", "Abs"]


def test_integers_that_were_cut_stay_cut() -> None:
    text = """g (int64[N] x) => (int64[N] y) { a = Neg(x) i = Cast<to=6>(a) h = Cast<to=7>(i) y = Abs(h) }"""
    assert ops(refolded(parsed(text), *SIZES).graph) == ["Neg", "Cast", "Cast", "Abs"]


@pytest.mark.parametrize(
    ("opset", "body"),
    [
        (1, 'h = Pad<paddings=[0, 0], mode="edge">(a)'),
        (9, "h = Pad<pads=[0, 0]>(a)"),
        (9, "h = Slice<starts=[0], ends=[2147483647]>(a)"),
        (11, "i = Unsqueeze<axes=[1]>(a) h = Squeeze<axes=[1]>(i)"),
        (7, "h = Dropout(a)"),
        (13, "s = Constant<value_ints=[0, 0]>() h = Pad(a, s)"),
    ],
)
def test_attributes_of_old_versions_are_read(opset: int, body: str) -> None:
    header = f'<ir_version: 7, opset_import: ["" : {opset}]>'
    text = f"{header} g (float[N] x) => (float[N] y) {{ a = Neg(x) {body} y = Abs(h) }}"
    sizes = SIZES if opset > 1 else ()
    assert ops(refolded(parsed(text), *sizes).graph) == ["Neg", "Abs"]


def test_dropout_of_a_model_in_training_stays() -> None:
    header = '<ir_version: 7, opset_import: ["" : 6]>'
    text = f"{header} g (float[N] x) => (float[N] y) {{ a = Neg(x) h = Dropout<is_test=0>(a) y = Abs(h) }}"
    assert ops(refolded(parsed(text)).graph) == ["Neg", "Dropout", "Abs"]


def test_a_node_that_says_what_inputs_may_be_stays() -> None:
    """It is a copy only where the input is as it demands, and nothing else demands that."""
    text = """g (float[N, 4] x) => (float[A, B] y) <int64[2] s = {3, 4}> { a = Neg(x) h = Reshape(a, s) y = Abs(h) }"""
    assert ops(refolded(parsed(text), {"N": 3}).graph) == ["Neg", "Reshape", "Abs"]


class TestOutputs:
    """The outputs of a graph keep their names."""

    def test_what_is_copied_takes_the_output_s_name(self) -> None:
        folded = refolded(parsed("g (float[N] x) => (float[N] y) { a = Neg(x) b = Relu(a) y = Identity(a) }"), *SIZES)
        assert [(n.op_type, *n.output) for n in folded.graph.node] == [("Neg", "y")]

    def test_an_input_given_back_is_still_copied(self) -> None:
        assert ops(refolded(parsed("g (float[N] x) => (float[N] y) { y = Identity(x) }"), *SIZES).graph) == ["Identity"]

    def test_a_weight_given_back_is_still_copied(self) -> None:
        text = "g (float[N] x) => (float[2] y, float[N] z) <float[2] w = {1, 2}> { y = Identity(w) z = Neg(x) }"
        assert ops(refolded(parsed(text), *SIZES).graph) == ["Identity", "Neg"]

    def test_two_outputs_of_one_value_are_two_values(self) -> None:
        text = "g (float[N] x) => (float[N] y, float[N] z) { a = Neg(x) y = Identity(a) z = Identity(a) }"
        assert ops(refolded(parsed(text), *SIZES).graph) == ["Neg", "Identity"]

    def test_a_copy_of_an_output_that_is_an_output_stays(self) -> None:
        text = "g (float[N] x) => (float[N] y, float[N] z) { y = Neg(x) z = Identity(y) }"
        assert ops(refolded(parsed(text), *SIZES).graph) == ["Neg", "Identity"]

    def test_others_read_it_by_the_new_name(self) -> None:
        text = "g (float[N] x) => (float[N] y, float[N] z) { a = Neg(x) b = Identity(a) y = Identity(b) z = Abs(a) }"
        folded = refolded(parsed(text), *SIZES)
        assert [(n.op_type, *n.input, *n.output) for n in folded.graph.node] == [("Neg", "x", "y"), ("Abs", "y", "z")]

    def test_any_kind_of_value_is_passed_on(self) -> None:
        text = "g (seq(float[N]) x) => (float[A] y) { a = Identity(x) y = ConcatFromSequence<axis=0>(a) }"
        assert ops(refolded(parsed(text)).graph) == ["ConcatFromSequence"]


@pytest.mark.parametrize("op", ["MatMul", "Gemm"])
def test_a_weight_that_was_copied_gives_the_same_bits_where_the_runtime_packs_no_constants(op: str) -> None:
    """Packed, so many rows are added in another order."""
    model = parsed(f"g (float[N, 257] x) => (float[A, B] y) {{ v = Identity(w) y = {op}(x, v) }}")
    weight = np.random.default_rng(0).standard_normal((257, 65)).astype(np.float32)
    model.graph.initializer.append(onnx.numpy_helper.from_array(weight, "w"))
    assert ops(refolded(model, {"N": 19}).graph) == [op]
