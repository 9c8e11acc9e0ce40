"""Matches the lines that an exporter recorded with those of a program that was edited since.

Only the recorded lines of the old program are known. A line that is unique in both is matched by its text, as in
patience diff; the gaps between matched lines are matched in turn. Equal lines in a gap are matched in order if their
number is unchanged, otherwise not at all: a wrong match would show wrong types.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from attrs import evolve

from shapeinfer.graph.program import Operation

DEEPEST = 16
"""The most rounds in which gaps are matched; bounds the time that a hostile model takes."""

FEW = 3
"""If fewer lines match, moved ones do not count: any other program has a few such lines too."""

Line: TypeAlias = "tuple[int, str]"


def lines_in_program(recorded: Mapping[int, str], lines: Sequence[str]) -> dict[int, int]:
    """Return the current numbers of the recorded lines, empty if this is another program.

    It is the same program if at least half of the lines match, and at least ``FEW`` if any moved.
    """
    found = moved_lines(recorded, lines)
    if len(found) < FEW:
        found = {line: now for line, now in found.items() if line == now}
    known = sum(1 for code in recorded.values() if code)
    return found if 2 * len(found) >= known else {}


def moved_lines(recorded: Mapping[int, str], lines: Sequence[str]) -> dict[int, int]:
    """Return the current numbers of recorded lines, counted from 1; changed lines are missing."""
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
    """Return an operation with the current line numbers of a file; changed lines get negative numbers."""
    stack = tuple(evolve(f, line=moved.get(f.line, -f.line)) if f.file == file else f for f in operation.stack)
    return evolve(operation, stack=stack)


def unedited_lines(recorded: Sequence[int], moved: Mapping[int, int], count: int) -> frozenset[int]:
    """Return those of ``count`` lines without a sign that they are new or edited.

    They are the matched lines, those between two that are as far apart as before, those before the first recorded line
    if it did not move, and those after the last if it is matched.
    """
    if not recorded:
        return frozenset(range(1, count + 1))
    found = set(moved.values())
    if moved.get(recorded[0]) == recorded[0]:
        found.update(range(1, recorded[0]))
    if recorded[-1] in moved:
        found.update(range(moved[recorded[-1]] + 1, count + 1))
    for first, last in pairwise(recorded):
        if first in moved and moved.get(last) == moved[first] + last - first:
            found.update(range(moved[first] + 1, moved[last]))
    return frozenset(found)


def edited_lines(recorded: Sequence[int], moved: Mapping[int, int]) -> frozenset[int]:
    """Return the lines from one matched line to the next wherever an edit shows between them, those two included.

    An edit shows where a recorded line is missing, or where two are farther apart or closer than before.
    """
    matched = [line for line in recorded if line in moved]
    place = {line: i for i, line in enumerate(recorded)}
    found: set[int] = set()
    for first, last in pairwise(matched):
        if place[last] - place[first] > 1 or moved[last] - moved[first] != last - first:
            found.update(range(moved[first], moved[last] + 1))
    return frozenset(found)


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
    """Return a longest subsequence of pairs, sorted by their first items, whose second items increase."""
    ends: list[int] = []
    """For each length of a subsequence the least last item, and its pair."""
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
