"""Put tensors together along an axis, and take one apart: Concat, Split.

Runtimes take a negative axis in all versions, also in those whose text does not say so.
"""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics.codes import (
    CONFLICTING_ARGUMENTS,
    INVALID_ATTRIBUTE,
    LENGTH_MISMATCH,
    MISSING_ATTRIBUTE,
    Severity,
)
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.diagnostics.ledger import RuleStopped
from shapeinfer.facts import Contents, Shape, Tensor, UnknownRank
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import contents, rule
from shapeinfer.shapes.movement import moves
from shapeinfer.shapes.movement.concat import concatenated
from shapeinfer.shapes.movement.reshape import need_list
from shapeinfer.shapes.movement.split import chunked, even, into_sizes


@rule("Concat", since=4)
def concat(ctx: Context, *inputs: Tensor, axis: int) -> Shape:
    """Add up the sizes along ``axis``; every other axis is the same in all inputs."""
    return _concat(ctx, inputs, axis)


def _concat(ctx: Context, inputs: Sequence[Tensor], axis: int) -> Shape:
    return concatenated(ctx, [x.shape for x in inputs], axis, [f"inputs.{i}" for i in range(len(inputs))])


@rule("Concat", since=1)
def concat_at_1(ctx: Context, *inputs: Tensor, axis: int = 1) -> Shape:
    """Add up the sizes along ``axis``, which was optional at first."""
    return _concat(ctx, inputs, axis)


@contents("Concat")
def joined(out: Tensor, *inputs: Tensor, axis: int = 1) -> Contents | None:
    """Put the entries together, unknown ones where an input has none."""
    return moves.joined(inputs, axis)


@rule("Split", since=18)
def split(
    ctx: Context, input: Tensor, split: Tensor | None = None, *, axis: int = 0, num_outputs: int | None = None
) -> list[Tensor]:
    """Split the axis into the sizes of ``split``, or into ``num_outputs`` chunks, the last of which may be smaller."""
    if split is not None and num_outputs is not None:
        ctx.fail(CONFLICTING_ARGUMENTS, "split and num_outputs exclude each other; keep one of them", "split")
    if num_outputs is not None and ctx.outputs > max(num_outputs, 0):
        ctx.fail(LENGTH_MISMATCH, f"num_outputs is {num_outputs}; the node names {ctx.outputs} outputs")
    if split is None and num_outputs is None:
        ctx.fail(
            MISSING_ATTRIBUTE,
            "Split requires the input split or the attribute num_outputs",
            detail=Detail("num_outputs"),
        )
    if num_outputs is None:
        return _split(ctx, input, split, axis)
    if num_outputs > ctx.outputs:
        message = f"num_outputs is {num_outputs}; the node names {ctx.outputs} outputs"
        ctx.report(INVALID_ATTRIBUTE, message, severity=Severity.WARNING, detail=Detail("num_outputs"))
    k = ctx.axis(axis, input.rank, negative=True, at="input")
    if num_outputs > ctx.outputs:
        # runtimes differ on outputs left out: they leave out chunks, or make fewer
        return moves.parts(input, k, [ctx.fresh() for _ in range(ctx.outputs)])
    return moves.parts(input, k, chunked(ctx, input.dims[k], num_outputs, f"input[{k}]"))


@rule("Split", since=13)
def split_13(ctx: Context, input: Tensor, split: Tensor | None = None, *, axis: int = 0) -> list[Tensor]:
    """Take the axis apart into the sizes of ``split``, or into equal parts, one for each output."""
    return _split(ctx, input, split, axis)


def _split(ctx: Context, input: Tensor, split: Tensor | None, axis: int) -> list[Tensor]:
    k = ctx.axis(axis, input.rank, negative=True, at="input")
    d = input.dims[k]
    if split is None:
        return moves.parts(input, k, even(ctx, d, ctx.outputs, f"input[{k}]"))
    try:
        sizes = ctx.dims(need_list(ctx, split, "split"), "split")
    except UnknownRank:
        sizes = tuple(ctx.fresh() for _ in range(ctx.outputs))
    if ctx.findings:
        raise RuleStopped  # a negative size leaves nothing to be added up
    return moves.parts(input, k, into_sizes(ctx, d, sizes, split.value, ctx.outputs, f"input[{k}] split"))


@rule("Split", since=1)
def split_at_1(
    ctx: Context, input: Tensor, sizes: Tensor | None = None, *, axis: int = 0, split: tuple[int, ...] | None = None
) -> list[Tensor]:
    """Take the axis apart as from version 2 on; sizes may also come as an input, which is of the data's type."""
    if sizes is None:
        return _by_attribute(ctx, input, axis, split)
    k = ctx.axis(axis, input.rank, negative=True, at="input")
    return moves.parts(input, k, [ctx.fresh() for _ in range(ctx.outputs)])


@rule("Split", since=2)
def split_by_attribute(
    ctx: Context, input: Tensor, *, axis: int = 0, split: tuple[int, ...] | None = None
) -> list[Tensor]:
    """Take the axis apart into the sizes of the attribute, or into equal parts."""
    return _by_attribute(ctx, input, axis, split)


def _by_attribute(ctx: Context, input: Tensor, axis: int, split: tuple[int, ...] | None) -> list[Tensor]:
    k = ctx.axis(axis, input.rank, negative=True, at="input")
    d = input.dims[k]
    if not split:
        return moves.parts(input, k, even(ctx, d, ctx.outputs, f"input[{k}]"))
    return moves.parts(input, k, into_sizes(ctx, d, split, split, ctx.outputs, f"input[{k}]"))
