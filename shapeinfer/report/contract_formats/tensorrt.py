"""An optimization profile of TensorRT, as the arguments of ``trtexec``: the least, the best and the greatest shapes.

Each of the three satisfies every condition of the contract; TensorRT itself knows only the ends, so that sizes between
them may not (those of ``seq % 8 == 0``).
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Mapping, Sequence

from shapeinfer.diagnostics.printable import inert, printable
from shapeinfer.dims import Condition, Dim, at_least, evaluate, satisfying, symbol
from shapeinfer.facts import Fact
from shapeinfer.report.contract_formats.interface import Interface, equalities, is_tensor, shape_of

DEFAULT_MAX, DEFAULT_GROWTH = 64, 4
"""A dim that nothing bounds goes up to 64, or to 4 times its least size where that is more."""

Sizes = Mapping[str, int]


def render(interface: Interface, max_size: int | None) -> str:
    """Return a line of arguments. Raises ValueError where no profile was found, or a name cannot be written."""
    dynamic = {n: f for n, f in interface.inputs.items() if not _is_static(n, f)}
    if not dynamic:
        return ""
    profile = zip(("min", "opt", "max"), _profile(interface, max_size))
    shapes = {kind: {n: _shape(f, sizes) for n, f in dynamic.items()} for kind, sizes in profile}
    for name in dynamic:
        least, best, most = (shapes[kind][name] for kind in ("min", "opt", "max"))
        if any(not a <= b <= c for a, b, c in zip(least, best, most)):
            raise ValueError(f"no profile was found: {printable(name)} shrinks where the dims in its formulas grow")
    arguments = (
        f"--{kind}Shapes=" + ",".join(f"{_named(n)}:{'x'.join(map(str, shape))}" for n, shape in each.items())
        for kind, each in shapes.items()
    )
    return " ".join(map(shlex.quote, arguments)) + "\n"


def _is_static(name: str, fact: Fact) -> bool:
    shape = shape_of(fact)
    if shape is None:
        what = (
            "its rank is unknown; give its shape with --shape" if is_tensor(fact) else f"it is {printable(fact.text)}"
        )
        raise ValueError(f"input {printable(name)} can have no profile: {what}")
    return all(isinstance(size, int) for size in shape)


def _shape(fact: Fact, sizes: Sizes) -> list[int]:
    return [evaluate(size, sizes) for size in shape_of(fact) or ()]


def _named(name: str) -> str:
    """Return an input's name as trtexec reads it: in single quotes where a colon or comma would end it.

    Raises ValueError for a name that trtexec, or a command line that a CI server shows, has no spelling for.
    """
    within = f"={name}"
    if "'" in name or not name.isprintable() or inert(within) != within:
        raise ValueError(f"the name of input {printable(name)} cannot be written in an argument of trtexec")
    return f"'{name}'" if set(name) & set(":, ") else name


def _profile(interface: Interface, max_size: int | None) -> tuple[Sizes, Sizes, Sizes]:
    """Return three choices of sizes that satisfy every condition, each dim of the next at least that of the one before.

    The greatest are near to what bounds each dim, or to ``max_size``, the best to the geometric mean.
    Dims that are computed from others have no bound of their own but that of a condition.
    """
    conditions = [d.condition for d in interface.demands]
    computed = equalities(conditions)
    conditions = [*(c.substitute(computed) for c in conditions), *(at_least(size, 0) for size in computed.values())]
    free = [s for s in interface.symbols if s not in computed]
    least = _nearest(conditions, dict.fromkeys(free, (1, None)), [dict.fromkeys(free, 1)])
    if least is None:
        raise ValueError("no profile was found: no sizes were found that satisfy the contract; fix some with --bind")
    tops = {s: max_size or max(DEFAULT_MAX, DEFAULT_GROWTH * least[s]) for s in free}
    room = {s: (least[s], _most(s, conditions, max(least[s], tops[s]))) for s in free}
    # Where dims share a bound, as in past + seq <= 512, half or a quarter of it may leave more for the others.
    wishes = [{s: max(low, high // part) for s, (low, high) in room.items()} for part in (1, 2, 4)]
    most = _nearest(conditions, room, wishes, least) or least
    means = {s: math.isqrt(least[s] * most[s]) for s in free}
    best = _nearest(conditions, {s: (least[s], most[s]) for s in free}, [means], most) or most

    def named(sizes: Mapping[Dim, int]) -> Sizes:
        known = {s.name: size for s, size in sizes.items()}
        return known | {s.name: evaluate(size, known) for s, size in computed.items()}

    return named(least), named(best), named(most)


def _most(s: Dim, conditions: Iterable[Condition], otherwise: int) -> int:
    """Return the greatest size that a condition on a dim alone allows, ``otherwise`` where none says."""
    ranges = [r for c in conditions if (r := c.symbol_range()) is not None and r.symbol is s]
    return min((r.high for r in ranges if r.high is not None), default=otherwise)


def _nearest(
    conditions: Sequence[Condition],
    room: Mapping[Dim, tuple[int, int | None]],
    wishes: Sequence[Mapping[Dim, int]],
    otherwise: Mapping[Dim, int] | None = None,
) -> dict[Dim, int] | None:
    """Return sizes within the room of each dim, nearest to what is wished for; None where none were found.

    Conditions that share no dims are satisfied apart: by the wish that leads to the greatest product of sizes, or by
    the sizes of ``otherwise`` where no wish leads to any.
    """
    ranged = {s: symbol(s.name, low, high) for s, (low, high) in room.items()}
    found: dict[Dim, int] = {}
    for group, members in _groups(conditions, room):
        bounded = [c.substitute(ranged) for c in group]
        parts = [_satisfying(bounded, {s: near[s] for s in members}) for near in wishes]
        largest = max((part for part in parts if part is not None), key=_volume, default=None)
        if largest is None:
            if otherwise is None:
                return None
            largest = {s: otherwise[s] for s in members}
        found.update(largest)
    return found if all(c.substitute(found).answer().is_yes for c in conditions) else None


def _satisfying(conditions: Sequence[Condition], near: Mapping[Dim, int]) -> dict[Dim, int] | None:
    found = satisfying(conditions, {s.name: size for s, size in near.items()})
    return None if found is None else {s: found.get(s.name, size) for s, size in near.items()}


def _volume(sizes: Mapping[Dim, int]) -> int:
    return math.prod(sizes.values())


def _groups(conditions: Iterable[Condition], symbols: Iterable[Dim]) -> list[tuple[Sequence[Condition], Sequence[Dim]]]:
    """Divide conditions and dims into groups that share none."""
    groups: list[tuple[list[Condition], list[Dim]]] = [([], [s]) for s in symbols]
    for c in conditions:
        touched = [g for g in groups if not c.symbols.isdisjoint(g[1])]
        groups = [g for g in groups if g not in touched]
        groups.append(([*(x for g in touched for x in g[0]), c], [s for g in touched for s in g[1]]))
    return [(c, s) for c, s in groups]
