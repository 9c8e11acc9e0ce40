"""BitCast: another element type of the same width."""

from __future__ import annotations

import pytest

from shapeinfer import DType
from tests.ops.spec import fault, infer


@pytest.mark.parametrize(
    ("given", "to", "output"),
    [
        ("f32[N, 3]", DType.INT32, "i32[N, 3]"),
        ("f64[N, 3]", DType.UINT64, "u64[N, 3]"),
        ("bf16[N]", DType.FLOAT16, "f16[N]"),
        ("bool[N]", DType.INT8, "i8[N]"),
        ("i4[N]", DType.UINT4, "u4[N]"),
        ("f32[...]", DType.INT32, "i32[...]"),
        ("?[N]", DType.INT32, "i32[N]"),
    ],
)
def test_the_shape_is_kept(given: str, to: DType, output: str) -> None:
    assert infer("BitCast", given, to=to.value) == output


@pytest.mark.parametrize("to", [DType.INT64, DType.INT8, DType.STRING])
def test_another_width_is_a_fault(to: DType) -> None:
    assert fault("BitCast", "f32[N]", to=to.value) == "invalid-attribute"
