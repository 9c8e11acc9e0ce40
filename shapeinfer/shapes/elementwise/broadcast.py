"""Broadcasting: both ways, onto one operand, along named axes or from one axis on, and none at all."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Sequence

from attrs import frozen

from shapeinfer.diagnostics.codes import (
    AXIS_OUT_OF_RANGE,
    DIM_MISMATCH,
    DUPLICATE_AXIS,
    INVALID_PERMUTATION,
    NOT_BROADCASTABLE,
    RANK_MISMATCH,
)
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.diagnostics.finding import ports
from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.dims import AnyOf, Equal, Size, broadcast, broadcastable, text_of
from shapeinfer.facts import Shape, Tensor, UnknownRank
from shapeinfer.remembered import forgotten_by, note


@frozen(repr=False)
class Side:
    """A shape with the place of each of its sizes, which need not be axes of one operand.

    A place is spelled as for ``at=``: ``x[0]`` is an axis, ``shape{0}`` an entry, and several where sizes were
    broadcast. It is empty where no operand has the axis: there the size is 1.
    """

    shape: Shape
    places: tuple[str, ...]
    ports: str
    """The operands that the shape is of."""
    name: str = ""
    """How people know it, by its operand if it is one's."""

    def port_name(self, ledger: Ledger) -> str:
        return self.name or " and ".join(map(ledger.port_name, self.ports.split()))


def side(shape: Shape, port: str) -> Side:
    """Return the shape of an operand, or with ``shape{}`` as its port that which its entries are."""
    return Side(shape, _places(port, len(shape)), port.removesuffix("{}"))


@functools.lru_cache(maxsize=1024)
def _places(port: str, rank: int) -> tuple[str, ...]:
    note(64 * rank)
    if port.endswith("{}"):
        return tuple(f"{port[:-2]}{{{i}}}" for i in range(rank))
    return tuple(f"{port}[{i}]" for i in range(rank))


forgotten_by(_places.cache_clear)


def both_ways(ledger: Ledger, shapes: Sequence[Shape], names: Sequence[str]) -> Shape:
    """Broadcast shapes against each other, aligned at their last axes (ONNX, "Multidirectional Broadcasting").

    ``names`` are the shapes' ports, or that of a variadic which has them all; one that ends in ``{}`` holds its shape
    as entries.
    """
    return joined(ledger, [side(shape, _port(names, i)) for i, shape in enumerate(shapes)]).shape


def joined(ledger: Ledger, sides: Sequence[Side]) -> Side:
    """Broadcast sides together, aligned at their last axes; each dim keeps its place of origin."""
    rank = max((len(s.shape) for s in sides), default=0)
    out = [_joined(ledger, sides, axis, rank) for axis in range(-rank, 0)]
    sizes, places = tuple([size for size, _ in out]), tuple([place for _, place in out])
    return Side(sizes, places, " ".join([s.ports for s in sides]))


def _joined(ledger: Ledger, sides: Sequence[Side], axis: int, rank: int) -> tuple[Size, str]:
    """Return the size of an axis, counted from the last one, and its place."""
    size: Size = 1
    place = ""
    for one in sides:
        if axis < -len(one.shape) or one.shape[axis] is size:
            continue
        other, there = one.shape[axis], one.places[axis]
        condition = broadcastable(size, other)
        if not condition.answer().is_yes:
            message = _unlike(ledger, (size, place), (other, there), axis + rank)
            before = place.split()
            at, detail = " ".join((*before[:1], there, *before[1:])), Detail(output_axis=axis + rank)
            if ledger.require(condition, NOT_BROADCASTABLE, message, at, detail).is_no:
                return ledger.fresh(), f"{place} {there}"
        both = broadcast(size, other)
        if both != size:
            place = there if both == other else f"{place} {there}"
        size = both
    return size, place


def _unlike(ledger: Ledger, a: tuple[Size, str], b: tuple[Size, str], axis: int) -> str:
    """Return the message for two dims that meet at an output axis; operands may count the axis differently."""
    must = "they must be equal or one of them must be 1"
    found = [ports(place) for _, place in (a, b)]
    if all(p.axis == axis for at in found for p in at):
        names = (" with ".join(ledger.port_name(p.text) for p in at) for at in found)
        first, second = (f"{text_of(size)} in {name}" for (size, _), name in zip((a, b), names))
        return f"axis {axis} is {first} and {second}; {must}"
    first, second = (f"{ledger.place(place)} is {text_of(size)}" for size, place in (a, b))
    meet = "" if all(axis in (p.axis, p.entry) for at in found for p in at) else f", both axis {axis} of the output"
    return f"{first} and {second}{meet}; {must}"


def equal_shapes(ledger: Ledger, operands: Sequence[Tensor], names: Sequence[str]) -> Shape:
    """Return the shape that operands share without broadcasting; one of unknown rank has that of the others."""
    known = [side(x.shape, name) for x, name in zip(operands, names) if x.shape is not None]
    if not known:
        raise UnknownRank
    first, *rest = known
    out = list(zip(first.shape, first.places))
    for other in rest:
        if len(other.shape) != len(out):
            message = (
                f"{first.port_name(ledger)} has rank {len(out)} and {other.port_name(ledger)} rank {len(other.shape)}; "
                "their shapes must be equal (no broadcasting)"
            )
            ledger.fail(RANK_MISMATCH, message, f"{first.ports} {other.ports}")
        out = [_equal(ledger, mine, its) for mine, its in zip(out, zip(other.shape, other.places))]
    return tuple(size for size, _ in out)


def _equal(ledger: Ledger, a: tuple[Size, str], b: tuple[Size, str]) -> tuple[Size, str]:
    """Require that two dims are equal, and return the better known one with its place."""
    best = ledger.equal(a[0], b[0], DIM_MISMATCH, f"{a[1]} {b[1]}")
    return best, b[1] if best is b[0] and best is not a[0] else a[1]


