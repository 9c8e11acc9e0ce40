"""The conditions under which one call runs, decided by what the caller assumes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from attrs import evolve, field, frozen

from shapeinfer.budget import FINISHING, OverBudget, current, spending
from shapeinfer.diagnostics.codes import ASSUMPTION_FALSE
from shapeinfer.diagnostics.diagnostic import Diagnostic, NodeRef
from shapeinfer.diagnostics.errors import error_for
from shapeinfer.diagnostics.finding import Claim
from shapeinfer.dims import Condition, Dim, DimSyntaxError, Size, parse_condition
from shapeinfer.dims.notation.arguments import ConditionLike, text_of_condition
from shapeinfer.dims.notation.sympified import is_expression
from shapeinfer.infer.constraints.contract import Requirement, contract_of, run_time_conditions, unsimplified
from shapeinfer.infer.constraints.solver import Solver

Assumptions: TypeAlias = "ConditionLike | Iterable[ConditionLike]"
"""Conditions that the caller knows to hold, one alone or several."""
Diagnose: TypeAlias = "Callable[[Claim, Sequence[str]], Diagnostic]"
"""Returns a claim as a diagnostic with its operands, and with notes."""


@frozen(repr=False, eq=False)
class Known:
    """What a caller assumes of the symbols of one call."""

    solver: Solver
    notes: tuple[str, ...]
    """What is assumed, for messages."""
    sizes: Mapping[Dim, Size] = field(init=False)
    """What follows for each symbol: a size, or the same symbol of a narrower range."""
    declared: Mapping[Dim, Size] = field(init=False)
    """For each symbol of a narrower range the caller's own."""

    @sizes.default
    def _copy_sizes(self) -> dict[Dim, Size]:
        return dict(self.solver.known)

    @declared.default
    def _copy_declared(self) -> dict[Dim, Size]:
        return dict(self.solver.narrowed)


def assumed(assume: Assumptions, symbols: Iterable[Dim]) -> Known:
    """Return what follows from assumptions on symbols.

    Raises ValueError for what is no condition or cannot be read, and ShapeInferError for one that cannot hold.
    """
    solver = Solver()
    is_one = isinstance(assume, str) or is_expression(assume) or not isinstance(assume, Iterable)
    listed = [assume] if is_one else list(assume)  # type: ignore[arg-type]
    names: dict[str, Size] = {s.name: s for s in sorted(symbols, key=lambda s: s.order)} if listed else {}
    conditions = [_read(condition, names) for condition in listed]
    for read in conditions:
        message = f"the assumption {read.text} cannot hold"
        answer, because = solver.decide(Claim(read, ASSUMPTION_FALSE, message), None)
        if answer.is_no:
            raise error_for([Diagnostic(ASSUMPTION_FALSE, ASSUMPTION_FALSE.severity, message, notes=tuple(because))])
    return Known(solver, tuple(f"assuming {c.text}" for c in conditions))


def _read(passed: object, names: Mapping[str, Size]) -> Condition:
    if isinstance(passed, Condition):
        return passed
    if not isinstance(passed, str) and not is_expression(passed):
        raise ValueError(f"the assumption {passed!r} is no condition; give text such as 'N % 8 == 0', or a Condition")
    try:
        return parse_condition(text_of_condition(passed), names)
    except DimSyntaxError as error:
        raise ValueError(f"the assumption {passed!r} cannot be read: {error}") from None


def conditions_of(
    claims: Iterable[Claim], known: Known, diagnose: Diagnose, node: NodeRef | None = None, *, strict: bool = False
) -> tuple[Requirement, ...]:
    """Return what remains of the claims of a call: none that follows from others or from what is known.

    Raises the ShapeInferError of the claims that are false with what is known or with one another; with ``strict`` also
    that of the conditions that remain.
    """
    decided = [(claim, *known.solver.decide(claim, node)) for claim in claims]
    wrong = [diagnose(claim, (*because, *known.notes)) for claim, answer, because in decided if answer.is_no]
    if wrong:
        raise error_for(wrong)
    if not decided:
        return ()
    found = [evolve(r, operands=diagnose(r.claim, ()).operands) for r in _simplified(known.solver)]
    if strict and found:
        open_ = [(diagnose(r.claim, ()), f"requires {r.condition}: {r.message}") for r in found]
        raise error_for([evolve(d, message=message) for d, message in open_])
    return tuple(found)


def _simplified(solver: Solver) -> list[Requirement]:
    pending = solver.pending.values()
    with spending(current(), FINISHING):
        try:
            of_inputs = contract_of(pending, solver.known, solver.narrowed)
            of_data = run_time_conditions(pending, solver.known, solver.narrowed)
        except OverBudget:
            of_inputs, of_data = unsimplified(pending), unsimplified(pending, of_data=True)
    return [*of_inputs.all_sizes, *of_data.all_sizes]
