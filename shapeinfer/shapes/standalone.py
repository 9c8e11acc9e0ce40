"""Lengths and shapes for programs that have no model."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any, overload

from shapeinfer.diagnostics.codes import LENGTH_MISMATCH
from shapeinfer.diagnostics.diagnostic import Diagnostic, Operand
from shapeinfer.diagnostics.errors import error_for
from shapeinfer.diagnostics.finding import Port
from shapeinfer.diagnostics.ledger import Ledger, RuleStopped
from shapeinfer.dims import Dim, Size
from shapeinfer.dims import symbol as dim_symbol
from shapeinfer.dims.notation.arguments import DimLike, SympyExpression, read_shape, read_symbol
from shapeinfer.dims.notation.sympified import is_expression
from shapeinfer.dims.terms.names import quoted_if_odd
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


@overload
def symbol(
    name: str | SympyExpression,
    low: int = 0,
    high: None = None,
    divisor: int = 1,
    *,
    min: int | None = None,
    max: None = None,
) -> Dim: ...
@overload
def symbol(
    name: str | SympyExpression,
    low: int = 0,
    high: int | None = None,
    divisor: int = 1,
    *,
    min: int | None = None,
    max: int | None = None,
) -> Size: ...
def symbol(
    name: str | SympyExpression,
    low: int = 0,
    high: int | None = None,
    divisor: int = 1,
    *,
    min: int | None = None,  # noqa: A002 - the words of torch.export
    max: int | None = None,  # noqa: A002
) -> Size:
    """Return the symbolic size of this name, a multiple of ``divisor`` between ``low`` and ``high`` inclusive.

    >>> heads = symbol("heads", low=1)
    >>> heads * 64
    Dim(64*heads)

    The name is any text, as dims of models are called, or a ``sympy.Symbol``, which stands for its name and what it is
    assumed to be: positive or even. ``min`` and ``max`` are other words for ``low`` and ``high``. A range of one number
    is that number. Raises ValueError for an empty range, a negative end, or a sympy expression that is no symbol.
    """
    low, high = low if min is None else min, high if max is None else max
    if low < 0:
        raise ValueError(f"a dim cannot be negative: low={low}")
    if not is_expression(name):
        return dim_symbol(str(name), low, high, divisor)
    return read_symbol(name, low, high, divisor)


@overload
def symbols(names: str, /, *, low: int = 0, high: int | None = None, divisor: int = 1) -> Any: ...
@overload
def symbols(
    first: str, second: str, /, *others: str, low: int = 0, high: None = None, divisor: int = 1
) -> tuple[Dim, ...]: ...
@overload
def symbols(
    first: str, second: str, /, *others: str, low: int = 0, high: int | None, divisor: int = 1
) -> tuple[Size, ...]: ...
def symbols(*names: str, low: int = 0, high: int | None = None, divisor: int = 1) -> Any:
    """Return the symbols of these names, which spaces or commas separate: one alone, several as a tuple.

    >>> N = symbols("N")
    >>> B, C, H, W = symbols("B C H W", low=1)
    >>> h, w = symbols("h", "w", divisor=8)

    The range and divisor are those of each, see ``symbol``. It is Any to a type checker what one text holds; ``symbol``
    and names as several arguments have their types. Raises ValueError for what is no name.
    """
    listed = [name for text in names for name in text.replace(",", " ").split()]
    for name in listed:
        if quoted_if_odd(name, is_fresh=False) != name:
            raise ValueError(f"{name!r} is no name such as N or past_seq; symbol() takes any text as a name")
    if not listed:
        raise ValueError("symbols() needs a name, such as symbols('N C H W')")
    found = tuple(symbol(name, low, high, divisor) for name in listed)
    return found[0] if len(found) == 1 else found
