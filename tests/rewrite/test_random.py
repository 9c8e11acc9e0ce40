"""Random models give what they gave before they were folded; ``tests.rewrite.random_folds`` tries more of them."""

from __future__ import annotations

import pytest

from tests.rewrite.random_folds import judged


@pytest.mark.parametrize("first", range(0, 100, 20))
def test_outputs_are_the_same_bit_for_bit(first: int) -> None:
    assert [said for number in range(first, first + 20) if (said := judged(number, 3)[1]) is not None] == []
