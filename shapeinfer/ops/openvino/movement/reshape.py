"""Operators that keep the entries and their order: Reshape, Squeeze, Unsqueeze."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import VOLUME_MISMATCH
from shapeinfer.dims import Equal, Size, equal, product, text_of
from shapeinfer.facts import Contents, Shape, Tensor, UnknownRank
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import ANY, DOMAIN, INTEGERS, operator
from shapeinfer.ops.registry import contents, rule
from shapeinfer.shapes.movement.axes import squeezed, unsqueezed
from shapeinfer.shapes.movement.indexing import numbers
from shapeinfer.shapes.movement.reshape import INFERRED, need_list, reshaped
from shapeinfer.shapes.rank import one_or_list

operator("Reshape(data: T, shape: I; special_zero: bool) -> output: T", T=ANY, I=INTEGERS)
operator("Squeeze(data: T, axes?: I; pytorch_dynamic_rank: bool = False) -> output: T", T=ANY, I=INTEGERS)
operator("Squeeze(data: T, axes?: I; allow_axis_skip: bool = False) -> output: T", since=15, T=ANY, I=INTEGERS)
operator("Unsqueeze(data: T, axes: I) -> output: T", T=ANY, I=INTEGERS)


@rule("Reshape", domain=DOMAIN)
def reshape(ctx: Context, data: Tensor, shape: Tensor, *, special_zero: bool) -> Shape:
    """Return the same elements in another shape, in which -1 is inferred and, with ``special_zero``, 0 copied."""
    if shape.shape == ():
        return reshaped(ctx, data.shape, (), at="data shape")
    target = ctx.ints(need_list(ctx, shape, "shape"), "shape")
    if data.shape is None or INFERRED not in target:
        return reshaped(ctx, data.shape, target, zero_copies=special_zero, at="data shape")
    return _inferred(ctx, data.shape, target, special_zero)


def _inferred(ctx: Context, shape: Shape, target: tuple[Size, ...], special_zero: bool) -> Shape:
    """Infer the size of -1 from what is not copied, so that an axis that is copied may be empty."""
    if not special_zero and 0 in target:
        message = (
            f"Reshape cannot infer its -1 when another entry is 0: the input has {text_of(product(shape))} elements"
        )
        ctx.require(Equal(product(shape), 0), VOLUME_MISMATCH, message, "data shape")
        # Any dim fits there, and the specification does not define which one is inferred.
        return tuple(ctx.fresh() if e == INFERRED else e for e in target)
    copied = {i for i, (e, d) in enumerate(zip(target, shape)) if special_zero and (e is d or e == 0)}
    rest = tuple(d for i, d in enumerate(shape) if i not in copied)
    asked = tuple(e for i, e in enumerate(target) if i not in copied)
    inferred = iter(reshaped(ctx, rest, asked, zero_copies=special_zero, at="data shape"))
    return tuple(shape[i] if i in copied else next(inferred) for i in range(len(target)))


@rule("Squeeze", domain=DOMAIN)
def squeeze(
    ctx: Context,
    data: Tensor,
    axes: Tensor | None = None,
    *,
    pytorch_dynamic_rank: bool = False,
    allow_axis_skip: bool = False,
) -> Shape:
    """Drop the named axes of size 1, or all of that size; an axis that is known to be longer stays.

    One whose size is not known is dropped (the specification's note), unless an attribute leaves the rank open.
    """
    if axes is not None:
        one_or_list(ctx, axes, "axes")
    listed = None if axes is None else numbers(axes.value)
    if axes is None or axes.shape == (0,):
        return squeezed(ctx, data.dims, None)
    if listed is None:
        if not all(equal(d, 1).is_no for d in data.dims):
            raise UnknownRank
        return data.dims  # whichever are named, they stay
    named = {ctx.axis(a, max(data.rank, 1), at="axes") for a in listed} if data.rank else set()
    ones = [a for a in sorted(named) if not equal(data.dims[a], 1).is_no]
    if (pytorch_dynamic_rank or allow_axis_skip) and any(equal(data.dims[a], 1).is_maybe for a in ones):
        raise UnknownRank
    return squeezed(ctx, data.dims, ones, "data")


@rule("Unsqueeze", domain=DOMAIN)
def unsqueeze(ctx: Context, data: Tensor, axes: Tensor) -> Shape:
    """Insert axes of size 1 at the positions ``axes`` of the output; duplicates count once."""
    named = set(ctx.ints(axes, "axes"))
    known = {a for a in named if isinstance(a, int)}
    if len(known) == len(named):
        return unsqueezed(data.dims, sorted({ctx.axis(a, data.rank + len(named), at="axes") for a in known}))
    if len(named) > 1:
        raise UnknownRank
    return tuple(ctx.fresh() for _ in range(data.rank + 1))


@contents("Reshape", "Squeeze", "Unsqueeze", domain=DOMAIN)
def in_order(out: Tensor, data: Tensor, *more: Tensor) -> Contents | None:
    """Keep the entries, whose order does not change."""
    return data.value
