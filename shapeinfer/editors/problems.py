"""Problems, with the span of text that an editor underlines."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from attrs import evolve, frozen

from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Code, Severity
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.report.paint import printable
from shapeinfer.text import Name, Written, lines_of, statement_at

OF_NO_USE = (codes.UNUSED_INPUT, codes.UNUSED_INITIALIZER, codes.UNUSED_NODE)
_WORD = re.compile(r'"(?:[^"\\\n]|\\.)*"|[A-Za-z_][A-Za-z0-9_.]*|\S')


MOST_RELATED = 50
"""So many places of the same cause are named at the first of them."""


class Related(NamedTuple):
    """The span of another place of the same cause, and what is wrong there."""

    start: int
    end: int
    message: str


@frozen
class Problem:
    """A diagnostic and its span of text."""

    start: int
    end: int
    diagnostic: Diagnostic
    related: tuple[Related, ...] = ()
    """The other places of the cause: at the first one all of them, at the others the first."""

    @property
    def code(self) -> Code:
        return self.diagnostic.code

    @property
    def severity(self) -> Severity:
        return self.diagnostic.severity

    @property
    def message(self) -> str:
        """The message, then the operands, the notes and what would fit, each in a line of its own."""
        d = self.diagnostic
        fits = () if d.fix is None else (d.fix.text,)
        return "\n".join(map(printable, (d.message, *(o.text for o in d.shown), *d.notes, *fits)))


def problems(written: Written, diagnostics: Iterable[Diagnostic] | None = None) -> list[Problem]:
    """Return the problems of a text (or the diagnostics passed), each with its span."""
    found = written.report.diagnostics if diagnostics is None else tuple(diagnostics)
    if not found:
        return []
    starts = lines_of(written.text).starts
    faults = {(f.start, f.message): f for f in written.model.faults}

    def problem(d: Diagnostic) -> Problem:
        at = 0 if d.line is None else starts[min(d.line, len(starts)) - 1] + (d.column or 1) - 1
        fault = faults.get((at, d.message)) if d.code is codes.SYNTAX_ERROR else None
        start, end = (fault.start, max(fault.end, fault.start + 1)) if fault else _span(written, d, at)
        return Problem(start, end, d)

    made: list[Problem] = []
    for d in found:
        first, others = problem(d), [problem(other) for other in d.related]
        made.append(evolve(first, related=tuple(map(_related, others[:MOST_RELATED]))))
        made += [evolve(other, related=(_related(first),)) for other in others]
    return made


def _related(problem: Problem) -> Related:
    return Related(problem.start, problem.end, printable(problem.diagnostic.message))


def _span(written: Written, diagnostic: Diagnostic, at: int) -> tuple[int, int]:
    """The operand at fault, or else the name at its place."""
    operand = _operand(written, diagnostic, at)
    if operand is not None:
        return operand
    word = _WORD.match(written.text, at)
    return (at, at + 1) if word is None else word.span()


def _operand(written: Written, diagnostic: Diagnostic, at: int) -> tuple[int, int] | None:
    if diagnostic.code is codes.UNDEFINED_VALUE:
        value = undefined_name(diagnostic)
    elif len(diagnostic.operands) == 1:
        value = diagnostic.operands[0].value
    else:  # two operands do not fit each other: either may be wrong
        return None
    base, body = next(reversed(written.around(at)), (0, None))
    placed = None if body is None else statement_at(body, base, at)
    if placed is None:
        return None
    name: Name | None = next((n for n in placed.what.inputs if n.text == value), None)
    return None if name is None else (base + placed.at + name.start, base + placed.at + name.end)


def undefined_name(diagnostic: Diagnostic) -> str:
    """Return the name of the undefined value that a finding reports."""
    return diagnostic.message.removeprefix("undefined value ").partition(";")[0]
