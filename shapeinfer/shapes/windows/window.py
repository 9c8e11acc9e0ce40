"""Windows that slide over the spatial axes: of convolutions, of pools, and of their inverses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from attrs import frozen

from shapeinfer.diagnostics.codes import (
    INVALID_ATTRIBUTE,
    LENGTH_MISMATCH,
    NEGATIVE_LENGTH,
    TOO_FEW_ELEMENTS,
    WINDOW_TOO_LARGE,
)
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.dims import AtMost, Size, at_least, ceildiv, minimum, text_of
from shapeinfer.facts import Shape

Ints: TypeAlias = "Sequence[int] | None"
AUTO_PADS = ("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")
BEFORE_SPACE = 2
"""The axes before the spatial ones: batch and channels."""


@frozen
class Along:
    """A window along one axis: ``extent`` is its size including dilation."""

    extent: Size
    stride: int
    dilation: int
    before: int
    after: int


@frozen
class SlidingWindow:
    """A window of one entry for each spatial axis; ``pads`` are all the beginnings, then all the ends."""

    kernel_shape: tuple[Size, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    pads: tuple[int, ...]
    auto_pad: str
    ceil_mode: bool
    late: bool
    """Whether, with ``ceil_mode``, the last window may start in the padding."""

    @property
    def is_same(self) -> bool:
        """Whether padding is chosen so that the number of windows depends only on the stride."""
        return self.auto_pad.startswith("SAME")

    @property
    def along(self) -> Iterator[Along]:
        """The window axis by axis, with the padding that is in force."""
        half = len(self.kernel_shape)
        pads = self.pads if self.auto_pad == "NOTSET" else (0,) * (2 * half)
        for k, s, d, before, after in zip(self.kernel_shape, self.strides, self.dilations, pads, pads[half:]):
            yield Along(d * (k - 1) + 1, s, d, before, after)


@frozen(repr=False)
class Window:
    """The attributes that convolutions and pools share, as a node has them.

    The kernel is none of them: an attribute of pools, it is the weights' shape or an input elsewhere.
    """

    strides: Ints = None
    dilations: Ints = None
    pads: Ints = None
    auto_pad: str = "NOTSET"
    ceil_mode: int = 0

    def of(self, ledger: Ledger, kernel_shape: Sequence[Size], axes: int, *, late: bool = False) -> SlidingWindow:
        """Return the window over so many spatial axes; a list of the wrong length or a wrong entry stops the rule."""
        auto_pad = self.auto_pad or "NOTSET"
        if auto_pad not in AUTO_PADS:
            ledger.fail(
                INVALID_ATTRIBUTE,
                f"auto_pad is {auto_pad!r}; it must be one of {', '.join(AUTO_PADS)}",
                detail=Detail("auto_pad", allowed=tuple(AUTO_PADS)),
            )
        ones = (1,) * axes
        kernel_shape, strides = tuple(kernel_shape), tuple(self.strides or ones)
        dilations, pads = tuple(self.dilations or ones), tuple(self.pads or (0,) * (2 * axes))
        of_each(ledger, "kernel_shape", kernel_shape, axes)
        of_each(ledger, "strides", strides, axes)
        of_each(ledger, "dilations", dilations, axes)
        of_each(ledger, "pads", pads, 2 * axes, least=0)
        return SlidingWindow(kernel_shape, strides, dilations, pads, auto_pad, bool(self.ceil_mode), late)


WINDOW = Window()
"""The window of a node without any of the attributes: steps of 1, without padding."""


def of_each(ledger: Ledger, name: str, listed: Sequence[Size], count: int, least: int | None = 1) -> None:
    """Require one entry for each axis (or two, of pads), none below ``least``; None sets no bound."""
    if len(listed) != count:
        ledger.fail(LENGTH_MISMATCH, f"{name} has {len(listed)} entries; expected {count}")
    for entry in listed:
        if least is not None and isinstance(entry, int) and entry < least:
            ledger.fail(
                INVALID_ATTRIBUTE,
                f"{name} is [{', '.join(map(text_of, listed))}]; entries must be at least {least}",
                detail=Detail(name),
            )


def window_counts(ledger: Ledger, over: SlidingWindow, sizes: Sequence[Size], at: str = "") -> Shape:
    """Return how many windows fit along each spatial axis; none is a fault."""
    return tuple(
        _counted(ledger, over, one, size, f"{at}[{axis}]" if at else "", ledger.own_axis(at, axis))
        for axis, (one, size) in enumerate(zip(over.along, sizes), BEFORE_SPACE)
    )


def _counted(ledger: Ledger, over: SlidingWindow, one: Along, size: Size, at: str, axis: int) -> Size:
    if over.is_same:
        empty = f"axis {axis} is {text_of(size)}; the window must cover at least one element"
        wrong = ledger.require(at_least(size, 1), TOO_FEW_ELEMENTS, empty, at).is_no
        return ledger.fresh() if wrong else ceildiv(size, one.stride)
    padding = one.before + one.after
    padded = f" and {padding} of padding" if padding else ""
    message = f"the window of {text_of(one.extent)} is larger than axis {axis}, which is {text_of(size)}{padded}"
    # Rounding up admits a last window that is incomplete, even if it is the first.
    missing = one.stride - 1 if over.ceil_mode and not over.late else 0
    room = AtMost(one.extent - padding - missing, size)
    if ledger.require(room, WINDOW_TOO_LARGE, message, at).is_no:
        return ledger.fresh()
    if over.ceil_mode and over.late:
        return ceildiv(size + padding - one.extent, one.stride) + 1
    if over.ceil_mode:
        # A window must not start in the padding after the end.
        late = minimum(0, one.after + one.stride - one.extent)
        return ceildiv(size + one.before + late, one.stride)
    return (size + padding - one.extent + one.stride) // one.stride


def covered_sizes(
    ledger: Ledger, over: SlidingWindow, sizes: Sequence[Size], extra: Sequence[int] | None = None, at: str = ""
) -> Shape:
    """Return the size of each spatial axis that so many windows cover, with ``extra`` elements at its end."""
    extra = tuple(extra or (0,) * len(over.kernel_shape))
    out: list[Size] = []
    for axis, (one, size, more) in enumerate(zip(over.along, sizes, extra), BEFORE_SPACE):
        covered = one.extent + more
        last = minimum(covered, one.stride) if over.is_same else covered - one.before - one.after
        covered = (size - 1) * one.stride + last
        message = f"output axis {ledger.own_axis(at, axis)} would be {text_of(covered)}; it must be at least 1"
        wrong = ledger.require(_positive(size, one.stride, last), NEGATIVE_LENGTH, message, at and f"{at}[{axis}]")
        out.append(ledger.fresh() if wrong.is_no else covered)
    return tuple(out)


def _positive(size: Size, stride: int, last: Size) -> AtMost:
    """Return what ``size`` must be at least for ``(size - 1) * stride + last`` to be positive."""
    return AtMost(ceildiv(stride + 1 - last, stride), size)
