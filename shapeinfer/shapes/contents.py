"""Read the small known contents of tensors that steer shapes."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import (
    DIVISION_BY_ZERO,
    INVALID_VALUE,
    LENGTH_MISMATCH,
    NEGATIVE_LENGTH,
    RANK_MISMATCH,
)
from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.dims import AnyOf, AtMost, Dim, Equal, Size, at_least, nonzero, product, text_of
from shapeinfer.facts import Element, Shape, Tensor, UnknownRank


def entries(ledger: Ledger, x: Tensor, at: str = "", low: int | None = None) -> tuple[Size, ...]:
    """Return the entries of a 1-D integer tensor, a scalar counting as one; unknown ones are fresh, from ``low`` on.

    Stops the rule (UnknownRank) where their number is not known.
    """
    if x.rank > 1:
        ledger.fail(RANK_MISMATCH, f"{at or 'a list'} must have rank 1; it has rank {x.rank}", at)
    count = x.dims[0] if x.rank else 1
    if isinstance(count, Dim):
        raise UnknownRank
    if x.value is None:
        return tuple(ledger.fresh(low) for _ in range(count))
    return tuple(integer(ledger, v, low) for v in x.value)


def integer(ledger: Ledger, element: Element, low: int | None = None) -> Size:
    """Return one entry as an integer, or a fresh symbol >= ``low`` if it is not known to be one."""
    if isinstance(element, Dim):
        return element
    if isinstance(element, (bool, int)) or (isinstance(element, float) and element.is_integer()):
        return int(element)
    return ledger.fresh(low)


def sizes_in(ledger: Ledger, x: Tensor, at: str = "") -> Shape:
    """Return the entries of a tensor that holds a shape; a negative one is a fault."""
    out = []
    for i, size in enumerate(entries(ledger, x, at, low=0)):
        message = f"entry {i} of {at or 'the shape'} is {text_of(size)}; a dim cannot be negative"
        wrong = ledger.require(AtMost(0, size), NEGATIVE_LENGTH, message, at).is_no
        out.append(ledger.fresh() if wrong else size)
    return tuple(out)


def scalar(ledger: Ledger, x: Tensor) -> Size:
    """Return the only entry of an integer tensor of one element, fresh where unknown."""
    if x.value is not None and len(x.value) == 1:
        return integer(ledger, x.value[0])
    return ledger.fresh(None)


def single(ledger: Ledger, x: Tensor, at: str) -> None:
    """Require that an input holds one entry, as a scalar or in a list."""
    if x.shape is not None and len(x.shape) > 1:
        ledger.fail(RANK_MISMATCH, f"{ledger.port_name(at)} is {x.text}; it must be a scalar", at)
    if x.shape:
        message = f"{ledger.port_name(at)} has {text_of(x.shape[0])} entries; expected 1"
        ledger.require(Equal(x.shape[0], 1), LENGTH_MISMATCH, message, f"{at}[0]")


def only_entry(ledger: Ledger, x: Tensor, at: str, least: int) -> Size:
    """Return the only entry of an input, which is at least so much."""
    single(ledger, x, at)
    found = scalar(ledger, x)
    if isinstance(found, Dim) and found.is_slot:
        return ledger.fresh(least)
    message = f"{ledger.port_name(at)} is {text_of(found)}; it must be at least {least}"
    code = INVALID_VALUE if least else NEGATIVE_LENGTH
    wrong = ledger.require(at_least(found, least), code, message, at).is_no
    return ledger.fresh(least) if wrong else found


def divided(ledger: Ledger, x: Tensor, out: Shape, ports: tuple[str, str]) -> None:
    """Require that the integers in ``x``, the second port, are not 0, unless the output is empty."""
    if x.dtype.is_float:
        return
    below = ledger.port_name(ports[1])
    empty = Equal(product(out), 0)
    for e in dict.fromkeys(x.value or ()):
        if isinstance(e, int) and e == 0:
            message = f"{below} contains 0; integers cannot be divided by 0"
            ledger.require(empty, DIVISION_BY_ZERO, message, ports[1])
        elif isinstance(e, Dim) and not is_data(e):
            message = f"integers are divided by {text_of(e)}; it must not be 0"
            needed = nonzero(e) if empty.answer().is_no else AnyOf((nonzero(e), empty))
            ledger.require(needed, DIVISION_BY_ZERO, message, ports[1])


def is_data(e: Dim) -> bool:
    """Whether an entry is an unbounded fresh symbol, so that a condition on it is of no use."""
    return e.is_symbol and e.is_fresh and e.low is None
