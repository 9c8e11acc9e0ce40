"""The contract of a model in full: each condition, who needs it and why, and what happens where it fails."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from shapeinfer.api.report import Report
from shapeinfer.infer.constraints.contract import Requirement
from shapeinfer.infer.explain.reasons import reasons
from shapeinfer.infer.result import Result
from shapeinfer.report.paint import Paint, plain, printable
from shapeinfer.report.text import small_sizes, unsimplified


def render(name: str, report: Report, paint: Paint = plain) -> Iterator[str]:
    """Write the contract of a model whose inference ended, a line at a time."""
    result = report.result
    if result is None:
        return
    contract = result.contract
    listed = contract.all_sizes if paint.all_sizes else tuple(contract)
    small = "" if paint.all_sizes or not contract.small_sizes else small_sizes(contract)
    if listed:
        yield f"{printable(name)} runs only where"
    elif small:
        yield f"{printable(name)} requires {small}"
    else:
        yield f"{printable(name)} has no known conditions on its inputs"
    for requirement in listed:
        yield ""
        yield paint("bold", printable(requirement.condition))
        for line, indent in _lines(result, requirement):
            yield from paint.folded(printable(line), indent)
    if contract.unsimplified and not paint.all_sizes:
        yield ""
        yield from paint.folded(f"and {unsimplified(contract)}")
    if listed and small:
        yield ""
        yield from paint.folded(f"also requires {small}")
    if listed and contract.smallest_sizes:
        sizes = ", ".join(f"{name} = {size}" for name, size in contract.smallest_sizes.items())
        yield ""
        yield from paint.folded(printable(f"the smallest sizes that run: {sizes}"))
    if contract.at_run_time:
        yield ""
        yield "and, depending on data at run time, where"
        yield from _at_run_time(contract.at_run_time, paint)
    if result.assumptions:
        yield ""
        yield "and the shapes assume these declarations:"
        yield from (printable(f"  {a.text}" + (f"  {a.node.text}" if a.node else "")) for a in result.assumptions)


def _at_run_time(requirements: Iterable[Requirement], paint: Paint) -> Iterator[str]:
    for requirement in requirements:
        yield ""
        yield paint("bold", printable(requirement.condition))
        if requirement.node is not None:
            yield from paint.folded(printable(_required_by(requirement)), "  ")
        if requirement.depends_on:
            yield from paint.folded(printable(f"depends on {requirement.depends_on}"), "  ")


def _lines(result: Result, requirement: Requirement) -> Iterator[tuple[str, str]]:
    """The lines about one condition, indented."""
    found = reasons(result, requirement)
    if requirement.node is not None:
        yield _required_by(requirement), "  "
    yield from ((chain, "    ") for chain in found.chains)
    if requirement.witness is not None:
        sizes = ", ".join(f"{name} = {size}" for name, size in requirement.witness.items())
        there = found.consequence
        if there is None:
            yield f"fails for {sizes}", "  "
            return
        elsewhere = "" if there.node == requirement.node or there.node is None else f" at {there.node.text}"
        yield f"fails for {sizes}{elsewhere}: {there.message}", "  "


def _required_by(requirement: Requirement) -> str:
    return f"required by {requirement.node.text if requirement.node else ''}: {requirement.message}"
