"""The Python interface: check, infer_shapes, infer_op, broadcast_shapes and symbol."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest

import shapeinfer
from shapeinfer import (
    AttributeValueError,
    BroadcastError,
    Dim,
    DimMismatchError,
    ElementTypeError,
    Options,
    Report,
    SequenceType,
    Session,
    ShapeInferError,
    Tensor,
    broadcast_shapes,
    check,
    check_many,
    evaluate,
    fold,
    infer_op,
    infer_shapes,
    symbol,
)
from shapeinfer.api import annotated
from shapeinfer.api.options import Keywords, options_from
from shapeinfer.text import check_text
from tests.models import checked, contract, floats, made, node, parsed, texts


def test_everything_that_is_offered_is_there() -> None:
    assert [name for name in shapeinfer.__all__ if not hasattr(shapeinfer, name)] == []
    assert len(set(shapeinfer.__all__)) == len(shapeinfer.__all__)


class TestOptions:
    """One value for what a caller fixes; the keywords of the functions are its fields."""

    MODEL = "g (float[N, 3] x) => (float[] y) { y = Flatten<axis=0>(x) }"

    def test_the_keywords_are_the_fields(self) -> None:
        assert [f.name for f in attrs.fields(Options)] == list(Keywords.__annotations__)

    def test_every_function_takes_them(self, tmp_path: Path) -> None:
        model, options = parsed(self.MODEL), Options(bind={"N": 4})
        path = tmp_path / "m.onnx"
        path.write_bytes(model.SerializeToString())
        reports = [
            check(model, options=options),
            Session(model, options=options).report,
            annotated(model, options=options)[1],
            *(report for _, report in check_many([path], options=options)),
            check_text(self.MODEL, options=options).report,
        ]
        assert [str(report.values["y"]) for report in reports] == ["f32[1, 12]"] * len(reports)
        for typed in (infer_shapes(model, options=options), fold(model, options=options).model):
            assert typed.graph.output[0].type.tensor_type.shape.dim[1].dim_value == 12

    def test_a_keyword_overrides_them(self) -> None:
        report = check(parsed(self.MODEL), options=Options(bind={"N": 4}, assume=["N == 5"]), bind={"N": 5})
        assert report.ok
        assert str(report.values["y"]) == "f32[1, 15]"

    def test_a_keyword_that_is_none_is_left_out(self) -> None:
        assert options_from(Options(bind={"N": 4}), {"bind": None}) == Options(bind={"N": 4})
        assert options_from(None, {"max_seconds": None}).max_seconds is None

    @pytest.mark.parametrize(
        ("keywords", "message"),
        [
            ({"profile": "onnx"}, "unknown profile 'onnx'; known: spec, openvino"),
            ({"default_inputs": "open"}, "unknown default_inputs 'open'; known: free, fixed"),
            ({"max_seconds": 0}, "'seconds' must be > 0"),
            ({"max_memory": -1}, "'memory' must be > 0"),
            ({"max_expression": 0}, "'expression' must be >= 1"),
            ({"bind": [4]}, r"^bind is \[4\]; give a mapping by the names of dims"),
            ({"bind": {"N": 4, symbol("N"): 5}}, "^N is given twice in bind$"),
            ({"shapes": [4]}, r"^shapes is \[4\]; give a mapping by the names of inputs"),
            ({"ranges": {"N": 4}}, r"^the range of N is 4; give a pair such as \(1, 64\) or \(1, None\)$"),
        ],
    )
    def test_they_are_validated_once_for_all(self, keywords: Any, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            Options(**keywords)
        with pytest.raises(ValueError, match=message):
            check(b"", **keywords)

    def test_an_unknown_keyword_is_named(self) -> None:
        with pytest.raises(TypeError, match="unexpected keyword argument 'bnd'"):
            check(b"", bnd={})  # type: ignore[call-arg]


class TestReport:
    def test_a_sound_model(self) -> None:
        report = checked("g (float[N, 3] x) => (float[] y) { y = Flatten<axis=0>(x) }")
        assert report.ok
        assert report.errors == ()
        report.raise_for_errors()
        assert report.to_dict() == {
            "ok": True,
            "diagnostics": [],
            "values": {
                "x": {"dtype": "float32", "shape": ["N", 3]},
                "y": {"dtype": "float32", "shape": [1, "3*N"]},
            },
            "contract": [],
            "small_sizes": [],
            "unsimplified": [],
            "at_run_time": [],
            "smallest_sizes": {},
            "assumptions": [],
        }

    def test_a_broken_model_raises_when_asked_to(self) -> None:
        report = checked("g (float[2, 3] a, float[4] b) => (float[] y) { h = Add(a, b) y = MatMul(a, a) }")
        assert not report.ok
        assert len(report.errors) == 2
        with pytest.raises(BroadcastError) as caught:
            report.raise_for_errors()
        error = caught.value
        assert error.lhs is not None
        assert error.rhs is not None
        assert (error.lhs.value, error.rhs.value, error.axis) == ("a", "b", 1)
        assert error.node is not None
        assert error.node.index == 0
        assert error.diagnostics == report.errors

    def test_a_warning_is_no_error(self) -> None:
        report = check(made([node("Op", "x", domain="my")], [floats("x", "N")]))
        assert report.ok
        assert report.diagnostics != ()
        report.raise_for_errors()

    def test_the_contract_names_the_node_that_needs_it(self) -> None:
        report = checked("g (float[A, 4] a, float[B, 4] b) => (float[] y) { h = Relu(a) y = Add(h, b) }")
        (needed,) = report.contract
        assert needed.node is not None
        assert needed.node.index == 1
        assert needed.to_dict()["condition"] == "A == B"
        assert [r.condition for r in report.contract.all_sizes] == ["A == B or A == 1 or B == 1"]

    @pytest.mark.parametrize(
        ("inputs", "nodes", "form"),
        [
            (
                "float[2] x",
                "y = SequenceConstruct(x, x)",
                {"dtype": "seq(f32[2], 2)", "shape": None, "kind": "sequence"},
            ),
            ("float[2] x", "y = Optional(x)", {"dtype": "optional(f32[2])", "shape": None, "kind": "optional"}),
            ("float[] x", "y = Relu(x)", {"dtype": "float32", "shape": None}),
            ("float[2] x", "y = my.Op(x)", {"dtype": "?", "shape": None, "kind": "unknown"}),
        ],
    )
    def test_the_published_form_of_every_kind(self, inputs: str, nodes: str, form: dict[str, Any]) -> None:
        values = checked(f"g ({inputs}) => (y) {{ {nodes} }}").to_dict()["values"]
        assert json.loads(json.dumps(values["y"])) == form

    def test_initializers_are_not_listed_and_inputs_are(self) -> None:
        report = checked("g (float[2] x) => (float[] y) <float[2] w = {1, 2}> { y = Add(x, w) }")
        assert list(report.values) == ["x", "y"]


class TestInferOp:
    def test_shapes_and_types(self) -> None:
        (out,) = infer_op("Concat", [Tensor("f32", ["N", 4]), Tensor("f32", ["M", 4])], {"axis": 0})
        assert str(out) in ("f32[M + N, 4]", "f32[N + M, 4]")

    def test_contents(self) -> None:
        (out,) = infer_op("Reshape", [Tensor("f32", ["N", 6]), Tensor("i64", [2], [-1, 3])])
        assert str(out) == "f32[2*N, 3]"

    def test_inputs_that_are_left_out_and_several_outputs(self) -> None:
        out = infer_op("Dropout", [Tensor("f16", ["N"]), None, None], outputs=2)
        assert [str(o) for o in out] == ["f16[N]", "bool[N]"]

    def test_a_version(self) -> None:
        x, axes = Tensor("f32", [1, "N"]), Tensor("i64", [1], [0])
        assert str(infer_op("Squeeze", [x], {"axes": [0]}, version=11)[0]) == "f32[N]"
        assert str(infer_op("Squeeze", [x, axes], version=13)[0]) == "f32[N]"
        with pytest.raises(AttributeValueError) as caught:
            infer_op("Squeeze", [x], {"axes": [0]}, version=13)
        assert caught.value.code == "unknown-attribute"

    def test_an_attribute_that_is_an_empty_list_or_left_out(self) -> None:
        x = Tensor("f32", ["N", 3])
        assert str(infer_op("ReduceSum", [x], {"axes": [], "keepdims": None}, version=11)[0]) == "f32[1, 1]"

    @pytest.mark.parametrize("axes", [[1, "a"], object()])
    def test_what_is_no_value_of_an_attribute(self, axes: object) -> None:
        with pytest.raises(ValueError, match=r"is not a value for an attribute such as axes of ReduceSum"):
            infer_op("ReduceSum", [Tensor("f32", ["N", 3])], {"axes": axes}, version=11)

    def test_sequences(self) -> None:
        (out,) = infer_op("SequenceAt", [SequenceType(Tensor("f32", ["N"]), 2), Tensor("i64", [], [0])])
        assert str(out) == "f32[N]"

    def test_new_lengths_are_unlike_those_given(self) -> None:
        taken = Tensor("f32", ["NonZero_0"])
        (out,) = infer_op("NonZero", [taken])
        assert isinstance(out, Tensor)
        assert out.dims[1] is not taken.dims[0]
        assert str(out.dims[1]) != "NonZero_0"

    @pytest.mark.parametrize(
        ("op", "inputs", "attributes", "kind", "code"),
        [
            ("Add", [Tensor("f32", [3]), Tensor("f32", [4])], {}, BroadcastError, "not-broadcastable"),
            ("MatMul", [Tensor("f32", [2, 3]), Tensor("f32", [4, 2])], {}, DimMismatchError, "inner-dim-mismatch"),
            ("Add", [Tensor("f32", [3]), Tensor("i64", [3])], {}, ElementTypeError, "element-type-mismatch"),
            ("Relu", [Tensor("str", [3])], {}, ElementTypeError, "element-type-not-allowed"),
            ("Concat", [Tensor("f32", [3])], {}, AttributeValueError, "missing-attribute"),
            ("Concat", [Tensor("f32", [3])], {"axis": "0"}, AttributeValueError, "attribute-type"),
            ("Add", [Tensor("f32", [3])], {}, shapeinfer.ArityError, "missing-input"),
            ("Relu", [Tensor("f32", [3])] * 2, {}, shapeinfer.ArityError, "too-many-inputs"),
            ("Flatten", [Tensor("f32", [3])], {"axis": 2}, shapeinfer.AxisError, "axis-out-of-range"),
        ],
    )
    def test_a_call_that_cannot_run_raises(
        self, op: str, inputs: list[Tensor], attributes: dict[str, Any], kind: type[ShapeInferError], code: str
    ) -> None:
        with pytest.raises(ShapeInferError) as caught:
            infer_op(op, inputs, attributes)
        assert type(caught.value) is kind
        assert caught.value.code == code

    @pytest.mark.parametrize(
        ("keywords", "says"),
        [
            ({"op_type": "Gelu", "version": 19}, "Gelu came with opset 20 of ai.onnx; it is not in 19"),
            ({"op_type": "ISTFT", "dialect": "openvino", "version": 15}, "ISTFT came with opset 16 of openvino"),
        ],
    )
    def test_an_operator_of_a_later_opset_is_a_fault_of_the_call(self, keywords: dict[str, Any], says: str) -> None:
        with pytest.raises(ShapeInferError) as caught:
            infer_op(inputs=[Tensor("f32", [1])], **keywords)
        assert caught.value.code == "operator-too-new"
        assert caught.value.diagnostic.message.startswith(says)

    @pytest.mark.parametrize("given", [(2, 3), "f32[2]", 3])
    def test_an_input_is_a_fact(self, given: Any) -> None:
        with pytest.raises(TypeError, match="input 1 is "):
            infer_op("Add", [Tensor("f32", [1]), given])

    @pytest.mark.parametrize(
        ("keywords", "says"),
        [
            ({"op_type": "Nothing"}, "no operator Nothing of domain ai.onnx in opset"),
            ({"op_type": "Relu", "domain": "nowhere"}, "no operator Relu of domain nowhere in opset 1"),
            ({"op_type": "Relu", "dialect": "tosa"}, "unknown dialect 'tosa'; known: onnx"),
        ],
    )
    def test_what_is_not_known_is_a_value_error(self, keywords: dict[str, Any], says: str) -> None:
        with pytest.raises(ValueError, match=r".") as caught:
            infer_op(inputs=[Tensor("f32", [1])], **keywords)
        assert str(caught.value).startswith(says)


class TestBroadcastShapes:
    @pytest.mark.parametrize(
        ("shapes", "out"),
        [
            ([(2, 3), (3,)], "2, 3"),
            ([(0, 3), (1, 3)], "0, 3"),
            ([("N", 1), (4,)], "N, 4"),
            ([("N",), ("N",)], "N"),
            ([("N",), ("M",)], "broadcast(M, N)"),
            ([("N + 1",), (1,)], "N + 1"),
            ([(), ("N", 2)], "N, 2"),
            ([], ""),
            ([(2, "N")], "2, N"),
            ([(5,), ("N",)], "5"),
        ],
    )
    def test_shapes(self, shapes: list[tuple[Any, ...]], out: str) -> None:
        assert ", ".join(map(str, broadcast_shapes(*shapes))) == out

    def test_what_can_never_agree(self) -> None:
        with pytest.raises(BroadcastError) as caught:
            broadcast_shapes((2, 3), (4, 3))
        error = caught.value
        assert error.axis == 0
        assert error.lhs is not None
        assert error.rhs is not None
        assert (error.lhs.fact, error.rhs.fact) == ("[2, 3]", "[4, 3]")

    @pytest.mark.parametrize(
        ("shapes", "says"),
        [
            ([(-1, 2), (1,)], "axis 0 of shape 0 is -1; a dim cannot be negative"),
            ([(2,), (3, 2.0)], "axis 1 of shape 1 is 2.0; a dim is a whole number, a Dim or text such as 'N + 1'"),
            ([(2,), (None,)], "axis 0 of shape 1 is None; a dim is a whole number"),
            ([("N +",)], "axis 0 of shape 0 is 'N +', which is not a dim: unexpected 'the end'"),
            ([(2,), 5], "shape 1 is 5; a shape is a list of dims"),
            (["N2"], "shape 0 is 'N2'; a shape is a list of dims"),
        ],
    )
    def test_what_is_no_shape(self, shapes: list[Any], says: str) -> None:
        with pytest.raises(ValueError, match=r".") as caught:
            broadcast_shapes(*shapes)
        assert str(caught.value).startswith(says)

    def test_numbers_of_numpy_are_whole_numbers(self) -> None:
        assert broadcast_shapes(np.array([3, 1]), (np.int32(4),)) == (3, 4)

    def test_a_tensor_reads_its_shape_alike(self) -> None:
        assert Tensor("f32", np.array([3, 1])).text == "f32[3, 1]"
        with pytest.raises(ValueError, match=r"^axis 1 of the tensor is 2\.5; a dim is a whole number"):
            Tensor("f32", [3, 2.5])  # type: ignore[list-item]

    def test_three_shapes(self) -> None:
        with pytest.raises(BroadcastError, match="axis 0 is 2 in shape 0 and 3 in shape 2"):
            broadcast_shapes((2,), (1,), (3,))


class TestEvaluate:
    N = symbol("N")

    def test_a_size_of_any_kind_is_a_number(self) -> None:
        found: int = evaluate(self.N * 2, {"N": 4})
        assert found == evaluate("2*N", N=4) == evaluate(8) == evaluate(self.N + 4, {self.N: 4}) == 8

    def test_a_shape_is_a_tuple_of_numbers(self) -> None:
        found: tuple[int, ...] = evaluate((self.N, 3, "2*N"), {"N": 4, "M": 7})
        assert found == (4, 3, 8)
        assert evaluate([], N=4) == ()
        assert evaluate(broadcast_shapes(["N", 1], [5]), N=2) == (2, 5)

    @pytest.mark.parametrize(
        ("passed", "values", "says"),
        [
            (("N", "M"), {"N": 4}, "cannot evaluate M: no value for M; given are N"),
            (None, {}, "its rank is unknown"),
            ((3, None), {}, "axis 1 of the shape is None"),
            (2.5, {}, "the size is 2.5"),
            ("N", {"N": -1}, "N is -1; it must be at least 0"),
        ],
    )
    def test_what_has_no_value_is_refused(self, passed: Any, values: dict[str, int], says: str) -> None:
        with pytest.raises(ValueError, match=says):
            evaluate(passed, values)


class TestSymbol:
    def test_a_symbol_is_one_object(self) -> None:
        assert symbol("N") is symbol("N")
        assert isinstance(symbol("N"), Dim)

    def test_a_range(self) -> None:
        found = symbol("N", 2, 8)
        assert isinstance(found, Dim)
        assert (found.low, found.high) == (2, 8)
        assert symbol("N", 3, 3) == 3

    @pytest.mark.parametrize(("low", "high"), [(-1, None), (3, 2)])
    def test_no_length(self, low: int, high: int | None) -> None:
        with pytest.raises(ValueError, match=r"negative: low=-1|no value between 3 and 2"):
            symbol("N", low, high)


def test_a_proto_that_was_given_is_left_alone() -> None:
    model = parsed("g (float[N] x) => (float[] y) { h = Relu(x) y = Abs(h) }")
    before = model.SerializeToString(deterministic=True)
    check(model)
    shapeinfer.infer_shapes(model)
    assert model.SerializeToString(deterministic=True) == before


def test_a_report_is_of_its_own_binding() -> None:
    """One model, checked with and without sizes, one after the other."""
    model = parsed("g (float[N, 4] a, float[M, 4] b) => (float[] y) { y = Add(a, b) }")
    reports: list[Report] = [check(model), check(model, bind={"N": 2, "M": 3}), check(model)]
    assert [r.ok for r in reports] == [True, False, True]
    assert texts(reports[0]) == texts(reports[2])
    assert contract(reports[0]) == contract(reports[2])


@pytest.mark.parametrize("name", ["Map", "Optional", "Sequence"])
def test_an_old_name_warns_and_names_the_new_one(name: str) -> None:
    with pytest.warns(DeprecationWarning, match=f"shapeinfer.{name} is now shapeinfer.{name}Type"):
        assert getattr(shapeinfer, name) is getattr(shapeinfer, f"{name}Type")
