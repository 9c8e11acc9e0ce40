"""Where recorded lines stand in a program that was edited since."""

from __future__ import annotations

import pytest

from shapeinfer.report.source_hints.moved import lines_in_program, moved_lines


def moved(before: str, after: str) -> str:
    """Where each word of a program, a line each, stands in another one: numbers from 1, - for what is not found."""
    found = moved_lines(dict(enumerate(before.split(), 1)), after.split())
    return " ".join(str(found.get(line, "-")) for line in range(1, len(before.split()) + 1))


@pytest.mark.parametrize(
    ("before", "after", "places"),
    [
        ("a b c", "a b c", "1 2 3"),
        ("a b c", "new a b other c", "2 3 5"),
        ("a b c", "a c", "1 - 2"),
        ("a b c", "a x c", "1 - 3"),
        ("a b c", "", "- - -"),
        # relu stands twice, each time between lines that tell which one it is
        ("a relu b relu c", "new a relu b relu c", "2 3 4 5 6"),
        ("a relu b relu c", "new relu a b relu c", "3 - 4 5 6"),
        # one of two equal lines is gone, and which one is unknown
        ("relu relu", "relu", "- -"),
        ("a relu relu b", "new a relu b", "2 - - 4"),
        ("relu relu", "new relu relu", "2 3"),
        # a line was copied
        ("a relu b", "a relu relu b", "1 - 4"),
        # what changed places: the most that kept their order
        ("a b c d", "d a b c", "2 3 4 -"),
        ("a b a b", "a b a b new", "1 2 3 4"),
    ],
)
def test_lines_are_found_as_far_as_that_is_certain(before: str, after: str, places: str) -> None:
    assert moved(before, after) == places


def test_only_lines_that_were_recorded_are_looked_for() -> None:
    assert moved_lines({2: "a", 5: "b", 7: ""}, ["", "a", "# a comment", "a = b", " b ", ""]) == {2: 2, 5: 5}


def test_they_are_in_order_and_equal_however_often_lines_repeat() -> None:
    words = [f"u{i}" if i % 9 == 0 else f"w{i * i % 7}" for i in range(60)]
    after = [*words[:20], "new", *words[25:50], *words[22:25]]
    found = moved_lines(dict(enumerate(words, 1)), after)
    assert found
    assert all(words[line - 1] == after[now - 1] for line, now in found.items())
    assert sorted(found.values()) == [found[line] for line in sorted(found)]


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("a b c d", "a b c d", 4),
        ("a b c d", "new a b c", 3),
        ("a b c d e f g", "new a b c", 0),  # most are gone
        ("a b", "new a b", 0),  # two lines may be in any program
        ("a b", "a new", 1),  # unless they stand where they did
    ],
)
def test_a_program_is_known_by_most_of_its_lines(before: str, after: str, found: int) -> None:
    assert len(lines_in_program(dict(enumerate(before.split(), 1)), after.split())) == found
