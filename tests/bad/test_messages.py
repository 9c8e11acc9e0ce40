"""The wording of every finding is reviewed: a change of it shows in the golden file."""

from __future__ import annotations

from tests.bad.messages import GOLDEN, rendered


def test_messages_read_as_they_were_reviewed() -> None:
    assert rendered().splitlines() == GOLDEN.read_text(encoding="utf-8").splitlines()
