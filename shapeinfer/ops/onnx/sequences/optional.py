"""Values that may be absent."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import MISSING_INPUT
from shapeinfer.facts import UNKNOWN, DType, Fact, OptionalType, SequenceType, Tensor, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import rule


@rule("Optional", since=15)
def optional(ctx: Context, x: Fact | None = None, *, type: Fact | None = None) -> Fact:
    """Wrap a value, or return an empty optional of the type that the attribute names."""
    if x is None and type is None:
        ctx.fail(MISSING_INPUT, "Optional without an input requires the attribute type", "x")
    return OptionalType(x if x is not None else type or UNKNOWN)


@rule("OptionalHasElement", since=15)
def optional_has_element(ctx: Context, x: Fact | None = None) -> Tensor:
    """Return whether there is a value; a tensor or sequence counts as one."""
    known = x is None or isinstance(x, (Tensor, SequenceType))
    return tensor(DType.BOOL, (), (x is not None,) if known else None)


@rule("OptionalGetElement", since=15)
def optional_get_element(ctx: Context, x: Fact) -> Fact:
    """Return the value; a tensor or sequence that is no optional is returned as it is."""
    return x.element if isinstance(x, OptionalType) else x
