"""Rules in Python: shapeinfer check --rules examples/rules/pack.py MODEL.

Three operators of an accelerator that computes in groups of lanes. ``Pack`` splits the last axis into groups,
``PackedMatMul`` multiplies by packed weights, and ``PackedShape`` computes at run time the shape that ``Pack`` gives.
"""

from shapeinfer.rules import (
    Contents,
    Context,
    Dim,
    Divides,
    Equal,
    Shape,
    Tensor,
    at_least,
    ceildiv,
    codes,
    contents,
    declare,
    rule,
)

declare("Pack(X: T; lanes: int = 8) -> Y: T", domain="my", T="float float16 int8")
declare("PackedMatMul(A: T, W: T) -> Y: T", domain="my", T="float float16 int8")
declare("PackedShape(shape: int64; lanes: int = 8) -> packed: int64", domain="my")


@rule("Pack", domain="my")
def pack(ctx: Context, x: Tensor, *, lanes: int = 8) -> Shape:
    """Split the last axis into groups of ``lanes``, the last one padded."""
    *outer, last = x.dims
    return (*outer, ceildiv(last, lanes), lanes)


@rule("PackedMatMul", domain="my")
def packed_matmul(ctx: Context, a: Tensor, w: Tensor) -> Shape:
    """Multiply rows ``a[..., K]`` by packed columns ``w[N, K/lanes, lanes]``; they must fill their groups."""
    if w.rank != 3:
        ctx.fail(codes.RANK_MISMATCH, f"W has rank {w.rank}; packed weights have rank 3", at="w")
    *outer, k = a.dims
    n, groups, lanes = w.dims
    ctx.require(
        Divides(lanes, k), codes.NOT_DIVISIBLE, f"{k} is not divisible by the {lanes} lanes of W", at="a[-1] w[2]"
    )
    message = f"the last axis of A is {k}, but W has {groups} groups of {lanes}"
    ctx.require(Equal(k, groups * lanes), codes.INNER_DIM_MISMATCH, message, at="a[-1] w[1]")
    return (*outer, n)


@rule("PackedShape", domain="my", unranked=1)
def packed_shape(ctx: Context, shape: Tensor, *, lanes: int = 8) -> Shape:
    """Return how many entries the shape of a packed tensor has: one more."""
    (count,) = shape.dims
    ctx.require(at_least(count, 1), codes.TOO_FEW_ELEMENTS, "a scalar cannot be packed", at="shape[0]")
    return (count + 1,)


@contents("PackedShape", domain="my")
def packed_sizes(out: Tensor, shape: Tensor, *, lanes: int = 8) -> Contents | None:
    """Compute the entries, so that what is reshaped to them has a known shape."""
    if not shape.value:
        return None
    *outer, last = shape.value
    return (*outer, ceildiv(last, lanes) if isinstance(last, (int, Dim)) else None, lanes)
