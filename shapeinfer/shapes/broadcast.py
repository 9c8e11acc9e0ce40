"""Broadcasting: both ways, onto one operand, along named axes or from one axis on, and none at all."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics.codes import (
    AXIS_OUT_OF_RANGE,
    DIM_MISMATCH,
    DUPLICATE_AXIS,
    INVALID_PERMUTATION,
    NOT_BROADCASTABLE,
    RANK_MISMATCH,
)
from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.dims import AnyOf, Equal, Size, broadcast, broadcastable, text_of
from shapeinfer.facts import Shape, Tensor, UnknownRank


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


def same(ledger: Ledger, operands: Sequence[Tensor], names: Sequence[str]) -> Shape:
    """Return the shape that operands share without broadcasting; one of unknown rank has that of the others."""
    known = [(x.shape, name) for x, name in zip(operands, names) if x.shape is not None]
    if not known:
        raise UnknownRank
    (out, port), *rest = known
    for shape, by in rest:
        if len(shape) != len(out):
            message = (
                f"{ledger.spoken(port)} has rank {len(out)} and {ledger.spoken(by)} rank {len(shape)}; "
                "their shapes must be equal, nothing is broadcast here"
            )
            ledger.fail(RANK_MISMATCH, message, f"{port} {by}")
        pairs = enumerate(zip(out, shape))
        out = tuple(ledger.equal(d, e, DIM_MISMATCH, f"{port}[{i}] {by}[{i}]") for i, (d, e) in pairs)
    return out


def onto(ledger: Ledger, target: Shape, source: Shape, names: Sequence[str]) -> Shape:
    """Broadcast ``source`` onto ``target``, whose shape is the result (ONNX, "Unidirectional Broadcasting")."""
    to, by = names
    if len(source) > len(target):
        one, other = _spoken(ledger, by), _spoken(ledger, to)
        message = f"{one} has rank {len(source)}, more than the {len(target)} of {other}, onto which it is broadcast"
        ledger.report(RANK_MISMATCH, message, f"{_axis_of(by)} {_axis_of(to)}")
        return target
    for axis in range(-len(source), 0):
        _fits(ledger, target, axis, source, axis, to, by)
    return target


def at_axis(
    ledger: Ledger, target: Shape, source: Shape, axis: int | None, names: Sequence[str], *, trim: bool = False
) -> Shape:
    """Lay ``source`` along the axes of ``target`` from ``axis`` on, its last ones by default.

    So does OpenVINO's ``pdpd``, to which with ``trim`` the last axes of length 1 do not count, and ONNX up to opset 6.
    """
    to, by = names
    start = len(target) - len(source) if axis is None else axis
    while trim and source and source[-1] == 1 and start + len(source) > len(target):
        source = source[:-1]
    if start < 0 or start + len(source) > len(target):
        one, other = _spoken(ledger, by), _spoken(ledger, to)
        message = f"{one} with {len(source)} axes does not fit into the {len(target)} axes of {other} from axis {start}"
        ledger.report(RANK_MISMATCH, message, f"{_axis_of(by)} {_axis_of(to)}")
        return target
    fitted = [_fits(ledger, target, start + i, source, i, to, by) for i in range(len(source))]
    return (*target[:start], *fitted, *target[start + len(source) :])


def along(
    ledger: Ledger,
    target: Shape,
    source: Shape,
    axes: Sequence[Size],
    names: Sequence[str],
    *,
    repeated: bool = False,
) -> Shape:
    """Lay each axis of ``source`` along that of ``target`` which ``axes`` names, in ascending order.

    ``repeated`` allows one to be named twice (OpenVINO's explicit mode).
    """
    to, by = names
    before = -1
    for own, axis in enumerate(axes):
        if not isinstance(axis, int):
            continue
        if not 0 <= axis < len(target):
            message = f"axis {axis} is outside [0, {len(target) - 1}], the range for {len(target)} axes"
            ledger.fail(AXIS_OUT_OF_RANGE, message, _axis_of(to))
        if axis < before or (axis == before and not repeated):
            code = DUPLICATE_AXIS if axis == before else INVALID_PERMUTATION
            ledger.fail(code, f"axis {axis} follows axis {before}; axes must be in ascending order", _axis_of(by))
        before = axis
        _fits(ledger, target, axis, source, own, to, by)
    return target


def _fits(ledger: Ledger, target: Shape, axis: int, source: Shape, own: int, to: str, by: str) -> Size:
    """Ask that an axis of ``source`` is 1 or that of ``target``, and return the latter as it is then known."""
    big, small = target[axis], source[own]
    if small is big or small == 1:
        return big
    message = (
        f"axis {own} of {_spoken(ledger, by)} is {text_of(small)}, "
        f"which is neither 1 nor the {text_of(big)} of axis {axis} of {_spoken(ledger, to)}"
    )
    # An equality alone is learned from, one choice of two is not.
    parts = tuple(p for p in (Equal(small, big), Equal(small, 1)) if not p.answer().is_no)
    condition = parts[0] if len(parts) == 1 else AnyOf(parts)
    answer = ledger.require(condition, NOT_BROADCASTABLE, message, f"{_axis_of(by, own)} {_axis_of(to, axis)}")
    return small if isinstance(small, int) and isinstance(condition, Equal) and not answer.is_no else big


def _port(names: Sequence[str], i: int) -> str:
    if not names:
        return ""
    return names[i] if len(names) > 1 and i < len(names) else f"{names[0]}.{i}"


def _axis_of(port: str, axis: int | None = None) -> str:
    """Spell an axis of a port, or the port alone; of one that ends in braces an axis is an entry."""
    if axis is None or not port:
        return port.removesuffix("{}")
    return f"{port[:-2]}{{{axis}}}" if port.endswith("{}") else f"{port}[{axis}]"


def _spoken(ledger: Ledger, port: str) -> str:
    return ledger.spoken(port.removesuffix("{}")) if port else "one operand"
