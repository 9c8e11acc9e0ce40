"""Every model of the lists is found to be wrong as it is said there, in no other way, and right once it is mended."""

from __future__ import annotations

import pytest

from shapeinfer.diagnostics.codes import Severity
from tests.bad.cases import FOLDER, Bad, read, said

THEMES = sorted(path.stem for path in FOLDER.glob("*.txt"))
CASES = [pytest.param(case, id=f"{theme}: {case.title}") for theme in THEMES for case in read(theme)]
MENDABLE = [p for p in CASES if isinstance(p.values[0], Bad) and p.values[0].edits]


@pytest.mark.parametrize("case", CASES)
def test_what_is_wrong_is_found_at_its_place_and_nothing_else(case: Bad) -> None:
    assert said(case.model(), case.severity) == [case.fault]


@pytest.mark.parametrize("case", MENDABLE)
def test_nothing_is_found_once_it_is_mended(case: Bad) -> None:
    assert said(case.mended(), case.severity if case.severity is Severity.NOTE else Severity.WARNING) == []


def test_the_lists_are_long_and_name_each_case_once() -> None:
    names = [p.id for p in CASES]
    assert len(set(names)) == len(names) > 300
