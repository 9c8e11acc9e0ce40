"""What fuzzing and random models found: each was a crash, a hang or a wrong word once."""

from __future__ import annotations

import onnx
import pytest

from shapeinfer import check
from tests.effort import within
from tests.ir import layer, net, parameter, result
from tests.models import checked, faults, floats, made, node, parsed


@pytest.mark.parametrize("op", ["Max", "Min", "Sum", "Mean", "Concat <axis = 0>"])
def test_one_of_any_number_of_inputs_is_left_out(op: str) -> None:
    assert faults(checked(f'g (float[2] x) => (y) {{ y = {op} (x, "", x) }}')) == ["error missing-input @ 0"]


def test_an_operator_that_was_withdrawn_lacks_an_input() -> None:
    report = checked("g (float[2] x, int64[2] i) => (y) { y = Scatter (x, i) }")
    assert faults(report) == ["error deprecated-operator @ 0", "error missing-input @ 0"]


@pytest.mark.parametrize("version", [2**31, 2**63 - 1, -1, -(2**63)])
def test_a_version_of_more_than_32_bits(version: int) -> None:
    model = parsed("g (float[2] x) => (y) { y = Relu (x) z = LessOrEqual (x, x) }")
    model.opset_import[0].version = version
    found = {f.partition(" @")[0] for f in faults(checked(model))}
    assert found
    assert "error internal-error" not in found


def test_a_sequence_map_without_a_body() -> None:
    report = checked("g (seq(float[2]) s) => (y) { y = SequenceMap (s) }")
    assert faults(report) == ["error missing-attribute @ 0"]


def test_cycles_that_share_nodes() -> None:
    reads = {"a": "b c", "b": "c a", "c": "d a", "d": "b d"}
    model = made([node("Sum", names, out) for out, names in reads.items()], [], ["a"])
    assert {f.partition(" @")[0] for f in faults(checked(model))} == {"error cycle"}


def test_an_affine_grid_of_no_known_rank() -> None:
    assert faults(checked("g (float[] t, int64[M] s) => (y) { y = AffineGrid (t, s) }")) == []


def test_a_shape_of_more_lengths_than_can_be_listed() -> None:
    model = made([node("ConstantOfShape", "s")], [onnx.helper.make_tensor_value_info("s", 7, [2**31])])
    with within(50_000):
        report = checked(model)
    assert faults(report) == ["warning budget-exceeded @ 0"]


def test_more_ranges_than_axes() -> None:
    given = [onnx.helper.make_tensor_value_info(name, 7, [2**31]) for name in ("s", "e")]
    with within(50_000):
        report = checked(made([node("Slice", "x s e")], [floats("x", 2, 3), *given]))
    assert faults(report) == ["error length-mismatch @ 0"]


def test_an_attribute_that_came_with_a_later_version() -> None:
    text = net(parameter("x"), layer("s", "ShapeOf", "x", out="I64 2", output_type="i64"), result("s"))
    assert faults(check(text)) == ["warning unknown-attribute @ 0"]
