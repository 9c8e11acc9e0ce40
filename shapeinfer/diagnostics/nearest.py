"""Did you mean: the known name that is nearest to one that is not known."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import islice

FEW = 60
"""So many names are compared in every way; of more only those that begin and end alike."""

MOST = 20_000
"""No more names are looked at."""

LONGEST = 120
"""Longer names are not compared."""


def did_you_mean(word: str, known: Collection[str], count: int = 1) -> str:
    """Return ``; did you mean NAME?`` with the nearest names, at most ``count``; empty where none is near."""
    near = nearest(word, known, count)
    return f"; did you mean {' or '.join(near)}?" if near else ""


def nearest(word: str, known: Collection[str], count: int = 1) -> list[str]:
    """Return the known names that are nearest to a word, the nearest first; none where none is near."""
    if len(word) > LONGEST:
        return []
    likely = list(known) if len(known) <= FEW else _alike(word, islice(known, MOST))
    if not likely:
        return []
    from difflib import get_close_matches

    return get_close_matches(word, [n for n in likely if n and len(n) <= LONGEST][:FEW], count, 0.7)


def _alike(word: str, known: Iterable[str]) -> list[str]:
    """Return names of about the same length of which all but a few letters in one place are the same."""
    return [n for n in known if abs(len(n) - len(word)) <= 2 and _shared(word, n) >= max(len(word), len(n)) - 3]


def _shared(a: str, b: str) -> int:
    """Return how many letters two words have in common before and after the place where they differ."""
    least = min(len(a), len(b))
    start = next((i for i in range(least) if a[i] != b[i]), least)
    end = next((i for i in range(least - start) if a[-1 - i] != b[-1 - i]), least - start)
    return start + end
