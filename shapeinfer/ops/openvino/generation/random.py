"""Tensors of random numbers."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import ELEMENT_TYPE_MISMATCH
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.facts import DType, Fact, Tensor, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import DOMAIN, FLOATS, INTEGERS, NUMBERS, choice, element_type, operator
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.contents import only_entry, single, sizes_in
from shapeinfer.shapes.movement.reshape import need_list
from shapeinfer.shapes.rank import of_rank

operator(
    "RandomUniform(shape: I, minval: T, maxval: T; output_type: element_type, global_seed: int = 0, op_seed: int = 0, "
    'alignment: string = "tensorflow") -> output: O',
    since=8,
    I=INTEGERS,
    T=NUMBERS,
    O=NUMBERS,
)
operator(
    "Multinomial(probs: T, num_samples: I; convert_type: element_type, with_replacement: bool, log_probs: bool, "
    "global_seed: int = 0, op_seed: int = 0) -> output: O",
    since=13,
    T=FLOATS,
    I=INTEGERS,
    O=NUMBERS,
)


@rule("RandomUniform", domain=DOMAIN, since=8)
def random_uniform(
    ctx: Context,
    shape: Tensor,
    minval: Tensor,
    maxval: Tensor,
    *,
    output_type: DType,
    alignment: str = "tensorflow",
) -> Fact:
    """Fill the shape that the first input holds."""
    choice(ctx, "alignment", alignment, "tensorflow pytorch")
    for port, bound in {"minval": minval, "maxval": maxval}.items():
        single(ctx, bound, port)
        if bound.dtype and output_type and bound.dtype is not output_type:
            message = f"{ctx.port_name(port)} is {bound.dtype.spelled} but output_type is {output_type.spelled}"
            ctx.report(ELEMENT_TYPE_MISMATCH, message, port, detail=Detail(allowed=(output_type.spelled,)))
    if shape.shape is None:
        return tensor(output_type, None)
    listed = need_list(ctx, shape, "shape")
    known = isinstance(listed.dims[0], int)
    return tensor(output_type, sizes_in(ctx, listed, "shape") if known else None)


@rule("Multinomial", domain=DOMAIN, since=13, unranked=2)
def multinomial(ctx: Context, probs: Tensor, num_samples: Tensor, *, convert_type: DType) -> Fact:
    """Draw so many classes for each row."""
    of_rank(ctx, probs, 2, "probs")
    rows = ctx.fresh() if probs.shape is None else probs.shape[0]
    dtype = element_type(ctx, "convert_type", convert_type, NUMBERS)
    return tensor(dtype, (rows, only_entry(ctx, num_samples, "num_samples", 0)))
