"""Operators on 8-bit integers with scales and zero points, which must be single numbers for the data."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics.codes import INVALID_ATTRIBUTE, MISSING_INPUT
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import mul
from shapeinfer.facts import DType, Shape, Tensor, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.microsoft.fused import embed_layer_normalization
from shapeinfer.ops.microsoft.schema import BYTES, DOMAIN, FLOATS, HALF_OR_SINGLE, contrib
from shapeinfer.ops.onnx.elementwise.quantization import dequantize, quantize
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.algebra.reduction import reduced
from shapeinfer.shapes.movement.concat import concatenated
from shapeinfer.shapes.named import NamedAxes

contrib(
    "QLinearAdd(A: T, A_scale: float, A_zero_point?: T, B: T, B_scale: float, B_zero_point?: T, C_scale: float, "
    "C_zero_point?: T) -> C: T",
    T=BYTES,
)
contrib(
    "QLinearMul(A: T, A_scale: float, A_zero_point?: T, B: T, B_scale: float, B_zero_point?: T, C_scale: float, "
    "C_zero_point?: T) -> C: T",
    T=BYTES,
)


@rule("QLinearAdd", "QLinearMul", domain=DOMAIN)
def qlinear_binary(
    ctx: Context,
    a: Tensor,
    a_scale: Tensor,
    a_zero_point: Tensor | None,
    b: Tensor,
    b_scale: Tensor,
    b_zero_point: Tensor | None = None,
    c_scale: Tensor | None = None,
    c_zero_point: Tensor | None = None,
) -> Shape:
    """Broadcast both inputs against each other."""
    return ctx.broadcast(a.dims, b.dims, at=("a", "b"))


contrib("QLinearSigmoid(X: T, X_scale: float, X_zero_point?: T, Y_scale: float, Y_zero_point?: T) -> Y: T", T=BYTES)
contrib(
    "QLinearLeakyRelu(X: T, X_scale: float, X_zero_point?: T, Y_scale: float, Y_zero_point?: T; alpha: float = "
    "0.01) -> Y: T",
    T=BYTES,
)


@rule("QLinearSigmoid", "QLinearLeakyRelu", domain=DOMAIN)
def qlinear_unary(ctx: Context, x: Tensor) -> Shape:
    """Keep the shape."""
    return x.dims


contrib(
    "QLinearSoftmax(X: T, X_scale: float, x_zero_point?: T, y_scale: float, y_zero_point: T; axis: int = -1, opset: "
    "int) -> Y: T",
    T=BYTES,
)


@rule("QLinearSoftmax", domain=DOMAIN)
def qlinear_softmax(ctx: Context, x: Tensor, *, axis: int = -1) -> Shape:
    """Keep the shape."""
    ctx.axis(axis, x.rank, at="x")
    return x.dims


contrib(
    "QLinearWhere(condition: bool, X: T, x_scale: float, x_zero_point: T, Y: T, y_scale: float, y_zero_point: T, "
    "z_scale: float, z_zero_point: T) -> Z: T",
    T=BYTES,
)


@rule("QLinearWhere", domain=DOMAIN)
def qlinear_where(
    ctx: Context, condition: Tensor, x: Tensor, x_scale: Tensor, x_zero_point: Tensor, y: Tensor
) -> Shape:
    """Broadcast the condition and both choices against each other."""
    return ctx.broadcast(condition.dims, x.dims, y.dims, at=("condition", "x", "y"))


contrib("MulInteger(A: T, A_zero_point?: T, B: T, B_zero_point?: T) -> C: int32", T=BYTES)


@rule("MulInteger", domain=DOMAIN)
def mul_integer(ctx: Context, a: Tensor, a_zero_point: Tensor | None, b: Tensor) -> Shape:
    """Broadcast both inputs against each other."""
    return ctx.broadcast(a.dims, b.dims, at=("a", "b"))


contrib(
    "QLinearConcat(Y_scale: float, Y_zero_point: T8, inputs*!: TV; axis: int) -> Y: T8",
    T8=BYTES,
    TV="uint8 int8 float",
)


@rule("QLinearConcat", domain=DOMAIN)
def qlinear_concat(ctx: Context, y_scale: Tensor, y_zero_point: Tensor, *inputs: Tensor, axis: int) -> Shape:
    """Concatenate tensors along an axis; each is followed by its scale and zero point."""
    if len(inputs) % 3:
        message = f"expected three inputs for each tensor (data, scale, zero point); there are {len(inputs)} in all"
        ctx.fail(MISSING_INPUT, message, f"inputs.{len(inputs)}")
    tensors = inputs[::3]
    return concatenated(ctx, [x.dims for x in tensors], axis, [f"inputs.{3 * i}" for i in range(len(tensors))])


contrib(
    "QLinearReduceMean(data: T, data_scale: float, data_zero_point?: T, reduced_scale: float, reduced_zero_point?: "
    "T; axes: ints, keepdims: int) -> reduced: T",
    T=BYTES,
)


@rule("QLinearReduceMean", domain=DOMAIN)
def qlinear_reduce_mean(ctx: Context, data: Tensor, *, axes: Sequence[int], keepdims: int) -> Shape:
    """Fold ``axes``."""
    return _reduced_shape(ctx, data, axes, keepdims)


contrib("ReduceSumInteger(data: T1; axes: ints, keepdims: int) -> reduced: T2", T1=BYTES, T2="int32 uint32")


@rule("ReduceSumInteger", domain=DOMAIN)
def reduce_sum_integer(ctx: Context, data: Tensor, *, axes: Sequence[int], keepdims: int) -> Tensor:
    """Fold ``axes`` into 32-bit sums of the same sign."""
    wide = {DType.INT8: DType.INT32, DType.UINT8: DType.UINT32}.get(data.dtype, DType.UNDEFINED)
    return tensor(wide, None if data.shape is None else _reduced_shape(ctx, data, axes, keepdims))


def _reduced_shape(ctx: Context, data: Tensor, axes: Sequence[int], keepdims: int) -> Shape:
    found = ctx.axes(axes, data.rank, at="data") if axes else range(data.rank)
    return reduced(data.dims, found, keep=bool(keepdims))


contrib(
    "QuantizeLinear(x: T1, y_scale: T1, y_zero_point?: T2; axis?: int) -> y: T2",
    T1=HALF_OR_SINGLE,
    T2="int8 uint8 int16 uint16 int4 uint4",
)

rule("QuantizeLinear", domain=DOMAIN)(quantize)

contrib(
    "DequantizeLinear(x: T1, x_scale: T2, x_zero_point?: T1; axis?: int) -> y: T2",
    T1="int8 uint8 int16 uint16 int32 int4 uint4",
    T2=HALF_OR_SINGLE,
)

rule("DequantizeLinear", domain=DOMAIN)(dequantize)


contrib(
    "QOrderedMatMul(A: int8, scale_A: float, B: int8, scale_B: float, scale_Y: float, bias?: float, C?: int8, "
    "scale_C?: float; order_A: int, order_B: int, order_Y: int) -> Y: int8",
)


@rule("QOrderedMatMul", domain=DOMAIN)
def qordered_matmul(ctx: Context, a: Tensor) -> Shape:
    """Keep all axes but the last; how the weights lie in memory is the hardware's business."""
    return (*a.dims[:-1], ctx.fresh())


