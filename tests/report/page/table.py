"""Evaluate the table of a page as its own script does, written a second time."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

OPERATIONS: dict[str, Callable[..., Any]] = {
    "+": lambda *a: sum(a),
    "*": lambda *a: math.prod(a),
    "**": lambda a, n: a**n,
    "//": lambda a, b: a // b if b else None,
    "max": max,
    "min": min,
    "broadcast": lambda *a: next((x for x in a if x != 1), 1),
    "==": lambda a, b: a == b,
    "<=": lambda a, b: a <= b,
    "|": lambda a, b: b % a == 0 if a else b == 0,
    "and": lambda *a: all(a),
    "or": lambda *a: any(a),
}


def results(table: Sequence[Sequence[Any]], sizes: Mapping[str, int]) -> list[Any]:
    """What each entry comes to; None for what is not known."""
    out: list[Any] = []
    for operation, *rest in table:
        if operation == "n":
            out.append(int(rest[0]))
        elif operation == "s":
            out.append(sizes.get(rest[0]))
        else:
            given = [out[i] for i in rest]
            out.append(None if None in given else OPERATIONS[operation](*given))
    return out
