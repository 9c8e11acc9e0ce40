"""How a cost grows with one dim."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import frozen

from shapeinfer.cost.cost import Cost
from shapeinfer.dims import Dim, Size, evaluate
from shapeinfer.infer.constraints.contract import Contract

POINTS = 256
TRIED = 64
"""If a size violates the contract, try this many after it: enough for most conditions such as ``H % 32 == 0``."""


@frozen
class Point:
    """The cost at one size of a dim; None if unknown."""

    size: int
    multiply_adds: int | None
    peak_bytes: int | None


def curve(cost: Cost, contract: Contract, dim: str, low: int, high: int) -> list[Point]:
    """Return the cost at sizes of a dim from ``low`` to ``high``, at most 256 of them and only those that run.

    Raises ValueError where more than this dim decides the cost, or no size tried meets the contract.
    """
    formulas = (cost.multiply_adds, cost.peak_bytes)
    others = sorted({s for f in formulas if isinstance(f, Dim) for s in f.symbols if s.name != dim}, key=str)
    if others:
        raise ValueError(_undecided(others))
    points = [
        Point(size, *(None if f is None else _at(f, {dim: size}) for f in formulas))
        for size in _running(contract, dim, low, high)
    ]
    if not points:
        raise ValueError(f"the model runs for none of the sampled sizes of {dim}; see shapeinfer contract")
    return points


def _at(formula: Size, sizes: Mapping[str, int]) -> int | None:
    try:
        return evaluate(formula, sizes)
    except ZeroDivisionError:
        return None


def _undecided(others: list[Dim]) -> str:
    made = [s.name for s in others if s.is_fresh]
    if made:
        return f"the cost depends on {', '.join(made)}, which are data-dependent"
    give = " ".join(f"--bind {s.name}=SIZE" for s in others)
    return f"the cost depends on {', '.join(s.name for s in others)}, too; add {give}"


def _running(contract: Contract, dim: str, low: int, high: int) -> Iterator[int]:
    """Yield sizes about equally far apart, each the first from there on that meets the contract."""
    symbols = {s for r in contract for s in r.asked.symbols if s.name == dim}
    count = min(POINTS, high - low + 1)
    starts = [low + (high - low) * i // max(count - 1, 1) for i in range(count)]
    for start, end in zip(starts, [*starts[1:], high + 1]):
        for size in range(start, min(end, start + TRIED)):
            given: dict[Dim, Size] = dict.fromkeys(symbols, size)
            if not any(r.asked.substitute(given).answer().is_no for r in contract):
                yield size
                break
