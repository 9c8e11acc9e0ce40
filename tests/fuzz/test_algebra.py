"""The first random cases of the algebra; ``python -m tests.fuzz.algebra`` checks as many more as there is time for."""

from __future__ import annotations

from tests.each import each
from tests.fuzz.algebra import check


@each(range(20))
def test_a_random_case_holds(seed: int) -> None:
    check(seed)
