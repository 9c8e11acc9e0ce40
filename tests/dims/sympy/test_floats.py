"""Floats rounded to integers as functions of sympy's, as arrays and in written guards: the same to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

from shapeinfer.dims import Dim, parse
from shapeinfer.report.contract_formats.expressions import Expressions

H, W = sympy.symbols("H W", integer=True, nonnegative=True)
TEXTS = (
    "floor(f32(H*f32(0.7)))",
    "ceil(f64(H*f64(0.1)))",
    "round(f32(H/3))",
    "floor(f32(H*min(f32(320*f32(1/(W + 1))), f32(0.3))))",
    "(floor(f32(sqrt(H))) + 2*W)//3",
)


@pytest.fixture(params=TEXTS)
def size(request: pytest.FixtureRequest) -> Dim:
    found = parse(request.param)
    assert isinstance(found, Dim)
    return found


def test_it_comes_back_as_the_same_object(size: Dim) -> None:
    assert Dim.from_sympy(size.expr) is size


def test_numbers_in_it_give_its_value(size: Dim) -> None:
    for h, w in ((0, 0), (100, 7), (1_000_003, 640)):
        value = size.evaluate(H=h, W=w)
        assert size.expr.subs({H: h, W: w}) == value
        assert sympy.lambdify([H, W], size.expr)(h, w) == value


def test_arrays_in_it_give_its_values(size: Dim) -> None:
    heights = np.arange(0, 3000, 37)
    assert size.evaluate({"H": heights, "W": 5}).tolist() == [size.evaluate(H=int(h), W=5) for h in heights]


def test_written_as_python_it_has_its_value(size: Dim) -> None:
    import math
    import struct

    written = Expressions({s: s.name for s in size.symbols})
    source = written.size(size)
    assert written.lines == []
    given = {"math": math, "struct": struct, "_f32": lambda x: struct.unpack("f", struct.pack("f", x))[0]}
    for h in range(0, 3000, 41):
        assert eval(source, given | {"H": h, "W": 5}) == size.evaluate(H=h, W=5)


def test_a_size_may_stand_for_a_symbol(size: Dim) -> None:
    other = Dim.from_sympy(size.expr.subs(H, 2 * W))
    assert other == size.subs(H="2*W")


def test_no_value_is_an_error() -> None:
    size = parse("floor(f32(320*f32(1/H)))")
    assert isinstance(size, Dim)
    assert size.expr.subs(H, 0) is sympy.nan
    for value in (0, np.arange(4)):
        with pytest.raises(ZeroDivisionError, match="has no finite value where H = 0"):
            size.evaluate({"H": value})