contrib(
    "DequantizeWithOrder(input: int8, scale_input: float; order_input: int, order_output: int, to: int) -> output: F",
    F=HALF_OR_SINGLE,
)


@rule("DequantizeWithOrder", domain=DOMAIN)
def dequantize_with_order(ctx: Context, input: Tensor, *, to: int) -> Tensor:
    """Keep the shape; the element type is the one that ``to`` numbers."""
    return tensor(_numbered(ctx, to, "to"), input.shape)


contrib("QuantizeBFP(x: T1; bfp_type: int, block_dim: int = -1) -> y: uint8, shape: int64, strides: int64", T1=FLOATS)


@rule("QuantizeBFP", domain=DOMAIN, unranked=[1, 1, 1])
def quantize_bfp(ctx: Context, x: Tensor) -> list[Shape]:
    """Pack numbers that share exponents; also return the shape and the strides."""
    return [(ctx.fresh(),), (x.rank,), (x.rank,)]


contrib(
    "DequantizeBFP(x: uint8, shape: int64, strides: int64; bfp_type: int, block_dim: int = -1, dtype: int = 1) -> "
    "y: T3",
    T3=FLOATS,
)


@rule("DequantizeBFP", domain=DOMAIN)
def dequantize_bfp(ctx: Context, x: Tensor, shape: Tensor, strides: Tensor, *, dtype: int = 1) -> Tensor:
    """Unpack numbers into the shape that ``shape`` holds."""
    return tensor(_numbered(ctx, dtype, "dtype"), ctx.dims(shape, "shape"))


