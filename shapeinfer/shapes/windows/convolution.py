"""Requirements of convolutions, for any naming of weights and any notation of groups."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import CHANNEL_MISMATCH, DIM_MISMATCH, RANK_MISMATCH
from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.dims import Size, mul, text_of
from shapeinfer.facts import Shape, Tensor, UnknownRank
from shapeinfer.shapes.windows.window import BEFORE_SPACE


def aligned(ledger: Ledger, x: Tensor, w: Tensor, lead: int = BEFORE_SPACE) -> tuple[Shape, Shape]:
    """Return the shapes of input ``x`` and weights ``w``; at least one rank must be known.

    ``lead`` is how many axes the weights have before the spatial ones, of which there must be one or more.
    """
    more = lead - BEFORE_SPACE
    if x.shape is None and w.shape is None:
        raise UnknownRank
    xs, ws = x.shape, w.shape
    if xs is None:
        xs = tuple(ledger.fresh() for _ in range(max(len(ws or ()) - more, 0)))
    if ws is None:
        ws = tuple(ledger.fresh() for _ in range(len(xs) + more))
    if len(xs) + more != len(ws) or len(xs) <= BEFORE_SPACE:
        needed = "ranks of at least 3 and 4, with an axis for the groups" if more else "equal ranks of at least 3"
        message = (
            f"{ledger.port_name('x')} has rank {len(xs)} and {ledger.port_name('w')} rank {len(ws)}; "
            f"they must have {needed}"
        )
        ledger.fail(RANK_MISMATCH, message, "x w")
    return xs, ws


def takes(ledger: Ledger, channels: Size, each: Size, groups: Size, at: str) -> None:
    """Require that the input has the channels that the weights take in all groups."""
    of_groups = "" if groups == 1 else f" in each of {text_of(groups)} groups"
    x, w = ledger.port_name("x"), ledger.port_name("w")
    message = f"{x} has {text_of(channels)} channels but {w} expects {text_of(each)}{of_groups}"
    ledger.equal(channels, mul(each, groups), CHANNEL_MISMATCH, at, message)


def each_point(ledger: Ledger, x: Tensor | None, batch: Size, points: Size, space: Shape, name: str) -> None:
    """Check that there is an entry for each point of the window at each place of the output."""
    if x is None or x.shape is None:
        return
    needed = (batch, points, *space)
    if len(x.shape) != len(needed):
        message = f"{ledger.port_name(name)} has rank {len(x.shape)}; it must have rank {len(needed)}"
        ledger.report(RANK_MISMATCH, message, name)
        return
    places = ("x[0]", "w", *("x",) * len(space))
    for axis, (size, need, place) in enumerate(zip(x.shape, needed, places)):
        message = f"axis {axis} of {ledger.port_name(name)} is {text_of(size)}; it must be {text_of(need)}"
        ledger.equal(size, need, DIM_MISMATCH, f"{name}[{axis}] {place}", message)
