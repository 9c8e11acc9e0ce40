"""Reshape: lengths that are copied, inferred or given, and the volume that must stay the same."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from shapeinfer.diagnostics.codes import AXIS_OUT_OF_RANGE, NEGATIVE_LENGTH, RANK_MISMATCH, VOLUME_MISMATCH
from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.dims import (
    AnyOf,
    Dim,
    Divides,
    Equal,
    Size,
    at_least,
    divides,
    equal,
    exact_div,
    less_equal,
    mul,
    product,
    quotient,
    substitute,
    text_of,
)
from shapeinfer.facts import Shape, Tensor

INFERRED = -1
"""The entry whose length follows from the others."""


def need_list(ledger: Ledger, x: Tensor, at: str) -> Tensor:
    """Return a tensor that must have exactly one axis; another known rank is a fault."""
    if x.shape is not None and len(x.shape) != 1:
        ledger.fail(RANK_MISMATCH, f"{ledger.spoken(at)} must have one axis, not {len(x.shape)}", at)
    return x


def reshaped(
    ledger: Ledger, shape: Shape | None, target: Sequence[Size], *, zero_copies: bool = True, at: str = ""
) -> Shape:
    """Return the shape that the entries of ``target`` ask for: -1 infers a length, 0 may copy one.

    A symbolic entry that may be 0 is a length only where it cannot come to copy another: what cannot be
    told apart is a new unknown length.
    """
    inferred = _inferred(ledger, target, at)
    if shape is None:
        return tuple(_alone(ledger, e, zero_copies) for e in target)
    parts = [None if i == inferred else _entry(ledger, shape, i, e, zero_copies, at) for i, e in enumerate(target)]
    for i in _doubtful(shape, target, parts) if zero_copies else ():
        parts[i] = _settled(ledger, shape, target, parts, i, inferred, at)
    return _filled(ledger, shape, parts, inferred is not None, at)


def _inferred(ledger: Ledger, target: Sequence[Size], at: str) -> int | None:
    """Return which entry is -1; none may be below, and no two."""
    numbers = [(i, e) for i, e in enumerate(target) if isinstance(e, int) and e < 0]
    for i, e in numbers:
        if e < INFERRED:
            ledger.fail(NEGATIVE_LENGTH, f"entry {i} of the shape is {e}; only -1 has a meaning below 0", at)
    if len(numbers) > 1:
        ledger.fail(NEGATIVE_LENGTH, f"{len(numbers)} entries of the shape are -1; only one can be inferred", at)
    return numbers[0][0] if numbers else None


def _alone(ledger: Ledger, entry: Size, zero_copies: bool) -> Size:
    """Return the length an entry gives where nothing is known of the input."""
    if isinstance(entry, int):
        return entry if entry > 0 or (entry == 0 and not zero_copies) else ledger.fresh()
    return entry if entry.low is not None and entry.low >= (1 if zero_copies else 0) else ledger.fresh()


def _entry(ledger: Ledger, shape: Shape, i: int, entry: Size, zero_copies: bool, at: str) -> Size | None:
    """Return the length an entry gives on its own, None where it may also be -1."""
    if isinstance(entry, int):
        return entry if entry or not zero_copies else _copied(ledger, shape, i, at)
    if (entry.low is None or entry.low < 0) and not _is_span(entry, shape):
        return None
    if zero_copies and i >= len(shape):
        message = f"entry {i} of the shape is {entry.text}; where that is 0 it copies an axis that is not there"
        ledger.require(at_least(entry, 1), AXIS_OUT_OF_RANGE, message, at)
    return entry


def _copied(ledger: Ledger, shape: Shape, i: int, at: str) -> Size:
    if i >= len(shape):
        message = f"entry {i} of the shape is 0, which copies an axis, but the input has only {len(shape)}"
        ledger.fail(AXIS_OUT_OF_RANGE, message, at)
    return shape[i]


def _is_span(entry: Dim, shape: Shape) -> bool:
    """Tell whether an entry is the product of neighbouring axes, and so never negative."""
    return any(entry is product(shape[a:b]) for a in range(len(shape)) for b in range(a + 1, len(shape) + 1))


def _doubtful(shape: Shape, target: Sequence[Size], parts: Sequence[Size | None]) -> list[int]:
    """Return the entries that may be 0 while the axis that they would then copy is not."""
    return [
        i
        for i, e in enumerate(target[: len(shape)])
        if isinstance(e, Dim)
        and parts[i] is not None
        and not less_equal(1, e).is_yes
        and not _vanishes_with(shape[i], e)
    ]


def _vanishes_with(size: Size, entry: Dim) -> bool:
    """Tell whether a length is surely 0 wherever the entry is."""
    if size is entry or equal(mul(exact_div(size, entry), entry), size).is_yes:
        return True
    if isinstance(size, Dim):
        factor = exact_div(entry, size)
        if less_equal(1, factor).is_yes and equal(mul(factor, size), entry).is_yes:
            return True
    return all(equal(substitute(size, case), 0).is_yes for case in _zero_cases(entry))


def _zero_cases(entry: Dim) -> list[Mapping[Dim, Size]]:
    """Return substitutions one of which holds wherever the entry is 0; an empty one says nothing."""
    rest: Size = entry
    cases: list[Mapping[Dim, Size]] = []
    for s in sorted(entry.symbols, key=lambda s: s.text):
        if equal(substitute(entry, {s: 0}), 0).is_yes:
            cases.append({s: 0})
            while isinstance(rest, Dim) and s in rest.symbols:
                smaller = exact_div(rest, s)
                if not equal(mul(smaller, s), rest).is_yes:
                    break
                rest = smaller
    if equal(rest, 0).is_no:
        return cases
    if isinstance(rest, Dim) and all(less_equal(0, s).is_yes and less_equal(s, rest).is_yes for s in rest.symbols):
        # a sum without negative terms is 0 only where all of them are
        return [*cases, dict.fromkeys(rest.symbols, 0)]
    return [*cases, {}]


def _settled(
    ledger: Ledger,
    shape: Shape,
    target: Sequence[Size],
    parts: Sequence[Size | None],
    i: int,
    inferred: int | None,
    at: str,
) -> Size | None:
    """Return a doubtful entry where it is a length in every run there is, None where it may come to copy.

    An entry of 0 copies ``x``; the volume ``x * rest`` then meets ``x * others``, so where those cannot be
    equal the run fails, and what it would copy does not matter.
    """
    entry = target[i]
    assert isinstance(entry, Dim)
    others = [p for j, p in enumerate(parts) if j not in (i, inferred)]
    if None in others:
        return None
    rest = product(d for j, d in enumerate(shape) if j != i)
    consistent = inferred is None and equal(product(shape), product(p for p in parts if p is not None)).is_yes
    for case in _zero_cases(entry):
        if not _excluded(shape, target, i, inferred, rest, case, consistent):
            return None
    if not less_equal(1, rest).is_yes:
        x = shape[i]
        factor = exact_div(entry, x)
        decisive = factor if equal(mul(factor, x), entry).is_yes else entry
        message = f"entry {i} of the shape is {entry.text}; where that is 0 it copies axis {i}, which is {text_of(x)}"
        ledger.require(AnyOf((at_least(decisive, 1), Equal(x, 0))), VOLUME_MISMATCH, message, at)
    return entry


def _excluded(
    shape: Shape,
    target: Sequence[Size],
    i: int,
    inferred: int | None,
    rest: Size,
    case: Mapping[Dim, Size],
    consistent: bool,
) -> bool:
    """Tell whether an entry that is 0 in this case copies a 0, or makes a volume that the input has not.

    Where the shape is ``consistent``, a second axis would have to be empty too for a copy to fit; that is
    left to the claim that the entry is not 0.
    """
    if equal(substitute(shape[i], case), 0).is_yes:
        return True
    others = product(_under(case, shape, target, j) for j in range(len(target)) if j not in (i, inferred))
    remaining = substitute(rest, case)
    if inferred is not None:
        return equal(others, 0).is_yes or divides(others, remaining).is_no
    return equal(others, remaining).is_no or (consistent and not equal(others, 0).is_yes)


def _under(case: Mapping[Dim, Size], shape: Shape, target: Sequence[Size], j: int) -> Size:
    entry = substitute(target[j], case)
    return substitute(shape[j], case) if equal(entry, 0).is_yes and j < len(shape) else entry


def _filled(ledger: Ledger, shape: Shape, parts: Sequence[Size | None], infers: bool, at: str) -> Shape:
    """Give the open lengths what the volume leaves them, and ask that it is left whole."""
    known = [p for p in parts if p is not None]
    if len(known) == len(parts):
        _same_volume(ledger, shape, known, at)
        return tuple(known)
    for p in known if infers else ():
        message = f"a length cannot be inferred beside one of {text_of(p)} where that is 0"
        if ledger.require(at_least(p, 1), VOLUME_MISMATCH, message, at).is_no:
            return tuple(ledger.fresh() if p is None else p for p in parts)
    left = _shared_out(ledger, shape, known, at)
    certain = infers or less_equal(1, product(known)).is_yes
    if len(known) == len(parts) - 1 and certain and left is not None:
        return tuple(left if p is None else p for p in parts)
    return tuple(ledger.fresh() if p is None else p for p in parts)


def _same_volume(ledger: Ledger, shape: Shape, out: Sequence[Size], at: str) -> None:
    before, after = product(shape), product(out)
    if equal(before, after).is_yes:
        return
    message = f"the input has {text_of(before)} elements, the shape [{_listed(out)}] {text_of(after)}"
    shared = math.gcd(_number(shape), _number(out)) or 1
    ledger.require(Equal(exact_div(before, shared), exact_div(after, shared)), VOLUME_MISMATCH, message, at)


def _shared_out(ledger: Ledger, shape: Shape, known: Sequence[Size], at: str) -> Size | None:
    """Return the volume over that of the known lengths, which must divide it; None where it cannot be said."""
    whole, part = product(shape), product(known)
    if equal(part, 0).is_yes:
        ledger.require(Equal(whole, 0), VOLUME_MISMATCH, f"{text_of(whole)} elements do not fit an empty shape", at)
        return None
    left = quotient(shape, known)
    if equal(mul(left, part), whole).is_yes:
        return left
    message = (
        f"{text_of(whole)} elements cannot be shared out: the other lengths [{_listed(known)}] have {text_of(part)}"
    )
    wrong = ledger.require(_reduced(shape, known), VOLUME_MISMATCH, message, at).is_no
    return None if wrong else left


def _reduced(shape: Shape, known: Sequence[Size]) -> Divides:
    """Return ``product(shape) % product(known) == 0`` with the numbers' common factor cancelled."""
    above, below = _number(shape), _number(known)
    shared = math.gcd(above, below)
    symbols = [d for d in known if isinstance(d, Dim)]
    if shared == 0 or symbols:
        return Divides(product(known), product(shape))
    # what is left of both numbers has no common factor, so it is for the symbols to be divisible
    return Divides(below // shared, product(d for d in shape if isinstance(d, Dim)))


def _number(sizes: Iterable[Size]) -> int:
    return math.prod(d for d in sizes if isinstance(d, int))


def _listed(sizes: Iterable[Size]) -> str:
    return ", ".join(text_of(d) for d in sizes)
