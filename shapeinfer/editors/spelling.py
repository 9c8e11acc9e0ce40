"""Names and types as ONNX's text syntax writes them."""

from __future__ import annotations

import re

from shapeinfer.dims import Dim, Size, portable_text
from shapeinfer.facts import Fact, MapType, OptionalType, SequenceType, SparseTensor, Tensor

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def spelled(name: str) -> str:
    """Return a name as it is written, in quotes unless it is an identifier."""
    return name if _IDENTIFIER.fullmatch(name) else quoted(name)


def quoted(text: str) -> str:
    """Return a string as it is written."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def type_text(fact: Fact) -> str | None:
    """Return a fact in type syntax, None if too little is known."""
    if isinstance(fact, Tensor):
        return _tensor(fact)
    if isinstance(fact, SparseTensor):
        inner = _tensor(fact)
        return inner and f"sparse_tensor({inner})"
    if isinstance(fact, (SequenceType, OptionalType)):
        inner = type_text(fact.element)
        return inner and f"{'seq' if isinstance(fact, SequenceType) else 'optional'}({inner})"
    if isinstance(fact, MapType):
        inner = type_text(fact.value)
        return inner and f"map({fact.key.onnx}, {inner})"
    return None


def _tensor(fact: Tensor | SparseTensor) -> str | None:
    if not fact.dtype:
        return None
    if fact.shape is None:
        return f"{fact.dtype.onnx}[]"
    return f"{fact.dtype.onnx}[{', '.join(map(_dim, fact.shape))}]" if fact.shape else fact.dtype.onnx


def _dim(size: Size) -> str:
    """A length; one that only data decides has no name that means anything elsewhere."""
    if isinstance(size, Dim):
        return "?" if any(s.is_fresh for s in size.symbols) else spelled(portable_text(size))
    return str(size)
