"""Reductions over axes."""

from __future__ import annotations

from shapeinfer.facts import Contents, Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import DOMAIN, INTEGERS, NUMBERS, operator
from shapeinfer.ops.registry import ContentsFunction, contents, rule
from shapeinfer.shapes.algebra.reduction import folded, reduced_somewhere
from shapeinfer.shapes.elementwise.elements import fold_axes
from shapeinfer.shapes.movement.indexing import numbers
from shapeinfer.shapes.rank import one_or_list

NUMERIC = "ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum"
NORMS = "ReduceL1 ReduceL2"
LOGICAL = "ReduceLogicalAnd ReduceLogicalOr"
_SIGNATURE = "{}(data: T, axes: I; keep_dims: bool = False) -> output: T"

for _since, _names, _types in ((1, NUMERIC, NUMBERS), (4, NORMS, NUMBERS), (1, LOGICAL, "bool")):
    for _name in _names.split():
        operator(_SIGNATURE.format(_name), since=_since, T=_types, I=INTEGERS)


@rule(*f"{NUMERIC} {LOGICAL}".split(), domain=DOMAIN)
@rule(*NORMS.split(), domain=DOMAIN, since=4)
def reduce(ctx: Context, x: Tensor, axes: Tensor, *, keep_dims: bool = False) -> Shape:
    """Fold the axes that ``axes`` lists, which may be none."""
    one_or_list(ctx, axes, "axes")
    listed = numbers(() if axes.shape == (0,) else axes.value)
    if listed is None:
        count = None if axes.shape is None else axes.shape[0] if axes.shape else 1
        return reduced_somewhere(ctx, x.dims, count, keep=keep_dims)
    return folded(ctx, x, listed, keep=keep_dims) if listed else x.dims


def _entries(operation: str) -> ContentsFunction:
    def combined(out: Tensor, data: Tensor, axes: Tensor) -> Contents | None:
        listed = numbers(() if axes.shape == (0,) else axes.value)
        if listed is None:
            return None
        return fold_axes(operation, data, {a % data.rank for a in listed}) if data.rank and listed else data.value

    return combined


for _name, _operation in (
    ("ReduceLogicalAnd", "Min"),
    ("ReduceLogicalOr", "Max"),
    ("ReduceMax", "Max"),
    ("ReduceMin", "Min"),
    ("ReduceProd", "Mul"),
    ("ReduceSum", "Add"),
):
    contents(_name, domain=DOMAIN)(_entries(_operation))
