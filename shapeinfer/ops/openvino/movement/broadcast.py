"""Broadcast: repeat a tensor's entries until it has the shape that another tensor holds.

OpenVINO's implementation takes what the specification does not: the rules say where ``profile`` decides.
"""

from __future__ import annotations

import math

from shapeinfer.diagnostics.codes import (
    LENGTH_MISMATCH,
    MISSING_INPUT,
    NOT_BROADCASTABLE,
    RANK_MISMATCH,
    TOO_MANY_INPUTS,
    Severity,
)
from shapeinfer.dims import Equal, Size, equal, text_of
from shapeinfer.facts import Contents, Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.elementwise.elementwise import pdpd_axis
from shapeinfer.ops.openvino.schema import ANY, DOMAIN, INTEGERS, choice, operator
from shapeinfer.ops.registry import contents, rule
from shapeinfer.shapes.contents import entries
from shapeinfer.shapes.elementwise.broadcast import Side, along, at_axis, onto, side
from shapeinfer.shapes.movement.reshape import need_list

_INPUTS = "data: T, target_shape: I, axes_mapping?: A"
operator(
    f'Broadcast({_INPUTS}; mode: string = "numpy", mode.auto_broadcast_axis?: int) -> output: T',
    T=ANY,
    I=INTEGERS,
    A=INTEGERS,
)
operator(
    f'Broadcast({_INPUTS}; mode: string = "numpy", mode.mode.axis?: int) -> output: T',
    since=3,
    T=ANY,
    I=INTEGERS,
    A=INTEGERS,
)

UNBOUNDED = 2**63 - 1
"""OpenVINO treats a dim of this size as unknown."""


@rule("Broadcast", domain=DOMAIN)
def broadcast_1(
    ctx: Context,
    data: Tensor,
    target_shape: Tensor,
    axes_mapping: Tensor | None = None,
    *,
    mode: str = "numpy",
    mode_auto_broadcast_axis: int | None = None,
) -> Shape:
    """Broadcast onto the target; an IR writes ``none`` for explicit, and a scalar as the third input of other modes."""
    mode = choice(ctx, "mode", mode, "numpy explicit none pdpd")
    if mode in ("explicit", "none"):
        if axes_mapping is None and ctx.profile == "openvino":
            return _onto(ctx, data, target_shape)
        return _explicit(ctx, data, target_shape, axes_mapping)
    if mode == "pdpd" and axes_mapping is None and ctx.profile == "openvino":
        message = "mode pdpd requires axes_mapping in OpenVINO's Broadcast-1"
        ctx.fail(MISSING_INPUT, message, "axes_mapping")
    if axes_mapping is not None and axes_mapping.shape:
        # In place of none an IR has a scalar here.
        message = f"axes_mapping is ignored in mode {mode}; only mode explicit uses it"
        ctx.report(TOO_MANY_INPUTS, message, "axes_mapping", Severity.WARNING)
    if mode == "numpy":
        return _onto(ctx, data, target_shape)
    return _pdpd(ctx, data, target_shape, mode_auto_broadcast_axis)


@rule("Broadcast", domain=DOMAIN, since=3)
def broadcast_3(
    ctx: Context,
    data: Tensor,
    target_shape: Tensor,
    axes_mapping: Tensor | None = None,
    *,
    mode: str = "numpy",
    mode_mode_axis: int | None = None,
) -> Shape:
    """Broadcast onto the target, or both ways; only the explicit mode has a third input."""
    mode = choice(ctx, "mode", mode, "numpy explicit none bidirectional pdpd")
    if mode in ("explicit", "none"):
        return _explicit(ctx, data, target_shape, axes_mapping)
    if axes_mapping is not None:
        ctx.fail(TOO_MANY_INPUTS, f"mode {mode} does not use axes_mapping; remove it", "axes_mapping")
    if mode == "bidirectional":
        return ctx.broadcast(data.dims, _target(ctx, target_shape), at=("data", "target_shape{}"))
    return _onto(ctx, data, target_shape) if mode == "numpy" else _pdpd(ctx, data, target_shape, mode_mode_axis)


def _target(ctx: Context, target_shape: Tensor) -> Shape:
    """Return the sizes that the target holds; OpenVINO takes -1 for an open one, and what is less for 0."""
    listed = need_list(ctx, target_shape, "target_shape")
    if ctx.profile == "spec":
        return ctx.dims(listed, "target_shape")
    return tuple(_as_openvino_reads(ctx, size) for size in entries(ctx, listed, "target_shape", low=0))


def _as_openvino_reads(ctx: Context, size: Size) -> Size:
    if isinstance(size, int):
        return ctx.fresh() if size in (-1, UNBOUNDED) else max(size, 0)
    return size


