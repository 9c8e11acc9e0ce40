"""infer_shapes writes types into a copy of the model and leaves all else as it was, byte for byte."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest

from shapeinfer import ShapeInferError, infer_shapes
from tests.models import floats, made, node, parsed


def written(model: onnx.ModelProto) -> dict[str, str]:
    """The types of value_info and outputs as text, by name."""
    graph = infer_shapes(model).graph
    return {v.name: onnx.helper.printable_type(v.type) for v in (*graph.value_info, *graph.output)}


def without_types(model: onnx.ModelProto) -> bytes:
    """The bytes of a model but for what infer_shapes may write, in main graph and bodies."""
    bare = onnx.ModelProto()
    bare.CopyFrom(model)
    graphs = [bare.graph]
    while graphs:
        graph = graphs.pop()
        del graph.value_info[:]
        for value in graph.output:
            value.ClearField("type")
        graphs += [a.g for n in graph.node for a in n.attribute if a.HasField("g")]
    return bytes(bare.SerializeToString(deterministic=True))


def test_types_are_written_for_values_and_outputs() -> None:
    model = parsed("g (float[N, 3] x) => (float[] y) { h = Transpose(x) y = Concat<axis=1>(h, h) }")
    before = model.SerializeToString()
    assert written(model) == {"h": "FLOAT, 3xN", "y": "FLOAT, 3x2*N"}
    assert model.SerializeToString() == before, "the model that was given is not changed"


def test_inputs_and_initializers_get_no_value_info() -> None:
    model = parsed("g (float[N, 3] x) => (float[] y) <float[3] w = {1, 2, 3}> { y = Mul(x, w) }")
    assert list(written(model)) == ["y"]


def test_everything_else_passes_through(some_model: Path) -> None:
    model = onnx.load(some_model, load_external_data=False)
    model.MergeFromString(b"\xba\x3e\x05later")  # field 999, which no onnx knows
    model.graph.MergeFromString(b"\xba\x3e\x05later")
    model.graph.node[0].MergeFromString(b"\xba\x3e\x05later")
    out = infer_shapes(model)
    assert without_types(out) == without_types(model)
    assert b"later" in out.SerializeToString()


def test_what_a_value_info_says_besides_its_type_is_kept() -> None:
    model = made([node("Relu", "x", "h"), node("Relu", "h")], [floats("x", "N")], value_info=[floats("h", None)])
    info = model.graph.value_info[0]
    info.doc_string = "the hidden one"
    info.metadata_props.add(key="source", value="model.py:7")
    (kept,) = infer_shapes(model).graph.value_info
    assert (kept.doc_string, kept.metadata_props[0].value) == ("the hidden one", "model.py:7")
    assert onnx.helper.printable_type(kept.type) == "FLOAT, N"


def test_a_type_that_says_the_same_keeps_its_denotations() -> None:
    model = made([node("Relu", "x", "h"), node("Relu", "h")], [floats("x", "N")], value_info=[floats("h", "N")])
    model.graph.value_info[0].type.denotation = "IMAGE"
    model.graph.value_info[0].type.tensor_type.shape.dim[0].denotation = "DATA_BATCH"
    assert infer_shapes(model).graph.value_info == model.graph.value_info


def test_the_values_of_bodies_are_written_there() -> None:
    model = parsed("""g (float[N] x, bool c) => (float[] y) {
        y = If(c) <then_branch = t () => (float[] a) { h = Relu(x) a = Abs(h) },
                   else_branch = e () => (float[] b) { b = Neg(x) }>
    }""")
    then, other = (a.g for a in infer_shapes(model).graph.node[0].attribute)
    assert [(v.name, onnx.helper.printable_type(v.type)) for v in (*then.value_info, *then.output)] == [
        ("h", "FLOAT, N"),
        ("a", "FLOAT, N"),
    ]
    assert [onnx.helper.printable_type(v.type) for v in other.output] == ["FLOAT, N"]


def test_an_author_keeps_the_name_given_to_an_outputs_dim() -> None:
    model = parsed("""g (float[past] p, float[seq] s) => (float[total] y) { y = Concat<axis=0>(p, s) }""")
    assert written(model) == {"y": "FLOAT, total"}


@pytest.mark.parametrize("name", ["unk__12", "Concat_y_dim_0"])
def test_a_name_that_a_tool_made_up_gives_way_to_the_formula(name: str) -> None:
    model = parsed(f"g (float[past] p, float[seq] s) => (float[{name}] y) {{ y = Concat<axis=0>(p, s) }}")
    assert written(model) == {"y": "FLOAT, past + seq"}


def test_a_name_for_two_lengths_is_not_kept() -> None:
    model = parsed("g (float[A] a, float[B] b) => (float[K] x, float[K] y) { x = Concat<axis=0>(a, a) y = Relu(b) }")
    assert written(model) == {"x": "FLOAT, 2*A", "y": "FLOAT, B"}


def test_a_value_of_which_nothing_is_known_keeps_what_was_declared() -> None:
    model = made(
        [node("Op", "x", "h", domain="my"), node("Relu", "h")], [floats("x", "N")], value_info=[floats("h", 7)]
    )
    assert written(model) == {"h": "FLOAT, 7", "y": "FLOAT, 7"}


def test_strict_mode_raises_and_the_default_fills_in_what_it_can() -> None:
    model = parsed("g (float[2, 3] a, float[2, 4] b) => (float[] y) { h = Add(a, b) y = Relu(a) }")
    assert written(model)["y"] == "FLOAT, 2x3"
    with pytest.raises(ShapeInferError) as caught:
        infer_shapes(model, strict_mode=True)
    assert caught.value.code == "not-broadcastable"
    infer_shapes(model, check_type=True)


def test_check_type_raises_for_element_types() -> None:
    model = parsed("g (float[2] a, int64[2] b) => (float[] y) { y = Add(a, b) }")
    infer_shapes(model)
    with pytest.raises(ShapeInferError) as caught:
        infer_shapes(model, check_type=True)
    assert caught.value.code == "element-type-mismatch"
