"""A JSON Schema (2020-12) of the shapes of a model's inputs.

What a schema cannot say is in keywords of its own, which validators ignore: ``x-dim`` names the dim or formula of an
axis, and axes of one name have one size; ``x-dtype`` is the element type of an input; ``x-conditions`` lists the
conditions that relate dims, and ``x-unchecked`` what no sizes show.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from shapeinfer.dims import AnyOf, Condition, Dim
from shapeinfer.facts import DType, Fact
from shapeinfer.report.contract_formats.interface import Demand, Interface, is_tensor, shape_of
from shapeinfer.report.json import pieces

_EXPLAINED = (
    "An object with the shape of each input. Axes with the same x-dim have the same size, and one whose x-dim is a "
    "formula has the size that the formula gives; x-conditions lists the conditions that this schema does not check."
)


def render(interface: Interface, max_size: int | None) -> str:  # noqa: ARG001 - only some formats need one
    """Return the schema as JSON."""
    by_dim: dict[Dim, list[Condition]] = {}
    rest: list[Demand] = []
    for demand in interface.demands:
        if _of_one_axis(demand.condition, interface):
            by_dim.setdefault(next(iter(demand.condition.symbols)), []).append(demand.condition)
        else:
            rest.append(demand)
    schema: dict[str, Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"The input shapes of {interface.name}",
        "description": _EXPLAINED,
        "$comment": f"written by {interface.written_by}",
        "type": "object",
        "properties": {name: _input(fact, by_dim) for name, fact in interface.inputs.items()},
        "required": [n for n, fact in interface.inputs.items() if is_tensor(fact) and n not in interface.defaults],
        "additionalProperties": False,
    }
    if rest:
        schema["x-conditions"] = [demand.to_dict() for demand in rest]
    if interface.unchecked:
        schema["x-unchecked"] = list(interface.unchecked)
    return "".join(pieces(schema))


def _of_one_axis(condition: Condition, interface: Interface) -> bool:
    """Whether a condition is one on the numbers that an axis may have."""
    if len(condition.symbols) != 1 or _numbers(condition) is None:
        return False
    (s,) = condition.symbols
    return any(size is s for _, _, size in interface.axes())


def _numbers(condition: Condition) -> dict[str, Any] | None:
    """Return the schema of the numbers of which a condition on one symbol is true, None where there is none."""
    if isinstance(condition, AnyOf):
        parts = [_numbers(part) for part in condition.parts]
        return None if None in parts or not parts else {"anyOf": parts}
    found = condition.symbol_range()
    if found is None:
        return None
    schema: dict[str, Any] = {}
    if found.low is not None:
        schema["minimum"] = found.low
    if found.high is not None:
        schema["maximum"] = found.high
    if found.divisor != 1:
        schema["multipleOf"] = found.divisor
    return {"const": found.low} if found.low is not None and found.low == found.high else schema


def _input(fact: Fact, by_dim: dict[Dim, list[Condition]]) -> dict[str, Any]:
    shape = shape_of(fact)
    schema: dict[str, Any] = {"description": fact.text}
    if not is_tensor(fact):
        return schema
    if fact.dtype is not DType.UNDEFINED:
        schema["x-dtype"] = fact.dtype.spelled
    if shape is None:
        return schema | {"type": "array", "items": {"type": "integer", "minimum": 0}}
    rank = {"minItems": len(shape), "maxItems": len(shape)}
    axes = {"prefixItems": [_axis(size, by_dim) for size in shape]} if shape else {}
    return schema | {"type": "array", **axes, **rank}


def _axis(size: int | Dim, by_dim: dict[Dim, list[Condition]]) -> dict[str, Any]:
    if isinstance(size, int):
        return {"const": size}
    low, high = size.bounds()
    schema: dict[str, Any] = {"type": "integer", "x-dim": size.text, "minimum": max(0, low or 0)}
    if high is not None:
        schema["maximum"] = high
    return schema | _merged(schema, filter(None, map(_numbers, by_dim.get(size, ()))))


def _merged(known: dict[str, Any], found: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return what all of the schemas say; what one keyword cannot say of several is in ``allOf``."""
    merged = dict(known)
    others: list[dict[str, Any]] = []
    for schema in found:
        if "anyOf" in schema or "const" in schema:
            others.append(schema)
            continue
        if "minimum" in schema:
            merged["minimum"] = max(merged["minimum"], schema["minimum"])
        if "maximum" in schema:
            merged["maximum"] = min(merged.get("maximum", schema["maximum"]), schema["maximum"])
        if "multipleOf" in schema:
            merged["multipleOf"] = math.lcm(merged.get("multipleOf", 1), schema["multipleOf"])
    if len(others) == 1:
        merged |= others[0]
    elif others:
        merged["allOf"] = others
    return merged
