"""Findings that repeat: the first few are written out for people, and the rest is one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable

from attrs import evolve

from shapeinfer.diagnostics.diagnostic import Diagnostic

FEW = 10
"""This many equal findings of one operator are written out."""


def condensed(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return the diagnostics for people: of those that differ only in their place, the first few and one for the rest.

    A file of two megabytes may have a million of them.
    """
    found = list(diagnostics)
    if len(found) <= FEW:
        return found
    counts = Counter(map(_repetition_key, found))
    seen: Counter[Hashable] = Counter()
    kept = []
    for diagnostic in found:
        same = _repetition_key(diagnostic)
        seen[same] += 1
        more = counts[same] - FEW
        if seen[same] <= FEW or more == 1:
            kept.append(diagnostic)
        elif seen[same] == FEW + 1:
            kept.append(
                evolve(diagnostic, message=f"{diagnostic.message} ({more} more like this)", operands=(), notes=())
            )
    return kept


def _repetition_key(diagnostic: Diagnostic) -> Hashable:
    node = diagnostic.node
    return diagnostic.code, diagnostic.severity, diagnostic.message, node and node.operator
