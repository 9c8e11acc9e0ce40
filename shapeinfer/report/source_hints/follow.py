"""Hints by abstract interpretation of the program."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from shapeinfer.facts import UNKNOWN
from shapeinfer.report.source_hints.hint import Computed, Value
from shapeinfer.report.source_hints.interpreter import Interpreter
from shapeinfer.report.source_hints.recorded import Recorded
from shapeinfer.report.source_hints.runs import Entry, Step, passing
from shapeinfer.report.source_hints.source import Source
from shapeinfer.report.source_hints.statements import Statement
from shapeinfer.report.source_hints.values import UNFOLLOWED, Constant, Held, Several, Variable

MOST_ITEMS = 64
UNTOLD = "?"
"""The text for an unknown value beside a known one."""


def followed(
    program: Recorded,
    source: Source,
    own: str,
    at: Mapping[int, Statement],
    stale: frozenset[int],
) -> dict[Statement, list[Computed]]:
    """Return the results of statements whose values are known in all their executions."""
    if source.reshapes:
        return {}

    def leaving(node: ast.stmt, steps: Sequence[Step], depth: int, path: str | None) -> Held:
        statement = at.get(node.lineno)
        if statement is None or statement.first != node.lineno:
            return UNFOLLOWED
        values = passing(program, statement, [Entry(s, depth) for s in steps], path, at)
        if not values:
            return UNFOLLOWED
        found = [
            Variable(program.names[v]) if v in program.names else Variable(like=program.facts.get(v)) for v in values
        ]
        return found[0] if len(found) == 1 and statement.targets is None else Several([*found])

    interpreter = Interpreter(program, source, own, stale, leaving)
    interpreter.run()
    computed: dict[Statement, list[Computed]] = {}
    lost: set[Statement] = set()
    by_first = {s.first: s for s in at.values()}
    for execution in interpreter.executions:
        statement = by_first.get(execution.line)
        if statement is None:
            continue
        values = _values(execution.held, interpreter, program)
        if values is None:
            lost.add(statement)
        else:
            computed.setdefault(statement, []).append(Computed(execution.path, values))
    lost |= {by_first[line] for line in interpreter.unknown if line in by_first}
    return {s: found for s, found in computed.items() if s not in lost}


def _values(held: Held, interpreter: Interpreter, program: Recorded) -> tuple[Value, ...] | None:
    """Return the values of a statement, None if they are unknown or none is a tensor."""
    if isinstance(held, Several):
        if not held.items or len(held.items) > MOST_ITEMS:
            return None
        found = [_value(item, interpreter, program) for item in held.items]
    else:
        found = [_value(held, interpreter, program)]
    if all(v is None or v.type == "None" for v in found):
        return None
    return tuple(Value("", UNTOLD) if v is None else v for v in found)


def _value(held: Held, interpreter: Interpreter, program: Recorded) -> Value | None:
    if isinstance(held, Variable):
        fact = interpreter.fact(held)
        if fact is None or fact is UNKNOWN:
            return None
        return Value((program.value(held.name) if held.name is not None else None) or "", fact.text)
    if isinstance(held, Several):
        inner = _values(held, interpreter, program)
        return None if inner is None else Value("", f"({', '.join(v.type for v in inner)})")
    return Value("", "None") if held == Constant(None) else None
