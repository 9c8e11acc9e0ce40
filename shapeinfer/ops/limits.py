"""Limits of 64 bits: element counts, and arithmetic on known integers."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from shapeinfer.diagnostics.codes import ELEMENT_COUNT_OVERFLOW, INTEGER_OVERFLOW, NEGATIVE_LENGTH
from shapeinfer.dims import Size, count_of_elements, text_of
from shapeinfer.facts import DType, Fact, Tensor, holds, tensor
from shapeinfer.graph import Call
from shapeinfer.ops.context import Context

MOST = 2**63 - 1
GIANT = 2**4096
_EXACT = {"Add": operator.add, "Sub": operator.sub, "Mul": operator.mul}


def check(ctx: Context, call: Call, inputs: Sequence[Fact | None], outputs: Sequence[Fact]) -> list[Fact]:
    """Report sizes that no tensor has, and integers that wrap around; return the outputs without negative sizes.

    What came in as such is not said again.
    """
    possible = [_without_negative(ctx, f) for f in outputs]
    message = "" if ctx.findings else _too_large(inputs, possible)
    possible = [_without_giants(ctx, f) for f in possible]
    if ctx.findings:
        return possible
    if message:
        ctx.report(ELEMENT_COUNT_OVERFLOW, message)
    if not call.domain and call.op_type in _EXACT and possible:
        _wrapped(ctx, call.op_type, inputs, possible[0])
    return possible


def _without_negative(ctx: Context, fact: Fact) -> Fact:
    shape = fact.shape if isinstance(fact, Tensor) else None
    least = min((d for d in shape or () if isinstance(d, int)), default=0)
    if least >= 0 or not isinstance(fact, Tensor) or shape is None:
        return fact
    if not ctx.findings:
        ctx.report(NEGATIVE_LENGTH, f"the output would be {fact.text}; a dim cannot be {least}")
    return tensor(fact.dtype, tuple(ctx.placeholder() if isinstance(d, int) and d < 0 else d for d in shape))


def _without_giants(ctx: Context, fact: Fact) -> Fact:
    """Leave open what is too long to be written down: no tool reads such a number, and Python writes none."""
    if _longest(fact) < GIANT or not isinstance(fact, Tensor) or fact.shape is None:
        return fact
    return tensor(fact.dtype, tuple(ctx.placeholder() if isinstance(d, int) and d >= GIANT else d for d in fact.shape))


def _too_large(inputs: Sequence[Fact | None], outputs: Sequence[Fact]) -> str:
    """Return a message for a dim, or else an element count, beyond 64 bits; empty if there is none."""
    longest = max((_longest(f) for f in outputs), default=0)
    if longest > MOST and not any(_longest(f) > MOST for f in inputs):
        return f"a dim of the output is at least {_in_digits(longest)}more than {MOST}, the largest int64"
    counts = [count_of(f) for f in outputs]
    most = max(counts, default=0)
    if most <= MOST or any(count_of(f) > MOST for f in inputs):
        return ""
    shape = getattr(outputs[counts.index(most)], "shape", None)
    dims = ", ".join(map(text_of, shape or ()))
    return f"the output [{dims}] has {_in_digits(most)}more than {MOST} elements, the largest int64"


def _longest(fact: Fact | None) -> int:
    shape = fact.shape if isinstance(fact, Tensor) else None
    return max(map(_least, shape or ()), default=0)


def _least(size: Size) -> int:
    """The number that a size is, or that its formula comes to at least."""
    return size if isinstance(size, int) else 0 if size.is_symbol else size.low or 0


def _in_digits(count: int) -> str:
    """Write a number out, if it has no more digits than Python converts."""
    return f"{count}, " if count < 2**256 else ""


def within_limits(fact: Fact) -> Fact:
    """Return a fact without the entries that its type may not hold: what wraps or rounds is another number."""
    if not isinstance(fact, Tensor):
        return fact
    if fact.value is None:
        held = all(holds(fact.dtype, end) for pair in fact.ends for end in pair or ())
        return fact if held else tensor(fact.dtype, fact.shape)
    if fact.dtype is DType.INT64 and all(type(e) is int and -MOST <= e <= MOST for e in fact.value):
        return fact  # as most are
    value = tuple([e if e is None or holds(fact.dtype, e) else None for e in fact.value])
    return fact if value == fact.value else tensor(fact.dtype, fact.shape, value)


def count_of(fact: Fact | None) -> int:
    """Return the number of elements of a tensor, 0 if unknown."""
    shape = fact.shape if isinstance(fact, Tensor) else None
    if shape is None or not all(isinstance(d, int) for d in shape):
        return 0
    return count_of_elements(d for d in shape if isinstance(d, int))


def _wrapped(ctx: Context, name: str, inputs: Sequence[Fact | None], out: Fact) -> None:
    dtype = out.dtype.numpy() if isinstance(out, Tensor) else None
    if dtype is None or np.dtype(dtype).kind not in "iu" or len(inputs) != 2:
        return
    arrays = [x.array for x in inputs if isinstance(x, Tensor) and x.value is not None]
    if len(arrays) != 2 or not all(a is not None and all(isinstance(e, int) for e in a.ravel()) for a in arrays):
        return
    bounds = np.iinfo(cast("Any", dtype))
    for number in np.ravel(_EXACT[name](*arrays)).tolist():
        if not bounds.min <= number <= bounds.max:
            ctx.report(INTEGER_OVERFLOW, f"the result {number} does not fit {np.dtype(dtype)}; it wraps around")
            return
