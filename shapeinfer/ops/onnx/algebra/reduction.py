"""Reductions over axes, and the indices of extremes."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics.codes import RANK_MISMATCH, TOO_FEW_ELEMENTS
from shapeinfer.dims import AnyOf, Equal, at_least, text_of
from shapeinfer.facts import Contents, Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import ContentsFunction, contents, rule
from shapeinfer.shapes.algebra.reduction import folded, is_set, reduced, reduced_somewhere
from shapeinfer.shapes.elementwise.elements import fold_axes, mean

OTHERS = "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSumSquare"


@rule("ReduceSum", *OTHERS.split(), since=1)
def reduce_attribute(ctx: Context, x: Tensor, *, axes: Sequence[int] = (), keepdims: int = 1) -> Shape:
    """Fold ``axes``, all of them by default."""
    return folded(ctx, x, axes, keep=is_set(keepdims))


@rule("ReduceSum", since=13)
@rule(*OTHERS.split(), since=18)
def reduce_input(
    ctx: Context, x: Tensor, axes: Tensor | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
) -> Shape:
    """Fold the axes that ``axes`` lists; where it lists none, all of them or none."""
    if axes is not None and axes.shape is not None and len(axes.shape) != 1:
        ctx.fail(RANK_MISMATCH, f"axes must have rank 1; it has rank {len(axes.shape)}", "axes")
    count = 0 if axes is None else axes.shape[0] if axes.shape is not None else None
    listed = _known_axes(axes)
    if listed is None:
        return reduced_somewhere(ctx, x.dims, count, keep=is_set(keepdims))
    return x.dims if is_set(noop_with_empty_axes) and not listed else folded(ctx, x, listed, keep=is_set(keepdims))


def _known_axes(axes: Tensor | None) -> list[int] | None:
    """Return the axes if every one is known; an absent list is an empty one."""
    if axes is None or axes.shape == (0,):
        return []
    if axes.value is None or not all(isinstance(a, int) for a in axes.value):
        return None
    return [a for a in axes.value if isinstance(a, int)]


def _entries(name: str) -> tuple[ContentsFunction, ContentsFunction]:
    """Return the functions that combine entries along axes: of an attribute, and of an input."""

    def by_attribute(out: Tensor, x: Tensor, *, axes: Sequence[int] = ()) -> Contents | None:
        if not x.rank:
            return x.value
        over = {a % x.rank for a in axes} or set(range(x.rank))
        return mean(x, over) if name == "Mean" else fold_axes(name, x, over)

    def by_input(
        out: Tensor, x: Tensor, axes: Tensor | None = None, *, noop_with_empty_axes: int = 0
    ) -> Contents | None:
        listed = _known_axes(axes)
        if listed is None:
            return None
        return x.value if is_set(noop_with_empty_axes) and not listed else by_attribute(out, x, axes=listed)

    return by_attribute, by_input


for _name, _operation, _moved in (
    ("ReduceSum", "Add", 13),
    ("ReduceProd", "Mul", 18),
    ("ReduceMax", "Max", 18),
    ("ReduceMin", "Min", 18),
    ("ReduceMean", "Mean", 18),
):
    _by_attribute, _by_input = _entries(_operation)
    contents(_name, since=1)(_by_attribute)
    contents(_name, since=_moved)(_by_input)


@rule("ArgMax", "ArgMin", since=1)
def arg_extreme(ctx: Context, x: Tensor, *, axis: int = 0, keepdims: int = 1) -> Shape:
    """Fold one axis, which must not be empty."""
    k = ctx.axis(axis, x.rank, negative=True, at="x")
    message = f"axis {k} of {ctx.port_name('x')} is {text_of(x.dims[k])}; an empty axis has no maximum or minimum"
    others = reduced(x.dims, {k}, keep=False)
    # The runtime lets it pass where there is no extreme to be found anyway.
    condition = AnyOf((at_least(x.dims[k], 1), *(Equal(d, 0) for d in others)))
    ctx.require(condition, TOO_FEW_ELEMENTS, message, f"x[{k}]")
    return reduced(x.dims, {k}, keep=is_set(keepdims))
