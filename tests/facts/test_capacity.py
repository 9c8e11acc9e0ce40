"""What an element type holds exactly, of numbers and of formulas."""

from __future__ import annotations

import numpy as np
import pytest

from shapeinfer.dims import Dim, Size, floordiv, maximum, minimum, mul, parse, product, ratio, symbol
from shapeinfer.facts import DType, Tensor, holds
from tests.each import each
from tests.models import checked

N, M = (symbol(name) for name in "NM")
BITS = {DType.FLOAT16: 11, DType.FLOAT: 24, DType.DOUBLE: 53}
TYPES = [d for d in DType if d in BITS or (d.is_integer and d.numpy() is not None)]


@each([(d, sign * 2**k + more) for d in TYPES for k in range(3, 65) for more in (-1, 0, 1) for sign in (1, -1)])
def test_numbers_are_those_that_numpy_keeps(dtype: DType, number: int) -> None:
    kind = dtype.numpy()
    if dtype.is_float:
        with np.errstate(over="ignore"):
            kept = np.array(float(number), kind)
        assert holds(dtype, number) == bool(np.isfinite(kept) and int(kept) == number)
    else:
        assert holds(dtype, number) == (np.iinfo(str(kind)).min <= number <= np.iinfo(str(kind)).max)


def test_fractions_are_those_that_the_type_has() -> None:
    assert holds(DType.FLOAT, 0.5)
    assert not holds(DType.FLOAT, 0.1)
    assert holds(DType.FLOAT, float(np.float32(0.1)))
    assert holds(DType.DOUBLE, 0.1)
    assert holds(DType.FLOAT, float("inf"))
    assert holds(DType.FLOAT, float("nan"))
    assert not holds(DType.FLOAT, 1e300)


LINEAR = [N, N + 1, 2 * N, N + M, 100 * N - 7, floordiv(N, 2), floordiv(N, 100_000), floordiv(1000 * N, 7)]
PRODUCTS = [mul(N, M), mul(N, N), floordiv(mul(N, M), 100_000), maximum(mul(N, M), 3), mul(N, M) + 1]


def sized(size: Size) -> Dim:
    assert isinstance(size, Dim)
    return size


@pytest.mark.parametrize("dtype", [DType.FLOAT, DType.INT32, DType.UINT32])
def test_of_32_bits_lengths_are_assumed_to_fit_and_their_products_are_not(dtype: DType) -> None:
    for size in map(sized, LINEAR):
        assert holds(dtype, size) == (dtype is not DType.UINT32 or (size.low is not None and size.low >= 0)), size
    assert not [size for size in PRODUCTS if holds(dtype, size)]
    assert not holds(dtype, 70_000 * N), "a multiple that leaves a length only a few bits"


@pytest.mark.parametrize("dtype", [DType.DOUBLE, DType.INT64, DType.UINT64])
def test_more_bits_hold_numbers_of_elements(dtype: DType) -> None:
    for size in (*PRODUCTS, product([N, M, N, M, 3]), 1000 * N):
        assert holds(dtype, size), size
    assert not holds(dtype, mul(N, 2**40))


@pytest.mark.parametrize("dtype", [DType.FLOAT16, DType.BFLOAT16, DType.INT8, DType.UINT8, DType.INT16])
def test_smaller_types_hold_only_what_is_bounded(dtype: DType) -> None:
    assert not holds(dtype, N)
    assert not holds(dtype, symbol("data", low=None, fresh=True))
    assert holds(dtype, symbol("H", high=100))


def test_bounds_decide_where_they_are_known() -> None:
    h, w = symbol("H", high=4097), symbol("W", high=4096)
    assert not holds(DType.FLOAT, mul(h, w))
    assert holds(DType.FLOAT, mul(w, w))
    assert holds(DType.INT32, mul(h, w))
    assert holds(DType.INT8, minimum(N, 127))
    assert not holds(DType.INT8, minimum(N, 128))
    assert not holds(DType.INT32, symbol("L", high=2**31))
    assert not holds(DType.UINT64, symbol("Z", low=-1))


def test_a_fraction_is_held_as_its_numerator_is() -> None:
    assert holds(DType.FLOAT, ratio(N + 1, 2))
    assert not holds(DType.FLOAT, ratio(mul(N, M), 2))


def test_what_a_binding_makes_too_large_is_not_known() -> None:
    def bound(dtype: str, size: Size, n: int) -> object:
        value = Tensor(dtype, (1,), [size]).substitute({parse("N"): n}).value  # type: ignore[dict-item]
        return None if value is None else value[0]

    assert isinstance(N, Dim)
    assert bound("float32", N, 2**24) == 2**24
    assert bound("float32", N, 2**24 + 1) is None
    assert bound("int32", 2 * N, 2**30) is None
    assert bound("int64", 2 * N, 2**30) == 2**31


def test_a_number_of_data_is_followed_through_no_arithmetic_and_into_no_smaller_type() -> None:
    number = symbol("ReduceMax_0", None, None, fresh=True)
    assert holds(DType.INT64, sized(number))
    assert not [s for s in (number + 1, mul(number, 4), mul(N, number)) if holds(DType.INT64, sized(s))]
    body = "k = ReduceMax <keepdims = 0> (v) s = Cast <to = 6> (k) y = Neg (s)"
    report = checked(f"g (int64[M] v) => (int32[] y) {{ {body} }}")
    entries = {name: fact.value for name, fact in report.values.items() if isinstance(fact, Tensor)}
    assert entries["k"] is not None
    assert entries["s"] not in (None, entries["k"]), "a number of its own"
