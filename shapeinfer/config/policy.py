"""Which findings count, and for how much: applied to a report once, before anything is written of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from attrs import evolve

from shapeinfer.api.report import Report
from shapeinfer.config.expected import narrowed, unfinished
from shapeinfer.config.settings import FailOn, ModelSettings, Settings
from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import UNUSABLE, Code, Severity
from shapeinfer.diagnostics.diagnostic import Diagnostic


def apply_settings(report: Report, settings: Settings, model: ModelSettings) -> Report:
    """Return a report after the settings: expectations checked, findings selected, severities set.

    A finding that the model was not checked always stays.
    """
    if not settings.suppressions and report.suppressed:
        report = evolve(report, diagnostics=(*report.diagnostics, *report.suppressed), suppressed=())
    found = list(report.diagnostics)
    if model.contract is not None:
        found += narrowed(report, model.contract)
    if settings.fail_on is FailOn.INCOMPLETE:
        found += unfinished(report)
    diagnostics = tuple(_capped(_with_severities(found, settings, model)))
    return report if diagnostics == report.diagnostics else evolve(report, diagnostics=diagnostics)


MOST_OF_A_CODE = 1000
"""So many findings of one code and severity are kept of a model: a small file may have a million."""


def _capped(found: Iterable[Diagnostic]) -> Iterable[Diagnostic]:
    """Limit the findings of each kind, and append the number of further ones."""
    seen: Counter[tuple[Code, Severity]] = Counter()
    more: dict[tuple[Code, Severity], Diagnostic] = {}
    for diagnostic in found:
        kind = (diagnostic.code, diagnostic.severity)
        seen[kind] += 1
        if seen[kind] <= MOST_OF_A_CODE:
            yield diagnostic
        else:
            more.setdefault(kind, diagnostic)
    for kind, diagnostic in more.items():
        message = (
            f"{seen[kind] - MOST_OF_A_CODE} more findings with this code are not listed; this is the place of the first"
        )
        yield evolve(diagnostic, message=message, operands=(), notes=())


def is_wanted(code: str, settings: Settings, model: ModelSettings) -> bool:
    """Whether the settings want to hear of a code."""
    if settings.select is not None and code not in settings.select:
        return False
    off = code in settings.severity and settings.severity[code] is None
    return not off and code not in settings.ignore and code not in model.ignore


def not_checked(diagnostic: Diagnostic) -> bool:
    """Whether a diagnostic means that its model was not checked."""
    return diagnostic.code in UNUSABLE or (diagnostic.code is codes.INTERNAL_ERROR and diagnostic.node is None)


def _with_severities(found: Iterable[Diagnostic], settings: Settings, model: ModelSettings) -> Iterable[Diagnostic]:
    for diagnostic in found:
        if not_checked(diagnostic):
            yield diagnostic
        elif not diagnostic.related:
            yield from _alone(diagnostic, settings, model)
        else:
            yield from _of_one_cause(diagnostic, settings, model)


def _alone(diagnostic: Diagnostic, settings: Settings, model: ModelSettings) -> Iterable[Diagnostic]:
    if is_wanted(diagnostic.code.name, settings, model):
        severity = settings.severity.get(diagnostic.code.name) or diagnostic.severity
        yield diagnostic if severity is diagnostic.severity else evolve(diagnostic, severity=severity)


def _of_one_cause(diagnostic: Diagnostic, settings: Settings, model: ModelSettings) -> Iterable[Diagnostic]:
    """Weigh the findings of one cause each: the first that is wanted speaks for the others, at their worst."""
    is_raised = any(d.severity is Severity.ERROR for d in diagnostic.related)
    own = diagnostic.code.severity if is_raised else diagnostic.severity
    members = (evolve(diagnostic, severity=own, related=()), *diagnostic.related)
    wanted = [kept for member in members for kept in _alone(member, settings, model)]
    if wanted:
        worst = min((d.severity for d in wanted), key=list(Severity).index)
        yield evolve(wanted[0], severity=worst, related=tuple(wanted[1:]))
