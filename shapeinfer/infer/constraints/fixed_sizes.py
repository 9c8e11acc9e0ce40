"""What is said of the sizes and ranges that a caller fixes, and what fails within them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from shapeinfer.diagnostics.codes import ASSUMPTION_FALSE, RANGE_FAILS
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.dims import AtMost, Condition, Dim, at_least, simplest, witness
from shapeinfer.infer.constraints.solver import PendingClaim


def constraint_notes(fixed: Mapping[str, str], names: Iterable[str]) -> list[str]:
    """Return a note of what the caller fixes of dims, such as ``with N = 3, 1 <= M <= 8 (given)``, or none."""
    found = list(dict.fromkeys(fixed[name] for name in sorted(set(names)) if name in fixed))
    return [f"with {', '.join(found)} (given)"] if found else []


def conditions_of_ranges(
    ranges: Mapping[str, tuple[int, int | None]], declared: Mapping[str, Dim]
) -> Iterator[Condition]:
    """Yield that each dim of a model lies in its range; a range that is none is reported elsewhere."""
    for name, (low, high) in ranges.items():
        if name in declared and isinstance(low, int):
            yield at_least(declared[name], low)
        if name in declared and isinstance(high, int):
            yield AtMost(declared[name], high)


def range_faults(
    pending: Iterable[PendingClaim], ranged: Collection[str], fixed: Mapping[str, str]
) -> list[Diagnostic]:
    """Return a fault for each condition that some sizes of the given ranges break, with the least of those sizes.

    ``ranged`` names the dims that have a range, ``fixed`` the notes on them; a condition on other
    dims too is left to the contract.
    """
    faults = []
    for a in pending:
        names = {s.name for s in a.condition.symbols}
        if a.claim.code is ASSUMPTION_FALSE or not names or not names <= set(ranged):
            continue
        broken = witness(a.condition)
        condition = simplest(a.condition)
        if broken is None and condition.answer().is_yes:
            continue
        sizes = ", ".join(f"{name} = {size}" for name, size in sorted((broken or {}).items()))
        fails = f"fails for {sizes}" if broken else "could not be shown"
        message = f"{condition.text} {fails}, which the given range allows"
        notes = (a.claim.message, *constraint_notes(fixed, names))
        faults.append(Diagnostic(RANGE_FAILS, RANGE_FAILS.severity, message, a.node, notes=notes))
    return faults
