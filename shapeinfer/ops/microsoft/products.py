"""Matrix products fused with transposition, activation or dequantization."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import DIM_MISMATCH, INVALID_ATTRIBUTE, RANK_MISMATCH
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import product, text_of
from shapeinfer.facts import DType, Fact, Shape, SparseTensor, Tensor, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.microsoft.schema import ALL_FLOATS, BYTES, DOMAIN, FLOATS, HALF_OR_SINGLE, SPARSE, contrib
from shapeinfer.ops.onnx.algebra.matmul import gemm
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.algebra.linear import matmul, product_of
from shapeinfer.shapes.elementwise.broadcast import Side, side

contrib(
    "FusedMatMul(A: T, B: T; alpha: float = 1.0, transA: int = 0, transB: int = 0, transBatchA: int = 0, "
    "transBatchB: int = 0) -> Y: T",
    T=ALL_FLOATS,
)
contrib(
    "FusedMatMulActivation(A: T, B: T; activation: string, activation_alpha?: float, activation_axis?: int, "
    "activation_beta?: float, activation_gamma?: float, alpha: float = 1.0, transA: int = 0, transB: int = 0, "
    "transBatchA: int = 0, transBatchB: int = 0) -> Y: T",
    T=ALL_FLOATS,
)


@rule("FusedMatMul", "FusedMatMulActivation", domain=DOMAIN)
def fused_matmul(
    ctx: Context,
    a: Tensor,
    b: Tensor,
    *,
    transA: int = 0,
    transB: int = 0,
    transBatchA: int = 0,
    transBatchB: int = 0,
) -> Shape:
    """Multiply matrices that may be transposed, or have their rows before the batch axes."""
    if (transBatchA or transBatchB) and (a.rank != b.rank or a.rank < 3):
        message = f"A has rank {a.rank} and B rank {b.rank}; transBatch requires equal ranks of at least 3"
        ctx.fail(RANK_MISMATCH, message, "a b")
    left, right = side(a.dims, "a"), side(b.dims, "b")
    return product_of(ctx, _transposed(left, transA, transBatchA), _transposed(right, transB, transBatchB)).shape


contrib("TransposeMatMul(A: T, B: T; alpha: float = 1.0, transA: int = 0, transB: int = 0) -> Y: T", T=ALL_FLOATS)


@rule("TransposeMatMul", domain=DOMAIN)
def transpose_matmul(ctx: Context, a: Tensor, b: Tensor, *, transA: int = 0, transB: int = 0) -> Shape:
    """Multiply matrices that may be transposed."""
    return product_of(ctx, _transposed(side(a.dims, "a"), transA), _transposed(side(b.dims, "b"), transB)).shape


def _transposed(one: Side, transposed: int, batch: int = 0) -> Side:
    """Bring the rows behind the batch axes and swap them with the columns; a vector stays as it is."""
    order = list(range(len(one.shape)))
    if batch:
        order = [*order[1:-1], order[0], order[-1]]
    if transposed and len(order) > 1:
        order = [*order[:-2], order[-1], order[-2]]
    return Side(tuple(one.shape[i] for i in order), tuple(one.places[i] for i in order), one.ports)


contrib(
    "FusedGemm(A: T, B: T, C?: T; activation?: string, activation_alpha?: float, activation_beta?: float, "
    "activation_gamma?: float, alpha: float = 1.0, beta: float = 1.0, transA: int = 0, transB: int = 0) -> Y: T",
    T="float16 float double uint32 uint64 int32 int64",
)


@rule("FusedGemm", domain=DOMAIN, unranked=2)
def fused_gemm(
    ctx: Context, a: Tensor, b: Tensor, c: Tensor | None = None, *, transA: int = 0, transB: int = 0
) -> Shape:
    """Multiply two matrices, add ``c`` and activate."""
    out: Shape = gemm(ctx, a, b, c, transA=transA, transB=transB)
    return out


contrib(
    "QGemm(A: TA, a_scale: float, a_zero_point: TA, B: TB, b_scale: float, b_zero_point: TB, C?: int32, y_scale?: "
    "float, y_zero_point?: TYZ; alpha: float = 1.0, transA: int = 0, transB: int = 0) -> Y: TY",
    TA=BYTES,
    TB=BYTES,
    TYZ=BYTES,
    TY="float uint8 int8",
)


@rule("QGemm", domain=DOMAIN)
def qgemm(
    ctx: Context,
    a: Tensor,
    a_scale: Tensor,
    a_zero_point: Tensor,
    b: Tensor,
    b_scale: Tensor,
    b_zero_point: Tensor,
    c: Tensor | None = None,
    y_scale: Tensor | None = None,
    y_zero_point: Tensor | None = None,
    *,
    transA: int = 0,
    transB: int = 0,
) -> Tensor:
    """Multiply two quantized matrices; without a zero point for it the product is of floats."""
    dtype = DType.FLOAT if y_zero_point is None else y_zero_point.dtype
    if a.shape is None or b.shape is None:
        return tensor(dtype, (ctx.fresh(), ctx.fresh()))
    return tensor(dtype, gemm(ctx, a, b, c, transA=transA, transB=transB))


contrib(
    "GemmFloat8(A: TA, B: TB, C?: TC, scaleA?: float, scaleB?: float, scaleY?: float; activation?: string, alpha: "
    "float = 1.0, beta: float = 0e+00, dtype: int = 1, transA: int = 0, transB: int = 0) -> Y: TR",
    TA="float8e4m3fn float8e5m2 float16 bfloat16 float",
    TB="float8e4m3fn float8e5m2 float16 bfloat16 float",
    TC=FLOATS,
    TR="float8e4m3fn float8e5m2 float16 bfloat16 float",
)


@rule("GemmFloat8", domain=DOMAIN, unranked=2)
def gemm_float8(ctx: Context, a: Tensor, b: Tensor, *, transA: int = 0, transB: int = 0, dtype: int = 1) -> Tensor:
    """Multiply two matrices into elements of the type that ``dtype`` numbers."""
    if dtype not in list(DType):
        ctx.fail(INVALID_ATTRIBUTE, f"dtype is {dtype}, which is not an element type of ONNX", detail=Detail("dtype"))
    return tensor(DType(dtype), gemm(ctx, a, b, None, transA=transA, transB=transB))


contrib("GemmFastGelu(X: T, W: T, bias?: T) -> Y: T", T=FLOATS)


@rule("GemmFastGelu", domain=DOMAIN)
def gemm_fast_gelu(ctx: Context, x: Tensor, w: Tensor, bias: Tensor | None = None) -> Shape:
    """Multiply, add a bias and activate."""
    return _with_bias(ctx, matmul(ctx, x.dims, w.dims, ("x", "w")), bias, "w")


contrib("MatMulInteger16(A: T1, B: T2) -> Y: T3", T1="int16 uint16", T2="int16 uint16", T3="int32 uint32")


@rule("MatMulInteger16", domain=DOMAIN)
def matmul_integer16(ctx: Context, a: Tensor, b: Tensor) -> Tensor:
    """Multiply 16-bit integers into 32-bit ones, which are signed where both are."""
    signs = {DType.INT16: DType.INT32, DType.UINT16: DType.UINT32}
    dtype = signs.get(a.dtype, DType.UNDEFINED) if a.dtype is b.dtype else DType.UNDEFINED
    if a.shape is None or b.shape is None:
        return tensor(dtype, None)
    return tensor(dtype, matmul(ctx, a.dims, b.dims))


contrib(
    "MatMulIntegerToFloat(A: T1, B: T2, a_scale: T3, b_scale: T3, a_zero_point?: T1, b_zero_point?: T2, bias?: T3) "
    "-> Y: T3",
    T1=BYTES,
    T2=BYTES,
    T3=HALF_OR_SINGLE,
)


@rule("MatMulIntegerToFloat", domain=DOMAIN)
def matmul_integer_to_float(
    ctx: Context,
    a: Tensor,
    b: Tensor,
    a_scale: Tensor,
    b_scale: Tensor,
    a_zero_point: Tensor | None = None,
    b_zero_point: Tensor | None = None,
    bias: Tensor | None = None,
) -> Shape:
    """Multiply quantized matrices into floats."""
    return _with_bias(ctx, matmul(ctx, a.dims, b.dims), bias)


contrib("DynamicQuantizeMatMul(A: float, B: T2, b_scale: float, b_zero_point?: T2, bias?: float) -> Y: float", T2=BYTES)


@rule("DynamicQuantizeMatMul", domain=DOMAIN)
def dynamic_quantize_matmul(
    ctx: Context,
    a: Tensor,
    b: Tensor,
    b_scale: Tensor,
    b_zero_point: Tensor | None = None,
    bias: Tensor | None = None,
) -> Shape:
    """Quantize ``a`` and multiply it with quantized weights into floats."""
    return _with_bias(ctx, matmul(ctx, a.dims, b.dims), bias)


def _with_bias(ctx: Context, out: Shape, bias: Tensor | None, by: str = "b") -> Shape:
    """Check that a bias has an entry for each column of the product."""
    if bias is not None and bias.shape is not None and out:
        # The runtime counts its elements, however they lie.
        count = product(bias.shape)
        message = f"bias has {text_of(count)} entries for {text_of(out[-1])} columns"
        ctx.equal(out[-1], count, DIM_MISMATCH, f"bias {by}", message)
    return out


contrib(
    "SparseToDenseMatMul(A: T, B: T1; alpha: float = 1.0, transA: int = 0, transB: int = 0) -> Y: T1",
    T=SPARSE,
    T1="float double int64 int32 uint64 uint32",
)


@rule("SparseToDenseMatMul", domain=DOMAIN, unranked=2)
def sparse_to_dense_matmul(ctx: Context, a: Fact, b: Tensor, *, transA: int = 0, transB: int = 0) -> Shape:
    """Multiply a sparse matrix with a dense one."""
    dense = tensor(DType.UNDEFINED, a.shape if isinstance(a, SparseTensor) else None)
    out: Shape = gemm(ctx, dense, b, None, transA=transA, transB=transB)
    return out
