"""The constants of an IR: a few bytes of the .bin are read where a small tensor may steer shapes, never more."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from shapeinfer import regular
from shapeinfer.facts import MAX_CONTENTS, Contents, DType, Shape
from shapeinfer.frontends.files import is_pointer

FEW = 64
"""Entries of types that seldom steer shapes are read only up to this number."""
_STEERING = frozenset({DType.INT64, DType.INT32, DType.BOOL})
_BITS = {"i4": 4, "u4": 4, "nf4": 4, "f4e2m1": 4, "f8e4m3": 8, "f8e5m2": 8, "f8e8m0": 8, "bf16": 16, "u1": 1, "u2": 2}
"""Widths of the element types that numpy lacks."""


class Weights:
    """The file of a model's constants, open while in a ``with``.

    ``problem`` is why it cannot be read, if so; then no constant is known.
    """

    def __init__(self, path: Path | None) -> None:
        self.problem = ""
        self.size: int | None = None
        """How many bytes there are, None where that is not known."""
        self.name = "the .bin file" if path is None else path.name
        self._file: BinaryIO | None = None
        if path is None:
            self.problem = "a model that is not read from a file has no .bin file beside it"
        else:
            self._open(path)

    def _open(self, path: Path) -> None:
        try:
            file = regular.opened(path)
        except FileNotFoundError:
            self.problem = f"{path.name} is missing"
            return
        except OSError as error:
            self.problem = f"{path.name} cannot be read: {error.strerror or error}"
            return
        if is_pointer(file.read(64)):
            self.problem = f"{path.name} is a Git LFS pointer; run git lfs pull"
            file.close()
            return
        self._file, self.size = file, os.fstat(file.fileno()).st_size

    def __enter__(self) -> Weights:
        return self

    def __exit__(self, *_raised: object) -> None:
        if self._file is not None:
            self._file.close()

    def entries(self, offset: int, size: int, dtype: DType, shape: Shape) -> Contents | None:
        """Return the entries of a constant that lies inside the file, None where they are many or not of use."""
        count = 1
        for d in shape:
            assert isinstance(d, int), "a constant's lengths are numbers"
            count *= d
        width = 2 if dtype is DType.BFLOAT16 else _width(dtype)
        if self._file is None or not width or count > (MAX_CONTENTS if dtype in _STEERING else FEW):
            return None
        self._file.seek(offset)
        raw = self._file.read(size)
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
