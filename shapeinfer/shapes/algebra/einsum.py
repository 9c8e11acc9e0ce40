"""Einstein summation: read an equation, and require one size for each label."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

from attrs import frozen

from shapeinfer.diagnostics.codes import DIM_MISMATCH, INVALID_EQUATION
from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.dims import Size, broadcast, broadcastable, equal, text_of
from shapeinfer.facts import Shape, UnknownRank
from shapeinfer.remembered import forgotten_by, note_text

ELLIPSIS = "."
_TERM = re.compile(r"[A-Za-z]*(?:\.\.\.[A-Za-z]*)?")


@frozen
class Equation:
    """The labels of each operand and of the output; ``.`` is an ellipsis."""

    operands: tuple[str, ...]
    output: str


@functools.lru_cache(maxsize=1024)
def read(text: str) -> Equation:
    """Read an equation such as ``"bij,bjk->bik"``; raises ValueError for an invalid one."""
    note_text(text)
    left, arrow, right = text.replace(" ", "").partition("->")
    terms = [*left.split(","), *([right] if arrow else [])]
    for term in terms:
        if not _TERM.fullmatch(term):
            raise ValueError(f"{term!r} must consist of letters and at most one ellipsis")
    operands = [t.replace("...", ELLIPSIS) for t in left.split(",")]
    seen = "".join(operands)
    if not arrow:
        once = sorted(c for c in set(seen) - {ELLIPSIS} if seen.count(c) == 1)
        return Equation(tuple(operands), ELLIPSIS * (ELLIPSIS in seen) + "".join(once))
    output = right.replace("...", ELLIPSIS)
    for label in output:
        if output.count(label) > 1:
            raise ValueError(f"the output has the label {label} twice")
        if label not in seen and label != ELLIPSIS:
            raise ValueError(f"the output's label {label} does not occur in any operand")
    return Equation(tuple(operands), output)


forgotten_by(read.cache_clear)


def einsum(ledger: Ledger, text: str, shapes: Sequence[Shape | None], name: str = "inputs") -> Shape:
    """Return the shape of the result of an equation; it is a fault if it cannot be read or has other operands.

    Lengths of one label must agree or be 1, on one operand they must agree. Stops where an ellipsis stands for axes
    that no operand of known rank has.
    """
    try:
        equation = read(text)
    except ValueError as error:
        ledger.fail(INVALID_EQUATION, f"invalid equation {text!r}: {error}")
    if len(equation.operands) != len(shapes):
        terms = len(equation.operands)
        ledger.fail(INVALID_EQUATION, f"the equation {text!r} has {terms} terms for {len(shapes)} operands")
    labels = _Labels(ledger, name)
    width = _ellipsis(ledger, equation, shapes, name)
    for i, (term, shape) in enumerate(zip(equation.operands, shapes)):
        spread = _spread(term, width or 0)
        if shape is None:
            labels.unknown.update(spread)
        else:
            labels.read(i, spread, shape)
    if width is None and ELLIPSIS in equation.output:
        raise UnknownRank
    if width and ELLIPSIS not in equation.output:
        ledger.fail(INVALID_EQUATION, f"the ellipsis covers {width} axes but the output has no ellipsis")
    return tuple(labels.size_of(label) for label in _spread(equation.output, width or 0))


def _ellipsis(ledger: Ledger, equation: Equation, shapes: Sequence[Shape | None], name: str) -> int | None:
    """Return the number of axes of an ellipsis, None if unknown; require that terms match their operands."""
    width = None if any(ELLIPSIS in term for term in equation.operands) else 0
    for i, (term, shape) in enumerate(zip(equation.operands, shapes)):
        if shape is None:
            continue
        open_ended = ELLIPSIS in term
        rest = len(shape) - len(term) + open_ended
        if rest < 0 or (rest and not open_ended):
            spoken = term.replace(ELLIPSIS, "...")
            message = f"the term {spoken!r} has {len(term) - open_ended} labels; operand {i} has rank {len(shape)}"
            ledger.fail(INVALID_EQUATION, message, f"{name}.{i}")
        if open_ended and width is not None and width != rest:
            message = f"the ellipsis covers {rest} axes of operand {i} and {width} of another operand"
            ledger.fail(INVALID_EQUATION, message, f"{name}.{i}")
        width = rest if open_ended else width
    return width


def _spread(term: str, width: int) -> list[str]:
    """Return one label for each axis; those of an ellipsis are numbered."""
    before, dots, after = term.partition(ELLIPSIS)
    return [*before, *(f"...{k}" for k in range(width if dots else 0)), *after]


class _Labels:
    """The size of every label, and the operand and axis that it is from."""

    def __init__(self, ledger: Ledger, name: str) -> None:
        self.ledger = ledger
        self.name = name
        self.known: dict[str, tuple[Size, int, int]] = {}
        self.unknown: set[str] = set()
        """Labels that occur on an operand of unknown rank."""

    def read(self, operand: int, labels: Sequence[str], shape: Shape) -> None:
        own: dict[str, tuple[Size, int]] = {}
        for axis, (label, size) in enumerate(zip(labels, shape)):
            if label in own:
                first, at = own[label]
                ports = f"{self.name}.{operand}[{at}] {self.name}.{operand}[{axis}]"
                own[label] = self.ledger.equal(first, size, DIM_MISMATCH, ports), at
            else:
                own[label] = size, axis
        for label, (size, axis) in own.items():
            self._join(label, size, operand, axis)

    def _join(self, label: str, size: Size, operand: int, axis: int) -> None:
        if label not in self.known:
            self.known[label] = size, operand, axis
            return
        known, other, at = self.known[label]
        message = f"label {label} is {text_of(known)} on operand {other} and {text_of(size)} on operand {operand}"
        ports = f"{self.name}.{other}[{at}] {self.name}.{operand}[{axis}]"
        wrong = self.ledger.require(broadcastable(known, size), DIM_MISMATCH, message, ports).is_no
        joined = self.ledger.fresh() if wrong else broadcast(known, size)
        self.known[label] = (joined, operand, axis) if equal(known, 1).is_yes else (joined, other, at)

    def size_of(self, label: str) -> Size:
        known = self.known.get(label)
        # An operand whose axes are not known may be the one that is not 1.
        if known is None or (label in self.unknown and not equal(known[0], 1).is_no):
            return self.ledger.fresh()
        return known[0]
