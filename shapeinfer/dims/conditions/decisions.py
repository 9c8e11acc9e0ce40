"""Relations between sizes, decided in three-valued logic: yes, no or maybe."""

from __future__ import annotations

import enum
import math
from typing import NoReturn

from shapeinfer.dims.terms.arithmetic import memoised, sub
from shapeinfer.dims.terms.cancelling import constant_of, lowest_terms
from shapeinfer.dims.terms.cases import always_zero, never_negative
from shapeinfer.dims.terms.dim import Dim, Size
from shapeinfer.dims.terms.floors import Floor
from shapeinfer.dims.terms.selections import caps
from shapeinfer.dims.terms.sizes import bounds_of, terms_of


class Answer(enum.Enum):
    """YES: true whatever the symbols stand for; NO: false whatever they stand for; else MAYBE."""

    YES = "yes"
    NO = "no"
    MAYBE = "maybe"

    def __bool__(self) -> NoReturn:
        raise TypeError("an Answer is yes, no or maybe: use .is_yes, .is_no or .is_maybe")

    @property
    def is_yes(self) -> bool:
        return self is Answer.YES

    @property
    def is_no(self) -> bool:
        return self is Answer.NO

    @property
    def is_maybe(self) -> bool:
        return self is Answer.MAYBE

    def __invert__(self) -> Answer:
        return {Answer.YES: Answer.NO, Answer.NO: Answer.YES}.get(self, Answer.MAYBE)

    def __and__(self, other: Answer) -> Answer:
        if self.is_no or other.is_no:
            return Answer.NO
        return Answer.YES if self.is_yes and other.is_yes else Answer.MAYBE

    def __or__(self, other: Answer) -> Answer:
        return ~(~self & ~other)


def _known(truth: bool) -> Answer:
    return Answer.YES if truth else Answer.NO


def equal(a: Size, b: Size) -> Answer:
    """Decide whether ``a == b``."""
    if a is b:
        return Answer.YES
    if isinstance(a, int):
        if isinstance(b, int):
            return _known(a == b)
        a, b = b, a
    if isinstance(b, int) and a.is_symbol:
        outside = (a.low is not None and b < a.low) or (a.high is not None and b > a.high)
        return Answer.NO if outside or b % a.divisor else Answer.MAYBE
    if isinstance(b, Dim) and a.is_symbol and b.is_symbol:
        apart = (a.high is not None and b.low is not None and a.high < b.low) or (
            b.high is not None and a.low is not None and b.high < a.low
        )
        return Answer.NO if apart else Answer.MAYBE
    return _equal(a, b)


@memoised
def _equal(a: Size, b: Size) -> Answer:
    difference = sub(a, b)
    if isinstance(difference, int):
        return _known(difference == 0)
    low, high = difference.low, difference.high
    if (low is not None and low > 0) or (high is not None and high < 0):
        return Answer.NO
    if low == high == 0:
        return Answer.YES
    constant = constant_of(difference)
    if constant is not None:
        return _known(constant == 0)
    terms, number = terms_of(difference)
    if number % math.gcd(*(c * t.divisor for c, t in terms)):
        return Answer.NO
    return Answer.YES if always_zero(difference) else Answer.MAYBE


def less_equal(a: Size, b: Size) -> Answer:
    """Decide whether ``a <= b``."""
    a_low, a_high = bounds_of(a)
    b_low, b_high = bounds_of(b)
    if a_high is not None and b_low is not None and a_high <= b_low:
        return Answer.YES
    if a_low is not None and b_high is not None and a_low > b_high:
        return Answer.NO
    difference = sub(b, a)
    if isinstance(difference, int):
        return _known(difference >= 0)
    if difference.low is not None and difference.low >= 0:
        return Answer.YES
    if difference.high is not None and difference.high < 0:
        return Answer.NO
    if never_negative(difference):
        return Answer.YES
    return Answer.NO if never_negative(sub(-1, difference)) else Answer.MAYBE


def less(a: Size, b: Size) -> Answer:
    """Decide whether ``a < b``."""
    return ~less_equal(b, a)


def divides(divisor: Size, a: Size) -> Answer:
    """Decide whether ``divisor`` divides ``a``; a divisor of 0 divides nothing but 0."""
    if isinstance(divisor, int):
        if isinstance(a, int):
            return _known(a % divisor == 0 if divisor else a == 0)
        return _number_divides(abs(divisor), a) if divisor else equal(a, 0)
    if divisor is a or a == 0:
        return Answer.YES
    return _symbolic_divides(divisor, a)


def _number_divides(divisor: int, a: Dim) -> Answer:
    if a.divisor % divisor == 0:
        return Answer.YES
    low, high = a.low, a.high
    if low is not None and high is not None and high // divisor * divisor < low:
        return Answer.NO
    terms, number = terms_of(a)
    return Answer.NO if number % math.gcd(divisor, *(c * t.divisor for c, t in terms)) else Answer.MAYBE


@memoised
def _symbolic_divides(divisor: Dim, a: Size) -> Answer:
    low, high = divisor.low, divisor.high
    sure = (low is not None and low >= 1) or (high is not None and high <= -1)
    if not sure:
        return Answer.MAYBE
    if isinstance(a, int):
        # a is not 0, and nothing farther from 0 divides it
        too_large = (low is not None and low > abs(a)) or (high is not None and high < -abs(a))
        return Answer.NO if too_large else Answer.MAYBE
    below = lowest_terms(a, divisor)[1]
    return Answer.YES if below == 1 else Answer.MAYBE


def capped_by(a: Size, b: Size) -> tuple[Size, ...] | None:
    """Return ``c`` where ``a`` is written ``min(b, *c)``, so that ``a == b`` says ``b <= c``; None where it is not."""
    return caps(a, b)


def divisors_of(size: Size) -> frozenset[Dim]:
    """Return the dims that a size divides by and that may be 0, where it has no value."""
    found: set[Dim] = set()
    seen: set[Dim] = set()
    left = [size]
    while left:
        part = left.pop()
        if isinstance(part, int) or part in seen:
            continue
        seen.add(part)
        if isinstance(part, Floor) and part.division is None:
            found |= {n for n in part.parts[1:] if isinstance(n, Dim) and _may_be_zero(n)}
        left += part.parts
    return frozenset(found)


def _may_be_zero(size: Dim) -> bool:
    return not (less_equal(1, size).is_yes or less_equal(size, -1).is_yes)
