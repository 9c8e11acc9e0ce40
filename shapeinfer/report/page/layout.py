"""Where the boxes of a graph go: in layers from top to bottom, with few crossings and short lines."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from attrs import define, field, frozen

GAP = 26
"""Between two boxes of a layer."""
MOST_LAYERS = 12
"""A line over more layers than this is drawn as two ends that name each other."""
SWEEPS = 4
NEAR = 30
"""Layers within this distance are kept below each other."""


@frozen
class Layout:
    """For each box its layer and its middle, and for each line the places where it passes the layers between."""

    layers: Sequence[int]
    middles: Sequence[float]
    bends: Sequence[Sequence[float] | None]
    """None for a line that is not drawn through."""


def layout(widths: Sequence[float], weights: Sequence[float], lines: Sequence[tuple[int, int]]) -> Layout:
    """Place boxes of these widths; a line leads from one box to a later one.

    The heavier boxes are, the straighter are the lines between them: light ones make room.
    """
    layers = _layers(len(widths), lines)
    drawing = _Drawing(list(widths), list(weights), layers)
    bends = [drawing.line(a, b) for a, b in lines]
    drawing.arrange()
    middles = drawing.middles
    return Layout(
        layers,
        [round(m, 1) for m in middles[: len(widths)]],
        [None if through is None else [round(middles[i], 1) for i in through] for through in bends],
    )


def _layers(count: int, lines: Sequence[tuple[int, int]]) -> list[int]:
    """Put each box below those that lead to it, and sources as near to their first reader as may be."""
    above: list[list[int]] = [[] for _ in range(count)]
    below: list[list[int]] = [[] for _ in range(count)]
    for a, b in lines:
        above[b].append(a)
        below[a].append(b)
    layers = [0] * count
    for box in range(count):
        layers[box] = max((layers[a] + 1 for a in above[box]), default=0)
    for box in reversed(range(count)):
        if below[box] and not above[box]:
            layers[box] = max(layers[box], min(layers[b] for b in below[box]) - 1)
    low = min(layers, default=0)
    return [layer - low for layer in layers]


@define
class _Drawing:
    """Boxes and the places where lines pass a layer, which are boxes of no width."""

    widths: list[float]
    weights: list[float]
    layers: list[int]
    middles: list[float] = field(factory=list)
    _above: list[list[int]] = field(factory=list)
    _below: list[list[int]] = field(factory=list)

    def __attrs_post_init__(self) -> None:
        self.layers = list(self.layers)
        self._above = [[] for _ in self.widths]
        self._below = [[] for _ in self.widths]

    def line(self, a: int, b: int) -> list[int] | None:
        """Add a line and return the places where it passes layers, None where it is too long for that."""
        span = self.layers[b] - self.layers[a]
        if span < 1 or span > MOST_LAYERS:
            return None
        through = []
        for layer in range(self.layers[a] + 1, self.layers[b]):
            through.append(len(self.widths))
            self.widths.append(0)
            self.weights.append(min(self.weights[a], self.weights[b]))
            self.layers.append(layer)
            self._above.append([])
            self._below.append([])
        for upper, lower in zip([a, *through], [*through, b]):
            self._below[upper].append(lower)
            self._above[lower].append(upper)
        return through

    def arrange(self) -> None:
        """Order the boxes of each layer and place them."""
        rows: list[list[int]] = [[] for _ in range(max(self.layers, default=-1) + 1)]
        for box in self._walked():
            rows[self.layers[box]].append(box)
        place = [0.0] * len(self.widths)
        for row in rows:
            place_row(row, place)
        for sweep in range(SWEEPS):
            down = sweep % 2 == 0
            near = self._above if down else self._below
            for row in rows if down else reversed(rows):
                row.sort(key=lambda box: median([place[n] for n in near[box]]) if near[box] else place[box])
                place_row(row, place)
        self._align(rows)

    def _walked(self) -> list[int]:
        """The boxes as a walk along the lines meets them, so that what belongs together starts together."""
        seen = [False] * len(self.widths)
        order = []
        for start in range(len(self.widths)):
            pending = [start]
            while pending:
                box = pending.pop()
                if seen[box]:
                    continue
                seen[box] = True
                order.append(box)
                pending.extend(reversed(self._below[box]))
        return order

    def _align(self, rows: Sequence[Sequence[int]]) -> None:
        """Move the boxes of each layer towards those that they are joined to, in their order."""
        middles = self.middles = [0.0] * len(self.widths)
        for row in rows:
            x = 0.0
            for box in row:
                middles[box] = x + self.widths[box] / 2
                x += self.widths[box] + GAP
            for box in row:
                middles[box] -= x / 2
        for sweep in range(2 * SWEEPS + 1):
            down = sweep % 2 == 0
            near = self._above if down else self._below
            for row in rows if down else reversed(rows):
                wanted = [self._between(near[box]) if near[box] else middles[box] for box in row]
                for box, x in zip(row, self._spaced(row, wanted)):
                    middles[box] = x
        self._straighten(rows)

    def _straighten(self, rows: Sequence[Sequence[int]]) -> None:
        """Take from each layer the way that those around it have gone aside, so that a long graph goes down."""
        sums, weights = [0.0], [0.0]
        for row in rows:
            sums.append(sums[-1] + sum(self.middles[b] * self.weights[b] for b in row))
            weights.append(weights[-1] + sum(self.weights[b] for b in row))
        for layer, row in enumerate(rows):
            low, high = max(0, layer - NEAR), min(len(rows), layer + NEAR + 1)
            aside = (sums[high] - sums[low]) / (weights[high] - weights[low])
            for box in row:
                self.middles[box] -= aside

    def _between(self, boxes: Sequence[int]) -> float:
        """The middle of boxes, nearer to the heavy ones."""
        return sum(self.middles[b] * self.weights[b] for b in boxes) / sum(self.weights[b] for b in boxes)

    def _spaced(self, row: Sequence[int], wanted: Sequence[float]) -> list[float]:
        """The places nearest to those wanted at which no two boxes of a row meet, in the sense of least squares."""
        offsets, x = [], 0.0
        for i, box in enumerate(row):
            x += (self.widths[row[i - 1]] + self.widths[box]) / 2 + GAP if i else 0
            offsets.append(x)
        blocks: list[tuple[float, float, int]] = []
        for box, offset, place in zip(row, offsets, wanted):
            weight, count = self.weights[box], 1
            total = (place - offset) * weight
            while blocks and blocks[-1][0] * weight > total * blocks[-1][1]:
                more, heavy, number = blocks.pop()
                total, weight, count = total + more, weight + heavy, count + number
            blocks.append((total, weight, count))
        shifts = [total / weight for total, weight, count in blocks for _ in range(count)]
        return [shift + offset for shift, offset in zip(shifts, offsets)]


def place_row(row: Sequence[int], place: list[float]) -> None:
    """Store the relative position of each box in its row, from 0 to 1."""
    for i, box in enumerate(row):
        place[box] = (i + 0.5) / len(row)
