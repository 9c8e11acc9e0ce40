"""The cost of a model as a table for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from shapeinfer.cost import Cost
from shapeinfer.dims import Size, text_of
from shapeinfer.report.paint import Paint, columns, legible, plain, shortened

LONGEST = 120
"""Formulas of more characters are not written out for people."""


def render(name: str, cost: Cost, paint: Paint = plain) -> Iterator[str]:
    """Write what the nodes cost that have weights or multiply, and then the whole model, a line at a time."""
    rows = [
        (shortened(n.node.title), _text(n.parameters), _text(n.multiply_adds), _text(n.bytes))
        for n in cost.nodes
        if n.parameters != 0 or n.multiply_adds != 0
    ]
    if rows:
        head = ("node", "parameters", "multiply-adds", "output bytes")
        first, *others = _lines([head, *rows], paint)
        yield paint("bold", first)
        yield from others
        yield ""
    yield legible(f"{name} takes")
    yield from paint.folded(
        legible(f"parameters:    {_text(cost.parameters)} ({_text(cost.parameter_bytes)} bytes)"), "  "
    )
    yield from paint.folded(legible(f"multiply-adds: {_text(cost.multiply_adds)}"), "  ")
    yield from paint.folded(legible(f"peak memory:   {_text(cost.peak_bytes)} bytes of activations"), "  ")
    for line in cost.unknown:
        yield from paint.folded(legible(f"note: {line}"), "  ")


def _lines(rows: Sequence[Sequence[str]], paint: Paint) -> list[str]:
    """Return a table; if it is too wide, the numbers of each node are on lines below its name."""
    widths = [max(columns(row[i]) for row in rows) for i in range(3)]
    lines = [legible(_row(row, widths)) for row in rows]
    if all(map(paint.fits, lines)):
        return lines
    return [line for title, *rest in rows for line in (legible(title), legible("    " + _row(rest, widths[1:])))]


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [cell + " " * (width - columns(cell)) for cell, width in zip(cells, widths)]
    return "  ".join([*padded, cells[-1]]).rstrip()


def _text(size: Size | None) -> str:
    if size is None:
        return "?"
    text = text_of(size)
    return text if len(text) <= LONGEST else "(a long formula; use --bind for numbers)"