def _is_open(ctx: Context, target_shape: Tensor) -> bool:
    """Whether OpenVINO knows no entry of the target: it then holds nothing against it."""
    return ctx.profile == "openvino" and target_shape.value is None


def _onto(ctx: Context, data: Tensor, target_shape: Tensor) -> Shape:
    target, source = _target(ctx, target_shape), data.shape
    if source is None or _is_open(ctx, target_shape):
        return target
    if ctx.profile == "openvino":
        # It compares only constants: it does not see that a dim between 2 and 3 is never 5.
        aligned = target[len(target) - len(source) :] if len(source) <= len(target) else source
        source = tuple(d if isinstance(d, int) and isinstance(t, int) else 1 for d, t in zip(source, aligned))
    return onto(ctx, side(target, "target_shape{}"), side(source, "data"))


def _explicit(ctx: Context, data: Tensor, target_shape: Tensor, axes_mapping: Tensor | None) -> Shape:
    if axes_mapping is None:
        ctx.fail(MISSING_INPUT, "mode explicit requires axes_mapping", "axes_mapping")
    listed = need_list(ctx, axes_mapping, "axes_mapping").shape
    unseen = ctx.profile == "openvino" and target_shape.shape is None
    if data.shape is None or listed is None or unseen:
        return _target(ctx, target_shape)
    (count,) = listed
    if ctx.profile == "openvino" and data.shape == () and count == 1:
        return _scalar_to_axis(ctx, target_shape, axes_mapping)
    message = f"axes_mapping has {text_of(count)} entries; expected {len(data.shape)}, one per axis of data"
    fits = not ctx.require(Equal(count, len(data.shape)), LENGTH_MISMATCH, message, "axes_mapping[0] data").is_no
    target = _target(ctx, target_shape)
    if fits and isinstance(count, int) and not _is_open(ctx, target_shape):
        axes = ctx.ints(axes_mapping, "axes_mapping")
        to, by, repeated = side(target, "target_shape{}"), side(data.shape, "data"), ctx.profile == "openvino"
        along(ctx, to, by, axes, "axes_mapping", repeated=repeated)
    return target


def _scalar_to_axis(ctx: Context, target_shape: Tensor, axes_mapping: Tensor) -> Shape:
    """Map a scalar to an axis, as OpenVINO does with one that is of size 1."""
    target = _target(ctx, target_shape)
    (axis,) = ctx.ints(axes_mapping)
    if not isinstance(axis, int) or _is_open(ctx, target_shape):
        return target
    along(ctx, side(target, "target_shape{}"), Side((1,), ("data",), "data"), (axis,), "axes_mapping")
    if equal(target[axis], 1).is_no:
        message = (
            f"entry {axis} of target_shape is {text_of(target[axis])}; OpenVINO maps a scalar to an axis of size 1 only"
        )
        ctx.report(NOT_BROADCASTABLE, message, f"data target_shape{{{axis}}} axes_mapping{{0}}")
    return target


def _pdpd(ctx: Context, data: Tensor, target_shape: Tensor, axis: int | None) -> Shape:
    """Lay data along the axes of the target; the specification knows the mode for element-wise operators only."""
    target, start = _target(ctx, target_shape), pdpd_axis(axis)
    if ctx.profile == "spec":
        if data.shape is None:
            return target
        return at_axis(ctx, side(target, "target_shape{}"), side(data.shape, "data"), start, trim=True)
    if data.shape is None or _is_open(ctx, target_shape):
        return tuple(ctx.fresh() for _ in target)
    start = len(target) - data.rank if start is None else start
    if start < 0 or start + data.rank < len(target):
        message = f"OpenVINO aligns the {data.rank} axes of data with axes {start} to {len(target) - 1} of the target"
        ctx.fail(RANK_MISMATCH, message, "data target_shape")
    pairs = enumerate(zip(data.dims, target[start:]))
    return (*target[:start], *(_either(ctx, d, t, f"data[{i}]", f"target_shape{{{start + i}}}") for i, (d, t) in pairs))


def _either(ctx: Context, d: Size, t: Size, here: str, there: str) -> Size:
    if d == 1 or t == 1:
        return t if d == 1 else d
    sizes = f"{ctx.place(here)} is {text_of(d)} but {ctx.place(there)} is {text_of(t)}"
    return ctx.equal(
        d, t, NOT_BROADCASTABLE, f"{here} {there}", f"{sizes}; they must be equal or one of them must be 1"
    )


@contents("Broadcast", domain=DOMAIN)
def repeated(out: Tensor, data: Tensor, target_shape: Tensor, axes_mapping: Tensor | None = None) -> Contents | None:
    """Repeat the entry of a tensor that has but one."""
    if data.value is None or len(data.value) != 1:
        return None
    return data.value * math.prod(d for d in out.dims if isinstance(d, int))
