"""The constants of an IR: a few bytes of the .bin are read where a small tensor may steer shapes, never more."""

from __future__ import annotations

import mmap
from pathlib import Path
from typing import Any

import numpy as np

from shapeinfer.facts import MAX_CONTENTS, Contents, DType, Shape
from shapeinfer.frontends.files import is_pointer

FEW = 64
"""Entries of types that seldom steer shapes are read only up to this number."""
_STEERING = frozenset({DType.INT64, DType.INT32, DType.BOOL})
_BITS = {"i4": 4, "u4": 4, "nf4": 4, "f4e2m1": 4, "f8e4m3": 8, "f8e5m2": 8, "f8e8m0": 8, "bf16": 16, "u1": 1, "u2": 2}
"""Widths of the element types that numpy lacks."""


class Weights:
    """The file of a model's constants. ``problem`` says why it cannot be read, if so; then no constant is known."""

    def __init__(self, path: Path | None) -> None:
        self.problem = ""
        self._data: mmap.mmap | bytes | None = None
        self.name = "the .bin file" if path is None else path.name
        if path is None:
            self.problem = "a model that is not read from a file has no .bin file beside it"
            return
        try:
            with path.open("rb") as file:
                empty = path.stat().st_size == 0
                self._data = b"" if empty else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except FileNotFoundError:
            self.problem = f"there is no {path.name} beside it"
        except (OSError, ValueError) as error:
            self.problem = f"{path.name} cannot be read: {getattr(error, 'strerror', None) or error}"
        if self._data is not None and is_pointer(self._data[:64]):
            self._data, self.problem = None, f"{path.name} is a Git LFS pointer; run git lfs pull"

    @property
    def size(self) -> int | None:
        """How many bytes there are, None where that is not known."""
        return None if self._data is None else len(self._data)

    def entries(self, offset: int, size: int, dtype: DType, shape: Shape) -> Contents | None:
        """Return the entries of a constant that lies inside the file, None where they are many or not of use."""
        count = 1
        for d in shape:
            assert isinstance(d, int), "a constant's lengths are numbers"
            count *= d
        width = 2 if dtype is DType.BFLOAT16 else _width(dtype)
        if self._data is None or not width or count > (MAX_CONTENTS if dtype in _STEERING else FEW):
            return None
        raw = self._data[offset : offset + size]
        return tuple(_numbers(raw, dtype).tolist()) if len(raw) == count * width else None


def _width(dtype: DType) -> int:
    kind = dtype.numpy()
    return 0 if kind is None else kind.itemsize


def _numbers(raw: bytes, dtype: DType) -> Any:
    if dtype is DType.BFLOAT16:
        return (np.frombuffer(raw, "<u2").astype("<u4") << 16).view("<f4")
    kind = dtype.numpy()
    assert kind is not None, dtype
    return np.frombuffer(raw, kind.newbyteorder("<"))


def bytes_needed(element_type: str, dtype: DType, shape: Shape) -> int | None:
    """Return how many bytes a constant takes, None where it is not known how entries are packed."""
    bits = _BITS.get(element_type) or 8 * _width(dtype)
    count = 1
    for d in shape:
        assert isinstance(d, int), "a constant's lengths are numbers"
        count *= d
    return -(-count * bits // 8) if bits else None
