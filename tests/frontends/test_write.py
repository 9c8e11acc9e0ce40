"""infer_shapes writes types into a copy of the model and leaves all else as it was, byte for byte."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import onnx
import onnxruntime
import pytest

from shapeinfer import ShapeInferError, check, infer_shapes
from shapeinfer.frontends.formats import OutputDims
from tests.infer.running import session
from tests.models import HEADER, floats, made, node, parsed
from tests.weights import weighted


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


def test_what_is_declared_wrongly_is_corrected_wherever_it_is() -> None:
    model = parsed("""g (float[N, 3] x, bool c) => (float[N, 9] y) <float[7, 3] a, int32[N, 3] b, float[N] d> {
        a = Neg(x) b = Neg(a) d = Neg(b)
        y = If(c) <then_branch = t () => (float[5] r) <float[9] q> { q = Abs(d) r = Abs(q) },
                   else_branch = f () => (int64[2] e) { e = Neg(x) }>
    }""")
    assert set(written(model).values()) == {"FLOAT, Nx3"}
    inner = [v for a in infer_shapes(model).graph.node[3].attribute for v in (*a.g.value_info, *a.g.output)]
    assert {v.name: onnx.helper.printable_type(v.type) for v in inner} == dict.fromkeys("qre", "FLOAT, Nx3")


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


NAMED = "g (float[past] p, float[seq] s) => (float[total] y) { h = Concat<axis=0>(p, s) y = Relu(h) }"


@pytest.mark.parametrize(
    ("output_dims", "output", "value_info"),
    [
        ("keep", "FLOAT, total", {"h": "FLOAT, past + seq"}),
        ("expression", "FLOAT, past + seq", {"h": "FLOAT, past + seq"}),
        ("both", "FLOAT, total", {"h": "FLOAT, past + seq", "y": "FLOAT, past + seq"}),
    ],
)
def test_the_formula_of_an_outputs_dim_stands_where_it_was_asked_for(
    output_dims: OutputDims, output: str, value_info: dict[str, str]
) -> None:
    out = infer_shapes(parsed(NAMED), output_dims=output_dims)
    assert onnx.helper.printable_type(out.graph.output[0].type) == output
    assert {v.name: onnx.helper.printable_type(v.type) for v in out.graph.value_info} == value_info
    onnx.checker.check_model(out, full_check=True)
    onnxruntime.InferenceSession(out.SerializeToString())
    assert infer_shapes(out, output_dims=output_dims) == out


def test_an_unknown_policy_for_outputs_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown output_dims 'none'; known: keep, expression, both"):
        infer_shapes(parsed(NAMED), output_dims="none")  # type: ignore[arg-type]


class TestFunctions:
    """Types inside functions hold for all their calls; IR version 10 gave them a place."""

    ONE = """<ir_version: 10, opset_import: ["" : 20, "my" : 1]>
    g (float[N, 4] x, float[4, N] z) => (float[] y) { h = my.twice(x) g = my.twice(CALL) y = MatMul(x, g) }
    <domain: "my", opset_import: ["" : 20]>
    twice (a) => (c) { b = Add(a, a) k = Shape(b) c = Neg(b) }"""
    ALIKE, APART = ONE.replace("CALL", "h").replace("MatMul", "Add"), ONE.replace("CALL", "z")

    @staticmethod
    def typed(model: onnx.ModelProto) -> dict[str, str]:
        (function,) = infer_shapes(model).functions
        return {v.name: onnx.helper.printable_type(v.type) for v in function.value_info}

    def test_what_holds_in_all_calls_is_written(self) -> None:
        assert self.typed(parsed(self.ALIKE)) == {"b": "FLOAT, Nx4", "k": "INT64, 2", "c": "FLOAT, Nx4"}
        assert self.typed(parsed(self.APART)) == {"k": "INT64, 2"}

    def test_what_is_there_is_corrected_or_dropped(self) -> None:
        model = parsed(self.APART)
        for name, shape in (("b", [7, 4]), ("k", [9]), ("other", [1])):
            model.functions[0].value_info.append(onnx.helper.make_tensor_value_info(name, 1, shape))
        assert self.typed(model) == {"k": "INT64, 2", "other": "FLOAT, 1"}

    def test_before_ir_10_functions_stay_as_they_are(self) -> None:
        model = parsed(self.ALIKE.replace("ir_version: 10", "ir_version: 9"))
        assert infer_shapes(model).functions == model.functions

    def test_graphs_inside_functions_are_filled_in(self) -> None:
        model = parsed("""<ir_version: 10, opset_import: ["" : 20, "my" : 1]>
        g (float[N] x, bool c) => (float[] y) { h = my.f(x, c) y = my.f(h, c) }
        <domain: "my", opset_import: ["" : 20]>
        f (a, c) => (b) { b = If(c) <then_branch = t () => (float[] u) { v = Neg(a) u = Abs(v) },
                                     else_branch = e () => (float[] w) { w = Neg(a) }> }""")
        out = infer_shapes(model)
        then, other = (a.g for a in out.functions[0].node[0].attribute)
        assert [(v.name, onnx.helper.printable_type(v.type)) for v in (*then.value_info, *then.output)] == [
            ("v", "FLOAT, N"),
            ("u", "FLOAT, N"),
        ]
        assert [onnx.helper.printable_type(v.type) for v in other.output] == ["FLOAT, N"]
        assert infer_shapes(out) == out

    def test_others_read_them(self) -> None:
        for text in (self.ALIKE, self.APART):
            out = infer_shapes(parsed(text))
            assert infer_shapes(out) == out
            onnx.checker.check_model(out, full_check=True)
            onnxruntime.InferenceSession(out.SerializeToString())


def accepted(model: onnx.ModelProto) -> tuple[bool, bool]:
    """Whether onnx's full check passes, and whether onnxruntime loads the model."""
    done = []
    for attempt in (
        lambda: onnx.checker.check_model(model, full_check=True),
        lambda: session(model),
    ):
        try:
            attempt()
            done.append(True)
        except Exception:  # noqa: BLE001 - whatever others have against a model
            done.append(False)
    return done[0], done[1]


