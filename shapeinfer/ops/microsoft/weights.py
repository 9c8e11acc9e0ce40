"""Products with weights that are packed in blocks of few bits: their numbers of rows and columns are attributes."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import DIM_MISMATCH, INNER_DIM_MISMATCH, RANK_MISMATCH
from shapeinfer.dims import Size, mul, text_of
from shapeinfer.facts import DType, Shape, Tensor, UnknownRank
from shapeinfer.ops.context import Context
from shapeinfer.ops.microsoft.attention import require_positive
from shapeinfer.ops.microsoft.schema import DOMAIN, FLOATS, contrib
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.algebra.linear import matmul

contrib(
    "MatMulNBits(A: T1, B: uint8, scales: T1, zero_points?: T3, g_idx?: int32, bias?: T1; K: int, N: int, "
    "accuracy_level: int = 0, bits: int = 4, block_size: int, weight_prepacked: int = 0) -> Y: T1",
    T1=FLOATS,
    T3="uint8 float16 float bfloat16",
)


@rule("MatMulNBits", domain=DOMAIN)
def matmul_nbits(
    ctx: Context,
    a: Tensor,
    b: Tensor,
    scales: Tensor,
    zero_points: Tensor | None = None,
    g_idx: Tensor | None = None,
    bias: Tensor | None = None,
    *,
    K: int,
    N: int,
) -> Shape:
    """Replace the last axis, of size K, by one of size N."""
    _vector(ctx, bias, "bias", N)
    return _product_shape(ctx, a, K, N)


contrib(
    "MatMulNBitsMlp(A: T1, skip?: T1, norm_scale?: T1, gate_B: uint8, gate_scales: T1, gate_bias?: T1, up_B: uint8, "
    "up_scales: T1, up_bias?: T1; K: int, N: int, accuracy_level: int = 0, activation: string, bits: int = 4, "
    "block_size: int, epsilon: float = 1e-05) -> Y: T1, input_skip_bias_sum?: T1",
    T1=FLOATS,
)


@rule("MatMulNBitsMlp", domain=DOMAIN)
def matmul_nbits_mlp(
    ctx: Context,
    a: Tensor,
    skip: Tensor | None,
    norm_scale: Tensor | None,
    *,
    K: int,
    N: int,
) -> list[Shape]:
    """Gate one product of the normalized input by another; also return the sum that was normalized."""
    _vector(ctx, norm_scale, "norm_scale", K)
    return [_product_shape(ctx, a, K, N), a.dims]


contrib(
    "MatMulNBitsQkv(A: T1, skip?: T1, norm_scale: T1, q_B: uint8, q_scales: T1, q_bias?: T1, k_B: uint8, k_scales: "
    "T1, k_bias?: T1, v_B: uint8, v_scales: T1, v_bias?: T1; K: int, Nkv: int, Nq: int, accuracy_level: int = 0, "
    "bits: int = 4, block_size: int, epsilon: float = 1e-06) -> Q: T1, K: T1, V: T1, input_skip_bias_sum?: T1",
    T1=FLOATS,
)


@rule("MatMulNBitsQkv", domain=DOMAIN)
def matmul_nbits_qkv(
    ctx: Context,
    a: Tensor,
    skip: Tensor | None,
    norm_scale: Tensor,
    *,
    K: int,
    Nq: int,
    Nkv: int,
) -> list[Shape]:
    """Project the normalized input to queries, keys and values; also return the sum that was normalized."""
    _vector(ctx, norm_scale, "norm_scale", K)
    return [_product_shape(ctx, a, K, n) for n in (Nq, Nkv, Nkv)] + [a.dims]


contrib(
    "MatMulBnb4(A: T1, B: uint8, absmax: T1; K: int, N: int, block_size: int, quant_type: int, training_mode: int = "
    "0, transB: int = 1) -> Y: T1",
    T1=FLOATS,
)


@rule("MatMulBnb4", domain=DOMAIN)
def matmul_bnb4(
    ctx: Context,
    a: Tensor,
    *,
    K: int,
    N: int,
    transB: int = 1,
) -> Shape:
    """Multiply with an N by K matrix, transposed by default."""
    return _product_shape(ctx, a, K, N) if transB else _product_shape(ctx, a, N, K)


contrib(
    "MatMulBlockQuantizedFp8Weight(A: T, B: float8e4m3fn, b_scale: float, a_scale?: float, bias?: T; block_size: "
    "int = 128) -> Y: T",
    T="float16 bfloat16",
)


@rule("MatMulBlockQuantizedFp8Weight", domain=DOMAIN)
def matmul_fp8(ctx: Context, a: Tensor, b: Tensor) -> Shape:
    """Multiply with a transposed matrix."""
    n, k = _matrix(ctx, b)
    return _product_shape(ctx, a, k, n)


contrib(
    "MatMulBlockQuantizedFp4Weight(A: T, B: uint8, weight_scale: uint8, weight_scale_2: float, input_scale?: float, "
    "bias?: T; block_size: int = 16) -> Y: T",
    T="float16 bfloat16",
)


@rule("MatMulBlockQuantizedFp4Weight", domain=DOMAIN)
def matmul_fp4(ctx: Context, a: Tensor, b: Tensor) -> Shape:
    """Multiply with a transposed matrix that packs two weights into a byte."""
    n, k = _matrix(ctx, b)
    return _product_shape(ctx, a, mul(k, 2), n)


def _matrix(ctx: Context, b: Tensor) -> tuple[Size, Size]:
    if b.shape is None:
        return ctx.fresh(), ctx.fresh()
    if b.rank != 2:
        ctx.fail(RANK_MISMATCH, f"B must be a matrix; it has rank {b.rank}", "b")
    return b.dims[0], b.dims[1]


contrib("MatMulFpQ4(A: float, B: uint8, B_shape: int64; blk_quant_type: int = 1) -> Y: float")


@rule("MatMulFpQ4", domain=DOMAIN)
def matmul_fpq4(ctx: Context, a: Tensor, b: Tensor, b_shape: Tensor) -> Shape:
    """Multiply with packed weights of the shape that ``b_shape`` holds."""
    return matmul(ctx, a.dims, ctx.dims(b_shape, "b_shape"), ("a", "b_shape{}"))


contrib(
    "GatherBlockQuantized(data: T1, indices: Tind, scales: T2, zero_points?: T1; bits: int = 4, block_size: int = "
    "128, gather_axis: int = 0, quantize_axis: int = 1) -> output: T2",
    T1="int4 uint4 uint8 float8e4m3fn float8e4m3fnuz float8e5m2 float8e5m2fnuz float4e2m1",
    T2=FLOATS,
    Tind="int32 int64",
)


@rule("GatherBlockQuantized", domain=DOMAIN)
def gather_block_quantized(
    ctx: Context, data: Tensor, indices: Tensor, *, gather_axis: int = 0, bits: int = 4
) -> Shape:
    """Pick along one axis, as Gather does; bytes hold several numbers along the last axis."""
    if not data.dtype:
        raise UnknownRank
    shape = data.dims
    if data.dtype is DType.UINT8 and shape:
        shape = (*shape[:-1], mul(shape[-1], 8 // bits if bits in (2, 4, 8) else ctx.fresh()))
    k = ctx.axis(gather_axis, data.rank, at="data")
    return (*shape[:k], *indices.dims, *shape[k + 1 :])


def _product_shape(ctx: Context, a: Tensor, inner: Size, out: Size) -> Shape:
    """Multiply: the last axis must be ``inner``, and becomes ``out``."""
    for size, name in ((inner, "K"), (out, "N")):
        if isinstance(size, int):
            require_positive(ctx, size, name)
    if a.rank == 0:
        ctx.fail(RANK_MISMATCH, "A is a scalar; a matrix product requires at least one axis", "a")
    message = f"the last axis of A is {text_of(a.dims[-1])}; the weights require {text_of(inner)}"
    ctx.equal(a.dims[-1], inner, INNER_DIM_MISMATCH, "a[-1]", message)
    return (*a.dims[:-1], out)


def _vector(ctx: Context, x: Tensor | None, name: str, size: int) -> None:
    if x is not None and x.shape is not None and len(x.shape) == 1:
        message = f"{name} has {text_of(x.shape[0])} entries; expected {size}"
        ctx.equal(x.shape[0], size, DIM_MISMATCH, f"{name}[0]", message)
