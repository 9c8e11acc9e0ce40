"""A rule in Python: shapeinfer check --rules examples/rules/pack.py MODEL."""

from shapeinfer import Tensor
from shapeinfer.dims import Size, ceildiv
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import rule


@rule("Pack", domain="my")
def pack(ctx: Context, x: Tensor, *, lanes: int = 8) -> Tensor:
    """Split the last axis into groups of ``lanes``, the last one padded."""
    *outer, last = x.dims
    groups: Size = ceildiv(last, lanes)
    return x.of(*outer, groups, lanes)
