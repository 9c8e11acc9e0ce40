"""What is said of onnxruntime's own ways is so: it runs what the specification forbids, and the table knows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
import onnx
import pytest

from shapeinfer import check
from tests.infer.differences import is_lenient, is_own_limit, rounds_late
from tests.infer.running import Array, session
from tests.models import parsed

Shapes: TypeAlias = "Mapping[str, tuple[int, ...]]"

REFUSED_SINCE = {
    "Split does so whatever num_outputs says": "1.32",
    "ArgMax looks for no axis of nothing": "1.32",
    "ArgMin looks for no axis of nothing": "1.32",
    "ReduceSum looks for no axis of nothing": "1.32",
    "ReduceL1 looks for no axis of nothing": "1.32",
}
"""The release of onnxruntime that no longer runs what an earlier one does."""

HEADER = '<ir_version: 8, opset_import: ["" : {}]>\n'
LENIENT: Mapping[str, tuple[int, str, str, Shapes]] = {
    "Concat leaves out what has no entries": (
        18,
        "(float[A, B] a, float[C, D] b) => (float[M, K] y) { y = Concat<axis = 0>(a, b) }",
        "dim-mismatch",
        {"a": (2, 4), "b": (0, 3)},
    ),
    "Concat does so inside bodies": (
        18,
        """(float[A, B] a, float[C, D] b) => (float[M, K] y) {
            c = Constant<value = bool {1}>()
            y = If(c)<then_branch = t () => (float[M, K] u) { u = Concat<axis = 0>(a, b) },
                      else_branch = e () => (float[M, K] w) { w = Identity(a) }> }""",
        "dim-mismatch",
        {"a": (2, 4), "b": (0, 3)},
    ),
    "ConcatFromSequence leaves out what has no entries": (
        18,
        """(float[A, B] a, float[C, D] b) => (float[M, K] y) {
            s = SequenceConstruct(a, b) y = ConcatFromSequence<axis = 0>(s) }""",
        "dim-mismatch",
        {"a": (0, 3), "b": (2, 4)},
    ),
    "ConcatFromSequence stacks nothing": (
        18,
        """(float[A, B] a, float[C, D] b) => (float[M, K, L] y) {
            s = SequenceConstruct(a, b) y = ConcatFromSequence<axis = 0, new_axis = 1>(s) }""",
        "dim-mismatch",
        {"a": (2, 4), "b": (0, 3)},
    ),
    "Split takes as many parts as there are outputs": (
        18,
        "(float[] x) => (y, z) { y, z = Split(x) }",
        "missing-attribute",
        {"x": (6, 2)},
    ),
    "Split does so whatever num_outputs says": (
        18,
        "(float[] x) => (y, z) { y, z = Split<num_outputs = 1>(x) }",
        "length-mismatch",
        {"x": (6, 2)},
    ),
    "Split takes computed lengths that are none for none": (
        13,
        "(float[N] x, int64[K] s) => (float[A] y, float[B] z) { y, z = Split(x, s) }",
        "length-mismatch",
        {"x": (6,), "s": (0,)},
    ),
    "SplitToSequence takes computed lengths that are none for none": (
        18,
        "(float[N] x, int64[K] s) => (int64 y) { q = SplitToSequence(x, s) y = SequenceLength(q) }",
        "too-few-elements",
        {"x": (6,), "s": (0,)},
    ),
    "ScatterND takes a reduction that it does not know for none": (
        18,
        '(float[N] x, int64[M, 1] i, float[M] u) => (float[K] y) { y = ScatterND<reduction = "mean">(x, i, u) }',
        "invalid-attribute",
        {"x": (6,), "i": (2, 1), "u": (2,)},
    ),
    "ScatterElements does too": (
        18,
        '(float[N] x, int64[M] i, float[M] u) => (float[K] y) { y = ScatterElements<reduction = "mean">(x, i, u) }',
        "invalid-attribute",
        {"x": (6,), "i": (2,), "u": (2,)},
    ),
    "DFT computes one side of complex numbers": (
        20,
        "(float[N, T, P] x) => (float[A, B, C] y) { y = DFT<onesided = 1>(x) }",
        "dim-mismatch",
        {"x": (1, 8, 2)},
    ),
    "NegativeLogLikelihoodLoss reads a part of the batch": (
        18,
        '(float[N, C] x, int64[M] t) => (float[K] y) { y = NegativeLogLikelihoodLoss<reduction = "none">(x, t) }',
        "dim-mismatch",
        {"x": (3, 5), "t": (2,)},
    ),
    "SoftmaxCrossEntropyLoss reads a part of the batch": (
        18,
        "(float[N, C] x, int64[M] t) => (float y) { y = SoftmaxCrossEntropyLoss(x, t) }",
        "dim-mismatch",
        {"x": (3, 5), "t": (2,)},
    ),
    **{
        f"{node.split('<')[0].split('(')[0]} looks for no axis of nothing": (
            18,
            f"(float[] x) => (y) {{ a = Constant<value_int = 5>() b = Constant<value_ints = [5]>() y = {node} }}",
            "axis-out-of-range",
            {"x": (0, 2)},
        )
        for node in (
            "Softmax<axis = 5>(x)",
            "LogSoftmax<axis = 5>(x)",
            "Hardmax<axis = 5>(x)",
            "ArgMax<axis = 5>(x)",
            "ArgMin<axis = 5>(x)",
            "CumSum(x, a)",
            "ReduceSum(x, b)",
            "ReduceL1(x, b)",
        )
    },
    "CenterCropPad takes a negative length for 0": (
        18,
        "(float[A, B] x) => (float[M, K] y) { n = Constant<value_ints = [-2, 3]>() y = CenterCropPad(x, n) }",
        "negative-length",
        {"x": (6, 4)},
    ),
    "Resize that keeps the proportions never sees a negative length": (
        18,
        """(float[1, 1, A, B] x) => (float[M, K, C, D] y) { n = Constant<value_ints = [-2, 3]>()
            y = Resize<axes = [2, 3], keep_aspect_ratio_policy = "not_smaller">(x, , , n) }""",
        "negative-length",
        {"x": (1, 1, 4, 6)},
    ),
}
LIMITS: Mapping[str, tuple[int, str, Shapes]] = {
    "computed scales that are empty stand for none": (
        19,
        "(float[1, 1, A, B] x, float[0] s) => (y) <int64[4] n = {1, 1, 8, 8}> { y = Resize(x, , s, n) }",
        {"x": (1, 1, 4, 6), "s": (0,)},
    ),
    "each row has a zero point": (
        21,
        "(uint8[M, K] a, uint8[K, 4] b, uint8[M] z) => (y) { y = MatMulInteger(a, b, z) }",
        {"a": (2, 3), "b": (3, 4), "z": (2,)},
    ),
    "one number may stand in a list": (
        20,
        "(float[N, T, 1] x) => (y) <int64[1] n = {4}> { y = DFT(x, n) }",
        {"x": (1, 8, 1)},
    ),
}


def of(version: int, text: str) -> onnx.ModelProto:
    return parsed(HEADER.format(version) + "g " + text)


def feeds(model: onnx.ModelProto, given: Shapes) -> dict[str, Array]:
    """Inputs of these shapes: ones, of integers zeros."""
    types = {v.name: onnx.helper.tensor_dtype_to_np_dtype(v.type.tensor_type.elem_type) for v in model.graph.input}
    return {name: np.full(given[name], dtype == np.float32, dtype) for name, dtype in types.items()}


@pytest.mark.parametrize("title", LENIENT)
def test_it_runs_what_the_specification_forbids(title: str) -> None:
    version, text, code, given = LENIENT[title]
    model = of(version, text)
    for value in model.graph.output:
        if not value.type.tensor_type.elem_type:
            value.ClearField("type")
    try:
        assert session(model).run(None, feeds(model, given))
    except Exception:
        if title not in REFUSED_SINCE:
            raise
    shapes = {name: tuple(np.shape(array)) for name, array in feeds(model, given).items()}
    bound = check(model, shapes=shapes)
    (error,) = {d.node: d for d in bound.errors}.values()
    assert error.code.name == code
    assert error.node is not None
    assert is_lenient(model, bound, error.node.index, error.node.graph)


@pytest.mark.parametrize("title", LIMITS)
def test_it_refuses_what_the_specification_allows(title: str) -> None:
    version, text, given = LIMITS[title]
    model = of(version, text)
    for value in model.graph.output:
        value.ClearField("type")
    with pytest.raises(Exception) as caught:  # noqa: PT011 - whatever the runtime raises
        session(model).run(None, feeds(model, given))
    bound = check(model, shapes=given)
    assert bound.ok
    assert is_own_limit(str(caught.value), model, bound)


def test_a_chain_of_half_precision_is_rounded_once() -> None:
    """Half precision has no 2049, so that adding 1 to 2048 changes nothing (IEEE 754, binary16)."""
    model = of(
        18,
        """(float16[1] x, float16[1] one, float[N] z) => (y) {
            a = Add(x, one) b = Sub(a, x) c = Cast<to = 7>(b) y = Expand(z, c) }""",
    )
    model.graph.output[0].ClearField("type")
    numbers: dict[str, Array] = {
        "x": np.array([2048], np.float16),
        "one": np.array([1], np.float16),
        "z": np.ones((1,), np.float32),
    }
    (real,) = session(model).run(None, numbers)
    assert real.shape == (1,), "of single precision it is 1, of half it would be 0"
    model.graph.initializer.extend(onnx.numpy_helper.from_array(numbers[name], name) for name in ("x", "one"))
    del model.graph.input[:2]
    bound = check(model, bind={"N": 1})
    assert bound.values["y"].text == "f32[0]"
    assert rounds_late(model, bound)
