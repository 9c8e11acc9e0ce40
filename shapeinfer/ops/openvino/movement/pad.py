"""Pad: axes padded or cropped at their ends."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import LENGTH_MISMATCH
from shapeinfer.dims import Equal, Size, text_of
from shapeinfer.facts import Contents, Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import ANY, DOMAIN, INTEGERS, choice, operator
from shapeinfer.ops.registry import contents, rule
from shapeinfer.shapes.movement import moves
from shapeinfer.shapes.movement.indexing import known_entries, numbers
from shapeinfer.shapes.movement.padding import padded
from shapeinfer.shapes.movement.reshape import need_list
from shapeinfer.shapes.rank import of_rank

for _since in (1, 12):
    operator(
        "Pad(data: T, pads_begin: B, pads_end: E, pad_value?: T; pad_mode: string) -> output: T",
        since=_since,
        T=ANY,
        B=INTEGERS,
        E=INTEGERS,
    )


@rule("Pad", domain=DOMAIN)
def pad(
    ctx: Context,
    data: Tensor,
    pads_begin: Tensor,
    pads_end: Tensor,
    pad_value: Tensor | None = None,
    *,
    pad_mode: str,
) -> Shape:
    """Add elements before and after each axis; a negative number takes away, down to none.

    Version 1 has no negative numbers by its text; OpenVINO takes them in both.
    """
    mode = choice(ctx, "pad_mode", pad_mode, "constant edge reflect symmetric")
    if pad_value is not None:
        of_rank(ctx, pad_value, 0, "pad_value")
    for x, port in ((pads_begin, "pads_begin"), (pads_end, "pads_end")):
        need_list(ctx, x, port)
    if data.shape is None:
        return tuple(ctx.fresh() for _ in ctx.ints(pads_begin if pads_begin.shape else pads_end))
    for x, port in ((pads_begin, "pads_begin"), (pads_end, "pads_end")):
        (count,) = x.shape or (data.rank,)
        message = f"{port} has {text_of(count)} entries; expected {data.rank}, one per axis of data"
        if ctx.require(Equal(count, data.rank), LENGTH_MISMATCH, message, f"{port}[0] data").is_no:
            return tuple(ctx.fresh() for _ in data.dims)
    amounts: list[Size | None] = [*known_entries(pads_begin, data.rank), *known_entries(pads_end, data.rank)]
    return padded(ctx, data.dims, range(data.rank), amounts, mode, "pads_begin", down_to_nothing=True)


@contents("Pad", domain=DOMAIN)
def padded_entries(
    out: Tensor,
    data: Tensor,
    pads_begin: Tensor,
    pads_end: Tensor,
    pad_value: Tensor | None = None,
    *,
    pad_mode: str,
) -> Contents | None:
    """Put the constant around the entries, where only some are added."""
    before, after = numbers(pads_begin.value), numbers(pads_end.value)
    if before is None or after is None or pad_mode.lower() != "constant":
        return None
    filler = 0 if pad_value is None else pad_value.value[0] if pad_value.value else None
    return moves.padded(data, before, after, filler)
