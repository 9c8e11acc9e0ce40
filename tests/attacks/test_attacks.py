"""Every attack that takes milliseconds is refused; ``python -m tests.attacks`` plays the others, too."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from tests.attacks.catalog import ATTACKS
from tests.attacks.scene import Attack, NotTried, Scene


@pytest.mark.skipif(os.name != "posix", reason="they are played on POSIX")
@pytest.mark.parametrize("attack", [a for a in ATTACKS if a.quick], ids=lambda a: a.name)
def test_it_is_refused(attack: Attack) -> None:
    # A short name: pytest's own folders bear that of the test, and lie in a folder with files of many others.
    with tempfile.TemporaryDirectory() as folder:
        try:
            assert attack.play(Scene(Path(folder).resolve(), in_process=True)) == ""
        except NotTried as why:
            pytest.skip(str(why))


def test_each_has_a_name_of_its_own_and_says_who_is_hostile() -> None:
    assert len({a.name for a in ATTACKS}) == len(ATTACKS)
    security = (Path(__file__).parents[2] / "SECURITY.md").read_text(encoding="utf-8").lower()
    assert [a.by for a in ATTACKS if f"**{a.by}**" not in security] == []
