"""Multiply-adds of a call: matrix products, convolutions, attention and recurrences.

One multiplication with the addition of its result counts as one. All that is done element by element, biases and
activations included, counts as none, and so do transforms such as DFT. Nothing is taken off for entries that a mask
or padding makes 0.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.dims import Size, add, mul, product, total
from shapeinfer.facts import OPENVINO, Fact, Shape, Tensor, UnknownRank
from shapeinfer.graph import Call
from shapeinfer.ops.attributes import typed
from shapeinfer.ops.signature import signature
from shapeinfer.shapes.algebra.einsum import ELLIPSIS, read

Facts: TypeAlias = "Sequence[Fact | None]"
Attributes: TypeAlias = "Mapping[str, Any]"
Formula: TypeAlias = "Callable[[Facts, Facts, Attributes], Size]"

_HEAVY = re.compile("Attention|MatMul|Gemm|Conv(?!ert)|MoE|LSTM|GRU|RNN")
"""Operators with such names multiply; without a formula below their count is unknown, not 0."""
_LIGHT = ("LinearAttentionGate", "GemmaRotaryEmbedding", "FakeConvert")
_KNOWN_DOMAINS = ("", "ai.onnx.ml", "ai.onnx.preview.training", "com.microsoft", OPENVINO)


def multiply_adds(call: Call, inputs: Facts, outputs: Facts) -> Size | None:
    """Return the multiply-adds of one call, None where its operator or a shape that they need is not known."""
    formula = _FORMULAS.get((call.domain, call.op_type))
    if formula is None:
        heavy = _HEAVY.search(call.op_type) and call.op_type not in _LIGHT
        return None if heavy or call.domain not in _KNOWN_DOMAINS else 0
    try:
        return formula(inputs, outputs, _attributes(call))
    except (UnknownRank, IndexError, ValueError):
        return None


def _attributes(call: Call) -> Attributes:
    """Return the attributes of a call, those of an IR read from its text."""
    declared = signature(call.domain, call.op_type, call.opset) if call.domain == OPENVINO else None
    return call.attributes.values if declared is None else typed(Ledger(), declared, call.attributes).values


def _dims(facts: Facts, index: int) -> Shape:
    """Return a shape; raises UnknownRank where there is none."""
    fact = facts[index] if index < len(facts) else None
    if not isinstance(fact, Tensor):
        raise UnknownRank
    return fact.dims


def _is_given(facts: Facts, index: int) -> bool:
    return index < len(facts) and facts[index] is not None


def _matmul(inputs: Facts, outputs: Facts, attributes: Attributes) -> Size:
    """Each entry of the product sums over the inner axis."""
    a = _dims(inputs, 0)
    turned = attributes.get("transA") or attributes.get("transpose_a")
    return mul(product(_dims(outputs, 0)), a[-2 if turned and len(a) > 1 else -1])


def _convolution(weights: int, kernel: int = 1) -> Formula:
    def formula(inputs: Facts, outputs: Facts, attributes: Attributes) -> Size:  # noqa: ARG001 - as all formulas
        """Each entry of the output sums over one kernel of one group, whose axes are from ``kernel`` on."""
        return mul(product(_dims(outputs, 0)), product(_dims(inputs, weights)[kernel:]))

    return formula


def _transposed(kernel: int) -> Formula:
    def formula(inputs: Facts, outputs: Facts, attributes: Attributes) -> Size:  # noqa: ARG001
        """Each entry of the input is multiplied by all kernels of its group."""
        return mul(product(_dims(inputs, 0)), product(_dims(inputs, 1)[kernel:]))

    return formula


def _einsum(inputs: Facts, outputs: Facts, attributes: Attributes) -> Size:  # noqa: ARG001
    """All labels are looped over together, with one product for each operand after the first."""
    equation = read(attributes["equation"])
    lengths: dict[str, Size] = {}
    for i, labels in enumerate(equation.operands):
        dims = _dims(inputs, i)
        before, ellipsis, after = labels.partition(ELLIPSIS)
        named = [*zip(before, dims), *zip(reversed(after), reversed(dims))]
        if ellipsis:
            middle = dims[len(before) : len(dims) - len(after)]
            named += [(f"{ELLIPSIS}{axis}", size) for axis, size in enumerate(reversed(middle))]
        for label, size in named:
            if lengths.get(label, 1) == 1:
                lengths[label] = size
    return mul(product(lengths.values()), len(equation.operands) - 1)


def _attention(inputs: Facts, outputs: Facts, attributes: Attributes) -> Size:  # noqa: ARG001
    """Each entry of the query meets all keys, each entry of the output sums over all values (opset 23)."""
    keys = _dims(inputs, 1)[-2]
    if _is_given(inputs, 4):
        keys = add(keys, _dims(inputs, 4)[-2])
    return mul(add(product(_dims(inputs, 0)), product(_dims(outputs, 0))), keys)


def _multi_head(inputs: Facts, outputs: Facts, attributes: Attributes) -> Size:  # noqa: ARG001
    """As Attention, for a query that is not packed with its keys."""
    query, key = _dims(inputs, 0), _dims(inputs, 1)
    if len(query) != 3 or len(key) not in (3, 4):
        raise UnknownRank
    keys = _dims(outputs, 1)[2] if _is_given(outputs, 1) else key[len(key) - 2]
    if not _is_given(outputs, 1) and _is_given(inputs, 6):
        keys = add(keys, _dims(inputs, 6)[2])
    return mul(add(product(query), product(_dims(outputs, 0))), keys)


def _grouped_query(inputs: Facts, outputs: Facts, attributes: Attributes) -> Size:  # noqa: ARG001
    """As Attention, with keys up to the end of what is kept for the next step."""
    return mul(mul(product(_dims(outputs, 0)), 2), _dims(outputs, 1)[2])


def _projected(inputs: Facts, outputs: Facts, attributes: Attributes) -> Size:
    """The projection to queries, keys and values, and the attention of them (com.microsoft)."""
    batch, length, _ = _dims(inputs, 0)
    made = _dims(outputs, 0)
    keys = add(length, _dims(inputs, 4)[3]) if _is_given(inputs, 4) else length
    query = attributes.get("qkv_hidden_sizes", [made[-1]])[0]
    projection = product((batch, length, *_dims(inputs, 1)))
    return total((projection, product((batch, length, query, keys)), mul(product(made), keys)))


def _scaled(inputs: Facts, outputs: Facts, attributes: Attributes) -> Size:  # noqa: ARG001
    """Each query meets all keys, and sums over all values (OpenVINO)."""
    made = _dims(outputs, 0)
    return total(product((*made[:-1], _dims(inputs, 1)[-2], size)) for size in (_dims(inputs, 0)[-1], made[-1]))


def _recurrence(weights: int, axes: int = 2) -> Formula:
    def formula(inputs: Facts, outputs: Facts, attributes: Attributes) -> Size:  # noqa: ARG001
        """Each step multiplies the input and the state by all weights; ``axes`` of the input count the steps."""
        steps = product(_dims(inputs, 0)[:axes])
        return mul(steps, add(product(_dims(inputs, weights)), product(_dims(inputs, weights + 1))))

    return formula


def _blockwise(inputs: Facts, outputs: Facts, attributes: Attributes) -> Size:  # noqa: ARG001
    """A product with a matrix of N by K that is stored in blocks."""
    return mul(product(_dims(outputs, 0)), int(attributes["K"]))


_STANDARD: dict[str, Formula] = {
    **dict.fromkeys(("MatMul", "MatMulInteger", "QLinearMatMul", "Gemm"), _matmul),
    **dict.fromkeys(("Conv", "ConvInteger", "DeformConv"), _convolution(1)),
    "QLinearConv": _convolution(3),
    "ConvTranspose": _transposed(1),
    "Einsum": _einsum,
    "Attention": _attention,
    **dict.fromkeys(("RNN", "GRU", "LSTM"), _recurrence(1)),
}
_MICROSOFT: dict[str, Formula] = {
    **dict.fromkeys(("FusedMatMul", "DynamicQuantizeMatMul", "MatMulIntegerToFloat", "MatMulInteger16"), _matmul),
    **dict.fromkeys(("FusedGemm", "QGemm"), _matmul),
    "FusedConv": _convolution(1),
    "MatMulNBits": _blockwise,
    "MultiHeadAttention": _multi_head,
    "GroupQueryAttention": _grouped_query,
    "Attention": _projected,
}
_OPENVINO: dict[str, Formula] = {
    "MatMul": _matmul,
    "Convolution": _convolution(1),
    "GroupConvolution": _convolution(1, 2),
    "ConvolutionBackpropData": _transposed(1),
    "GroupConvolutionBackpropData": _transposed(2),
    "DeformableConvolution": _convolution(2),
    "Einsum": _einsum,
    "ScaledDotProductAttention": _scaled,
    **dict.fromkeys(("RNNCell", "GRUCell"), _recurrence(2, 1)),
    "LSTMCell": _recurrence(3, 1),
    **dict.fromkeys(("RNNSequence", "GRUSequence"), _recurrence(3)),
    "LSTMSequence": _recurrence(4),
}
_FORMULAS: dict[tuple[str, str], Formula] = {
    **{("", name): formula for name, formula in _STANDARD.items()},
    **{("com.microsoft", name): formula for name, formula in _MICROSOFT.items()},
    **{(OPENVINO, name): formula for name, formula in _OPENVINO.items()},
}
