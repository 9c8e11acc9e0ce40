"""How OpenVINO's operators are declared: the sets of element types that recur, and what their attributes choose.

An element type that is not known ("dynamic") goes with any other.
"""

from __future__ import annotations

import functools

from shapeinfer.diagnostics.codes import INVALID_ATTRIBUTE
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.facts import OPENVINO, DType
from shapeinfer.ops.context import Context
from shapeinfer.ops.signature import declare

DOMAIN = OPENVINO

operator = functools.partial(declare, domain=DOMAIN)
"""Declare one version of an operator, as ``declare`` does."""

FLOATS = "float float16 bfloat16 double float8e4m3fn float8e5m2 float4e2m1 float8e8m0"
INTEGERS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 int4 uint4 uint2"
NUMBERS = f"{FLOATS} {INTEGERS}"
ANY = f"{NUMBERS} bool string"
INDEX = "int32 int64"


def choice(ctx: Context, name: str, value: str, known: str) -> str:
    """Return what an attribute chooses among the words of ``known``, in lower case; another word is a fault."""
    word = value.lower()
    if word not in known.split():
        ctx.fail(
            INVALID_ATTRIBUTE,
            f"{name} is {value!r}; it must be one of {', '.join(known.split())}",
            detail=Detail(name, allowed=tuple(known.split())),
        )
    return word


def element_type(ctx: Context, name: str, dtype: DType, allowed: str) -> DType:
    """Return the element type that an attribute chooses; one that is not among ``allowed`` is a fault."""
    if dtype and dtype.onnx not in allowed.split():
        known = ", ".join(DType[t.upper()].spelled for t in allowed.split())
        ctx.fail(
            INVALID_ATTRIBUTE,
            f"{name} is {dtype.spelled}; it must be one of {known}",
            detail=Detail(name, allowed=tuple(known.split(", "))),
        )
    return dtype
