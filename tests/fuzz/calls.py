"""Calls of every version of every operator, with inputs and attributes of types that it takes, as bytes choose."""

from __future__ import annotations

import functools
import math
from typing import Any, get_args

import onnx.defs

from shapeinfer.dims import Size, parse
from shapeinfer.facts import (
    MAX_CONTENTS,
    OPENVINO,
    UNKNOWN,
    DType,
    Element,
    Fact,
    Profile,
    SequenceType,
    Tensor,
    tensor,
)
from shapeinfer.graph import Attributes, AttributeType, Call
from shapeinfer.ops.limits import within_limits
from shapeinfer.ops.signature import Signature, declared, signature
from shapeinfer.ops.types import fact_of
from tests.fuzz.choices import NUMBERS, Choices

A = AttributeType
FEW = 24
"""Tensors of at most so many entries may have known ones."""
WORDS = ("SAME_UPPER", "VALID", "ij,jk->ik", "...i->i", "linear", "cubic", "constant", "edge", "reflect", "wrap", "max")
LENGTHS: tuple[Size, ...] = (
    *(2, 3, 1, 4, 8, 0, 6, 5, 16, 2**31, 2**62, 2**63 - 1),
    *(parse(text) for text in ("N", "M", "N", "N + 1", "2*N", "N*M", "(N + 1)//2", "max(N, M)", "M - 1")),
)
ENTRIES = (0, 1, 2, 3, -1, 4, -2, 5, 8, *NUMBERS)


@functools.cache
def signatures() -> tuple[Signature, ...]:
    """Every version of every operator that somebody describes."""
    standard = {(s.domain, s.name, s.since_version) for s in onnx.defs.get_all_schemas_with_history()}
    known = [signature(*key) for key in sorted((d, n, v) for d, n, v in standard)]
    own = sorted(declared(), key=lambda s: (s.domain, s.name, s.since))
    return (*(s for s in known if s is not None), *own)


def called(data: bytes) -> tuple[Call, list[Fact | None]]:
    """Return the call that bytes choose, and the facts of its inputs."""
    return chosen(Choices(data))


def chosen(c: Choices) -> tuple[Call, list[Fact | None]]:
    """Do the same with choices of which more may be made."""
    s = c.of(signatures())
    most = min(s.max_input, s.min_input + 4)
    facts: list[Fact | None] = []
    for i in range(c.of(range(s.min_input, most + 1))):
        formal = s.input(i) if s.inputs else None
        optional = formal is not None and formal.kind == "optional"
        kinds = sorted(s.allowed(formal)) if formal is not None and formal.type else []
        facts.append(None if optional and c.of((False, True)) else _fact(c, kinds, facts))
    values, types = {}, {}
    for name, formal_attribute in sorted(s.attributes.items()):
        if formal_attribute.required or c.of((False, True)):
            value = _value(c, formal_attribute.type)
            if value is not None:
                values[name], types[name] = value, formal_attribute.type
    outputs = c.of(range(max(s.min_output, 1), min(s.max_output, s.min_output + 3) + 1)) if s.max_output else 0
    profile: Profile = c.of(get_args(Profile)) if s.domain == OPENVINO else "spec"
    return Call(s.name, s.domain, s.since, Attributes(values, types), (True,) * outputs, profile), facts


def _fact(c: Choices, kinds: list[str], before: list[Fact | None]) -> Fact:
    """A value of one of some kinds, rather of one that an input before it has, and often of its shape."""
    same = [f for f in before if isinstance(f, Tensor) and f"tensor({f.dtype.onnx})" in kinds]
    again = [f.dtype for f in same]
    if c.of((True, False)) and again:
        dtype = c.of(again)
    elif kinds:
        kind = c.of(kinds)
        dtype = DType.__members__.get(kind.removeprefix("tensor(").removesuffix(")").upper(), DType.UNDEFINED)
        if not kind.startswith("tensor("):
            return SequenceType(_tensor(c, DType.FLOAT, ())) if kind == "seq(tensor(float))" else fact_of(kind)
    else:
        dtype = c.of((DType.FLOAT, DType.INT64, DType.BOOL))
    shapes = [f.shape for f in before if isinstance(f, Tensor) and f.shape is not None]
    return _tensor(c, dtype, tuple(shapes))


def _tensor(c: Choices, dtype: DType, shapes: tuple[tuple[Size, ...], ...]) -> Fact:
    kind = c.of(("own", "own", "same", "rank", "none", "all"))
    if kind == "none":
        return tensor(dtype, None)
    if kind == "all":
        return UNKNOWN
    if shapes and kind != "own":
        shape = list(c.of(shapes))
        if kind == "rank":
            shape = [c.of((d, 1, *LENGTHS)) for d in shape]
    else:
        shape = [c.of(LENGTHS) for _ in range(c.of((1, 2, 3, 4, 0, 5, 6)))]
    numbers = [d for d in shape if isinstance(d, int)]
    count = math.prod(numbers)
    value = None
    if len(numbers) == len(shape) and count <= FEW and max(numbers, default=0) <= MAX_CONTENTS and c.of((True, False)):
        value = tuple(_entry(c, dtype) for _ in range(count))
    return within_limits(tensor(dtype, tuple(shape), value))  # no rule gives an entry that its type does not hold


def _entry(c: Choices, dtype: DType) -> Element:
    if dtype is DType.STRING:
        return c.of(("a", "b c", ""))
    if dtype is DType.BOOL:
        return c.of((True, False))
    if dtype.is_float:
        return c.of((1.0, 0.0, 2.0, 0.5, -1.0, 1e30, math.inf, math.nan))
    return c.of((*ENTRIES, None, *LENGTHS))


def _value(c: Choices, kind: AttributeType) -> Any:
    """A value of an attribute; None for a kind that is no plain value."""
    if kind in (A.INTS, A.FLOATS, A.STRINGS):
        item = {A.INTS: A.INT, A.FLOATS: A.FLOAT, A.STRINGS: A.STRING}[kind]
        return tuple(_value(c, item) for _ in range(c.of((1, 2, 3, 4, 0, 5, 6, 8))))
    if kind is A.ELEMENT_TYPE:
        return c.of(tuple(DType))
    choices: dict[AttributeType, tuple[Any, ...]] = {
        A.INT: ENTRIES,
        A.BOOL: (True, False),
        A.FLOAT: (1.0, 0.0, 2.0, 0.5, -1.0, 1e30, math.inf, math.nan),
        A.STRING: WORDS,
    }
    return c.of(choices[kind]) if kind in choices else None