def _numbered(ctx: Context, number: int, name: str) -> DType:
    """Return the element type that an attribute numbers."""
    if number not in list(DType):
        ctx.fail(INVALID_ATTRIBUTE, f"{name} is {number}, which is not an element type of ONNX", detail=Detail(name))
    return DType(number)


contrib(
    "QEmbedLayerNormalization(input_ids: int32, segment_ids?: int32, word_embedding_quant: T2, "
    "position_embedding_quant: T2, segment_embedding?: T2, gamma_quant: T2, beta_quant: T2, mask?: int32, "
    "word_embedding_scale: float, position_embedding_scale: float, segment_embedding_scale?: float, gamma_scale: "
    "float, beta_scale: float, word_embedding_zero_point: T2, position_embedding_zero_point: T2, "
    "segment_embedding_zero_point?: T2, gamma_zero_point: T2, beta_zero_point: T2; epsilon: float = 1e-12) -> "
    "layernorm_out: float, mask_index_out: int32",
    T2=BYTES,
)


@rule("QEmbedLayerNormalization", domain=DOMAIN, unranked=[3, 1])
def qembed_layer_normalization(
    ctx: Context,
    input_ids: Tensor,
    segment_ids: Tensor | None,
    word_embedding: Tensor,
    position_embedding: Tensor,
    segment_embedding: Tensor | None,
    gamma: Tensor,
    beta: Tensor,
    mask: Tensor | None = None,
) -> list[Shape]:
    """Look up and add quantized embeddings, then normalize them; also return each row's count of tokens."""
    inputs = input_ids, segment_ids, word_embedding, position_embedding, segment_embedding, gamma, beta, mask
    out: list[Shape] = embed_layer_normalization(ctx, *inputs)
    return out[:2]


contrib(
    "DynamicQuantizeLSTM(X: float, W: T2, R: T2, B?: float, sequence_lens?: int32, initial_h?: float, initial_c?: "
    "float, P?: float, W_scale: float, W_zero_point: T2, R_scale: float, R_zero_point: T2; activation_alpha?: "
    'floats, activation_beta?: floats, activations?: strings, clip?: float, direction: string = "forward", '
    "hidden_size?: int, input_forget: int = 0) -> Y?: float, Y_h?: float, Y_c?: float",
    T2=BYTES,
)


@rule("DynamicQuantizeLSTM", domain=DOMAIN, unranked=[4, 3, 3])
def dynamic_quantize_lstm(
    ctx: Context,
    x: Tensor,
    w: Tensor,
    r: Tensor,
    b: Tensor | None = None,
    sequence_lens: Tensor | None = None,
    initial_h: Tensor | None = None,
    initial_c: Tensor | None = None,
    *,
    direction: str = "forward",
    hidden_size: int | None = None,
) -> list[Shape]:
    """Return every step's hidden state, the last one and the last cell; weights have their gates on the last axis."""
    axes = NamedAxes(ctx)
    axes.bind("directions", 2 if direction == "bidirectional" else 1, "num_directions")
    if hidden_size is not None:
        axes.bind("hidden", hidden_size, "hidden_size")
    axes.read(x, "x", "steps batch input")
    axes.read(r, "r", "directions hidden _")
    axes.bind("gates", mul(axes["hidden"], 4), "4*hidden_size", "hidden")
    axes.read(r, "r", "directions hidden gates")
    axes.read(w, "w", "directions input gates")
    axes.read(sequence_lens, "sequence_lens", "batch")
    axes.read(initial_h, "initial_h", "directions batch hidden")
    axes.read(initial_c, "initial_c", "directions batch hidden")
    state = axes.shape("directions batch hidden")
    return [axes.shape("steps directions batch hidden"), state, state]
