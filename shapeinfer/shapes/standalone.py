"""Lengths and shapes for programs that have no model."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from shapeinfer.diagnostics.codes import LENGTH_MISMATCH
from shapeinfer.diagnostics.diagnostic import Diagnostic, Operand
from shapeinfer.diagnostics.errors import error_for
from shapeinfer.diagnostics.finding import Port
from shapeinfer.diagnostics.ledger import Ledger, RuleStopped
from shapeinfer.dims import Size
from shapeinfer.dims import symbol as dim_symbol
from shapeinfer.dims.notation.arguments import DimLike, SympyExpression, read_shape, read_symbol
from shapeinfer.dims.notation.sympified import is_expression
from shapeinfer.shapes.elementwise.broadcast import Side, along, joined, onto, side


def broadcast_shapes(*shapes: Iterable[DimLike]) -> tuple[Size, ...]:
    """Return the shape that shapes broadcast to, in both directions, aligned at their last axes.

    A size is an int, a Dim, a sympy expression or text such as ``"N + 1"``. Where nothing decides between two symbols,
    the result holds their ``broadcast(a, b)``. Raises BroadcastError if two sizes can never agree; its operands
    are ``shape 0``, ``shape 1`` and so on; and ValueError for what is no size. ``broadcast_to`` goes in one
    direction only.
    """
    ledger = Ledger()
    sides = [side(read_shape(s, f"shape {i}"), f"shape.{i}") for i, s in enumerate(shapes)]
    return _checked(ledger, sides, joined(ledger, sides).shape)


def broadcast_to(
    shape: Iterable[DimLike], target: Iterable[DimLike], *, axes: Iterable[int] | None = None
) -> tuple[Size, ...]:
    """Return ``target``, onto which ``shape`` is broadcast: each of its sizes is 1 or that of the target.

    They are aligned at their last axes (ONNX, "Unidirectional Broadcasting"); or ``axes`` has for each axis of
    ``shape`` the one of ``target`` that it lies along, counted from the front and in ascending order, as in
    OpenVINO's explicit mode and XLA's ``broadcast_in_dim``. Lengths are as for ``broadcast_shapes``; a symbol of the
    target that can only be a number of ``shape`` is returned as that. Raises BroadcastError if a size can never fit,
    RankError for a shape of more axes than the target or another number of ``axes``, AxisError for one that the target
    does not have or that is out of order, and ValueError for what is no size. The operands of errors are ``shape``,
    ``target`` and ``axes``.
    """
    ledger = Ledger()
    by, to = side(read_shape(shape, "shape"), "shape"), side(read_shape(target, "target"), "target")
    if axes is None:
        return _checked(ledger, [by, to], onto(ledger, to, by))
    mapping = side(tuple(axes), "axes{}")
    out = to.shape
    if len(mapping.shape) != len(by.shape):
        message = f"axes has {len(mapping.shape)} entries; expected {len(by.shape)}, one per axis of shape"
        ledger.report(LENGTH_MISMATCH, message, "axes shape")
    else:
        with suppress(RuleStopped):
            out = along(ledger, to, by, mapping.shape, "axes")
    return _checked(ledger, [by, to, mapping], out)


def _checked(ledger: Ledger, sides: Iterable[Side], out: tuple[Size, ...]) -> tuple[Size, ...]:
    """Return what came of broadcasting sides. Raises the ShapeInferError of the first fault, if there is one."""
    if not ledger.findings:
        return out
    found = ledger.findings[0]
    shapes = {s.ports: s.shape for s in sides}
    operands = tuple(_operand(ledger, port, shapes[port.text]) for port in found.ports)
    axis = operands[0].axis if operands else None
    raise error_for(
        [Diagnostic(found.code, found.severity, found.message, None, None, axis, operands, detail=found.detail)]
    )


def _operand(ledger: Ledger, port: Port, shape: tuple[Size, ...]) -> Operand:
    name, at = ledger.port_name(port.text), port.entry if port.axis is None else port.axis
    dim = None if at is None else shape[at]
    return Operand(name, name, f"[{', '.join(map(str, shape))}]", port.axis, entry=port.entry, dim=dim)


def symbol(
    name: str | SympyExpression,
    min: int = 0,  # noqa: A002 - the words users know
    max: int | None = None,  # noqa: A002
) -> Size:
    """Return the symbolic size of this name, between ``min`` and ``max`` inclusive.

    A ``sympy.Symbol`` stands for its name and what it is assumed to be: positive or even. Raises ValueError for an
    empty range, a negative ``min``, or a sympy expression that is no symbol or cannot be a size.
    """
    if min < 0:
        raise ValueError(f"a dim cannot be negative: min={min}")
    if not is_expression(name):
        return dim_symbol(str(name), min, max)
    return read_symbol(name, min, max)
