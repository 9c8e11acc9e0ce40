"""Reports for people: one block for each diagnostic, one closing line for each file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from shapeinfer.api import Report
from shapeinfer.diagnostics.codes import Severity
from shapeinfer.diagnostics.diagnostic import Diagnostic, NodeRef, Operand
from shapeinfer.infer.contract import Requirement
from shapeinfer.report.paint import STYLES, Paint, plain, printable

WIDEST = 60
"""Columns are aligned up to this width."""


def render(reports: Iterable[tuple[str, Report]], *, several: bool, paint: Paint = plain) -> Iterator[str]:  # noqa: ARG001 - a Format
    """Write each report as soon as it is there."""
    before: list[str] = []
    for name, report in reports:
        lines = list(_lines(name, report, paint))
        if before and max(len(before), len(lines)) > 1:
            yield "\n"
        yield "".join(f"{line}\n" for line in lines)
        before = lines


def _lines(name: str, report: Report, paint: Paint) -> Iterator[str]:
    for diagnostic in report.diagnostics:
        yield from block(name, diagnostic, paint)
        yield ""
    if report.ok and report.contract:
        yield f"{printable(name)} runs only where"
        places = [r.node.text if r.node else "" for r in report.contract]
        yield from _table([[r.condition, place] for r, place in zip(report.contract, places)], "  ")
    yield _summary(name, report, paint)


def conditions(name: str, report: Report) -> Iterator[str]:
    """Write the contract of a model: each condition, what breaks it, and the node that needs it."""
    if not report.contract:
        yield f"{printable(name)} runs for all sizes of its inputs, as far as is known"
        return
    yield f"{printable(name)} runs only where"
    yield from _table([[r.condition, _broken(r), r.node.text if r.node else ""] for r in report.contract], "  ")


def _broken(requirement: Requirement) -> str:
    sizes = ", ".join(f"{name} = {size}" for name, size in (requirement.witness or {}).items())
    return f"not for {sizes}" if sizes else ""


def block(name: str, diagnostic: Diagnostic, paint: Paint = plain) -> Iterator[str]:
    """Write one diagnostic: what, where, between which operands, why, and where to read on."""
    head = paint(STYLES[diagnostic.severity], f"{diagnostic.severity}[{diagnostic.code.name}]")
    yield f"{head}: {paint('bold', printable(diagnostic.message))}"
    yield printable(f"  {_place(name, diagnostic.node)}")
    yield from _operands(diagnostic.operands)
    for note in diagnostic.notes:
        yield printable(f"  note: {note}")
    yield f"  {paint('cyan', 'help')}: {printable(diagnostic.help)}"


def _place(name: str, node: NodeRef | None) -> str:
    """The file and the node, with the line where there is one in the form that editors follow."""
    if node is None:
        return name
    if node.line is None:
        return f"{name}: {node.text}"
    return f"{name}:{node.line}: {node.title}" + (f" in {' / '.join(node.graph)}" if node.graph else "")


def _operands(operands: Sequence[Operand]) -> Iterator[str]:
    yield from _table([[o.port, o.value, o.fact, o.origin] for o in operands], "    ")


def _table(rows: Sequence[Sequence[str]], indent: str) -> Iterator[str]:
    """Write rows with their columns aligned, two blanks or more between them; one cell that is long moves no other."""
    rows = [[printable(cell) for cell in row] for row in rows]
    widths = [min(max(map(len, column)), WIDEST) for column in zip(*rows)]
    for row in rows:
        yield indent + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()


def _summary(name: str, report: Report, paint: Paint) -> str:
    name = printable(name)
    warnings = sum(d.severity is Severity.WARNING for d in report.diagnostics)
    warned = [_count(warnings, "warning")] if warnings else []
    if report.errors:
        counts = ", ".join([_count(len(report.errors), "error"), *warned])
        return f"{paint('bold red', counts)} in {name}"
    clean = ", ".join(["no errors", *warned])
    found = ", ".join([_count(len(report.values), "value"), _count(len(report.contract), "condition")])
    return f"{name}: {paint('bold yellow' if warned else 'bold green', clean)}, {found}"


def _count(number: int, what: str) -> str:
    return f"{number or 'no'} {what}{'' if number == 1 else 's'}"
