"""Blocks of an image taken apart into columns, or axes into blocks, and laid out again."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics.codes import DIM_MISMATCH, LENGTH_MISMATCH, NOT_DIVISIBLE
from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.dims import Divides, Size, at_least, exact_div, product, text_of
from shapeinfer.facts import Shape, Tensor, UnknownRank
from shapeinfer.shapes.contents import sizes_in
from shapeinfer.shapes.movement.indexing import is_unread
from shapeinfer.shapes.rank import of_rank
from shapeinfer.shapes.windows.window import SlidingWindow, window_counts


def how_often(ledger: Ledger, size: Size, by: Size, at: str, what: str, more: str = "") -> Size:
    """Return the size of an axis over ``by``, which must divide it; ``more`` is appended to the axis's name."""
    message = f"{ledger.place(at)}{more} is {text_of(size)}, which is not divisible by {text_of(by)} ({what})"
    needed = (at_least(by, 1), Divides(by, size))
    wrong = any(ledger.require(condition, NOT_DIVISIBLE, message, at).is_no for condition in needed)
    return ledger.fresh() if wrong else exact_div(size, by)


def image_and_block(ledger: Ledger, image: Tensor, block: Tensor, ports: Sequence[str]) -> tuple[Shape, Shape]:
    """Return the shapes of image and block, held by two lists of equal length. Raises UnknownRank."""
    for x, port in zip((image, block), ports):
        of_rank(ledger, x, 1, port)
    counts = [x.shape[0] for x in (image, block) if x.shape is not None]
    if len(counts) == 2:
        ledger.equal(counts[0], counts[1], LENGTH_MISMATCH, f"{ports[0]}[0] {ports[1]}[0]")
    known = next((c for c in counts if isinstance(c, int)), None)
    if known is None:
        raise UnknownRank
    first, second = (
        sizes_in(ledger, x, port) if x.shape == (known,) else tuple(ledger.fresh() for _ in range(known))
        for x, port in zip((image, block), ports)
    )
    return first, second


def channels_of(
    ledger: Ledger, column: Size, blocks: Size, over: SlidingWindow, image: Shape, ports: Sequence[str], axis: int
) -> Size:
    """Return the number of channels in columns of that size, one column per block of the image.

    ``ports`` are those of the columns, whose axes are ``axis`` and the next, and of the image's shape.
    """
    data, wanted = ports
    if any(is_unread(d) for d in over.kernel_shape):
        return ledger.fresh()
    if not any(is_unread(d) for d in image):
        needed_blocks = product(window_counts(ledger, over, image, at=wanted))
        message = (
            f"axis {axis + 1} of {data} is {text_of(blocks)}; "
            f"it must be {text_of(needed_blocks)}, the number of blocks in the image"
        )
        ledger.equal(blocks, needed_blocks, DIM_MISMATCH, f"{data}[{axis + 1}]", message)
    return how_often(ledger, column, product(over.kernel_shape), f"{data}[{axis}]", "the elements of a block")
