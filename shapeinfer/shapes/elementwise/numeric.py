"""Element-wise operations on arrays of numbers, each in the arrays' own types; None where runtimes may differ."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def _divided(a: Any, b: Any) -> Any:
    """Division as ONNX has it: of integers, toward zero, and undefined by zero."""
    if not np.issubdtype(a.dtype, np.integer):
        return a / b
    if np.any(b == 0) or (a.dtype.kind == "i" and np.any((a == np.iinfo(a.dtype).min) & (b == -1))):
        return None
    down = np.floor_divide(a, b)
    return (down + ((down < 0) & (down * b != a))).astype(a.dtype)


def _remainder(a: Any, b: Any) -> Any:
    return None if np.any(b == 0) else np.mod(a, b)


def _power(a: Any, b: Any) -> Any:
    """Powers of integers that doubles hold; runtimes differ in greater ones, and in the last bit of those of floats.

    A root that is a whole number has no last bit to differ in.
    """
    if np.issubdtype(a.dtype, np.floating):
        root = np.sqrt(a)
        return root if np.all(b == 0.5) and np.all(root == np.floor(root)) and np.all(root * root == a) else None
    if not np.issubdtype(a.dtype, np.integer) or np.any(b < 0) or np.any(b != np.floor(b)):
        return None
    with np.errstate(over="ignore"):
        about = np.abs(np.power(a.astype(np.float64), b.astype(np.float64)))
    if np.any(about > min(2.0**53, np.iinfo(a.dtype).max)):
        return None
    return np.power(a, b.astype(a.dtype))


def _shift(way: Callable[..., Any]) -> Callable[..., Any]:
    """Shift bits; by as many as the type has, machines differ."""
    return lambda a, b: None if np.any(b >= 8 * a.dtype.itemsize) else way(a, b)


NUMERIC: dict[str, Callable[..., Any]] = {
    "Add": np.add,
    "Sum": lambda *xs: sum(xs[1:], xs[0]),
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Div": _divided,
    "FloorDiv": lambda a, b: None if np.any(b == 0) else np.floor_divide(a, b),
    "Mod": _remainder,
    "FMod": lambda a, b: None if np.any(b == 0) else np.fmod(a, b),
    "Pow": _power,
    "Max": lambda *xs: np.maximum.reduce(xs),
    "Min": lambda *xs: np.minimum.reduce(xs),
    "Equal": np.equal,
    "NotEqual": np.not_equal,
    "Less": np.less,
    "LessOrEqual": np.less_equal,
    "Greater": np.greater,
    "GreaterOrEqual": np.greater_equal,
    "And": np.logical_and,
    "Or": np.logical_or,
    "Xor": np.logical_xor,
    "Not": np.logical_not,
    "Where": np.where,
    "ShiftLeft": _shift(np.left_shift),
    "ShiftRight": _shift(np.right_shift),
    "IsNaN": np.isnan,
    "Floor": np.floor,
    "Ceil": np.ceil,
    "Round": np.round,
    "Neg": np.negative,
    "Abs": np.abs,
    "Sign": np.sign,
    "Sqrt": np.sqrt,
    "Reciprocal": lambda a: 1 / a,
    "Identity": lambda a: a,
    "Relu": lambda a: np.maximum(a, 0),
    "BitwiseAnd": np.bitwise_and,
    "BitwiseOr": np.bitwise_or,
    "BitwiseXor": np.bitwise_xor,
    "BitwiseNot": np.bitwise_not,
}
"""Only operations whose result IEEE 754 fixes to the last bit, so that every runtime computes the same."""
