"""What fuzzing and random models found: each was a crash, a hang or a wrong word once."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest

from shapeinfer import ShapeInferError, Tensor, check, infer_op
from shapeinfer.frontends.formats import is_model_file
from tests.effort import within
from tests.ir import layer, net, parameter, result
from tests.models import checked, fault, faults, floats, made, node, parsed, texts


@pytest.mark.parametrize("op", ["Max", "Min", "Sum", "Mean", "Concat <axis = 0>"])
def test_one_of_any_number_of_inputs_is_left_out(op: str) -> None:
    assert faults(checked(f'g (float[2] x) => (y) {{ y = {op} (x, "", x) }}')) == ["error missing-input @ 0"]


def test_an_operator_that_was_withdrawn_lacks_an_input() -> None:
    report = checked("g (float[2] x, int64[2] i) => (y) { y = Scatter (x, i) }")
    assert faults(report) == ["error deprecated-operator @ 0"]
    assert [fault(d) for d in report.diagnostics[0].related] == ["error missing-input @ 0"]


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


def test_an_attribute_of_a_later_version_is_kept_from_the_rule() -> None:
    graph = "g (float[2] x, float s) => (y) { y = QuantizeLinear <axis = [1]> (x, s) }"
    assert faults(checked(f'<ir_version: 9, opset_import: ["" : 10]> {graph}')) == ["error unknown-attribute @ 0"]


def test_numbers_added_to_a_sequence_of_unknown_elements() -> None:
    report = checked("g (int64[2] x) => (y) <int64[2] k = {1, 2}> { s = SequenceConstruct (z) y = Add (k, s) }")
    assert faults(report) == ["error undefined-value @ 0"]


def test_no_entries_along_a_giant_axis() -> None:
    report = checked("g (float[0, 2147483647, 4611686018427387904] x) => (y) { y = Concat <axis = 1> (x, x, x) }")
    assert faults(report) == []
    assert texts(report)["y"] == "f32[0, 6442450941, 4611686018427387904]"


def test_a_stored_tensor_of_no_entries_along_a_giant_axis() -> None:
    stored = onnx.TensorProto(name="w", dims=[0, 2**62], data_type=1)
    report = checked(made([node("Concat", "w w", axis=0)], initializers=[stored]))
    assert texts(report)["y"] == "f32[0, 4611686018427387904]"


def test_points_that_have_no_axes() -> None:
    assert faults(checked("g (float[] x, float t) => (y) { y = GridSample (x, t) }")) == ["error rank-mismatch @ 0"]


@pytest.mark.parametrize("depth", ["nan", "inf"])
def test_a_number_of_classes_that_is_none(depth: str) -> None:
    stored = onnx.helper.make_tensor("d", 1, [], [float(depth)])
    model = made([node("OneHot", "i d v")], [floats("i", 6), floats("v", 2)], initializers=[stored])
    assert texts(checked(model))["y"] == "f32[6, OneHot_0]"


def test_a_kernel_without_axes() -> None:
    text = """g (float[2] x) => (y) {
        u = my.Unheard (x) y = AveragePool <auto_pad = "SAME_UPPER", kernel_shape: ints = []> (u)
    }"""
    assert faults(checked(text)) == ["warning unknown-operator @ 0"]


def test_more_ranges_than_can_be_listed() -> None:
    inputs = [Tensor("f32", [2, 3]), Tensor("i64", [2**63 - 1]), Tensor("i64", [2**63 - 1])]
    with within(50_000), pytest.raises(ShapeInferError) as error:
        infer_op("StridedSlice", inputs, {"begin_mask": [], "end_mask": []}, dialect="openvino")
    assert [d.code.name for d in error.value.diagnostics] == ["length-mismatch"]


def test_gathering_along_an_axis_that_is_not_there() -> None:
    inputs = [Tensor("bf16", []), Tensor("i32")]
    (made,) = infer_op("GatherElements", inputs, {"axis": 2**31}, dialect="openvino")
    assert isinstance(made, Tensor)


def test_a_file_of_comments_is_told_from_an_ir(tmp_path: Path) -> None:
    """A pattern that may match them in several ways tries them all: two to the power of their number."""
    (tmp_path / "m.xml").write_bytes(b"<!---->" * 200 + b"<other/>")
    assert not is_model_file(tmp_path / "m.xml")


@pytest.mark.parametrize("scale", ["nan", "inf"])
def test_a_scale_that_is_no_number(scale: str) -> None:
    stored = onnx.helper.make_tensor("s", 1, [1], [float(scale)])
    model = made([node("Upsample", "x s")], [floats("x", 6)], initializers=[stored], opsets={"": 9})
    assert texts(checked(model))["y"] == "f32[Upsample_0]"


def test_scattering_along_an_axis_that_is_not_there() -> None:
    report = checked("g (int64[] x) => (y) <int64 i = {0}, int64 u = {1}> { y = ScatterElements <axis = 2> (x, i, u) }")
    assert faults(report) == []
    assert texts(report)["y"] == "i64[]"


@pytest.mark.parametrize("heads", [0, -2])
def test_attention_of_no_heads(heads: int) -> None:
    attributes = {"q_num_heads": 2, "kv_num_heads": heads, "update_rule": "linear"}
    inputs = [floats(name, 1, 4, 8) for name in "qkv"]
    model = made([node("LinearAttention", "q k v", "y s", **attributes)], inputs, opsets={"": 27}, ir_version=10)
    assert faults(checked(model)) == ["error invalid-attribute @ 0"]


def test_an_attribute_that_makes_a_length_negative() -> None:
    with pytest.raises(ShapeInferError) as error:
        infer_op("RNN", [Tensor("f32")] * 3, {"hidden_size": -2})
    assert [d.code.name for d in error.value.diagnostics] == ["negative-length"]


def test_boxes_of_no_density() -> None:
    text = net(
        parameter("a", "2", element_type="i64", out="I64"),
        parameter("b", "2", element_type="i64", out="I64"),
        layer("p", "PriorBox", "a", "b", out="FP32 2,-1", offset="0", step="1", density="inf"),
        result("p"),
    )
    assert faults(check(text)) == ["error invalid-attribute @ 0"]


def test_a_rule_that_left_more_open_than_can_be_followed() -> None:
    inputs = [Tensor("f32"), Tensor("i64", [2**31]), Tensor("i64")]
    attributes = {"max_distance": 1, "is_bidirectional": 1}
    (made,) = infer_op("RelativePositionBias", inputs, attributes, domain="com.microsoft")
    assert isinstance(made, Tensor)
    assert made.rank == 4


def test_an_axis_without_entries_is_looked_up_at_an_unknown_index() -> None:
    report = checked("""g (int64[3] t, float[2] x) => (y) {
        none = Constant <value = int64[1] {0}> () empty = ConstantOfShape (none)
        i = ReduceMax <keepdims = 0> (t) y = Gather (empty, i)
    }""")
    assert "error internal-error @ 3" not in faults(report)
