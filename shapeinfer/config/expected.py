"""Check a report against the expected contract and complete types."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.api.report import Report
from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Severity
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.dims import Condition, DimSyntaxError, Size, follows, parse_condition, witness
from shapeinfer.facts import SparseTensor, Tensor, Unknown
from shapeinfer.infer.constraints.contract import Requirement

MOST_NAMED = 5


def narrowed(report: Report, expected: Sequence[str]) -> list[Diagnostic]:
    """Return a fault for each condition that the model needs and an expected contract does not imply.

    It is an error where some sizes show it, and a warning where the one could not be shown to follow from the other.
    """
    if report.graph is None:
        return []
    names: dict[str, Size] = {s.name: s for f in report.graph.inputs.values() for s in f.symbols}
    names |= {s.name: s for r in report.contract.all_sizes for s in r.asked.symbols}
    faults, given = [], []
    for text in expected:
        try:
            given.append(parse_condition(text, names))
        except DimSyntaxError as error:
            message = f"the expected contract has {text!r}, which does not apply to this model: {error}"
            faults.append(Diagnostic(codes.CONTRACT_NARROWED, codes.CONTRACT_NARROWED.severity, message))
    return faults + [_fault(r, given, expected) for r in report.contract.all_sizes if not follows(given, r.asked)]


def _fault(requirement: Requirement, given: Sequence[Condition], expected: Sequence[str]) -> Diagnostic:
    sizes = witness(requirement.asked, given)
    notes = [requirement.message, f"the expected contract is {', '.join(expected)}" if expected else "none is expected"]
    if sizes is None:
        message = (
            f"the model requires {requirement.condition}, which does not provably follow from the expected contract"
        )
        severity = Severity.WARNING
    else:
        shown = ", ".join(f"{name} = {size}" for name, size in sizes.items())
        message = f"the model requires {requirement.condition}, but the expected contract allows {shown}"
        severity = codes.CONTRACT_NARROWED.severity
    return Diagnostic(codes.CONTRACT_NARROWED, severity, message, requirement.node, notes=tuple(notes))


def unfinished(report: Report) -> list[Diagnostic]:
    """Return a fault if the type or the rank of some value is not known, with the first few names.

    Of a model with errors nothing is said: what is not known may follow from them.
    """
    names = [
        name
        for name, fact in report.values.items()
        if isinstance(fact, Unknown) or (isinstance(fact, (Tensor, SparseTensor)) and fact.shape is None)
    ]
    if not names or not report.ok:
        return []
    listed = ", ".join(names[:MOST_NAMED]) + (", ..." if len(names) > MOST_NAMED else "")
    message = f"the type or rank of {len(names)} of {len(report.values)} values is unknown: {listed}"
    return [Diagnostic(codes.INCOMPLETE_TYPES, codes.INCOMPLETE_TYPES.severity, message)]
