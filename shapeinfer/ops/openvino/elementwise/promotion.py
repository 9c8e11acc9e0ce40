"""ConvertPromoteTypes: two tensors in the one element type that holds the numbers of both."""

from __future__ import annotations

import re

from shapeinfer.facts import DType, Tensor, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import DOMAIN, NUMBERS, operator
from shapeinfer.ops.registry import rule

operator(
    "ConvertPromoteTypes(input_0: T, input_1: U; promote_unsafe: bool = False, "
    'pytorch_scalar_promotion: bool = False, u64_integer_promotion_target: element_type = "f32") '
    "-> output_0: R, output_1: R",
    since=14,
    T=f"{NUMBERS} bool",
    U=f"{NUMBERS} bool",
    R=f"{NUMBERS} bool",
)


@rule("ConvertPromoteTypes", domain=DOMAIN, since=14)
def convert_promote_types(
    ctx: Context,
    input_0: Tensor,
    input_1: Tensor,
    *,
    pytorch_scalar_promotion: bool = False,
    u64_integer_promotion_target: DType = DType.FLOAT,
) -> list[Tensor]:
    """Keep both shapes and take the common type; what ``promote_unsafe`` guards against is not looked for."""
    a, b = input_0.dtype, input_1.dtype
    common = _promoted(a, b, u64_integer_promotion_target)
    if pytorch_scalar_promotion and a is not b and _kind(a) == _kind(b):
        common = _of_dimensioned(input_0, input_1, common)
    return [tensor(common, input_0.shape), tensor(common, input_1.shape)]


def _of_dimensioned(a: Tensor, b: Tensor, common: DType) -> DType:
    """Return the type of the one that has axes; the common one where both have some or neither has."""
    if a.shape is None or b.shape is None:
        return DType.UNDEFINED
    if bool(a.shape) == bool(b.shape):
        return common
    return a.dtype if a.shape else b.dtype


def _promoted(a: DType, b: DType, beyond: DType) -> DType:
    """Return the narrowest type for both; ``beyond`` is used in place of one wider than 64 bits."""
    if a is b or DType.UNDEFINED in (a, b):
        return a if a is b else DType.UNDEFINED
    if _kind(a) != _kind(b):
        return max(a, b, key=_kind)
    wide = max(a, b, key=_bits)
    if a.is_float:
        return wide if _bits(a) != _bits(b) else {16: DType.FLOAT, 8: DType.FLOAT16}.get(_bits(a), DType.UNDEFINED)
    unsigned = [t for t in (a, b) if t.name.startswith("UINT")]
    if len(unsigned) != 1 or (wide not in unsigned and _bits(a) != _bits(b)):
        return wide
    return beyond if unsigned[0] is DType.UINT64 else DType[f"INT{2 * _bits(unsigned[0])}"]


def _kind(dtype: DType) -> int:
    """Return the rank of a type: floats above integers, integers above bool."""
    return 2 if dtype.is_float else 1 if dtype.is_integer else 0


def _bits(dtype: DType) -> int:
    """Return the number of bits of a type, from its name except for two."""
    found = re.search(r"\d+", dtype.name)
    return int(found[0]) if found else {DType.FLOAT: 32, DType.DOUBLE: 64}.get(dtype, 1)
