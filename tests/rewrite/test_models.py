"""Models as exporters write them, with weights, run before and after they are folded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import onnx
import pytest

from shapeinfer import fold
from tests.models import floats, made
from tests.rewrite.runs import ops, refolded


class Exporter:
    """Writes nodes as torch's exporter does: each length of its own, by Shape, Gather, Unsqueeze and Concat."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self._random = np.random.default_rng(0)

    def __call__(self, op: str, *inputs: str, **attributes: Any) -> str:
        name = f"{op.lower()}_{len(self.nodes)}"
        self.nodes.append(onnx.helper.make_node(op, inputs, [name], **attributes))
        return name

    def ints(self, *numbers: int) -> str:
        value = np.array(numbers if len(numbers) > 1 else numbers[0])
        return self("Constant", value=onnx.numpy_helper.from_array(value))

    def axes(self, *axes: int) -> str:
        return self("Constant", value=onnx.numpy_helper.from_array(np.array(axes)))

    def weight(self, *shape: int) -> str:
        name = f"w{len(self.weights)}"
        array = self._random.standard_normal(shape).astype(np.float32)
        self.weights.append(onnx.numpy_helper.from_array(array, name))
        return name

    def length(self, x: str, axis: int) -> str:
        return self("Gather", self("Shape", x), self.ints(axis), axis=0)

    def view(self, x: str, *lengths: str) -> str:
        parts = [self("Unsqueeze", length, self.axes(0)) for length in lengths]
        return self("Reshape", x, self("Concat", *parts, axis=0))

    def model(self, inputs: Sequence[onnx.ValueInfoProto], rank: int) -> onnx.ModelProto:
        self.nodes[-1].output[0] = "y"
        result = made(self.nodes, inputs, (), initializers=self.weights, opsets={"": 17}, ir_version=8)
        result.graph.output.append(floats("y", *"ABCD"[:rank]))
        return result


def attention() -> onnx.ModelProto:
    """Two heads of 4 with a mask, over as many rows as there are."""
    e, heads = Exporter(), []
    for transposed in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]):
        rows = e("Add", e("MatMul", "x", e.weight(8, 8)), e.weight(8))
        parts = e.view(rows, e.length(rows, 0), e.length(rows, 1), e.ints(2), e.ints(4))
        heads.append(e("Transpose", parts, perm=transposed))
    scores = e("Mul", e("MatMul", heads[0], heads[1]), e("Constant", value_float=0.5))
    wide = e("Unsqueeze", e("Unsqueeze", "mask", e.axes(1)), e.axes(2))
    scores = e("Add", scores, e("Expand", wide, e("Shape", scores)))
    mixed = e("Transpose", e("MatMul", e("Softmax", scores, axis=-1), heads[2]), perm=[0, 2, 1, 3])
    again = e.view(mixed, e.length(mixed, 0), e.length(mixed, 1), e.ints(8))
    e("Add", "x", e("Cast", e("Identity", again), to=1))
    return e.model([floats("x", "batch", "seq", 8), floats("mask", "batch", "seq")], 3)


def images() -> onnx.ModelProto:
    """Convolutions, a mean of each channel, and a classifier of what was flattened by its own lengths."""
    e = Exporter()
    h = e("Relu", e("Conv", "x", e.weight(4, 3, 3, 3), e.weight(4), pads=[1, 1, 1, 1], strides=[2, 2]))
    h = e("Slice", h, e.axes(0), e.axes(2**63 - 1), e.axes(2))
    h = e("Pad", h, e("ConstantOfShape", e.axes(8), value=onnx.helper.make_tensor("v", 7, [1], [0])))
    mean = e("Dropout", e("GlobalAveragePool", h))
    flat = e.view(mean, e.length(mean, 0), e.ints(-1))
    e("MatMul", flat, e.weight(4, 5))
    return e.model([floats("x", "batch", 3, "height", "width")], 2)


def cache() -> onnx.ModelProto:
    """Rows joined to those of earlier calls, and positions counted from where they ended."""
    e = Exporter()
    every = e("Concat", "past", "x", axis=1)
    start, end = e.length("past", 1), e.length(every, 1)
    positions = e("Range", start, end, e.ints(1))
    table = e("Gather", e.weight(64, 4), positions)
    bias = e("Reshape", table, e("Concat", e.axes(1), e("Shape", table), axis=0))
    own = e("Slice", every, e("Unsqueeze", start, e.axes(0)), e("Unsqueeze", end, e.axes(0)), e.axes(1))
    e("Add", own, bias)
    return e.model([floats("x", "batch", "seq", 4), floats("past", "batch", "past", 4)], 3)


MODELS = {
    "attention": (
        attention,
        [{"batch": 2, "seq": 5}, {"batch": 1, "seq": 1}, {"batch": 0, "seq": 3}, {"batch": 2, "seq": 0}],
        ["Gather", "Concat", "Identity", "Cast"],
    ),
    "images": (
        images,
        [{"batch": 2, "height": 6, "width": 9}, {"batch": 1, "height": 1, "width": 1}],
        ["Shape", "Gather", "Concat", "Slice", "Pad", "Dropout", "ConstantOfShape"],
    ),
    "cache": (
        cache,
        [{"batch": 2, "seq": 1, "past": 7}, {"batch": 1, "seq": 3, "past": 0}, {"batch": 0, "seq": 1, "past": 1}],
        [],
    ),
}


@pytest.mark.parametrize(("build", "sizes", "gone"), MODELS.values(), ids=MODELS)
def test_outputs_are_the_same_bit_for_bit(
    build: Callable[[], onnx.ModelProto], sizes: Sequence[Mapping[str, int]], gone: Sequence[str]
) -> None:
    model = build()
    folded = refolded(model, *sizes)
    assert set(gone).isdisjoint(ops(folded.graph))
    assert len(folded.graph.node) < len(model.graph.node)


def test_attention_is_left_with_what_it_computes() -> None:
    folded = fold(attention())
    assert (folded.before, folded.after) == (94, 22)
    counts = {op: ops(folded.model.graph).count(op) for op in ("Reshape", "Shape", "Expand", "Unsqueeze", "Constant")}
    assert counts == {"Reshape": 4, "Shape": 0, "Expand": 0, "Unsqueeze": 1, "Constant": 1}
    targets = [t for t in folded.model.graph.initializer if t.name.endswith("reshape")]
    assert [onnx.numpy_helper.to_array(t).tolist() for t in targets] == [[0, 0, 2, 4], [0, 0, 8]]


def test_a_second_model_of_the_same_bytes_gives_the_same_bytes() -> None:
    first, second = (fold(attention()).model.SerializeToString() for _ in range(2))
    assert first == second


def test_the_model_given_is_not_touched() -> None:
    model = attention()
    fold(model)
    assert model == attention()
