"""Products with weights that are packed in blocks of few bits: their numbers of rows and columns are attributes."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import DIM_MISMATCH, INNER_DIM_MISMATCH, NOT_DIVISIBLE, RANK_MISMATCH
from shapeinfer.dims import Divides, Size, ceildiv, exact_div, mul, text_of
from shapeinfer.facts import DType, Shape, Tensor, UnknownRank, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.microsoft.attention import require_positive
from shapeinfer.ops.microsoft.operands import one_of
from shapeinfer.ops.microsoft.schema import DOMAIN, FLOATS, HALF_OR_SINGLE, contrib
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.algebra.linear import matmul
from shapeinfer.shapes.named import NamedAxes

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


contrib(
    "GatherPacked(data: uint8, indices: Tind; K: int, output_dtype: int = 16, packed_type: int) -> output: T2",
    T2=FLOATS,
    Tind="int32 int64",
)


@rule("GatherPacked", domain=DOMAIN)
def gather_packed(
    ctx: Context, data: Tensor, indices: Tensor, *, K: int, output_dtype: int = 16, packed_type: int
) -> Tensor:
    """Pick rows, and unpack the K numbers of each."""
    require_positive(ctx, K, "K")
    if data.shape is not None:
        if data.rank != 2:
            ctx.fail(RANK_MISMATCH, f"data must have rank 2; it has rank {data.rank}", "data")
        require_packed(ctx, packed_type, K, data.dims[1], "data[1]")
    dtype = DType(output_dtype) if output_dtype in (1, 10, 16) else DType.UNDEFINED
    return tensor(dtype, None if indices.shape is None else (*indices.shape, K))


contrib(
    'MatMulPacked(A: T1, B: uint8, global_scale?: float; K: int, N: int, activation_type: string = "none", '
    "packed_type: int) -> Y: T1",
    T1="bfloat16 float16",
)


@rule("MatMulPacked", domain=DOMAIN)
def matmul_packed(ctx: Context, a: Tensor, b: Tensor, *, K: int, N: int, packed_type: int) -> Shape:
    """Multiply with N rows of K packed numbers."""
    axes = NamedAxes(ctx)
    axes.bind("rows", N, "N")
    axes.read(b, "b", "rows row")
    if b.shape is not None:
        require_packed(ctx, packed_type, K, b.dims[1], "b[1]")
    return _product_shape(ctx, a, K, N)


PACKED = {
    0: (1, 4),
    1: (1, 2),
    2: (32, 18),
    6: (32, 22),
    8: (32, 34),
    13: (256, 176),
    14: (256, 210),
    16: (256, 66),
    17: (256, 74),
    18: (256, 98),
    20: (32, 18),
    22: (256, 82),
    23: (256, 136),
    30: (1, 2),
    42: (64, 18),
}
"""Numbers and bytes of a block, by the format's id; as onnxruntime 1.32 counts them."""


def require_packed(ctx: Context, packed_type: int, elements: Size, row: Size, at: str) -> None:
    """Require that a row of bytes holds so many numbers in whole blocks, if the format is one that is known."""
    if packed_type not in PACKED:
        return
    block, size = PACKED[packed_type]
    message = f"{text_of(elements)} numbers do not fill blocks of {block}, which packed format {packed_type} has"
    if ctx.require(Divides(block, elements), NOT_DIVISIBLE, message, at).is_no:
        return
    count = mul(exact_div(elements, block), size)
    message = (
        f"a row has {text_of(row)} bytes; {text_of(elements)} numbers take {text_of(count)} in format {packed_type}"
    )
    ctx.equal(count, row, DIM_MISMATCH, at, message)


contrib(
    "MatMulNBitsQLoRA(X: T, W: uint8, scales: T, lora_A: uint8, lora_A_scales: T, lora_B: uint8, lora_B_scales: T; K: "
    "int, N: int, accuracy_level: int = 0, bits: int = 4, block_size: int = 32, lora_bits: int = 8, lora_block_size: "
    "int = 32) -> Y: T",
    T=HALF_OR_SINGLE,
)


@rule("MatMulNBitsQLoRA", domain=DOMAIN)
def matmul_nbits_qlora(
    ctx: Context,
    x: Tensor,
    w: Tensor,
    scales: Tensor,
    lora_a: Tensor,
    lora_a_scales: Tensor,
    lora_b: Tensor,
    lora_b_scales: Tensor,
    *,
    K: int,
    N: int,
    bits: int = 4,
    block_size: int = 32,
    lora_bits: int = 8,
    lora_block_size: int = 32,
) -> Shape:
    """Multiply as MatMulNBits does, and add a product of low rank whose matrices may be empty."""
    axes = NamedAxes(ctx)
    sizes = (bits, block_size, lora_bits, lora_block_size)
    if min(K, N, *sizes) > 0:
        for name, count, what in (
            ("n", N, "N"),
            ("blocks", ceildiv(K, block_size), "the number of blocks of K"),
            ("bytes", block_size * bits // 8, "the number of bytes of a block"),
            ("lora_blocks", ceildiv(K, lora_block_size), "the number of the adapter's blocks of K"),
            ("lora_bytes", lora_block_size * lora_bits // 8, "the number of bytes of the adapter's block"),
        ):
            axes.bind(name, count, what)
        axes.read(w, "w", "n blocks bytes")
        if scales.shape is not None and scales.rank == 2:
            axes.read(scales, "scales", "n blocks")
        axes.read(lora_a_scales, "lora_a_scales", "low lora_blocks")
        low = axes.known("low")
        if low is not None:
            axes.bind("low_blocks", ceildiv(low, lora_block_size), "the blocks of the adapter's rank", "low")
        axes.read(lora_b_scales, "lora_b_scales", "n low_blocks")
        axes.read(lora_a, "lora_a", "_ lora_blocks lora_bytes")
        axes.read(lora_b, "lora_b", "n _ lora_bytes")
        if lora_a.shape is not None and low is not None:
            one_of(ctx, lora_a.dims[0], (low, 0), "lora_a[0]")
        if lora_b.shape is not None and low is not None:
            one_of(ctx, lora_b.dims[1], (axes["low_blocks"], 0), "lora_b[1]")
    return _product_shape(ctx, x, K, N, port="x")


def _product_shape(ctx: Context, a: Tensor, inner: Size, out: Size, port: str = "a") -> Shape:
    """Multiply: the last axis must be ``inner``, and becomes ``out``."""
    for size, name in ((inner, "K"), (out, "N")):
        if isinstance(size, int):
            require_positive(ctx, size, name)
    name = ctx.port_name(port)
    if a.rank == 0:
        ctx.fail(RANK_MISMATCH, f"{name} is a scalar; a matrix product requires at least one axis", port)
    message = f"the last axis of {name} is {text_of(a.dims[-1])}; the weights require {text_of(inner)}"
    ctx.equal(a.dims[-1], inner, INNER_DIM_MISMATCH, f"{port}[-1]", message)
    return (*a.dims[:-1], out)


def _vector(ctx: Context, x: Tensor | None, name: str, size: int) -> None:
    if x is not None and x.shape is not None and len(x.shape) == 1:
        message = f"{name} has {text_of(x.shape[0])} entries; expected {size}"
        ctx.equal(x.shape[0], size, DIM_MISMATCH, f"{name}[0]", message)
