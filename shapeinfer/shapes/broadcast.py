"""Broadcasting: both ways, onto one operand, and ONNX's first form with an axis."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics.codes import NOT_BROADCASTABLE, RANK_MISMATCH
from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.dims import AnyOf, Equal, Size, broadcast, broadcastable, text_of
from shapeinfer.facts import Shape


def both_ways(ledger: Ledger, shapes: Sequence[Shape], names: Sequence[str] = ()) -> Shape:
    """Broadcast shapes against each other, aligned at their last axes (ONNX, "Multidirectional Broadcasting").

    ``names`` are the shapes' ports; a shape that a port holds as its entries is named ``shape{}``.
    """
    rank = max((len(s) for s in shapes), default=0)
    ports = [_port(names, i) for i in range(len(shapes))]
    out: list[Size] = []
    for axis in range(-rank, 0):
        size: Size = 1
        widest = 0
        for i, shape in enumerate(shapes):
            if axis < -len(shape) or shape[axis] is size:
                continue
            other = shape[axis]
            at = f"{_axis_of(ports[widest], axis)} {_axis_of(ports[i], axis)}"
            message = (
                f"axis {axis + rank} is {text_of(size)} in {_spoken(ledger, ports[widest])} "
                f"and {text_of(other)} in {_spoken(ledger, ports[i])}; they must be equal or one of them 1"
            )
            if ledger.require(broadcastable(size, other), NOT_BROADCASTABLE, message, at).is_no:
                size = ledger.fresh()
                break
            if size == 1:
                widest = i
            size = broadcast(size, other)
        out.append(size)
    return tuple(out)


def onto(ledger: Ledger, target: Shape, source: Shape, names: Sequence[str]) -> Shape:
    """Broadcast ``source`` onto ``target``, whose shape is the result (ONNX, "Unidirectional Broadcasting")."""
    to, by = names
    if len(source) > len(target):
        one, other = ledger.spoken(by), ledger.spoken(to)
        message = f"{one} has rank {len(source)}, more than the {len(target)} of {other}, onto which it is broadcast"
        ledger.report(RANK_MISMATCH, message, f"{by} {to}")
        return target
    for axis in range(-len(source), 0):
        _fits(ledger, target, axis, source, axis, to, by)
    return target


def at_axis(ledger: Ledger, target: Shape, source: Shape, axis: int | None, names: Sequence[str]) -> Shape:
    """Lay ``source`` along the axes of ``target`` from ``axis`` on, its last ones by default (ONNX opsets 1 to 6)."""
    to, by = names
    start = len(target) - len(source) if axis is None else axis
    if start < 0 or start + len(source) > len(target):
        one, other = ledger.spoken(by), ledger.spoken(to)
        message = f"{one} with {len(source)} axes does not fit into the {len(target)} axes of {other} from axis {start}"
        ledger.report(RANK_MISMATCH, message, f"{by} {to}")
        return target
    for i in range(len(source)):
        _fits(ledger, target, start + i, source, i, to, by)
    return target


def _fits(ledger: Ledger, target: Shape, axis: int, source: Shape, own: int, to: str, by: str) -> None:
    big, small = target[axis], source[own]
    if small is big or small == 1:
        return
    message = (
        f"axis {own} of {ledger.spoken(by)} is {text_of(small)}, "
        f"which is neither 1 nor the {text_of(big)} of axis {axis} of {ledger.spoken(to)}"
    )
    # An equality alone is learned from, one choice of two is not.
    parts = tuple(p for p in (Equal(small, big), Equal(small, 1)) if not p.answer().is_no)
    condition = parts[0] if len(parts) == 1 else AnyOf(parts)
    ledger.require(condition, NOT_BROADCASTABLE, message, f"{by}[{own}] {to}[{axis}]")


def _port(names: Sequence[str], i: int) -> str:
    if not names:
        return ""
    return names[i] if len(names) > 1 and i < len(names) else f"{names[0]}.{i}"


def _axis_of(port: str, axis: int) -> str:
    """Spell an axis of a port; of one that ends in braces it is an entry."""
    if port.endswith("{}"):
        return f"{port[:-2]}{{{axis}}}"
    return f"{port}[{axis}]" if port else ""


def _spoken(ledger: Ledger, port: str) -> str:
    return ledger.spoken(port.removesuffix("{}")) if port else "one operand"
