"""What a fault says must be so: of its operands, in its words as in its data."""

from __future__ import annotations

import re
from collections.abc import Sequence

from shapeinfer import AttributeValueError, AxisError, BroadcastError, ElementTypeError, ShapeInferError, Tensor
from shapeinfer.diagnostics.diagnostic import Diagnostic, Operand
from shapeinfer.dims import Size, text_of
from shapeinfer.facts import Fact

SAID = re.compile(
    r"(?P<what>axis|entry) (?P<at>-?\d+) of (?P<name>\w+(?: \d+)?) (?:is|has) (?P<size>-?\d+)\b(?! entries)"
)


def is_true(error: ShapeInferError, facts: Sequence[Fact | None]) -> None:
    """Hold every fault of a call against the facts that the call was given, whose values are ``input 0`` and so on."""
    for fault in error.diagnostics:
        for operand in fault.operands:
            assert operand.dim == length(operand, facts), (fault.text, operand)
        for port, size, said in lengths_said(fault, facts):
            assert text_of(size) == said, f"{port} has {text_of(size)}, but {fault.text}"
    detail = error.diagnostic.detail
    if isinstance(error, AttributeValueError):
        assert error.attribute or error.allowed, f"no attribute is named: {error}"
    if isinstance(error, AxisError) and detail.given is not None:
        assert error.range is not None, error
    if isinstance(error, ElementTypeError):
        assert error.allowed, error
    if isinstance(error, BroadcastError):
        assert error.rhs is not None, error
        assert error.lhs != error.rhs, error


def length(operand: Operand, facts: Sequence[Fact | None]) -> Size | None:
    """The length that an operand has where a fault points."""
    fact = facts[int(operand.value.removeprefix("input "))] if operand.value else None
    if not isinstance(fact, Tensor):
        return None
    if operand.entry is not None:
        held = None if fact.value is None else fact.value[operand.entry]
        return held if isinstance(held, int) or hasattr(held, "symbols") else None  # type: ignore[return-value]
    if operand.axis is None or fact.shape is None:
        return None
    assert 0 <= operand.axis < len(fact.shape), operand
    return fact.shape[operand.axis]


def lengths_said(fault: Diagnostic, facts: Sequence[Fact | None]) -> list[tuple[str, Size, str]]:
    """The operands that a message gives a number for, each with the length that it has and the one that is said."""
    values = {o.port: o.value for o in fault.operands if o.value}
    found = []
    for said in SAID.finditer(fault.message):
        fact = facts[int(values[said["name"]].removeprefix("input "))] if said["name"] in values else None
        if not isinstance(fact, Tensor) or fact.shape is None:
            continue
        held = fact.shape if said["what"] == "axis" else fact.value
        size = None if held is None else held[int(said["at"])]
        if size is not None:
            found.append((said["name"], size, said["size"]))
    return found  # type: ignore[return-value]
