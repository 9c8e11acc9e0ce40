"""Types after moves and casts, operations that may have no node in an exported model."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from shapeinfer.dims import Size
from shapeinfer.facts import DType, Fact, Tensor, tensor
from shapeinfer.report.source_hints.operators import CASTS, DTYPES
from shapeinfer.report.source_hints.values import Constant, DtypeOf, Held, Name, Variable

FLOATS = frozenset({DType.FLOAT, DType.DOUBLE, DType.FLOAT16, DType.BFLOAT16})

_PARTS = {DType.COMPLEX64: DType.FLOAT, DType.COMPLEX128: DType.DOUBLE}
_WHOLE = {part: whole for whole, part in _PARTS.items()}


def like(fact: Fact | None) -> Fact | None:
    """Return the type of a floating-point tensor without its contents, None for others."""
    return _with(fact, fact.shape) if fact is not None and fact.dtype in FLOATS else None


def cast(fact: Fact | None, name: str, args: Sequence[Held], fact_of: Callable[[Variable], Fact | None]) -> Fact | None:
    """Return the type after ``float()``, ``to(...)`` and the like, None where its element type is unknown."""
    dtype = CASTS[name]
    if dtype is None:
        wanted = [d for d in (_dtype(arg, fact_of) for arg in args) if d is not None]
        dtype = wanted[0] if len(wanted) == 1 and len(args) == 1 else None
    return None if fact is None or fact.shape is None or dtype is None else tensor(dtype, fact.shape, None)


def _dtype(held: Held, fact_of: Callable[[Variable], Fact | None]) -> DType | None:
    if isinstance(held, (DtypeOf, Variable)):
        fact = fact_of(held.variable if isinstance(held, DtypeOf) else held)
        return None if fact is None else fact.dtype
    if isinstance(held, Name):
        root, _, name = held.dotted.rpartition(".")
        return DTYPES.get(name) if root == "torch" else None
    return None


def scaled(fact: Fact | None, number: object) -> Fact | None:
    """Return the type of a floating-point tensor after arithmetic with a Python number."""
    return like(fact) if isinstance(number, (int, float)) else None


def moved(fact: Fact | None, name: str, axes: list[int] | None) -> Fact | None:
    """Return the type after a method that only moves axes, None for another method or unknown axes."""
    shape = None if fact is None else fact.shape
    if shape is None or axes is None:
        return None
    rank = len(shape)
    if name == "view_as_real" and fact is not None and fact.dtype in _PARTS:
        return tensor(_PARTS[fact.dtype], (*shape, 2), None)
    if name == "view_as_complex" and fact is not None and fact.dtype in _WHOLE and shape[-1:] == (2,):
        return tensor(_WHOLE[fact.dtype], shape[:-1], None)
    if name in ("T", "t", "mT"):
        axes = [-2, -1]
        name = "transpose" if rank == 2 or (name == "mT" and rank > 1) else ""
    if name == "unsqueeze" and len(axes) == 1 and -rank - 1 <= axes[0] <= rank:
        at = axes[0] % (rank + 1)
        return _with(fact, (*shape[:at], 1, *shape[at:]))
    places = [a % rank for a in axes if -rank <= a < rank] if rank else []
    if len(places) != len(axes):
        return None
    if name in ("transpose", "swapaxes", "swapdims") and len(places) == 2:
        found = list(shape)
        a, b = places
        found[a], found[b] = found[b], found[a]
        return _with(fact, tuple(found))
    if name == "permute" and sorted(places) == list(range(rank)):
        return _with(fact, tuple(shape[p] for p in places))
    if name == "squeeze" and len(places) == 1 and shape[places[0]] == 1:
        return _with(fact, tuple(s for i, s in enumerate(shape) if i != places[0]))
    return None


def unmoved(fact: Fact, operator: str, axes: list[int]) -> Fact | None:
    """Return the operand's type of a recorded operation that moves axes, given the result's; None for another one."""
    shape = fact.shape
    rank = 0 if shape is None else len(shape)
    if shape is None or not axes or not all(-rank <= a < rank for a in axes):
        return None
    places = [a % rank for a in axes]
    if operator == "unsqueeze" and len(places) == 1:
        return _with(fact, tuple(s for i, s in enumerate(shape) if i != places[0]))
    if operator == "transpose" and len(places) == 2:
        return moved(fact, operator, places)
    if operator == "permute" and sorted(places) == list(range(rank)):
        return _with(fact, tuple(shape[places.index(i)] for i in range(rank)))
    return None


def indexed(fact: Fact | None, parts: Sequence[ast.Slice | Held]) -> Fact | None:
    """Return the type of an indexed tensor; None for an index other than whole axes, single entries and new axes."""
    shape = None if fact is None else fact.shape
    if shape is None:
        return None
    taken = sum(part not in (Constant(None), Constant(Ellipsis)) for part in parts)
    found: list[Size] = []
    at = 0
    for part in parts:
        if isinstance(part, ast.Slice):
            if part.lower is not None or part.upper is not None or part.step is not None or at >= len(shape):
                return None
            found.append(shape[at])
            at += 1
        elif part == Constant(None):
            found.append(1)
        elif part == Constant(Ellipsis):
            skipped = len(shape) - taken
            if skipped < 0:
                return None
            found += shape[at : at + skipped]
            at += skipped
        elif isinstance(part, Constant) and isinstance(part.value, int) and not isinstance(part.value, bool):
            at += 1
        else:
            return None
    return _with(fact, (*found, *shape[at:])) if at <= len(shape) else None


def _with(fact: Fact | None, shape: Sequence[Size] | None) -> Fact | None:
    return tensor(fact.dtype, tuple(shape), None) if isinstance(fact, Tensor) and shape is not None else None
