"""Code lenses: what a graph requires of its inputs and costs, and where a function is called.

Their places are cheap to find and sent at once. Their titles may need a long computation, so editors request them only
for visible lenses (codeLens/resolve).
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias, get_args
from weakref import WeakKeyDictionary

from shapeinfer.cost import Cost, cost_of
from shapeinfer.dims import Size, text_of
from shapeinfer.report.paint import printable
from shapeinfer.text import Body, FunctionText, Written, lines_of

Kind = Literal["contract", "cost", "uses"]
KINDS: tuple[Kind, ...] = get_args(Kind)
FEW = 2
"""The most conditions in a title."""
LONGEST = 60
"""The longest formula in a title, in characters; longer ones are only in the details."""
MOST_NODES = 2000
"""The cost of a larger graph is computed only for the details, not after each edit."""
MOST_TEXT = 250
"""Conditions of more characters are not simplified after each edit, which may take seconds."""
MOST_LINES = 30
"""The most lines of conditions, calls or unknown costs in the details."""


class Lens(NamedTuple):
    """A lens above a graph or function; ``number`` is the index of that graph or function in the text."""

    start: int
    end: int
    kind: Kind
    number: int


def lenses(written: Written) -> list[Lens]:
    """Return the lenses of a text."""
    found = []
    for number, body in enumerate(written.model.outermost):
        start, end = body.name.start, body.name.end
        kinds: tuple[Kind, ...] = ("uses", "cost") if isinstance(body, FunctionText) else ("contract", "cost")
        found += [Lens(start, end, kind, number) for kind in kinds]
    return found


def title(written: Written, kind: Kind, number: int) -> str:
    """Return the title of a lens, empty if its graph or function no longer exists."""
    body = _body(written, number)
    if body is None:
        return ""
    if kind == "contract":
        return _contract(written)
    if kind == "uses" and isinstance(body, FunctionText):
        return _several(len(_uses(written, body)), "use")
    return _cost(written, body)


def details(written: Written, kind: Kind, number: int) -> str:
    """Return what a click on a lens shows: all conditions, the cost in full, or the lines of all calls."""
    body = _body(written, number)
    if body is None:
        return ""
    name = printable(body.name.text)
    if kind == "contract":
        contract = written.report.contract
        found = [r.condition for r in (*contract.all_sizes, *contract.at_run_time)] if written.report.ok else []
        return "\n".join(_some([f"{name} runs only where", *found])) if found else f"{name}: {_contract(written)}"
    if kind == "uses" and isinstance(body, FunctionText):
        lines = lines_of(written.text)
        found = [f"line {lines.position(at)[0] + 1}" for at in _uses(written, body)]
        return "\n".join(_some([f"{name} is called at", *found])) if found else f"{name} is never called"
    cost = _cost_of(written, body)
    if cost is None:
        return f"{name}: {_cost(written, body)}"
    return "\n".join(
        (
            f"{name} takes",
            f"{_number(cost.parameters)} parameters ({_number(cost.parameter_bytes)} bytes)",
            f"{_number(cost.multiply_adds)} multiply-adds",
            f"{_number(cost.peak_bytes)} bytes of activations at most",
            *_some(list(cost.unknown)),
        )
    )


def _body(written: Written, number: int) -> Body | None:
    bodies = written.model.outermost
    return bodies[number] if 0 <= number < len(bodies) else None


def _contract(written: Written) -> str:
    report = written.report
    if not report.ok:
        return _several(len(report.errors), "error")
    contract = report.contract
    conditions = [
        r.condition for r in (*contract, *contract.small_sizes, *contract.unsimplified, *contract.at_run_time)
    ]
    if not conditions:
        return "runs for all sizes"
    short = [c for c in conditions if len(c) <= LONGEST][:FEW]
    if not short:
        return f"runs under {_several(len(conditions), 'condition')}"
    left = len(conditions) - len(short)
    return f"requires {' and '.join(short)}{f' and {left} more' if left > 0 else ''}"


def _cost(written: Written, body: Body) -> str:
    if len(body.nodes) > MOST_NODES:
        return _several(len(body.nodes), "node")
    cost = _cost_of(written, body)
    if cost is None:
        return "cost unknown"
    adds = "" if cost.multiply_adds is None else _number(cost.multiply_adds)
    parts = (
        f"{_number(cost.parameters)} parameters" if cost.parameters != 0 else "",
        f"{adds} multiply-adds" if adds not in ("", "0") and len(adds) <= LONGEST else "",
    )
    return ", ".join(filter(None, parts)) or _several(len(body.nodes), "node")


def _cost_of(written: Written, body: Body) -> Cost | None:
    """Return the cost of a graph, or of the last call of a function; None if it does not exist or is never called."""
    graph = written.model.graphs.get(body)
    return None if graph is None else cost_of(graph, written.report.scopes)


_Calls: TypeAlias = "dict[tuple[str, str], list[int]]"
_known: WeakKeyDictionary[Written, _Calls] = WeakKeyDictionary()
"""The calls of each open text."""


def _uses(written: Written, function: FunctionText) -> list[int]:
    """Return the places of the calls of a function."""
    found = _known.get(written)
    if found is None:
        found = _known[written] = _calls(written)
    name = ".".join(filter(None, (function.domain, function.name.text)))
    return found.get((name, function.proto.overload), [])


def _calls(written: Written) -> _Calls:
    """Return the places of all calls, by operator and overload."""
    calls: _Calls = {}
    for base, body in written.model.bodies():
        for placed in body.nodes:
            operator, proto = placed.what.operator, placed.what.proto
            if operator is not None and proto is not None:
                calls.setdefault((operator.text, proto.overload), []).append(base + placed.at + operator.start)
    return calls


def _number(size: Size | None) -> str:
    return "an unknown number of" if size is None else f"{size:,}" if isinstance(size, int) else text_of(size)


def _several(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _some(lines: list[str]) -> list[str]:
    shown = [printable(line) for line in lines]
    return shown if len(shown) <= MOST_LINES else [*shown[:MOST_LINES], f"and {len(shown) - MOST_LINES} more"]
