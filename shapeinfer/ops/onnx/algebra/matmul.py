"""Matrix products: MatMul, Gemm and their quantized kin; determinants."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import DIM_MISMATCH, INNER_DIM_MISMATCH, RANK_MISMATCH
from shapeinfer.dims import AnyOf, Equal, text_of
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.algebra.linear import matmul as product_shape
from shapeinfer.shapes.algebra.linear import matrix
from shapeinfer.shapes.elementwise.broadcast import Side, onto, side


@rule("MatMul", since=1)
def matmul(ctx: Context, a: Tensor, b: Tensor) -> Shape:
    """Multiply the trailing matrices, broadcasting the axes before them."""
    return product_shape(ctx, a.dims, b.dims)


@rule("MatMulInteger", since=10)
def matmul_integer(
    ctx: Context, a: Tensor, b: Tensor, a_zero_point: Tensor | None = None, b_zero_point: Tensor | None = None
) -> Shape:
    """Multiply matrices of 8-bit integers."""
    _granularity(ctx, a_zero_point, "a_zero_point", side(a.dims, "a"), -1)
    _granularity(ctx, b_zero_point, "b_zero_point", side(b.dims, "b"), -2)
    return product_shape(ctx, a.dims, b.dims)


@rule("QLinearMatMul", since=10)
def qlinear_matmul(
    ctx: Context,
    a: Tensor,
    a_scale: Tensor,
    a_zero_point: Tensor,
    b: Tensor,
    b_scale: Tensor,
    b_zero_point: Tensor,
    y_scale: Tensor,
    y_zero_point: Tensor,
) -> Shape:
    """Multiply quantized matrices."""
    for x, port in ((a_scale, "a_scale"), (a_zero_point, "a_zero_point")):
        _granularity(ctx, x, port, side(a.dims, "a"), -1)
    for x, port in ((b_scale, "b_scale"), (b_zero_point, "b_zero_point")):
        _granularity(ctx, x, port, side(b.dims, "b"), -2)
    for x, port in ((y_scale, "y_scale"), (y_zero_point, "y_zero_point")):
        _granularity(ctx, x, port, Side((), (), ""), -1)
    return product_shape(ctx, a.dims, b.dims)


def _granularity(ctx: Context, x: Tensor | None, port: str, operand: Side, folded: int) -> None:
    """Check scales or zero points: one for all, or one for each row or column, along which ``folded`` runs.

    A list of them suits a single matrix; a stack of matrices needs the operand's shape with that axis 1.
    """
    if x is None or not x.shape:
        return
    if len(x.shape) == 1:
        is_matrix, across = len(operand.shape) == 2, -3 - folded
        line, at = ((operand.shape[across],), operand.places[across]) if is_matrix else ((), operand.ports)
        needs = " or ".join(map(text_of, (1, *line)))
        message = f"{ctx.port_name(port)} has {text_of(x.shape[0])} entries; expected {needs}"
        fits = tuple(Equal(x.shape[0], d) for d in (1, *line))
        ctx.require(AnyOf(fits), DIM_MISMATCH, message, f"{port}[0] {at}")
        return
    rank = len(operand.shape)
    expected = tuple(1 if i == rank + folded else d for i, d in enumerate(operand.shape))
    if len(x.shape) != rank:
        message = f"{ctx.port_name(port)} has rank {len(x.shape)}; it must have rank {rank}, that of its operand"
        ctx.report(RANK_MISMATCH, message, f"{port} {operand.ports}")
        return
    for i, (d, size) in enumerate(zip(expected, x.shape)):
        message = f"axis {i} of {ctx.port_name(port)} is {text_of(size)}; it must be {text_of(d)}"
        at = operand.ports if i == rank + folded else operand.places[i]
        ctx.require(Equal(size, d), DIM_MISMATCH, message, f"{port}[{i}] {at}")


def _multiplied(ctx: Context, a: Tensor, b: Tensor, trans_a: int, trans_b: int) -> Side:
    """Return the product's shape, whose rows are an axis of ``a`` and whose columns one of ``b``."""
    m, k = matrix(ctx, a.dims, "a", transposed=bool(trans_a))
    k_b, n = matrix(ctx, b.dims, "b", transposed=bool(trans_b))
    row, column = (1 if trans_a else 0), (0 if trans_b else 1)
    ctx.equal(k, k_b, INNER_DIM_MISMATCH, at=f"a[{1 - row}] b[{1 - column}]")
    return Side(
        (m, n), (f"a[{row}]", f"b[{column}]"), "a b", f"the product of {ctx.port_name('a')} and {ctx.port_name('b')}"
    )


@rule("Gemm", since=7, unranked=2)
def gemm(ctx: Context, a: Tensor, b: Tensor, c: Tensor | None = None, *, transA: int = 0, transB: int = 0) -> Shape:
    """Multiply two matrices and add ``c``, broadcast onto the product."""
    out = _multiplied(ctx, a, b, transA, transB)
    if c is not None and c.shape is not None:
        onto(ctx, out, side(c.shape, "c"))
    return out.shape


@rule("Gemm", since=1, unranked=2)
def gemm_with_broadcast(
    ctx: Context, a: Tensor, b: Tensor, c: Tensor, *, transA: int = 0, transB: int = 0, broadcast: int = 0
) -> Shape:
    """Multiply two matrices and add ``c``, which has the product's shape unless ``broadcast`` is set."""
    out = _multiplied(ctx, a, b, transA, transB)
    if broadcast and c.shape is not None:
        onto(ctx, out, side(c.shape, "c"))
    elif c.shape is not None:
        pairs = enumerate(zip(out.shape, out.places, matrix(ctx, c.shape, "c")))
        return tuple(ctx.equal(d, size, DIM_MISMATCH, f"{place} c[{i}]") for i, (d, place, size) in pairs)
    return out.shape


@rule("Det", since=11)
def det(ctx: Context, x: Tensor) -> Shape:
    """Return one number for each square matrix in the last two axes."""
    if x.rank < 2:
        ctx.fail(RANK_MISMATCH, f"{ctx.port_name('x')} must have rank 2 or more; it has rank {x.rank}", "x")
    ctx.equal(x.dims[-2], x.dims[-1], DIM_MISMATCH, at="x[-2] x[-1]")
    return x.dims[:-2]
