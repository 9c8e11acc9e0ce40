"""CausalConvWithState: the shape stays, the state is as long as the kernel less one."""

from __future__ import annotations

import pytest

from tests.ops.claims import asks
from tests.ops.spec import fault, infer

OPERATOR = "CausalConvWithState"


@pytest.mark.parametrize(
    ("inputs", "out"),
    [
        (["f32[B, C, T]", "f32[C, 1, 4]"], ["f32[B, C, T]", "f32[B, C, 3]"]),
        (["f32[B, 8, T]", "f32[C, 1, K]", "f32[C]"], ["f32[B, 8, T]", "f32[B, 8, K - 1]"]),
        (["f32[B, 8, 0]", "f32[8, 1, 1]", "", "f32[B, 8, 0]"], ["f32[B, 8, 0]", "f32[B, 8, 0]"]),
        (["f32[B, 8, T]", "f32[...]", "", "f32[B, 8, P]"], ["f32[B, 8, T]", "f32[B, 8, P]"]),
    ],
)
def test_the_state_holds_what_the_kernel_reaches_back(inputs: list[str], out: list[str]) -> None:
    assert infer(OPERATOR, *inputs) == out


@pytest.mark.parametrize(
    ("inputs", "code"),
    [
        (["f32[2, 8, 5]", "f32[7, 1, 4]"], "dim-mismatch"),
        (["f32[2, 8, 5]", "f32[8, 2, 4]"], "dim-mismatch"),
        (["f32[2, 8, 5]", "f32[8, 1, 4]", "f32[7]"], "dim-mismatch"),
        (["f32[2, 8, 5]", "f32[8, 1, 4]", "", "f32[2, 8, 4]"], "dim-mismatch"),
        (["f32[2, 8, 5]", "f32[8, 1, 0]"], "too-few-elements"),
        (["f32[8, 5]", "f32[8, 1, 4]"], "rank-mismatch"),
    ],
)
def test_what_does_not_fit(inputs: list[str], code: str) -> None:
    assert fault(OPERATOR, *inputs) == code


def test_what_symbols_need() -> None:
    asked = ["dim-mismatch: C == 8", "dim-mismatch: P == 3"]
    assert asks(OPERATOR, "f32[B, C, T]", "f32[8, 1, 4]", "", "f32[B, 8, P]") == asked
