"""Every kind of hostile file ends soon, with the fault that is its own, and what is so is still known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shapeinfer import check
from shapeinfer.report import text
from tests.effort import within
from tests.hostile.classes import KINDS, Hostile
from tests.models import faults, texts

CALLS = 3_000_000
"""What each is done within: some seconds at most."""


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_hostile_file_ends_with_its_fault(kind: Hostile, tmp_path: Path) -> None:
    path = kind.make(tmp_path)
    with within(CALLS):
        report = check(path)
        _ = list(report.contract)
        told = "".join(text.render([("m", report)], several=False))
    assert json.dumps(report.to_dict())  # of numbers that Python writes
    assert tuple(faults(report)) == kind.faults
    assert not {"\x1b", "\r", "\u202e"} & set(told)
    if kind.value is not None:
        name, wanted = kind.value
        assert texts(report)[name] == wanted
