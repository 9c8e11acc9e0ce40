"""Every hint is what PyTorch computes at that line, and nearly every line that computes a tensor has one.

``export.py`` made ``exported.zip``: eleven programs as torch exported them, and what their statements held at two
sizes when PyTorch ran them; and two programs whose lines are hard to follow, which may have fewer hints.
"""

from __future__ import annotations

import json
import zipfile

import pytest

from tests.hints.compare import Compared, summary
from tests.hints.export import FOLDER, KEPT, NETS, TRAPS


def compared(name: str) -> Compared:
    with zipfile.ZipFile(KEPT) as kept:
        model, runs = kept.read(f"{name}.onnx"), json.loads(kept.read(f"{name}.json"))
    file = f"{name}.py"
    return summary(name, model, runs, {file: (FOLDER / file).read_bytes()})


@pytest.mark.parametrize("name", NETS)
def test_hints_are_what_the_program_computes(name: str) -> None:
    found = compared(name)
    assert found.wrong == ()
    assert found.share > 0.85, found.without


@pytest.mark.parametrize("name", TRAPS)
def test_no_hint_is_wrong_where_a_program_is_hard_to_follow(name: str) -> None:
    assert compared(name).wrong == ()
