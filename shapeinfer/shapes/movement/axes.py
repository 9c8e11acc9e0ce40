"""Name, drop, add and reorder axes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shapeinfer.diagnostics.codes import AXIS_OUT_OF_RANGE, DUPLICATE_AXIS, INVALID_PERMUTATION, SQUEEZE_NOT_ONE
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.dims import Equal, equal, text_of
from shapeinfer.facts import Shape, UnknownRank


def normal(ledger: Ledger, axis: int, rank: int, *, end: bool = False, negative: bool = True, at: str = "") -> int:
    """Return ``axis`` counted from the front of ``rank`` axes, or record that it is out of range and stop."""
    low, high = (-rank if negative else 0), rank if end else rank - 1
    if not low <= axis <= high:
        detail = Detail(given=axis, range=range(low, high + 1))
        bounds = f" [{low}, {high}]" if low <= high else ""
        ledger.fail(AXIS_OUT_OF_RANGE, f"axis {axis} is out of range{bounds} for rank {rank}", at, detail)
    return axis + rank if axis < 0 else axis


def normal_all(
    ledger: Ledger, axes: Iterable[int], rank: int, *, negative: bool = True, at: str = ""
) -> tuple[int, ...]:
    """Return several axes counted from the front, in their order; one named twice is a fault."""
    listed = tuple(axes)
    normalized = tuple(normal(ledger, a, rank, negative=negative, at=at) for a in listed)
    if len(set(normalized)) != len(normalized):
        second = next(i for i, a in enumerate(normalized) if a in normalized[:i])
        detail = Detail(given=listed[second], range=range(-rank if negative else 0, rank))
        ledger.fail(DUPLICATE_AXIS, f"axis {normalized[second]} is duplicated in {list(normalized)}", at, detail)
    return normalized


def permuted(ledger: Ledger, shape: Shape, perm: Sequence[int] | None, at: str = "") -> Shape:
    """Return the axes in the order of ``perm``, reversed where there is none."""
    if perm is None:
        return shape[::-1]
    if sorted(perm) != list(range(len(shape))):
        wrong = next((p for i, p in enumerate(perm) if p in perm[:i] or not 0 <= p < len(shape)), None)
        message = f"perm {list(perm)} is not a permutation of the {len(shape)} axes"
        ledger.fail(INVALID_PERMUTATION, message, at, Detail(given=wrong, range=range(len(shape))))
    return tuple(shape[p] for p in perm)


def squeezed(ledger: Ledger, shape: Shape, axes: Sequence[int] | None, at: str = "") -> Shape:
    """Drop axes of size 1: the named ones, or all of them; stops the rule where data decides which those are."""
    if axes is None:
        answers = [equal(d, 1) for d in shape]
        if any(a.is_maybe for a in answers):
            raise UnknownRank
        return tuple(d for d, a in zip(shape, answers) if a.is_no)
    for a in axes:
        message = f"axis {a} is {text_of(shape[a])}; only an axis of size 1 can be squeezed"
        ledger.require(Equal(shape[a], 1), SQUEEZE_NOT_ONE, message, at and f"{at}[{a}]")
    return tuple(d for i, d in enumerate(shape) if i not in axes)


def unsqueezed(shape: Shape, axes: Sequence[int]) -> Shape:
    """Insert axes of size 1 at the positions ``axes`` of the result."""
    rest = iter(shape)
    return tuple(1 if i in axes else next(rest) for i in range(len(shape) + len(axes)))


def squeezed_by_count(ledger: Ledger, shape: Shape, count: int, at: str = "") -> Shape:
    """Drop the axes of size 1 that ``count`` unknown entries name; stops the rule where their number is unknown.

    Entries may name one axis twice (ONNX operator "Squeeze" does not forbid it, and runtimes accept it), so that
    between one axis and ``count`` are dropped.
    """
    if not count:
        return shape
    kept = tuple(d for d in shape if equal(d, 1).is_no)
    if len(kept) == len(shape):
        ledger.fail(SQUEEZE_NOT_ONE, f"no axis of [{', '.join(map(text_of, shape))}] has size 1", at)
    if len(kept) == len(shape) - 1:
        return kept
    if count > 1:
        raise UnknownRank
    return tuple(ledger.fresh() for _ in range(len(shape) - 1))
