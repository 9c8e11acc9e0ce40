"""Element types, numbered as ``onnx.TensorProto.DataType`` numbers them."""

from __future__ import annotations

import enum
import re
from typing import Any, TypeAlias

import numpy as np


class DType(enum.IntEnum):
    """An element type; the value is ONNX's own number for it.

    As text it is its long spelling, such as ``float32``, and ``np.dtype`` accepts it, see ``dtype``.
    """

    UNDEFINED = 0
    FLOAT = 1
    UINT8 = 2
    INT8 = 3
    UINT16 = 4
    INT16 = 5
    INT32 = 6
    INT64 = 7
    STRING = 8
    BOOL = 9
    FLOAT16 = 10
    DOUBLE = 11
    UINT32 = 12
    UINT64 = 13
    COMPLEX64 = 14
    COMPLEX128 = 15
    BFLOAT16 = 16
    FLOAT8E4M3FN = 17
    FLOAT8E4M3FNUZ = 18
    FLOAT8E5M2 = 19
    FLOAT8E5M2FNUZ = 20
    UINT4 = 21
    INT4 = 22
    FLOAT4E2M1 = 23
    FLOAT8E8M0 = 24
    UINT2 = 25
    INT2 = 26
    FLOAT6E2M3 = 27
    FLOAT6E3M2 = 28

    def __str__(self) -> str:
        return self.spelled

    def __format__(self, spec: str) -> str:
        return format(self.spelled, spec)

    @property
    def text(self) -> str:
        """The short spelling that listings use, such as ``f32`` or ``i64``."""
        return _SHORT[self]

    @property
    def spelled(self) -> str:
        """The long spelling that JSON and numpy use, such as ``float32``."""
        return _LONG[self]

    @property
    def onnx(self) -> str:
        """The spelling inside ONNX's type strings: ``float`` in ``tensor(float)``."""
        return self.name.lower()

    @property
    def is_integer(self) -> bool:
        return self in _INTEGERS

    @property
    def is_float(self) -> bool:
        return self in _FLOATS

    @property
    def bits(self) -> int:
        """How wide one element is; 0 for strings, which have no width, and for UNDEFINED."""
        return _BITS[self]

    def numpy(self) -> np.dtype[np.generic] | None:
        """The numpy type with the same values, None where numpy itself has none."""
        return _NUMPY.get(self)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The numpy type of arrays of it, which ``np.dtype`` reads here: numpy's own, else that of ml_dtypes.

        It is the type that onnx uses, so that of strings is ``object``. Raises TypeError where there is none.
        """
        own = np.dtype(object) if self is DType.STRING else _NUMPY.get(self)
        return _extension_type(self) if own is None else own


DTypeLike: TypeAlias = "DType | int | str | type | np.dtype[np.generic]"

_LONG: dict[DType, str] = {
    **{d: d.name.lower() for d in DType},
    DType.FLOAT: "float32",
    DType.DOUBLE: "float64",
    DType.FLOAT8E4M3FN: "float8_e4m3fn",
    DType.FLOAT8E4M3FNUZ: "float8_e4m3fnuz",
    DType.FLOAT8E5M2: "float8_e5m2",
    DType.FLOAT8E5M2FNUZ: "float8_e5m2fnuz",
    DType.FLOAT4E2M1: "float4_e2m1",
    DType.FLOAT8E8M0: "float8_e8m0",
    DType.FLOAT6E2M3: "float6_e2m3",
    DType.FLOAT6E3M2: "float6_e3m2",
}
_SHORT: dict[DType, str] = {
    d: long.replace("bfloat", "bf")
    .replace("float", "f")
    .replace("uint", "u")
    .replace("int", "i")
    .replace("complex", "c")
    for d, long in _LONG.items()
} | {DType.UNDEFINED: "?", DType.STRING: "str"}
_BITS = {d: int(found[0]) if (found := re.search(r"[0-9]+", long)) else 0 for d, long in _LONG.items()} | {
    DType.BOOL: 8
}
_INTEGERS = frozenset(d for d in DType if d.name.startswith(("INT", "UINT")))
_FLOATS = frozenset(d for d in DType if d.name.startswith(("FLOAT", "DOUBLE", "BFLOAT")))
_NUMPY: dict[DType, np.dtype[np.generic]] = {
    d: np.dtype(_LONG[d])
    for d in DType
    if d in (DType.FLOAT, DType.DOUBLE, DType.FLOAT16, DType.BOOL, DType.COMPLEX64, DType.COMPLEX128)
    or (d in _INTEGERS and d.name.endswith(("8", "16", "32", "64")))
}
_EXTENSIONS = {
    DType.FLOAT4E2M1: "float4_e2m1fn",
    DType.FLOAT8E8M0: "float8_e8m0fnu",
    DType.FLOAT6E2M3: "float6_e2m3fn",
    DType.FLOAT6E3M2: "float6_e3m2fn",
}
"""What ml_dtypes calls the types that it has under another name."""
_BY_NAME: dict[str, DType] = {
    **{name: d for d in DType if d for name in (d.name.lower(), _LONG[d], _SHORT[d], d.name)},
    **{name: d for d, name in _EXTENSIONS.items()},
    "object": DType.STRING,
}


def _extension_type(dtype: DType) -> np.dtype[Any]:
    """Return the type that ml_dtypes adds to numpy. Raises TypeError where it does not."""
    if dtype is DType.UNDEFINED:
        raise TypeError("an unknown element type has no numpy type")
    try:
        import ml_dtypes
    except ImportError:
        raise TypeError(f"numpy has no {dtype}; the package ml_dtypes adds it") from None
    found = getattr(ml_dtypes, _EXTENSIONS.get(dtype, dtype.spelled), None)
    if found is None:
        raise TypeError(f"neither numpy nor ml_dtypes {ml_dtypes.__version__} has {dtype}")
    named: np.dtype[Any] = np.dtype(found)
    return named


def dtype_of(like: DTypeLike) -> DType:
    """Read an element type from a DType, ONNX's number, a name or a numpy type.

    Raises ValueError, which lists the accepted names, for anything else.
    """
    if isinstance(like, DType):
        return like
    if isinstance(like, int):
        try:
            return DType(like)
        except ValueError:
            raise ValueError(f"{like} is not an element type number of ONNX") from None
    name = like if isinstance(like, str) else _numpy_name(np.dtype(like))
    found = _BY_NAME.get(name)
    if found is None:
        known = ", ".join(sorted(_LONG[d] for d in DType if d is not DType.UNDEFINED))
        raise ValueError(f"{name!r} is not an element type; known ones: {known}")
    return found


def _numpy_name(like: np.dtype[np.generic]) -> str:
    """The name of a numpy type, without the width of text types (``str224``)."""
    return "string" if like.kind in "UT" else like.name
