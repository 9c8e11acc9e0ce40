"""Windows whose every point is displaced by an offset."""

from __future__ import annotations

from shapeinfer.dims import mul, product
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import DOMAIN, NUMBERS, operator
from shapeinfer.ops.openvino.windows.conv import padded_counts
from shapeinfer.ops.openvino.windows.windows import SLIDING, WINDOW, LayerWindow
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.rank import of_rank
from shapeinfer.shapes.rows import positive
from shapeinfer.shapes.windows.channels import divided
from shapeinfer.shapes.windows.convolution import aligned, each_point, takes

_GROUPS = "group: int = 1, deformable_group: int = 1"
operator(
    f"DeformableConvolution(data: T, offsets: T, filters: T; {SLIDING}, {_GROUPS}) -> output: T",
    T=NUMBERS,
)
operator(
    f"DeformableConvolution(data: T, offsets: T, filters: T, mask?: T; {SLIDING}, {_GROUPS}, "
    "bilinear_interpolation_pad: bool = False) -> output: T",
    since=8,
    T=NUMBERS,
)


@rule("DeformableConvolution", domain=DOMAIN)
def deformable_convolution(
    ctx: Context,
    x: Tensor,
    offsets: Tensor,
    w: Tensor,
    mask: Tensor | None = None,
    *,
    window: LayerWindow = WINDOW,
    group: int = 1,
    deformable_group: int = 1,
) -> Shape:
    """Convolve with a window of two axes; a mask weighs its points from the second version on."""
    for port, operand in {"x": x, "w": w}.items():
        of_rank(ctx, operand, 4, port)
    positive(ctx, group, "group")
    positive(ctx, deformable_group, "deformable_group")
    xs, ws = aligned(ctx, x, w)
    if x.shape is not None:
        takes(ctx, xs[1], ws[1], group, "x[1] w[1]")
    divided(ctx, ws[0], group, f"filters of {ctx.port_name('w')}", "w[0]")
    over = window.of(ctx, ws[2:])
    space = padded_counts(ctx, over, xs[2:])
    points = mul(deformable_group, product(ws[2:]))
    each_point(ctx, offsets, xs[0], mul(2, points), space, "offsets")
    each_point(ctx, mask, xs[0], points, space, "mask")
    return xs[0], ws[0], *space
