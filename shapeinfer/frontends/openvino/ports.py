"""Text of an IR as facts: element types, the shape of a Parameter, the dims of a port."""

from __future__ import annotations

import re

from shapeinfer.dims import Size, symbol
from shapeinfer.facts import DType, Shape, Tensor, tensor
from shapeinfer.facts.openvino import ELEMENT_TYPES, PRECISIONS
from shapeinfer.frontends.openvino.tree import Element
from shapeinfer.graph import UNNAMED

_INTERVAL = re.compile(r"(?P<low>\d{0,18})\.\.(?P<high>\d{0,18})")
_OPEN = ("?", "-1")


class BadText(ValueError):
    """Text in a layer cannot be read; the message has what it should be."""


def element_type(text: str) -> DType:
    """Read an element type as attributes spell it. Raises BadText."""
    found = ELEMENT_TYPES.get(text.strip().lower())
    if found is None:
        raise BadText(f"{text!r} is not an element type; known: {', '.join(ELEMENT_TYPES)}")
    return found


def numbers(text: str) -> tuple[int, ...]:
    """Read the lengths of a constant, such as ``1, 3``. Raises BadText."""
    parts = [part.strip() for part in text.split(",")] if text.strip() else []
    if not all(part.isascii() and part.isdigit() and len(part) < 19 for part in parts):
        raise BadText(f"{text!r} is not the shape of a constant, such as '1,3'")
    return tuple(map(int, parts))


def parameter_shape(text: str, name: str) -> Shape | None:
    """Read the shape of a Parameter, such as ``?,2..8,3``; open lengths are symbols ``NAME.AXIS``. Raises BadText."""
    text = text.strip()
    if text == "...":
        return None
    return tuple(_length(part.strip(), f"{name}.{axis}") for axis, part in enumerate(text.split(","))) if text else ()


def _length(text: str, name: str) -> Size:
    if text in _OPEN:
        return symbol(name)
    found = _INTERVAL.fullmatch(text)
    if found:
        low, high = int(found["low"] or 0), int(found["high"]) if found["high"] else None
        if high is None or low <= high:
            return symbol(name, low, high)
    elif text.isascii() and text.isdigit() and len(text) < 19:
        return int(text)
    raise BadText(f"{text!r} is not a dim of a Parameter, such as 3, ?, 2..8 or 1..")


def claimed(port: Element) -> Tensor:
    """Return the type that a port declares: without dims it is a scalar, or of any rank. Raises BadText."""
    precision = port.attributes.get("precision", "UNSPECIFIED")
    if precision not in PRECISIONS:
        raise BadText(f"{precision!r} is not a precision; known: {', '.join(PRECISIONS)}")
    dims = tuple(_claimed_length(dim.text.strip()) for dim in port.all("dim"))
    return tensor(PRECISIONS[precision], dims or None)


def _claimed_length(text: str) -> Size:
    if text == "-1":
        return UNNAMED
    if text.isascii() and text.isdigit() and len(text) < 19:
        return int(text)
    raise BadText(f"{text!r} is not a dim of a port; it must be a number or -1")


def names_of(port: Element) -> list[str]:
    """Return the tensor names of a port, where a comma in a name is written with a backslash."""
    listed = port.attributes.get("names", "")
    return [name.replace("\\,", ",") for name in re.split(r"(?<!\\),", listed) if name]