@pytest.mark.parametrize("output_dims", ["keep", "expression", "both"])
def test_a_second_inference_changes_no_byte(some_model: Path, output_dims: OutputDims) -> None:
    once = infer_shapes(some_model, output_dims=output_dims).SerializeToString(deterministic=True)
    assert infer_shapes(once, output_dims=output_dims).SerializeToString(deterministic=True) == once


def test_whoever_read_the_model_reads_the_result(some_model: Path) -> None:
    model = weighted(onnx.load(some_model, load_external_data=False))
    before = accepted(model)
    for output_dims in ("keep", "both"):
        assert accepted(infer_shapes(model, output_dims=output_dims)) == before


def test_strict_mode_raises_and_the_default_fills_in_what_it_can() -> None:
    model = parsed("g (float[2, 3] a, float[2, 4] b) => (float[] y) { h = Add(a, b) y = Relu(a) }")
    assert written(model)["y"] == "FLOAT, 2x3"
    with pytest.raises(ShapeInferError) as caught:
        infer_shapes(model, strict_mode=True)
    assert caught.value.code == "not-broadcastable"
    infer_shapes(model, check_type=True)


HUGE = "g (float[N, 4611686018427387904] a) => (float[] y) { h = Concat<axis = 1>(a, a) y = Relu(h) }"


def test_a_length_that_no_field_holds_is_left_open() -> None:
    assert written(parsed(HUGE)) == {"h": "FLOAT, Nx?", "y": "FLOAT, Nx?"}
    with pytest.raises(ShapeInferError) as caught:
        infer_shapes(parsed(HUGE), strict_mode=True)
    assert caught.value.code == "element-count-overflow"


def stored_wrong() -> onnx.ModelProto:
    """A model whose initializer has less data than its shape needs."""
    model = parsed("g (float[2] a) => (float[] y) <float[2] w = {1.0, 2.0}> { y = Add(a, w) }")
    del model.graph.initializer[0].float_data[1:]
    return model


def functions_alike() -> onnx.ModelProto:
    function = '<domain: "my", opset_import: ["" : 20]> F (a) => (b) { b = Relu(a) }'
    return parsed(f"{HEADER}g (float[2] a) => (float[] y) {{ y = my.F(a) }} {function} {function}")


@pytest.mark.parametrize("broken", [stored_wrong, functions_alike])
def test_strict_mode_finds_what_check_finds_in_the_file(broken: Callable[[], onnx.ModelProto]) -> None:
    model = broken()
    (error,) = check(model).errors
    assert written(model)["y"] == "FLOAT, 2"
    with pytest.raises(ShapeInferError) as caught:
        infer_shapes(model, strict_mode=True)
    assert caught.value.diagnostics == (error,)


def test_check_type_raises_for_element_types() -> None:
    model = parsed("g (float[2] a, int64[2] b) => (float[] y) { y = Add(a, b) }")
    infer_shapes(model)
    with pytest.raises(ShapeInferError) as caught:
        infer_shapes(model, check_type=True)
    assert caught.value.code == "element-type-mismatch"
