"""Lengths and shapes for programs that have no model."""

from __future__ import annotations

from collections.abc import Iterable

from shapeinfer.diagnostics.diagnostic import Diagnostic, Operand
from shapeinfer.diagnostics.errors import error_for
from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.dims import Size
from shapeinfer.dims import parse as parse_size
from shapeinfer.dims import symbol as dim_symbol
from shapeinfer.shapes.broadcast import both_ways


def broadcast_shapes(*shapes: Iterable[Size | str]) -> tuple[Size, ...]:
    """Return the shape that shapes broadcast to, in both directions, aligned at their last axes.

    A length is an int, a Dim or text such as ``"N + 1"``. Where nothing decides between two symbols the
    result holds their ``broadcast(a, b)``. Raises BroadcastError if two lengths can never agree.
    """
    read = [tuple(parse_size(d) if isinstance(d, str) else d for d in s) for s in shapes]
    ledger = Ledger()
    out = both_ways(ledger, read, [f"shape.{i}" for i in range(len(read))] if len(read) > 1 else ())
    if ledger.findings:
        finding = ledger.findings[0]
        operands = tuple(
            Operand(
                f"shape {p.index}",
                f"shape {p.index}",
                _shape_text(read[p.index or 0]),
                None if p.axis is None else p.axis % len(read[p.index or 0]),
            )
            for p in finding.ports
        )
        axis = operands[0].axis if operands else None
        raise error_for([Diagnostic(finding.code, finding.severity, finding.message, None, None, axis, operands)])
    return out


def _shape_text(shape: Iterable[Size]) -> str:
    return f"[{', '.join(str(d) for d in shape)}]"


def symbol(name: str, min: int = 0, max: int | None = None) -> Size:  # noqa: A002 - the words users know
    """Return the symbolic length of this name, between ``min`` and ``max`` inclusive.

    Raises ValueError for an empty range or a negative ``min``.
    """
    if min < 0:
        raise ValueError(f"a dim cannot be negative: min={min}")
    return dim_symbol(name, min, max)
