"""Which optional inputs an operator needs, given its attributes and other inputs; and sizes of operands that recur."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import CONFLICTING_ARGUMENTS, DIM_MISMATCH, MISSING_INPUT, TOO_FEW_ELEMENTS
from shapeinfer.dims import AnyOf, Equal, Size, at_least, product, sub, text_of
from shapeinfer.facts import Tensor
from shapeinfer.ops.context import Context
from shapeinfer.shapes.named import NamedAxes


def present_exactly(ctx: Context, x: Tensor | None, name: str, needed: bool, when: str) -> None:
    """Report an input that is absent though needed, or present though not; ``when`` names the condition."""
    if needed:
        required(ctx, x, name, when)
    else:
        absent(ctx, x, name, f"only where {when}")


def required(ctx: Context, x: Tensor | None, name: str, when: str) -> None:
    """Report an input that is absent though ``when`` holds."""
    if x is None:
        ctx.report(MISSING_INPUT, f"{ctx.port_name(name)} is required where {when}", name)


def absent(ctx: Context, x: Tensor | None, name: str, allowed: str) -> None:
    """Report an input that is present; ``allowed`` says where it may be."""
    if x is not None:
        ctx.report(CONFLICTING_ARGUMENTS, f"{ctx.port_name(name)} is allowed {allowed}; remove it", name)


def together(ctx: Context, **inputs: Tensor | None) -> None:
    """Report inputs of which some are present and others not."""
    missing = [name for name, x in inputs.items() if x is None]
    if missing and len(missing) < len(inputs):
        names = " and ".join(map(ctx.port_name, inputs))
        ctx.report(MISSING_INPUT, f"{names} require each other", " ".join(inputs))


def one_of(ctx: Context, size: Size, allowed: tuple[Size, ...], at: str) -> None:
    """Require that an axis has one of several sizes."""
    message = f"{ctx.place(at)} is {text_of(size)}; it must be {' or '.join(dict.fromkeys(map(text_of, allowed)))}"
    ctx.require(AnyOf(tuple(Equal(size, other) for other in allowed)), DIM_MISMATCH, message, at)


def one_entry(ctx: Context, x: Tensor, name: str) -> None:
    """Require a scalar, or a tensor of any rank with one entry."""
    if x.shape is not None:
        count = product(x.shape)
        ctx.equal(1, count, DIM_MISMATCH, name, f"{ctx.port_name(name)} has {text_of(count)} entries; it must have one")


def read_bounds(ctx: Context, axes: NamedAxes, x: Tensor | None, port: str) -> None:
    """Read where packed sequences begin and the last one ends, and bind ``batch`` to their number."""
    axes.read(x, port, "bounds")
    bounds = axes.known("bounds")
    if bounds is not None:
        message = (
            f"{ctx.port_name(port)} has {text_of(bounds)} entries; it must have at least 2, one more than sequences"
        )
        ctx.require(at_least(bounds, 2), TOO_FEW_ELEMENTS, message, f"{port}[0]")
        axes.bind("batch", sub(bounds, 1), "the number of sequences", "bounds")
