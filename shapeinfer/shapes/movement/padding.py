"""Axes padded or cropped at their ends."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics.codes import NEGATIVE_LENGTH, TOO_FEW_ELEMENTS
from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.dims import (
    AnyOf,
    AtMost,
    Equal,
    Size,
    equal,
    less_equal,
    maximum,
    minimum,
    simplest,
    text_of,
    total,
)
from shapeinfer.facts import Shape


def padded(
    ledger: Ledger,
    shape: Shape,
    axes: Sequence[int],
    pads: Sequence[Size | None],
    mode: str,
    at: str,
    *,
    down_to_nothing: bool = False,
) -> Shape:
    """Add pads, those before all axes first, to each of ``axes``; None is one that is not known.

    ``down_to_nothing`` allows to take away more than there is (OpenVINO).
    """
    out = list(shape)
    for axis, before, after in zip(axes, pads, pads[len(axes) :]):
        if before is None or after is None:
            out[axis] = ledger.fresh()
            continue
        after_padding = shape[axis] + before + after
        _room(ledger, axis, shape[axis], (before, after), mode)
        if not down_to_nothing:
            _left(ledger, axis, shape, (before, after), mode)
        if down_to_nothing:
            out[axis] = maximum(0, after_padding)
            continue
        message = f"axis {axis} of data is {text_of(shape[axis])}; its padded size would be {text_of(after_padding)}"
        wrong = ledger.require(AtMost(0, after_padding), NEGATIVE_LENGTH, message, f"data[{axis}] {at}").is_no
        out[axis] = ledger.fresh() if wrong else after_padding
    return tuple(out)


def _room(ledger: Ledger, axis: int, size: Size, pads: Sequence[Size], mode: str) -> None:
    """Require that an axis has the elements that pads of this mode repeat."""
    if mode == "constant" or not all(less_equal(0, p).is_yes for p in pads):
        return
    most = maximum(*pads)
    if less_equal(1, most).is_yes:
        needed = {"reflect": most + 1, "symmetric": most}.get(mode, 1)
        message = (
            f"axis {axis} of data is {text_of(size)}; "
            f"padding by {text_of(most)} with mode {mode} requires at least {text_of(needed)}"
        )
        ledger.require(AtMost(needed, size), TOO_FEW_ELEMENTS, message, f"data[{axis}]")


def _left(ledger: Ledger, axis: int, shape: Shape, pads: Sequence[Size], mode: str) -> None:
    """Require that an axis has the elements that pads of this mode repeat after negative ones took some away.

    The runtime asks for one even where nothing is repeated, but for no element of a tensor without any.
    """
    if mode == "constant" or not all(isinstance(p, int) for p in pads) or less_equal(0, minimum(*pads)).is_yes:
        return
    kept = shape[axis] + total(minimum(0, p) for p in pads)
    needed = maximum(0, *pads) + 1 if mode == "reflect" else 1
    message = (
        f"axis {axis} of data is {text_of(shape[axis])}, of which negative pads leave {text_of(kept)}; "
        f"mode {mode} requires at least {text_of(needed)}"
    )
    empty = (Equal(d, 0) for d in shape if not equal(d, 0).is_no)
    ledger.require(simplest(AnyOf((AtMost(needed, kept), *empty))), TOO_FEW_ELEMENTS, message, f"data[{axis}]")