def onto(ledger: Ledger, target: Side, source: Side) -> Shape:
    """Broadcast ``source`` onto ``target``, whose shape is the result (ONNX, "Unidirectional Broadcasting").

    Lengths of the target that the source decides are returned as they are then known.
    """
    start = len(target.shape) - len(source.shape)
    if start < 0:
        message = (
            f"{source.port_name(ledger)} has rank {len(source.shape)}, more than the rank {len(target.shape)} of "
            f"{target.port_name(ledger)}, to which it is broadcast"
        )
        ledger.report(RANK_MISMATCH, message, f"{source.ports} {target.ports}")
        return target.shape
    return _broadcast_to_target(ledger, target, source, range(start, len(target.shape)))


def at_axis(ledger: Ledger, target: Side, source: Side, axis: int | None, *, trim: bool = False) -> Shape:
    """Lay ``source`` along the axes of ``target`` from ``axis`` on, its last ones by default.

    So does OpenVINO's ``pdpd``, to which with ``trim`` the last axes of size 1 do not count, and ONNX up to opset 6.
    """
    count, rank = len(source.shape), len(target.shape)
    start = rank - count if axis is None else axis
    while trim and count and source.shape[count - 1] == 1 and start + count > rank:
        count -= 1
    if not has_room(ledger, target, source, start, count):
        return target.shape
    return _broadcast_to_target(ledger, target, source, range(start, start + count))


def has_room(ledger: Ledger, target: Side, source: Side, start: int, count: int) -> bool:
    """Require that ``count`` axes of ``source`` fit those of ``target`` from ``start`` on; return whether they do."""
    if start >= 0 and start + count <= len(target.shape):
        return True
    message = (
        f"{source.port_name(ledger)} with {count} axes does not fit the {len(target.shape)} axes of "
        f"{target.port_name(ledger)} from axis {start}"
    )
    ledger.report(RANK_MISMATCH, message, f"{source.ports} {target.ports}")
    return False


def along(
    ledger: Ledger, target: Side, source: Side, axes: Sequence[Size], mapping: str, *, repeated: bool = False
) -> Shape:
    """Lay each axis of ``source`` along that of ``target`` which ``axes`` names, in ascending order.

    ``mapping`` is the port that holds ``axes``; an entry that is not known says nothing. ``repeated`` allows one axis
    to be named twice (OpenVINO's explicit mode).
    """
    rank, name = len(target.shape), ledger.port_name(mapping)
    named = [(i, axis) for i, axis in enumerate(axes) if isinstance(axis, int)]
    for i, axis in named:
        if not 0 <= axis < rank:
            of = f"the range for the {rank} axes of {target.port_name(ledger)}"
            message = f"entry {i} of {name} is {axis}, outside [0, {rank - 1}], {of}"
            at = f"{mapping}{{{i}}} {target.ports}"
            ledger.fail(AXIS_OUT_OF_RANGE, message, at, Detail(given=axis, range=range(rank)))
    for (i, before), (k, axis) in itertools.pairwise(named):
        detail, at = Detail(given=axis, range=range(rank)), f"{mapping}{{{k}}}"
        if axis == before and not repeated:
            message = f"entries {i} and {k} of {name} are both {axis}; each axis may be named once"
            ledger.fail(DUPLICATE_AXIS, message, at, detail)
        if axis < before:
            message = f"entry {k} of {name} is {axis}, below entry {i}, which is {before}; axes must ascend"
            ledger.fail(INVALID_PERMUTATION, message, at, detail)
    laid = Side(
        tuple(source.shape[i] for i, _ in named), tuple(source.places[i] for i, _ in named), source.ports, source.name
    )
    return _broadcast_to_target(
        ledger, target, laid, [axis for _, axis in named], [f"{mapping}{{{i}}}" for i, _ in named]
    )


def _broadcast_to_target(
    ledger: Ledger, target: Side, source: Side, axes: Iterable[int], because: Sequence[str] = ()
) -> Shape:
    """Require that each axis of ``source`` is 1 or as long as that of ``target`` it lies along, and return the target.

    ``because`` has the place that maps each axis.
    """
    out = list(target.shape)
    for own, axis in enumerate(axes):
        big, small = out[axis], source.shape[own]
        if small is big or small == 1:
            continue
        mapped = because[own : own + 1]
        at = " ".join((source.places[own], target.places[axis], *mapped))
        message = _does_not_fit(ledger, target, source, own, axis, *mapped)
        # The solver learns from an equality, not from a disjunction.
        parts = tuple(p for p in (Equal(small, big), Equal(small, 1)) if not p.answer().is_no)
        condition = parts[0] if len(parts) == 1 else AnyOf(parts)
        answer = ledger.require(condition, NOT_BROADCASTABLE, message, at, Detail(output_axis=axis))
        if isinstance(small, int) and isinstance(condition, Equal) and not answer.is_no:
            out[axis] = small
    return tuple(out)


def _does_not_fit(ledger: Ledger, target: Side, source: Side, own: int, axis: int, mapped: str = "") -> str:
    here, there = ledger.place(source.places[own]), ledger.place(target.places[axis])
    there += f", to which {ledger.place(mapped)} maps it," if mapped else ""
    small, big = text_of(source.shape[own]), text_of(target.shape[axis])
    one, other = source.port_name(ledger), target.port_name(ledger)
    must = " or ".join(dict.fromkeys((big, "1")))
    return f"{here} is {small} but {there} is {big}; it must be {must} to broadcast {one} to {other}"


def _port(names: Sequence[str], i: int) -> str:
    return names[i] if len(names) > 1 and i < len(names) else f"{names[0]}.{i}"
