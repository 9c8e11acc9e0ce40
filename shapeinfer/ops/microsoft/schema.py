"""How this domain's operators are declared: its name and the sets of element types that recur."""

from __future__ import annotations

import functools

from shapeinfer.ops.signature import declare

DOMAIN = "com.microsoft"

contrib = functools.partial(declare, domain=DOMAIN)

FLOATS = "float float16 bfloat16"
ALL_FLOATS = f"{FLOATS} double"
HALF_OR_SINGLE = "float float16"
UP_TO_DOUBLE = "float float16 double"
BYTES = "int8 uint8"
ANY = "uint8 uint16 uint32 uint64 int8 int16 int32 int64 float16 float double string bool complex64 complex128"
ANY_WITH_BFLOAT16 = f"{ANY} bfloat16"
SPARSE = " ".join(f"sparse_tensor({t})" for t in ("float", "double", "int64", "int32", "uint64", "uint32"))
_NUMBERS = ANY_WITH_BFLOAT16.replace("string ", "")
MOVABLE = f"{_NUMBERS} float8e4m3fn float8e4m3fnuz float8e5m2 float8e5m2fnuz " + " ".join(
    f"seq(tensor({t}))" for t in _NUMBERS.split()
)
