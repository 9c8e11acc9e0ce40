"""Evaluate the table of a page as its own script does, written a second time."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

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


FLOATING: dict[str, Callable[..., Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "sqrt": np.sqrt,
    "min": lambda *a: np.min(a),
    "max": lambda *a: np.max(a),
    "convert": lambda a: a,
}
ROUNDED: dict[str, Callable[[float], int]] = {
    "floor": math.floor,
    "ceil": math.ceil,
    "round": round,
    "trunc": math.trunc,
}


def floating(operation: str, given: Sequence[float]) -> float | None:
    """An operation on floats, whose name begins with their precision."""
    kind = {"f32": np.float32, "f64": np.float64}[operation[:3]]
    with np.errstate(all="ignore"):
        computed = float(FLOATING[operation[3:]](*map(kind, given)))
    is_exact = operation[3:] == "convert" or all(float(kind(a)) == a for a in given)
    return computed if is_exact and math.isfinite(computed) else None


def results(table: Sequence[Sequence[Any]], sizes: Mapping[str, int]) -> list[Any]:
    """What each entry comes to; None for what is not known."""
    out: list[Any] = []
    for operation, *rest in table:
        if operation == "n":
            out.append(int(rest[0]))
        elif operation == "f":
            out.append(float(rest[0]))
        elif operation == "s":
            out.append(sizes.get(rest[0]))
        else:
            given = [out[i] for i in rest]
            if None in given:
                out.append(None)
            elif operation in ROUNDED:
                whole = ROUNDED[operation](given[0])
                out.append(whole if abs(whole) < 2**63 else None)
            elif operation[:3] in ("f32", "f64"):
                out.append(floating(operation, given))
            else:
                out.append(OPERATIONS[operation](*given))
    return out
