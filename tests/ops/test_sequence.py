"""Sequences: a length, and what holds of every element; an element's made-up lengths are its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest

from shapeinfer import SequenceType, ShapeInferError, Tensor, Unknown, check, infer_op
from shapeinfer.dims import evaluate
from shapeinfer.facts import DType, Fact
from tests.ops.spec import fact, fault, infer, spelled


def made(op: str, *inputs: Fact | None, **attributes: object) -> str:
    (out,) = infer_op(op, list(inputs), attributes)
    return out.text


def three(element: str = "f32", *dims: int | str) -> SequenceType:
    return SequenceType(Tensor(element, dims), 3)


def test_an_empty_sequence_has_an_element_type() -> None:
    assert infer("SequenceEmpty") == "seq(f32[...], 0)"
    assert infer("SequenceEmpty", dtype=onnx.TensorProto.INT64) == "seq(i64[...], 0)"
    assert fault("SequenceEmpty", dtype=-1) == "invalid-attribute"


@pytest.mark.parametrize(
    ("inputs", "output"),
    [
        (("f32[N, 3]", "f32[N, 3]"), "seq(f32[N, 3], 2)"),
        (("f32[N, 3]", "f32[M, 3]"), "seq(f32[SequenceConstruct_0, 3], 2)"),
        (("f32[N, 3]", "f32[N]"), "seq(f32[...], 2)"),
        (("f32[N]", "f32[...]"), "seq(f32[...], 2)"),
        (("f32[N]",), "seq(f32[N], 1)"),
    ],
)
def test_a_sequence_states_what_holds_of_all_its_elements(inputs: tuple[str, ...], output: str) -> None:
    assert infer("SequenceConstruct", *inputs) == output


def test_elements_have_one_type() -> None:
    assert fault("SequenceConstruct", "f32[2]", "i64[2]") == "element-type-mismatch"


def test_inserting_and_erasing_change_the_length() -> None:
    assert made("SequenceInsert", three("f32", "N"), Tensor("f32", ("N",))) == "seq(f32[N], 4)"
    assert made("SequenceInsert", SequenceType(Tensor("f32"), 0), Tensor("f32", ("N",))) == "seq(f32[N], 1)"
    assert (
        made("SequenceInsert", SequenceType(Tensor("f32", ("N",))), Tensor("f32", (2,))) == "seq(f32[SequenceInsert_0])"
    )
    assert made("SequenceErase", three("f32", "N")) == "seq(f32[N], 2)"
    assert made("SequenceErase", SequenceType(Tensor("f32", ("N",)))) == "seq(f32[N])"


def test_an_empty_sequence_takes_elements_of_its_type_alone() -> None:
    empty = SequenceType(Tensor("i64"), 0)
    assert made("SequenceInsert", empty, fact("?[N]")) == "seq(i64[N], 1)"
    with pytest.raises(ShapeInferError) as caught:
        made("SequenceInsert", empty, Tensor("f32", ("N",)))
    assert str(caught.value).startswith(
        "error[element-type-mismatch]: the sequence has element type int64 but tensor is float32"
    )


def test_the_length_is_known_to_what_reads_it() -> None:
    (out,) = infer_op("SequenceLength", [three("f32", 2)])
    assert out == Tensor("i64", (), [3])
    (unknown,) = infer_op("SequenceLength", [SequenceType(Tensor("f32"))])
    assert unknown.text == "i64[]"


def test_lengths_that_differ_between_elements_are_an_elements_own() -> None:
    (mixed,) = infer_op("SplitToSequence", [Tensor("f32", ("N", 3)), Tensor("i64", (), [2])])
    first, second = (infer_op("SequenceAt", [mixed, Tensor("i64", (), [i])])[0] for i in (0, 1))
    assert first.text == "f32[SequenceAt_0, 3]"
    assert second.text == "f32[SequenceAt_0, 3]"
    assert isinstance(mixed, SequenceType)
    assert not first.symbols & mixed.element.symbols


def test_lengths_that_the_author_named_are_one_for_all_elements() -> None:
    assert made("SequenceAt", three("f32", "N", 3), Tensor("i64", (), [1])) == "f32[N, 3]"


@pytest.mark.parametrize("position", [3, -4])
def test_a_position_lies_in_the_sequence(position: int) -> None:
    with pytest.raises(Exception, match="out of range for a sequence of 3 elements"):
        infer_op("SequenceAt", [three("f32", 2), Tensor("i64", (), [position])])


def test_an_empty_sequence_has_nothing_to_take() -> None:
    for op, rest in (("SequenceErase", []), ("SequenceAt", [Tensor("i64", ())])):
        with pytest.raises(Exception, match="at least one element"):
            infer_op(op, [SequenceType(Tensor("f32"), 0), *rest])


@pytest.mark.parametrize(
    ("axis", "new_axis", "output"),
    [
        (0, 0, "f32[3*N, 4]"),
        (1, 0, "f32[N, 12]"),
        (-1, 0, "f32[N, 12]"),
        (0, 1, "f32[3, N, 4]"),
        (-1, 1, "f32[N, 4, 3]"),
    ],
)
def test_elements_are_joined_or_stacked(axis: int, new_axis: int, output: str) -> None:
    assert made("ConcatFromSequence", three("f32", "N", 4), axis=axis, new_axis=new_axis) == output


def test_what_is_not_known_of_a_joined_axis() -> None:
    (mixed,) = infer_op("SplitToSequence", [Tensor("f32", ("N", 3)), Tensor("i64", (), [2])])
    assert made("ConcatFromSequence", mixed, axis=0) == "f32[ConcatFromSequence_0, 3]"
    assert made("ConcatFromSequence", SequenceType(Tensor("f32", ("N",))), axis=0, new_axis=1).startswith("f32[Concat")
    assert made("ConcatFromSequence", SequenceType(Tensor("f32")), axis=0) == "f32[...]"
    assert made("ConcatFromSequence", Unknown(), axis=0) == "?[...]"
    assert made("ConcatFromSequence", three("f32"), axis=0, new_axis=1) == "f32[3]"


def test_an_axis_to_join_along_is_one_of_the_elements() -> None:
    with pytest.raises(Exception, match="axis 2"):
        made("ConcatFromSequence", three("f32", 2, 2), axis=2)


@pytest.mark.parametrize(
    ("split", "attributes", "output"),
    [
        ("", {}, "seq(f32[1, 6], N)"),
        ("", {"keepdims": 0}, "seq(f32[6], N)"),
        ("", {"axis": 1, "keepdims": 0}, "seq(f32[N], 6)"),
        ("i64[]{2}", {"axis": 1}, "seq(f32[N, 2], 3)"),
        ("i64[]{4}", {"axis": 1}, "seq(f32[N, SplitToSequence_0], 2)"),
        ("i64[]{2}", {}, "seq(f32[SplitToSequence_0, 6], (N + 1)//2)"),
        ("i64[2]{3, 3}", {"axis": 1}, "seq(f32[N, 3], 2)"),
        ("i64[2]{2, 4}", {"axis": 1, "keepdims": 0}, "seq(f32[N, SplitToSequence_0], 2)"),
        ("i64[K]", {"axis": 1}, "seq(f32[N, SplitToSequence_0])"),
        ("i64[...]", {"axis": 1}, "seq(f32[N, SplitToSequence_0])"),
    ],
)
def test_a_tensor_is_split(split: str, attributes: dict[str, Any], output: str) -> None:
    assert infer("SplitToSequence", "f32[N, 6]", split, **attributes) == output


@pytest.mark.parametrize(
    ("split", "code"),
    [("i64[2]{2, 5}", "split-sum"), ("i64[2]{7, -1}", "negative-length"), ("i64[]{0}", "invalid-value")],
)
def test_parts_add_up(split: str, code: str) -> None:
    assert fault("SplitToSequence", "f32[2, 6]", split, axis=1) == code


@pytest.mark.parametrize("size", [0, 1, 4, 5])
def test_splitting_agrees_with_a_run(size: int) -> None:
    text = "g (float[N, 3] x) => (seq(float) y) { s = Constant<value_int = 2>() y = SplitToSequence<axis = 0>(x, s) }"
    model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 18]> {text}')
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    (parts,) = session.run(None, {"x": np.ones((size, 3), np.float32)})
    (out,) = infer_op("SplitToSequence", [Tensor("f32", ("N", 3)), Tensor("i64", (), [2])])
    assert isinstance(out, SequenceType)
    assert out.length is not None
    assert evaluate(out.length, {"N": size}) == len(parts)


def test_two_sequences_of_which_other_elements_were_erased_share_no_length() -> None:
    model = onnx.parser.parse_model(
        """<ir_version: 9, opset_import: ["" : 20]>
        main (float[N, 2] a, float[M, 2] b) => (float[K, 2] p, float[L, 2] q) {
            s = SequenceConstruct (a, b)
            zero = Constant <value = int64 {0}> ()
            one = Constant <value = int64 {1}> ()
            s0 = SequenceErase (s, zero)
            s1 = SequenceErase (s, one)
            p = ConcatFromSequence <axis = 1> (s0)
            q = ConcatFromSequence <axis = 1> (s1)
        }"""
    )
    values = check(model).values
    assert values["p"] is not values["q"]


@pytest.mark.parametrize(
    ("nodes", "output"),
    [
        ("out = SequenceAt (a, one)", "f32[M, 2]"),
        ("out = SequenceAt (a, minus)", "f32[5, 2]"),
        ("b = SequenceErase (a, one) out = SequenceAt (b, one)", "f32[5, 2]"),
        ("b = SequenceErase (a) out = SequenceAt (b, minus)", "f32[M, 2]"),
        ("b = SequenceInsert (a, x, one) out = SequenceAt (b, one)", "f32[N, 2]"),
        ("b = SequenceInsert (a, x, minus) c = SequenceErase (b) out = SequenceAt (c, minus)", "f32[N, 2]"),
        ("b = SequenceInsert (a, x) out = SequenceAt (b, minus)", "f32[N, 2]"),
        ("out = ConcatFromSequence <axis = 0> (a)", "f32[M + N + 5, 2]"),
        ("b = SequenceErase (a) out = ConcatFromSequence <axis = 0, new_axis = 1> (b)", "f32[2, M, 2]"),
        ("b = SequenceErase (a) out = ConcatFromSequence <axis = -1, new_axis = 1> (b)", "f32[M, 2, 2]"),
        ("b = SplitToSequence <axis = 0> (z, parts) out = SequenceAt (b, one)", "f32[3, 2]"),
        ("two = Constant <value = int64 {2}> () b = SplitToSequence (z, two) out = SequenceAt (b, minus)", "f32[1, 2]"),
    ],
)
def test_elements_are_followed_one_by_one(nodes: str, output: str) -> None:
    model = onnx.parser.parse_model(
        f"""<ir_version: 9, opset_import: ["" : 20]>
        main (float[N, 2] x, float[M, 2] y, float[5, 2] z) => (float[] out)
        <int64 one = {{1}}, int64 minus = {{-1}}, int64[2] parts = {{2, 3}}>
        {{ a = SequenceConstruct (x, y, z) {nodes} }}"""
    )
    report = check(model)
    assert report.ok
    assert report.values["out"].text == output
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    same = 7 if "new_axis" in nodes else 6  # M is N where the elements are stacked
    (ran,) = session.run(None, {"x": np.ones((7, 2), "f4"), "y": np.ones((same, 2), "f4"), "z": np.ones((5, 2), "f4")})
    inferred = report.values["out"]
    assert isinstance(inferred, Tensor)
    assert [evaluate(d, {"N": 7, "M": same}) for d in inferred.shape or ()] == list(ran.shape)


@pytest.mark.parametrize(
    ("other", "axis", "message"),
    [
        ((5, 3), 0, "axis 1 is 2 in element 0 and 3 in element 1"),
        ((5,), 0, "element 1 has rank 1 and element 0 rank 2"),
    ],
)
def test_elements_that_are_joined_agree(other: tuple[int, ...], axis: int, message: str) -> None:
    (mixed,) = infer_op("SequenceConstruct", [Tensor("f32", (5, 2)), Tensor("f32", other)])
    with pytest.raises(Exception, match=message):
        infer_op("ConcatFromSequence", [mixed], {"axis": axis})


@pytest.mark.parametrize("split", ["", "i64[]{1}", "i64[3]{1, 1, 1}"])
def test_parts_keep_their_entries(split: str) -> None:
    (parts,) = infer_op("SplitToSequence", [fact("i64[3]{N, 4, 5}"), fact(split)])
    assert isinstance(parts, SequenceType)
    assert [spelled(e) for e in parts.elements or ()] == ["i64[1]{N}", "i64[1]{4}", "i64[1]{5}"]


def test_parts_without_the_axis_keep_their_entries() -> None:
    (parts,) = infer_op("SplitToSequence", [fact("i64[3]{N, 4, 5}")], {"keepdims": 0})
    assert isinstance(parts, SequenceType)
    assert [spelled(e) for e in parts.elements or ()] == ["i64[]{N}", "i64[]{4}", "i64[]{5}"]


@pytest.mark.parametrize("split", ["", "i64[]{3}"])
def test_no_parts_are_of_their_element_type(split: str) -> None:
    (parts,) = infer_op("SplitToSequence", [fact("i64[0]"), fact(split)])
    assert isinstance(parts, SequenceType)
    assert parts.length == 0
    assert isinstance(parts.element, Tensor)
    assert parts.element.dtype is DType.INT64
    with pytest.raises(Exception, match="the sequence has element type int64"):
        infer_op("SequenceInsert", [parts, fact("f32[2]")])
