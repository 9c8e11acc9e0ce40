"""Put tensors together along an axis, and take one apart: Concat, Split, VariadicSplit."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics.codes import INVALID_ATTRIBUTE, LENGTH_MISMATCH, NEGATIVE_LENGTH
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import AtMost, Dim, Size, text_of
from shapeinfer.facts import Contents, Shape, Tensor, UnknownRank
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import ANY, DOMAIN, INTEGERS, operator
from shapeinfer.ops.registry import contents, rule
from shapeinfer.shapes.contents import entries, scalar, single
from shapeinfer.shapes.movement import moves
from shapeinfer.shapes.movement.concat import concatenated
from shapeinfer.shapes.movement.reshape import INFERRED, need_list
from shapeinfer.shapes.movement.split import even, into_sizes
from shapeinfer.shapes.rank import of_rank

operator("Concat(inputs*: T; axis: int) -> output: T", T=ANY)
operator("Split(data: T, axis: I; num_splits: int) -> outputs*: T", T=ANY, I=INTEGERS)
operator("VariadicSplit(data: T, axis: I, split_lengths: L) -> outputs*: T", T=ANY, I=INTEGERS, L=INTEGERS)


@rule("Concat", domain=DOMAIN)
def concat(ctx: Context, *inputs: Tensor, axis: int) -> Shape:
    """Add up the sizes along ``axis``; every other axis is the same in all inputs."""
    return concatenated(ctx, [x.shape for x in inputs], axis, [f"inputs.{i}" for i in range(len(inputs))])


@contents("Concat", domain=DOMAIN)
def joined(out: Tensor, *inputs: Tensor, axis: int) -> Contents | None:
    """Put the entries together, unknown ones where an input has none."""
    return moves.joined(inputs, axis)


@rule("Split", domain=DOMAIN)
def split(ctx: Context, data: Tensor, axis: Tensor, *, num_splits: int) -> list[Tensor]:
    """Take the axis apart into ``num_splits`` equal parts."""
    if num_splits < 1:
        ctx.fail(INVALID_ATTRIBUTE, f"num_splits is {num_splits}; it must be positive", detail=Detail("num_splits"))
    if ctx.outputs != num_splits:
        ctx.fail(LENGTH_MISMATCH, f"num_splits is {num_splits}; the layer has {ctx.outputs} outputs")
    of_rank(ctx, axis, 0, "axis")
    k = _axis(ctx, data, axis)
    return _open(ctx, data) if k is None else moves.parts(data, k, even(ctx, data.dims[k], num_splits, f"data[{k}]"))


@rule("VariadicSplit", domain=DOMAIN)
def variadic_split(ctx: Context, data: Tensor, axis: Tensor, split_lengths: Tensor) -> list[Tensor]:
    """Split the axis into the sizes ``split_lengths``; one of them may be -1, the rest."""
    single(ctx, axis, "axis")
    need_list(ctx, split_lengths, "split_lengths")
    k = _axis(ctx, data, axis)
    try:
        listed = entries(ctx, split_lengths, "split_lengths", low=0)
    except UnknownRank:
        listed = tuple(ctx.fresh() for _ in range(ctx.outputs))
    sizes = _sizes(ctx, listed)
    if k is None:
        return _open(ctx, data)
    value = split_lengths.value and tuple(None if v == INFERRED else v for v in split_lengths.value)
    return moves.parts(data, k, into_sizes(ctx, data.dims[k], sizes, value, ctx.outputs, f"data[{k}] split_lengths"))


def _sizes(ctx: Context, listed: Sequence[Size]) -> Shape:
    """Return sizes with a new one for -1, which there may be once."""
    if listed.count(INFERRED) > 1:
        message = f"{listed.count(INFERRED)} entries of split_lengths are -1; only one can be inferred"
        ctx.fail(NEGATIVE_LENGTH, message, "split_lengths")
    for i, e in enumerate(listed):
        if isinstance(e, Dim):
            message = f"entry {i} of split_lengths is {text_of(e)}; a dim cannot be negative"
            ctx.require(AtMost(0, e), NEGATIVE_LENGTH, message, "split_lengths")
    return tuple(ctx.fresh() if e == INFERRED else e for e in listed)


def _axis(ctx: Context, data: Tensor, axis: Tensor) -> int | None:
    """Return the axis that a tensor holds, counted from the front, None if unknown."""
    k = scalar(ctx, axis)
    return ctx.axis(k, data.rank, at="axis") if isinstance(k, int) else None


def _open(ctx: Context, data: Tensor) -> list[Tensor]:
    """Return parts along an axis that is not known."""
    return [data.of(*(ctx.fresh() for _ in data.dims)) for _ in range(ctx.outputs)]
