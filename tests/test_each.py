"""A test of many cases tells which of them failed, and how the first one did."""

from __future__ import annotations

import pytest

from tests.each import each


def test_the_cases_that_fail_are_named_and_the_first_is_the_cause() -> None:
    @each([(1, 2), (3, 3), (5, 4)], lambda case: "-".join(map(str, case)))
    def same(a: int, b: int) -> None:
        assert a == b, f"{a} is not {b}"

    with pytest.raises(AssertionError, match=r"^2 of 3 fail: 1-2, 5-4$") as caught:
        same()
    assert "1 is not 2" in str(caught.value.__cause__)


def test_every_case_is_tried() -> None:
    tried: list[str] = []
    each("abc")(tried.append)()
    assert tried == ["a", "b", "c"]


def test_no_cases_are_a_mistake() -> None:
    with pytest.raises(AssertionError, match="there is no case"):
        each([])
