"""Fixtures for all tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import Shell


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A shell in an empty directory, without colours in its environment."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    return Shell(tmp_path, capsys, monkeypatch)
