"""What a page folds: modules, runs of equal blocks, and segments (stretches) of a long graph."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from itertools import accumulate, groupby, pairwise
from typing import Any, TypeAlias

from attrs import define, frozen

LEAST_BLOCK = 3
"""A module of fewer nodes is not folded."""
LEAST_SAVED = 12
"""Equal blocks are folded if that hides at least this many nodes."""
MOST_LAGS = 12
"""The most distances between equal parts that are tried."""
MOST_STARTS = 32
"""The most places where equal blocks may begin that are tried."""
MOST_FLAT = 400
"""A level of more parts is divided into stretches."""
STRETCH = 100
MOST_STRETCHES = 100
LOOSE = 8
"""In a level with modules, at least this many successive nodes outside of them become a stretch."""
DEEPEST = 16
"""The deepest nesting of modules that is folded."""

_NUMBER = re.compile(r"\d+")


@frozen(eq=False, repr=False)
class Cell:
    """A node, reduced to what folding needs.

    Equal ``token`` means an equal call; ``module`` is the path of its module, empty if unknown. ``reads`` has, for each
    operand, the position of the cell that computes it, -1 if none does, and the index of the output. A hidden cell is
    put where its neighbours are. ``weight`` names one of its weights, ``source`` is the line that it was exported from.
    """

    index: int
    token: Hashable
    module: str
    reads: Sequence[tuple[int, int]]
    hidden: bool = False
    weight: str = ""
    source: str = ""


@define(eq=False, repr=False)
class Block:
    """Parts that are drawn as one until it is opened."""

    title: str
    module: str
    items: list[Item]

    def cells(self) -> Iterator[int]:
        """Return the positions of its cells, in order."""
        return _cells(self.items)


@define(eq=False, repr=False)
class Repeat:
    """A run of equal blocks."""

    blocks: list[Block]


Item: TypeAlias = "int | Block | Repeat"
"""A part of a graph: the position of a cell, a block or a repeat."""


def folded(cells: Sequence[Cell]) -> list[Item]:
    """Return the parts of a graph, outermost first; every cell is in one, and in the order of the cells."""
    return _Folding(cells).level(list(range(len(cells))), 0, "")


def _cells(items: Sequence[Item]) -> Iterator[int]:
    for item in items:
        if isinstance(item, int):
            yield item
        else:
            for block in item.blocks if isinstance(item, Repeat) else [item]:
                yield from block.cells()


class _Folding:
    def __init__(self, cells: Sequence[Cell]) -> None:
        self._cells = cells
        self._paths = _interpolated(cells)
        self._numbers: dict[Hashable, int] = {}
        self._cuts = _cuts(cells)

    def level(self, positions: Sequence[int], depth: int, module: str) -> list[Item]:
        """Return the parts of a module: its submodules, runs of equal ones, and stretches of the remaining cells."""
        items: list[Item] = []
        for name, run in groupby(positions, lambda p: self._paths[p][depth] if depth < len(self._paths[p]) else ""):
            found = list(run)
            if not name or depth == DEEPEST:
                items += found
                continue
            path = f"{module}.{name}" if module else name
            inner = self.level(found, depth + 1, path)
            if sum(not self._cells[p].hidden for p in found) < LEAST_BLOCK:
                items += found
            elif len(inner) == 1 and isinstance(inner[0], Block):
                items.append(Block(f"{name}.{inner[0].title}", inner[0].module, inner[0].items))
            elif depth == 0 and len(found) == len(positions):
                return inner
            else:
                items.append(Block(name, path, inner))
        return self._stretched(self._repeated(items))

    # Equal blocks

    def _repeated(self, items: list[Item]) -> list[Item]:
        """Fold runs of equal parts, first those that hide the most nodes."""
        shown = [i for i, item in enumerate(items) if not self._hidden(item)]
        keys = [self._key(items[i]) for i in shown]
        sizes = [self._size(items[i]) for i in shown]
        out: list[Item] = []
        end = 0
        for start, lag, count in self._runs(items, shown, keys, sizes):
            ends = [shown[start + k * lag - 1] + 1 for k in range(1, count + 1)]  # hidden cells go to the next block
            places = [shown[start], *ends]
            out += items[end : places[0]]
            out.append(Repeat([self._instance(items[a:b]) for a, b in pairwise(places)]))
            end = places[-1]
        return out + items[end:]

    def _instance(self, items: list[Item]) -> Block:
        if len(items) == 1 and isinstance(items[0], Block):
            return items[0]
        return Block(self._weights(items), "", self._repeated(items))

    def _weights(self, items: Sequence[Item]) -> str:
        """Return the common path of the names of the weights of parts."""
        weights = [w for p in _cells(items) if "." in (w := self._cells[p].weight) or "/" in w]
        if len(weights) < 2:
            return ""
        names = min(weights), max(weights)
        count = next((i for i, (a, b) in enumerate(zip(*names)) if a != b), min(map(len, names)))
        return names[0][: max(names[0].rfind(".", 0, count), names[0].rfind("/", 0, count), 0)]

    def _runs(
        self, items: Sequence[Item], shown: Sequence[int], keys: Sequence[int], sizes: Sequence[int]
    ) -> list[tuple[int, int, int]]:
        """Return the repeats among parts: start, parts per block, and number of blocks."""
        found: list[tuple[int, int, int]] = []
        for lag in self._lags(keys):
            start = 0
            while start + lag < len(keys):
                end = start
                while end + lag < len(keys) and keys[end] == keys[end + lag]:
                    end += 1
                if end - start >= lag:
                    found += self._equal(items, shown, start, end + lag, lag)
                start = end + 1
        sums = list(accumulate(sizes, initial=0))

        def saved(run: tuple[int, int, int]) -> int:
            start, lag, count = run
            return sums[start + lag * count] - sums[start + lag]

        taken = []
        used = bytearray(len(keys))
        for run in sorted(found, key=lambda run: (-saved(run), run)):
            start, end = run[0], run[0] + run[1] * run[2]
            if saved(run) >= LEAST_SAVED and used.find(1, start, end) < 0:
                used[start:end] = b"\1" * (end - start)
                taken.append(run)
        return sorted(taken)

    def _lags(self, keys: Sequence[int]) -> list[int]:
        last: dict[int, int] = {}
        counts: Counter[int] = Counter()
        for i, key in enumerate(keys):
            if key in last:
                counts[i - last[key]] += 1
            last[key] = i
        return sorted(lag for lag, _ in sorted(counts.items(), key=lambda item: (-item[1] * item[0], item))[:MOST_LAGS])

    def _equal(
        self, items: Sequence[Item], shown: Sequence[int], start: int, end: int, lag: int
    ) -> Iterator[tuple[int, int, int]]:
        """Return the equally connected blocks in a run of parts with equal keys, cut where fewest values cross."""
        spare = (end - start) % lag
        offsets = range(lag if end - start >= 3 * lag else spare + 1)  # a greater offset costs one block
        cut = {
            offset: self._cuts[next(_cells([items[shown[start + offset + lag]]]))]
            for offset in offsets
            if start + offset + lag < end
        }
        fewest = min(cut.values())
        near = [offset for offset in offsets if cut[offset] == fewest][:MOST_STARTS]
        titles = {
            offset: self._weights([items[i] for i in shown[start + offset : start + offset + lag]]) for offset in near
        }
        first = start + max(near, key=lambda offset: (len(titles[offset]), offset <= spare, -offset))
        count = (end - first) // lag
        names = [_NUMBER.sub("*", self._title(items[shown[first + k * lag]])) for k in range(count)]
        wiring = [
            self._wiring([items[i] for i in shown[first + k * lag : first + (k + 1) * lag]]) for k in range(count)
        ]
        at = 0
        for _, run in groupby(range(count), lambda k: (names[k], wiring[k])):
            number = len(list(run))
            if number > 1:
                yield first + at * lag, lag, number
            at += number

    def _title(self, item: Item) -> str:
        return item.title if isinstance(item, Block) else ""

    def _hidden(self, item: Item) -> bool:
        return all(self._cells[p].hidden for p in _cells([item]))

    def _size(self, item: Item) -> int:
        return sum(not self._cells[p].hidden for p in _cells([item]))

    def _key(self, item: Item) -> int:
        """Return a number that is equal for parts of equal nodes, whatever their connections."""
        key: Hashable
        if isinstance(item, int):
            key = self._cells[item].token
        else:
            key = ("block", *(self._key(p) for p in _cells([item]) if not self._cells[p].hidden))
        return self._numbers.setdefault(key, len(self._numbers))

    def _wiring(self, items: Sequence[Item]) -> int:
        """Return a number that is equal for parts with equal connections inside."""
        shown = [p for p in _cells(items) if not self._cells[p].hidden]
        order = {p: i for i, p in enumerate(shown)}
        reads = tuple(tuple((order.get(p, -1), o if p in order else 0) for p, o in self._cells[q].reads) for q in shown)
        return self._numbers.setdefault(("wiring", reads), len(self._numbers))

    # Stretches

    def _stretched(self, items: list[Item]) -> list[Item]:
        """Divide a level that is too long, and fold long runs of nodes beside modules."""
        out: list[Item] = []
        has_blocks = not all(isinstance(item, int) for item in items)
        for is_node, run in groupby(items, lambda item: isinstance(item, int)):
            found = list(run)
            size = sum(not self._hidden(item) for item in found)
            if is_node and has_blocks and size >= LOOSE:
                out += self._pieces(found, size)
            else:
                out += found
        if sum(not self._hidden(item) for item in out) > MOST_FLAT:
            return self._pieces(out, len(out))
        return out

    def _pieces(self, items: list[Item], size: int) -> list[Item]:
        """Cut parts into stretches of about equal length, where few values cross."""
        count = min(max(1, round(size / STRETCH)), MOST_STRETCHES)
        places = [0]
        for k in range(1, count):
            target = k * len(items) // count
            low, high = max(places[-1] + 1, target - STRETCH // 4), min(len(items), target + STRETCH // 4 + 1)
            if low < high:
                places.append(min(range(low, high), key=lambda i: (self._cuts[next(_cells([items[i]]))], i)))
        pieces = [items[a:b] for a, b in pairwise([*places, len(items)])]
        return [Block("", "", self._stretched(piece) if len(piece) < len(items) else piece) for piece in pieces]


def _interpolated(cells: Sequence[Cell]) -> list[tuple[str, ...]]:
    """Return the module path of each cell, split; a cell without one gets the common path of its neighbours."""
    split = {module: _parts(module) for module in {cell.module for cell in cells}}
    known = [None if cell.hidden or not cell.module else split[cell.module] for cell in cells]
    after: list[tuple[str, ...] | None] = [*known, None]
    for i in reversed(range(len(cells))):
        if after[i] is None:
            after[i] = after[i + 1]
    before: tuple[str, ...] | None = None
    out = []
    for i, path in enumerate(known):
        next_ = after[i]
        before = before if path is None else path
        out.append(path or (_common(before, next_) if before and next_ else ()))
    return out


def _parts(module: str) -> tuple[str, ...]:
    """Split the path of a module; the index of a layer stays with the name of its list: ``layers.0``."""
    parts: list[str] = []
    for part in module.split("."):
        if parts and part.isdecimal():
            parts[-1] += f".{part}"
        else:
            parts.append(part)
    return tuple(parts)


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    count = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
    return one[:count]


def _cuts(cells: Sequence[Cell]) -> list[int]:
    """Return for each cell how many values computed before it are read by it or later cells."""
    last: dict[tuple[int, int], int] = {}
    for position, cell in enumerate(cells):
        if not cell.hidden:
            last.update((read, position) for read in cell.reads if 0 <= read[0] < position)
    steps = [0] * (len(cells) + 2)
    for (maker, _), reader in last.items():
        if not cells[maker].hidden:
            steps[maker + 1] += 1
            steps[reader + 1] -= 1
    total, out = 0, []
    for step in steps[: len(cells) + 1]:
        total += step
        out.append(total)
    return out


def to_data(items: Sequence[Item], cells: Sequence[Cell], text: Any) -> list[Any]:
    """Return parts as JSON: a node's index, a block ``[title, module, parts]``, a repeat ``{"r": [block, ...]}``."""

    def block(b: Block) -> list[Any]:
        return [text(b.title), text(b.module), to_data(b.items, cells, text)]

    return [
        cells[i].index
        if isinstance(i, int)
        else block(i)
        if isinstance(i, Block)
        else {"r": [block(b) for b in i.blocks]}
        for i in items
    ]
