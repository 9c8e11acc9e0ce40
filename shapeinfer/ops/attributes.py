"""Attributes as a rule takes them: of the type that the signature declares, whatever a file holds them as."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.facts import DType
from shapeinfer.facts.openvino import ELEMENT_TYPES
from shapeinfer.graph import Attributes, AttributeType
from shapeinfer.ops.signature import Signature

_A = AttributeType
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


def _boolean(text: str) -> bool:
    return _BOOLEANS[text.strip().lower()]


def _list_of(item: Callable[[str], Any]) -> Callable[[str], tuple[Any, ...]]:
    return lambda text: tuple(item(part) for part in text.split(",")) if text.strip() else ()


_READERS: dict[AttributeType, Callable[[str], Any]] = {
    _A.INT: int,
    _A.FLOAT: float,
    _A.STRING: str,
    _A.BOOL: _boolean,
    _A.ELEMENT_TYPE: lambda text: ELEMENT_TYPES[text.strip().lower()],
    _A.INTS: _list_of(int),
    _A.FLOATS: _list_of(float),
    _A.STRINGS: _list_of(str.strip),
}


def typed(ledger: Ledger, s: Signature, held: Attributes) -> Attributes:
    """Return attributes with each text read as the type that the signature declares; bad text is a fault."""
    if _A.TEXT not in held.types.values():
        return held
    values, types = dict(held.values), dict(held.types)
    for name, kind in held.types.items():
        formal = s.attributes.get(name)
        if formal is None and not s.open:
            # It is another version's, whose rule may be the same one.
            del values[name]
        if kind is not _A.TEXT or formal is None:
            continue
        types[name] = formal.type
        text = values.pop(name)
        try:
            values[name] = _READERS[formal.type](text)
        except (ValueError, KeyError, OverflowError):
            message = f"attribute {name} of {s.name} must be {formal.type.text}; it is {text!r}"
            ledger.report(codes.ATTRIBUTE_TYPE, message, detail=Detail(name, given=text))
    return Attributes(values, types)


def of_values(values: Mapping[str, Any]) -> Attributes:
    """Return attributes passed as Python values; text is converted to any type.

    Raises ValueError for a value of a type that no attribute has.
    """
    texts = {name: _text(name, value) for name, value in values.items()}
    return Attributes(texts, dict.fromkeys(texts, _A.TEXT))


def _text(name: str, value: Any) -> str:
    if isinstance(value, DType):
        return next(spelled for spelled, dtype in ELEMENT_TYPES.items() if dtype is value)
    if isinstance(value, (str, bool, int, float)):
        return str(value)
    if isinstance(value, (list, tuple)) and all(isinstance(v, (str, int, float)) for v in value):
        return ",".join(map(str, value))
    raise ValueError(f"attribute {name} cannot be a {type(value).__name__}; expected text, a number, a bool or a list")


def parameter(name: str) -> str:
    """Return the rule's parameter for an attribute: a dot or a dash is no part of a Python name."""
    return name.replace(".", "_").replace("-", "_")
