"""Element-wise operators; two operands are broadcast according to ``auto_broadcast``."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from attrs import evolve

from shapeinfer.diagnostics.codes import NOT_BROADCASTABLE
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import Dim, Size, equal
from shapeinfer.facts import Contents, Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import ANY, DOMAIN, INTEGERS, NUMBERS, choice, operator
from shapeinfer.ops.registry import contents, rule
from shapeinfer.shapes.elementwise.broadcast import Side, at_axis, equal_shapes, has_room, joined, side
from shapeinfer.shapes.elementwise.elements import fold

ARITHMETIC = "Add FloorMod Maximum Minimum Mod Multiply Power SquaredDifference Subtract"
COMPARISONS = "Equal Greater GreaterEqual Less LessEqual NotEqual"
LOGICAL = "LogicalAnd LogicalOr LogicalXor"
BITWISE = "BitwiseAnd BitwiseOr BitwiseXor"
SHIFTS = "BitwiseLeftShift BitwiseRightShift"
MODES = '; auto_broadcast: string = "numpy", auto_broadcast.auto_broadcast_axis?: int'

for _name in ARITHMETIC.split():
    operator(f"{_name}(A: T, B: T{MODES}) -> C: T", T=NUMBERS)
operator(f"Divide(A: T, B: T{MODES}, m_pythondiv: bool = True) -> C: T", T=NUMBERS)
for _name in COMPARISONS.split():
    operator(f"{_name}(A: T, B: T{MODES}) -> C: bool", T=ANY)
for _name in LOGICAL.split():
    operator(f"{_name}(A: bool, B: bool{MODES}) -> C: bool")
for _name in BITWISE.split():
    operator(f"{_name}(A: T, B: T{MODES}) -> C: T", since=13, T=f"{INTEGERS} bool")
for _name in SHIFTS.split():
    operator(f"{_name}(A: T, B: T{MODES}) -> C: T", since=15, T=INTEGERS)


@rule(*(f"{ARITHMETIC} Divide {COMPARISONS} {LOGICAL}".split()), domain=DOMAIN)
@rule(*BITWISE.split(), domain=DOMAIN, since=13)
@rule(*SHIFTS.split(), domain=DOMAIN, since=15)
def binary(
    ctx: Context,
    a: Tensor,
    b: Tensor,
    *,
    auto_broadcast: str = "numpy",
    auto_broadcast_auto_broadcast_axis: int | None = None,
) -> Shape:
    """Broadcast the operands according to ``auto_broadcast`` (broadcast_rules)."""
    return auto_broadcasted(ctx, auto_broadcast, auto_broadcast_auto_broadcast_axis, a, b)


def auto_broadcasted(ctx: Context, mode: str, axis: int | None, *operands: Tensor, ports: Sequence[str] = ()) -> Shape:
    """Return the shape of operands under ``none``, ``numpy`` or ``pdpd``; ``ports`` are the rule's own by default.

    With ``pdpd`` every operand is laid along the axes of the first.
    """
    ports = ports or ctx.parameters
    mode = choice(ctx, "auto_broadcast", mode, "none explicit numpy pdpd")
    if mode == "numpy":
        return ctx.broadcast(*(x.dims for x in operands), at=ports)
    if mode != "pdpd":
        return equal_shapes(ctx, operands, ports)
    first, *others = (side(x.dims, port) for x, port in zip(operands, ports))
    for other in others:
        lay = _laid_by_openvino if ctx.profile == "openvino" else _broadcast_along
        first = lay(ctx, first, other, axis)
    return first.shape


def _broadcast_along(ctx: Context, a: Side, b: Side, axis: int | None) -> Side:
    """Lay ``b`` along the axes of ``a`` from ``axis`` on."""
    return evolve(a, shape=at_axis(ctx, a, b, pdpd_axis(axis), trim=True))


def _laid_by_openvino(ctx: Context, a: Side, b: Side, axis: int | None) -> Side:
    """Lay ``b`` along the axes of ``a`` from ``axis`` on; OpenVINO broadcasts both ways there."""
    count, first = len(b.shape), pdpd_axis(axis)
    start = len(a.shape) - count if first is None else first
    after = len(a.shape) - count - start
    if not has_room(ctx, a, b, start, count):
        return a
    too_long = [i for i, (d, e) in enumerate(zip(a.shape[start:], b.shape)) if _is_longer(e, d)]
    for i in too_long:
        there, here = a.places[start + i], b.places[i]
        sizes = f"{ctx.place(there)} is {a.shape[start + i]} but {ctx.place(here)} is {b.shape[i]}"
        message = f"{sizes}; OpenVINO does not broadcast A to B here"
        ctx.report(NOT_BROADCASTABLE, message, f"{there} {here}", detail=Detail(output_axis=start + i))
    # What was found there is not to be found again.
    rest = tuple(1 if i in too_long else e for i, e in enumerate(b.shape))
    shape = (*(1,) * start, *rest, *(1,) * after)
    return joined(ctx, [a, Side(shape, (*("",) * start, *b.places, *("",) * after), b.ports)])


def _is_longer(e: Size, d: Size) -> bool:
    return isinstance(e, int) and isinstance(d, int) and e > d


def pdpd_axis(axis: int | None) -> int | None:
    """Return the first axis of a ``pdpd`` operand, None for the last axes (-1).

    The specification gives -1 as the default, yet who reads an IR without the attribute takes 0.
    """
    return {None: 0, -1: None}.get(axis, axis)


_FOLDED = {
    "Add": "Add",
    "Equal": "Equal",
    "FloorMod": "Mod",
    "Greater": "Greater",
    "GreaterEqual": "GreaterOrEqual",
    "Less": "Less",
    "LessEqual": "LessOrEqual",
    "LogicalAnd": "And",
    "LogicalOr": "Or",
    "LogicalXor": "Xor",
    "Maximum": "Max",
    "Minimum": "Min",
    "Mod": "FMod",
    "Multiply": "Mul",
    "NotEqual": "NotEqual",
    "Power": "Pow",
    "Subtract": "Sub",
}
"""How entries are computed, by the operators' names; a ``pdpd`` operand is not laid along its axes for that."""


