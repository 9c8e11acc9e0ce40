"""Every format, to the letter: ``python -m tests.golden write`` rewrites the files after a change that is meant."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from shapeinfer.report import FORMATS
from shapeinfer.report.contract_formats import CONTRACT_FORMATS
from tests.golden import FOLDER, rendered

ROOT = Path(__file__).parents[2]
RENDERED = rendered()


@pytest.mark.parametrize("file", RENDERED)
def test_a_format_is_as_it_was(file: str) -> None:
    assert RENDERED[file] == (FOLDER / file).read_text(encoding="utf-8")


def test_every_format_has_a_file_and_every_file_a_format() -> None:
    assert sorted(RENDERED) == sorted(path.name for path in FOLDER.iterdir())
    assert len(RENDERED) == len(FORMATS) + len(CONTRACT_FORMATS)


@pytest.mark.parametrize("seed", ["0", "1"])
def test_the_hash_seed_changes_nothing(seed: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "tests.golden"],
        cwd=ROOT,
        env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    assert ended.stdout == "".join(f"== {file}\n{text}" for file, text in RENDERED.items())
