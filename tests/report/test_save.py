"""Files are written a part at a time, whatever their pieces are."""

from __future__ import annotations

import mmap
from pathlib import Path

import pytest

from shapeinfer.report import save


@pytest.mark.parametrize("part", [1, 7, 4096, 1 << 20])
def test_what_is_written_is_what_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: int) -> None:
    monkeypatch.setattr(save, "PART", part)
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_bytes(bytes(range(256)) * 64)
    with source.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        with memoryview(data) as view, view[5:9000] as first, view[9000:] as rest:
            save.replace(str(target), [b"abc", first, b"", rest])
        assert target.read_bytes() == b"abc" + data[5:]
