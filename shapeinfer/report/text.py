"""Reports for people: one block for each diagnostic, one closing line for each file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from attrs import evolve

from shapeinfer.api.report import Report
from shapeinfer.diagnostics.codes import Severity
from shapeinfer.diagnostics.diagnostic import Diagnostic, NodeRef, Operand
from shapeinfer.infer.constraints.contract import Contract
from shapeinfer.report.location import position
from shapeinfer.report.paint import STYLES, Paint, legible, plain, printable, shortened
from shapeinfer.report.repeated import condensed
from shapeinfer.report.tally import count

WIDEST = 60
"""Columns are aligned up to this width."""

FEW_NODES = 3
"""Of the nodes with the same cause so many are named."""

MOST_ASSUMED = 5
"""Of more assumptions the rest is counted, unless notes are wanted."""


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
    for diagnostic in shown_diagnostics(report, paint):
        yield from block(name, diagnostic, paint)
        yield ""
    if report.ok:
        yield from _contract(name, report.contract, paint)
    if report.assumptions:
        yield from paint.folded(f"{printable(name)} assumes these declarations:")
        shown = report.assumptions if paint.notes else report.assumptions[:MOST_ASSUMED]
        yield from _table([[a.text, place(a.node)] for a in shown], "  ", paint)
        if len(shown) < len(report.assumptions):
            yield f"  and {len(report.assumptions) - len(shown)} more (--notes)"
    yield _summary(name, report, paint)


def _contract(name: str, contract: Contract, paint: Paint) -> Iterator[str]:
    listed = contract.all_sizes if paint.all_sizes else tuple(contract)
    if listed:
        yield from paint.folded(f"{printable(name)} runs only where")
        yield from _table([[r.condition, place(r.node)] for r in listed], "  ", paint)
    if not paint.all_sizes and contract.unsimplified:
        start = "  and" if listed else f"{printable(name)} requires"
        yield from paint.folded(f"{start} {unsimplified(contract)}")
    if not paint.all_sizes and contract.small_sizes:
        start = "  also requires" if listed else f"{printable(name)} requires"
        yield from paint.folded(f"{start} {small_sizes(contract)}")
    if contract.at_run_time:
        start = "  and" if listed else f"{printable(name)} has"
        few = count(len(contract.at_run_time), "more condition" if listed else "condition")
        yield from paint.folded(f"{start} {few} at run time, depending on data (shapeinfer contract)")


def unsimplified(contract: Contract) -> str:
    """Return how many conditions are too long to list, and how to see them."""
    return f"{count(len(contract.unsimplified), 'condition')} that could not be simplified (--all-sizes)"


def small_sizes(contract: Contract) -> str:
    """Return in a line what only the sizes 0 and 1 break, and how to see more of it."""
    text = contract.small_text
    return printable(text) + (" (--all-sizes)" if text.endswith("of sizes 0 and 1") else "")


def shown_diagnostics(report: Report, paint: Paint) -> list[Diagnostic]:
    """Return the diagnostics that people are shown."""
    return condensed(d for d in report.diagnostics if paint.notes or d.severity is not Severity.NOTE)


def block(name: str, diagnostic: Diagnostic, paint: Paint = plain) -> Iterator[str]:
    """Write one diagnostic: what, where, between which operands, why, and where to read on."""
    head = f"{diagnostic.severity}[{diagnostic.code.name}]"
    first, *rest = paint.folded(f"{head}: {legible(diagnostic.message)}")
    yield (paint(STYLES[diagnostic.severity], head) + ": " + paint("bold", first[len(head) + 2 :])).rstrip()
    yield from (paint("bold", line) for line in rest)
    yield from details(name, diagnostic, paint)
    if diagnostic.fix is not None:
        yield from paint.folded(f"help: {legible(diagnostic.fix.text)}", "  ")
    yield f"  {paint('cyan', 'help')}: {legible(diagnostic.help)}"


def details(name: str, diagnostic: Diagnostic, paint: Paint = plain) -> Iterator[str]:
    """Write what comes after a diagnostic's message: its places, its operands and its notes."""
    where = f": {place(diagnostic.node)}" if diagnostic.node else ""
    yield from paint.folded(f"{printable(name)}{position(diagnostic)}{printable(where)}", "  ")
    if diagnostic.program_place:
        yield from paint.folded(legible(diagnostic.program_place), "  ")
    yield from _operands(diagnostic.shown, paint)
    for note in diagnostic.notes:
        yield from paint.folded(f"note: {legible(note)}", "  ")
    others = diagnostic.elsewhere
    if others:
        few = ", ".join(legible(place(n)) for n in others[:FEW_NODES]) + (", ..." if len(others) > FEW_NODES else "")
        yield from paint.folded(f"and at {count(len(others), 'more node')}: {few}", "  ")


def place(node: NodeRef | None) -> str:
    """Return the place of a node with long names shortened; empty for no node."""
    if node is None:
        return ""
    short = evolve(node, name=shortened(node.name), graph=tuple(map(shortened, node.graph)))
    if node.line is None:
        return short.text
    return short.title + (f" in {' / '.join(short.graph)}" if node.graph else "")


def _operands(operands: Sequence[Operand], paint: Paint) -> Iterator[str]:
    rows = [[o.port, shortened(o.value), o.fact, legible(o.origin)] for o in operands]
    yield from _table(rows, "    ", paint)


def _table(rows: Sequence[Sequence[str]], indent: str, paint: Paint) -> Iterator[str]:
    """Write rows with their columns aligned, two blanks or more between them; one cell that is long moves no other.

    Where that is too wide, each row is written by itself, its cells below each other as need be.
    """
    rows = [[printable(cell) for cell in row] for row in rows]
    widths = [min(max(map(len, column)), WIDEST) for column in zip(*rows)]
    lines = [indent + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    if all(map(paint.fits, lines)):
        yield from lines
        return
    for first, *others in rows:
        line = indent + first
        for cell in filter(None, others):
            if paint.fits(f"{line}  {cell}"):
                line += f"  {cell}"
            else:
                yield line
                (line, *folded) = paint.folded(cell, indent + "    ")
                if folded:
                    yield line
                    yield from folded[:-1]
                    line = folded[-1]
        yield line


def _summary(name: str, report: Report, paint: Paint) -> str:
    name = printable(name)
    warned = [count(len(report.warnings), "warning")] if report.warnings else []
    untold = 0 if paint.notes else sum(d.severity is Severity.NOTE for d in report.diagnostics)
    noted = [f"{count(untold, 'note')} (--notes)"] if untold else []
    if report.errors:
        counts = ", ".join([count(len(report.errors), "error"), *warned])
        return f"{paint('bold red', counts)} in {name}"
    clean = ", ".join(["no errors", *warned])
    assumed = [count(len(report.assumptions), "assumption")] if report.assumptions else []
    known = [count(len(report.values), "value"), count(len(report.contract), "condition")]
    found = ", ".join([*known, *assumed, *noted])
    return f"{name}: {paint('bold yellow' if warned else 'bold green', clean)}, {found}"
