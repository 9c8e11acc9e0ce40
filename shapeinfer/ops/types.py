"""Between facts and ONNX's type strings such as ``seq(tensor(float))``."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Any

from shapeinfer.facts import (
    UNKNOWN,
    DType,
    Fact,
    MapType,
    OptionalType,
    SequenceType,
    SparseTensor,
    Tensor,
    complete,
    tensor,
)
from shapeinfer.ops.signature import Signature

_TENSORS = {d: f"tensor({d.onnx})" for d in DType}


def type_string(fact: Fact) -> str | None:
    """Return ONNX's type string of a fact, None where a part of it is not known."""
    if isinstance(fact, Tensor):
        return _TENSORS[fact.dtype] if fact.dtype else None
    if isinstance(fact, SparseTensor):
        return f"sparse_tensor({fact.dtype.onnx})" if fact.dtype else None
    if isinstance(fact, MapType):
        # ONNX writes the values' element type bare: map(int64, float).
        inner = fact.value.dtype.onnx if isinstance(fact.value, Tensor) else type_string(fact.value)
        return f"map({fact.key.onnx}, {inner})" if inner and inner != "undefined" and fact.key else None
    if isinstance(fact, (SequenceType, OptionalType)):
        inner = type_string(fact.element)
        return f"{'seq' if isinstance(fact, SequenceType) else 'optional'}({inner})" if inner else None
    return None


@functools.cache
def fact_of(type_text: str) -> Fact:
    """Return the fact of a type string; UNKNOWN for an unsupported one."""
    found = re.fullmatch(r"\s*(\w+)\((.*)\)\s*", type_text)
    if found is None:
        return UNKNOWN
    kind, inner = found[1], found[2].strip()
    if kind in ("tensor", "sparse_tensor"):
        dtype = DType.__members__.get(inner.upper(), DType.UNDEFINED)
        return tensor(dtype, None) if kind == "tensor" else SparseTensor(dtype)
    if kind in ("seq", "optional"):
        return SequenceType(fact_of(inner)) if kind == "seq" else OptionalType(fact_of(inner))
    if kind == "map":
        key, _, value = inner.partition(",")
        scalar = DType.__members__.get(value.strip().upper())
        of = fact_of(value) if scalar is None else tensor(scalar, ())
        return MapType(DType.__members__.get(key.strip().upper(), DType.UNDEFINED), of)
    return UNKNOWN


def readable_type(type_text: str) -> str:
    """Return a type string as a person reads it: ``float32`` for ``tensor(float)``."""
    fact = fact_of(type_text)
    return fact.dtype.spelled if isinstance(fact, Tensor) else type_text


def output_fact(s: Signature, bound: Mapping[str, str], index: int, result: Any) -> Fact:
    """Return an output of a rule with the schema's element type, or the rule's own where the schema leaves it open."""
    known = _declared_output(s, bound, index)
    if isinstance(result, tuple):
        result = tensor(DType.UNDEFINED, result)
    if result is None:
        return known
    if isinstance(result, Tensor) and isinstance(known, Tensor) and known.dtype and result.dtype is not known.dtype:
        return tensor(known.dtype, result.shape, result.value)
    return complete(result, known)


def _declared_output(s: Signature, bound: Mapping[str, str], index: int) -> Fact:
    if not s.outputs:
        return UNKNOWN
    formal = s.output(index)
    if formal.type in s.variables:
        chosen = bound.get(formal.type) if formal.homogeneous else None
        allowed = s.variables[formal.type]
        if chosen is None and len(allowed) == 1:
            (chosen,) = allowed
        if chosen is None:
            return tensor(DType.UNDEFINED, None) if all(t.startswith("tensor(") for t in allowed) else UNKNOWN
        return fact_of(chosen)
    return fact_of(formal.type)
