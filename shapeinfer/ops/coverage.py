"""Which versions of which operators have a rule: the table in ``COVERAGE.md``.

``python -m shapeinfer.ops.coverage`` prints it anew, and with ``homes`` the modules that speak for each, ``homes.txt``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import onnx.defs
from attrs import frozen

from shapeinfer.facts import OPENVINO
from shapeinfer.ops.registry import find_rule, homes_anew
from shapeinfer.ops.signature import declared

CONTROL = frozenset(
    {
        *(("", name) for name in ("If", "Loop", "Scan", "SequenceMap")),
        *((OPENVINO, name) for name in ("If", "Loop", "TensorIterator")),
    }
)
"""Operators that run graphs of their own: the engine infers them, no rule does."""


@frozen(order=True)
class Covered:
    """One version of an operator and what infers it: ``rule``, ``engine``, ``function body`` or ``nothing``."""

    domain: str
    name: str
    since: int
    deprecated: bool
    by: str


def coverage() -> list[Covered]:
    """Return every version of every operator known, in a stable order."""
    return sorted(set(_versions()))


def _versions() -> Iterator[Covered]:
    schemas: Sequence[Any] = onnx.defs.get_all_schemas_with_history()
    for s in schemas:
        has_body = s.has_function or s.has_context_dependent_function
        yield Covered(s.domain, s.name, s.since_version, s.deprecated, _by(s.domain, s.name, s.since_version, has_body))
    for own in declared():
        yield Covered(own.domain, own.name, own.since, False, _by(own.domain, own.name, own.since, False))


def _by(domain: str, name: str, since: int, has_body: bool) -> str:
    if (domain, name) in CONTROL:
        return "engine"
    if find_rule(domain, name, since) is not None:
        return "rule"
    return "function body" if has_body else "nothing"


def table() -> str:
    """Return the coverage as markdown: a line for each operator, its versions with what infers them."""
    lines = [
        "# Operators and versions",
        "",
        "Made by `python -m shapeinfer.ops.coverage`; a test holds it up to date. A version in brackets is one in",
        "which the operator was withdrawn.",
    ]
    by_domain: dict[str, dict[str, list[Covered]]] = {}
    for c in coverage():
        by_domain.setdefault(c.domain or "ai.onnx", {}).setdefault(c.name, []).append(c)
    for domain, operators in by_domain.items():
        count = sum(len(versions) for versions in operators.values())
        lines += [
            "",
            f"## {domain}: {len(operators)} operators, {count} versions",
            "",
            "| operator | inferred by |",
            "|---|---|",
        ]
        lines += [f"| {name} | {_line(versions)} |" for name, versions in operators.items()]
    return "\n".join(lines) + "\n"


def _line(versions: list[Covered]) -> str:
    ways: dict[str, list[str]] = {}
    for c in versions:
        ways.setdefault(c.by, []).append(f"({c.since})" if c.deprecated else str(c.since))
    return "; ".join(f"{way}: {', '.join(numbers)}" for way, numbers in ways.items())


if __name__ == "__main__":
    sys.stdout.write(homes_anew() if sys.argv[1:] == ["homes"] else table())