_DIVISIONS = frozenset({"Div", "FloorDiv", "FMod", "Mod"})


def _followed(name: str, out: Tensor, a: Tensor, b: Tensor, *, auto_broadcast: str = "numpy") -> Contents | None:
    if name in _DIVISIONS and b.value is not None:
        # what a division by 0 yields depends on the machine, and the model runs on
        b = b.holding(tuple(None if isinstance(e, (int, Dim)) and not equal(e, 0).is_no else e for e in b.value))
    return None if auto_broadcast.lower() == "pdpd" else fold(name, out, a, b)


for _name, _operation in _FOLDED.items():
    contents(_name, domain=DOMAIN)(functools.partial(_followed, _operation))
for _name in BITWISE.split():
    contents(_name, domain=DOMAIN, since=13)(functools.partial(_followed, _name))


@contents("Divide", domain=DOMAIN)
def divided(
    out: Tensor, a: Tensor, b: Tensor, *, auto_broadcast: str = "numpy", m_pythondiv: bool = True
) -> Contents | None:
    """Divide; integers are rounded down with ``m_pythondiv``, else toward zero."""
    return _followed(
        "FloorDiv" if m_pythondiv and out.dtype.is_integer else "Div", out, a, b, auto_broadcast=auto_broadcast
    )


@contents("SquaredDifference", domain=DOMAIN)
def squared(out: Tensor, a: Tensor, b: Tensor, *, auto_broadcast: str = "numpy") -> Contents | None:
    """Square the difference."""
    difference = _followed("Sub", out, a, b, auto_broadcast=auto_broadcast)
    return None if difference is None else fold("Mul", out, out.holding(difference), out.holding(difference))
