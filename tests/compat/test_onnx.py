"""The functions of onnx.shape_inference, with the same signatures and what ours know."""

from __future__ import annotations

import inspect
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import shape_inference as theirs

from shapeinfer import BroadcastError, ModelError, ShapeInferError
from shapeinfer.compat import onnx as ours
from tests.models import parsed


def typed(*shape: int | str | None, dtype: int = onnx.TensorProto.FLOAT) -> onnx.TypeProto:
    return onnx.helper.make_tensor_type_proto(dtype, shape)


def spoken(kind: onnx.TypeProto) -> str:
    return onnx.helper.printable_type(kind)


@pytest.mark.parametrize("name", ours.__all__)
def test_the_parameters_are_those_of_onnx(name: str) -> None:
    mine, other = (inspect.signature(getattr(module, name)).parameters.values() for module in (ours, theirs))
    assert [p.name for p in mine if p.kind not in (p.KEYWORD_ONLY, p.VAR_KEYWORD)] == [p.name for p in other]


class TestPath:
    MODEL = "g (float[past] p, float[seq] s) => (float[] y) { h = Concat<axis=0>(p, s) y = Relu(h) }"
    BROKEN = "g (float[2] a, float[3] b) => (float[] y) { y = Add(a, b) }"

    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        path = tmp_path / "m.onnx"
        onnx.save(parsed(self.MODEL), path)
        return path

    @pytest.mark.parametrize("output", ["", "out.onnx"])
    def test_a_file_is_written_in_place_or_elsewhere(self, file: Path, output: str) -> None:
        target = file.with_name(output) if output else file
        ours.infer_shapes_path(file, target if output else "")
        assert onnx.load(target) == ours.infer_shapes(parsed(self.MODEL))

    def test_graphs_inside_nodes_are_written_too(self, file: Path) -> None:
        model = parsed("""g (float[N] x, bool c) => (float[] y) {
            y = If(c) <then_branch = t () => (float[] a) { h = Relu(x) a = Abs(h) },
                       else_branch = e () => (float[] b) { b = Neg(x) }> }""")
        onnx.save(model, file)
        ours.infer_shapes_path(str(file))
        assert onnx.load(file) == ours.infer_shapes(model)

    def test_functions_are_written_too(self, file: Path) -> None:
        model = parsed("""<ir_version: 10, opset_import: ["" : 20, "my" : 1]>
            g (float[N] x) => (float[] y) { y = my.f(x) }
            <domain: "my", opset_import: ["" : 20]>
            f (a) => (c) { b = Neg(a) c = Neg(b) }""")
        onnx.save(model, file)
        ours.infer_shapes_path(file)
        assert [v.name for v in onnx.load(file).functions[0].value_info] == ["b", "c"]

    def test_strict_mode_raises_and_writes_nothing(self, file: Path) -> None:
        onnx.save(parsed(self.BROKEN), file)
        before = file.read_bytes()
        with pytest.raises(BroadcastError, match="axis 0 is 2 in A and 3 in B"):
            ours.infer_shapes_path(file, strict_mode=True)
        assert file.read_bytes() == before

    def test_what_is_no_model_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(ModelError, match="no such file") as caught:
            ours.infer_shapes_path(tmp_path / "absent.onnx")
        assert caught.value.diagnostic.path == str(tmp_path / "absent.onnx")


class TestNode:
    def test_the_types_of_its_outputs(self) -> None:
        split = onnx.helper.make_node("Split", ["x"], ["a", "b"], num_outputs=2)
        found = ours.infer_node_outputs(onnx.defs.get_schema("Split", 18), split, {"x": typed(6, "N")})
        assert {name: spoken(t) for name, t in found.items()} == {"a": "FLOAT, 3xN", "b": "FLOAT, 3xN"}

    def test_data_of_inputs_is_used(self) -> None:
        shape = onnx.numpy_helper.from_array(np.array([4, -1]), "other")
        found = ours.infer_node_outputs(
            onnx.defs.get_schema("Reshape", 21),
            onnx.helper.make_node("Reshape", ["x", "s"], ["y"]),
            {"x": typed(8, "N"), "s": typed(2, dtype=onnx.TensorProto.INT64)},
            {"s": shape},
        )
        assert spoken(found["y"]) == "FLOAT, 4x2*N"

    def test_what_is_not_known_is_absent(self) -> None:
        own = onnx.defs.OpSchema("Op", "my", 1)
        found = ours.infer_node_outputs(own, onnx.helper.make_node("Op", ["x"], ["y"], domain="my"), {"x": typed(2)})
        assert found == {}

    def test_an_input_without_a_type_is_refused(self) -> None:
        with pytest.raises(ValueError, match="missing input types: x"):
            ours.infer_node_outputs(onnx.defs.get_schema("Relu"), onnx.helper.make_node("Relu", ["x"], ["y"]), {})

    def test_a_node_that_cannot_run_raises(self) -> None:
        add = onnx.helper.make_node("Add", ["a", "b"], ["y"])
        with pytest.raises(BroadcastError, match="axis 0 is 2 in A and 3 in B"):
            ours.infer_node_outputs(onnx.defs.get_schema("Add"), add, {"a": typed(2), "b": typed(3)})

    @pytest.mark.parametrize("op_type", ["Relu", "Shape", "Flatten", "Softmax", "ReduceMax"])
    def test_it_agrees_with_onnx(self, op_type: str) -> None:
        call = (onnx.defs.get_schema(op_type), onnx.helper.make_node(op_type, ["x"], ["y"]), {"x": typed(2, 3, 5)})
        assert ours.infer_node_outputs(*call) == theirs.infer_node_outputs(*call)


class TestFunction:
    FUNCTION = parsed("""<ir_version: 10, opset_import: ["" : 20, "my" : 1]>
        g (float[N] x) => (float[] y) { y = my.f<axis = 0>(x, x) }
        <domain: "my", opset_import: ["" : 20]>
        f <axis> (a, b) => (c, n) { c = Concat<axis: int = @axis>(a, b) n = Shape(c) }""").functions[0]

    def axis(self, number: int) -> list[onnx.AttributeProto]:
        return [onnx.helper.make_attribute("axis", number)]

    def test_the_types_of_its_outputs(self) -> None:
        found = ours.infer_function_output_types(self.FUNCTION, [typed(2, "N"), typed(2, "M")], self.axis(1))
        assert list(map(spoken, found)) == ["FLOAT, 2xM + N", "INT64, 2"]

    def test_it_agrees_with_onnx(self) -> None:
        call = (self.FUNCTION, [typed(2, 3), typed(4, 3)], self.axis(0))
        assert ours.infer_function_output_types(*call) == theirs.infer_function_output_types(*call)

    def test_a_call_that_cannot_run_raises(self) -> None:
        with pytest.raises(ShapeInferError, match="axis 0 of inputs 0 is 2 but axis 0 of inputs 1 is 4"):
            ours.infer_function_output_types(self.FUNCTION, [typed(2, 3), typed(4, 3)], self.axis(1))
