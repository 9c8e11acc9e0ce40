"""HTML of objects for notebooks: plain elements in the notebook's own colours, light or dark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from shapeinfer.diagnostics.codes import Severity
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.diagnostics.printable import printable

MOST_ROWS = 200
"""The maximum number of rows of a table."""

MOST_FINDINGS = 50
"""The maximum number of findings of a report."""

FEW_NODES = 3
"""Of the nodes with the same cause so many are named."""


def escaped(text: str) -> str:
    """Return text as HTML."""
    import html  # its table of entities is only for notebooks

    return html.escape(printable(text))


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of text."""
    lines = list(rows)
    cells = [_row("th", head), *(_row("td", row) for row in lines[:MOST_ROWS])]
    more = f"<p>These are the first {MOST_ROWS} of {len(lines)}.</p>" if len(lines) > MOST_ROWS else ""
    return f"<table>{''.join(cells)}</table>{more}"


def report_of(
    name: str, diagnostics: Sequence[Diagnostic], contract: str, assumed: Sequence[str], types: Mapping[str, str]
) -> str:
    """Return a report: what was found, the HTML of the contract, what is assumed, and the types of values."""
    counts = [(level.value, sum(d.severity is level for d in diagnostics)) for level in Severity]
    said = ", ".join(f"{count} {level}{'' if count == 1 else 's'}" for level, count in counts if count)
    parts = [
        f"<p><strong>{escaped(name)}</strong>: {said or 'nothing found'}</p>",
        _folded("findings", findings_of(diagnostics), is_open=True) if diagnostics else "",
        _folded("contract", contract, is_open=True),
        _folded("assumed from declarations", table(("",), ([a] for a in assumed)), is_open=True) if assumed else "",
        _folded(f"types of {len(types)} values", table(("value", "type"), types.items()), is_open=False),
    ]
    return "".join(parts)


def findings_of(diagnostics: Sequence[Diagnostic]) -> str:
    """Return findings: for each what is wrong, its place in the model and in the Python program, and its operands."""
    shown = "".join(map(finding_of, diagnostics[:MOST_FINDINGS]))
    more = f"<p>These are the first {MOST_FINDINGS} of {len(diagnostics)}.</p>" if diagnostics[MOST_FINDINGS:] else ""
    return shown + more


def finding_of(diagnostic: Diagnostic) -> str:
    """Return one finding, with a table of its operands."""
    head = f"{diagnostic.severity.value}: {diagnostic.code.name}"
    lines = [_message(diagnostic), _places(diagnostic), diagnostic.program_place, *diagnostic.notes]
    operands = ((o.port, o.value, o.fact, o.origin) for o in diagnostic.shown)
    found = "".join(f"<div>{escaped(line)}</div>" for line in lines if line)
    return f"<div><strong>{escaped(head)}</strong></div>{found}" + (
        table(("", "operand", "type", "from"), operands) if diagnostic.shown else ""
    )


def _message(diagnostic: Diagnostic) -> str:
    """What is wrong, and the edit that would fit."""
    return diagnostic.message if diagnostic.fix is None else f"{diagnostic.message}; {diagnostic.fix.text}"


def _places(diagnostic: Diagnostic) -> str:
    """The node, and the others of the same cause."""
    others = diagnostic.elsewhere
    few = ", ".join(n.text for n in others[:FEW_NODES]) + (", ..." if len(others) > FEW_NODES else "")
    also = f"and at {len(others)} more node{'' if len(others) == 1 else 's'}: {few}" if others else ""
    return " ".join(filter(None, (f"at {diagnostic.node.text}" if diagnostic.node else "", also)))


def _folded(summary: str, inside: str, *, is_open: bool) -> str:
    """HTML that a reader may open and close."""
    return f"<details{' open' if is_open else ''}><summary>{escaped(summary)}</summary>{inside}</details>"


def _row(element: str, cells: Sequence[str]) -> str:
    style = ' style="text-align: left"'
    return f"<tr>{''.join(f'<{element}{style}>{escaped(cell)}</{element}>' for cell in cells)}</tr>"
