"""Questions about lengths, answered yes, no or maybe."""

from __future__ import annotations

import enum
import math
from typing import NoReturn

from shapeinfer.dims.arithmetic import memoised, sub
from shapeinfer.dims.dim import Dim, Size


class Answer(enum.Enum):
    """YES: true whatever the symbols stand for; NO: false whatever they stand for; else MAYBE."""

    YES = "yes"
    NO = "no"
    MAYBE = "maybe"

    def __bool__(self) -> NoReturn:
        raise TypeError("an Answer is yes, no or maybe: ask .is_yes, .is_no or .is_maybe")

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
    """Ask whether ``a == b``."""
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
    if (difference.low is not None and difference.low > 0) or (difference.high is not None and difference.high < 0):
        return Answer.NO
    from shapeinfer.dims.algebra import divisor_of

    constant, rest = difference._expr.as_coeff_Add() if difference._expr is not None else (0, None)
    if rest is not None and constant != 0 and int(constant) % divisor_of(rest):
        return Answer.NO
    return Answer.MAYBE


def less_equal(a: Size, b: Size) -> Answer:
    """Ask whether ``a <= b``."""
    difference = sub(b, a)
    if isinstance(difference, int):
        return _known(difference >= 0)
    if difference.low is not None and difference.low >= 0:
        return Answer.YES
    return Answer.NO if difference.high is not None and difference.high < 0 else Answer.MAYBE


def less(a: Size, b: Size) -> Answer:
    """Ask whether ``a < b``."""
    return ~less_equal(b, a)


def divides(divisor: Size, a: Size) -> Answer:
    """Ask whether ``divisor`` divides ``a``; a divisor of 0 divides nothing but 0."""
    if isinstance(divisor, int) and isinstance(a, int):
        return _known(a % divisor == 0 if divisor else a == 0)
    if divisor is a or (isinstance(divisor, int) and divisor == 1):
        return Answer.YES
    if isinstance(divisor, int) and isinstance(a, Dim):
        if divisor and math.gcd(a.divisor, divisor) == abs(divisor):
            return Answer.YES
        if divisor and a._expr is not None:
            from shapeinfer.dims.algebra import divisor_of

            constant, rest = a._expr.as_coeff_Add()
            if int(constant) % math.gcd(divisor_of(rest), divisor):
                return Answer.NO
    elif isinstance(a, Dim):
        from shapeinfer.dims.algebra import cancelled, expr_of

        if isinstance(divisor, Dim) and not cancelled(expr_of(a), expr_of(divisor)).has(_floor_type()):
            return Answer.YES if (divisor.low or 0) >= 1 else Answer.MAYBE
    return Answer.MAYBE


def _floor_type() -> type:
    from shapeinfer.dims.algebra import FloorDiv

    return FloorDiv
