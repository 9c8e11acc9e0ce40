"""Where the lines that an exporter recorded stand in a program that was edited since.

A program is only known by the lines that were recorded of it. One that occurs once, before and now, is found by its
text, as patience diff does; those between two that were found are looked for between them. Of equal lines each is found
where there are as many as there were, in their order, else none is: to take one for another would show wrong types.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from attrs import evolve

from shapeinfer.graph.program import Operation

DEEPEST = 16
"""So often what lies between lines is looked at again, which bounds the time that a hostile model takes."""

FEW = 3
"""Fewer lines that stand elsewhere are no sign that a program was edited: other programs have such lines as well."""

Line: TypeAlias = "tuple[int, str]"


def lines_in_program(recorded: Mapping[int, str], lines: Sequence[str]) -> dict[int, int]:
    """Return where the recorded lines of a program stand now, none if this is another program.

    Of the program most lines are there, and several of them if any moved.
    """
    found = moved_lines(recorded, lines)
    if len(found) < FEW:
        found = {line: now for line, now in found.items() if line == now}
    known = sum(1 for code in recorded.values() if code)
    return found if 2 * len(found) >= known else {}


def moved_lines(recorded: Mapping[int, str], lines: Sequence[str]) -> dict[int, int]:
    """Return where recorded lines stand now, both counted from 1; lines that changed are left out."""
    now = [(number, line.strip()) for number, line in enumerate(lines, 1)]
    before = sorted(line for line in recorded.items() if line[1])
    if all(number <= len(now) and now[number - 1][1] == code for number, code in before):
        return {number: number for number, _ in before}
    found: dict[int, int] = {}
    gaps = [(before, now)]
    for _ in range(DEEPEST):
        gaps = [gap for before, after in gaps for gap in _matched(before, after, found)]
    return found


def relocated(operation: Operation, file: str, moved: Mapping[int, int]) -> Operation:
    """Return an operation with the lines of a file where they stand now; each that changed has a number below 0."""
    stack = tuple(evolve(f, line=moved.get(f.line, -f.line)) if f.file == file else f for f in operation.stack)
    return evolve(operation, stack=stack)


def _matched(
    before: Sequence[Line], after: Sequence[Line], found: dict[int, int]
) -> list[tuple[list[Line], list[Line]]]:
    """Match the lines of a gap, as far as that is certain, and return the gaps that are left between them."""
    places, places_now = _by_text(before), _by_text(after)
    alike = [code for code, here in places.items() if len(here) == len(places_now.get(code, ()))]
    once = [code for code in alike if len(places[code]) == 1]
    pairs = sorted(pair for code in once or alike for pair in zip(places[code], places_now[code]))
    kept = _increasing(pairs)
    found.update((before[i][0], after[k][0]) for i, k in kept)
    ends = [(-1, -1), *kept, (len(before), len(after))]
    gaps = [([*before[i + 1 : j]], [*after[k + 1 : m]]) for (i, k), (j, m) in pairwise(ends)]
    return [gap for gap in gaps if all(gap)] if kept else []


def _by_text(lines: Iterable[Line]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for index, (_, code) in enumerate(lines):
        places.setdefault(code, []).append(index)
    return places


def _increasing(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest choice of pairs, sorted by their first, whose second ones increase too."""
    ends: list[int] = []
    """Of the choices of each length the least place that one ends at, and the pair there."""
    last: list[int] = []
    previous: list[int] = []
    for index, (_, place) in enumerate(pairs):
        length = bisect_left(ends, place)
        if length == len(ends):
            ends.append(place)
            last.append(index)
        ends[length], last[length] = place, index
        previous.append(last[length - 1] if length else -1)
    chosen: list[tuple[int, int]] = []
    at = last[-1] if last else -1
    while at >= 0:
        chosen.append(pairs[at])
        at = previous[at]
    return chosen[::-1]
