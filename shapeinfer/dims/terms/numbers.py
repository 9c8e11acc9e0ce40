"""Products of many numbers: one after the other they take the square of how many there are."""

from __future__ import annotations

from collections.abc import Iterable

from shapeinfer.budget import look

UNCOUNTED = 1 << 256
"""Stands for all counts from here on, which nobody needs to know."""


def product_of_numbers(numbers: Iterable[int]) -> int:
    """Return the product: of neighbours at first, so that both factors of each are about as long."""
    left = list(numbers)
    while len(left) > 1:
        look()
        odd = left[-1:] if len(left) % 2 else []
        left = [a * b for a, b in zip(left[::2], left[1::2])] + odd
    return left[0] if left else 1


def count_of_elements(dims: Iterable[int]) -> int:
    """Return the product of dims, none of them negative; UNCOUNTED where it is no less."""
    listed = tuple(dims)
    if 0 in listed:
        return 0
    count = 1
    for dim in listed:
        count *= dim
        if count >= UNCOUNTED:
            return UNCOUNTED
    return count
