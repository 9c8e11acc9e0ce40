"""A fix in the words of the text: where a statement changes, and what stands there then."""

from __future__ import annotations

import re

from shapeinfer.diagnostics.fix import Fix
from shapeinfer.facts import dtype_of
from shapeinfer.frontends.onnxtext.tree import Name, NodeText

AXES_AS_INPUT = 13
"""The opset since which the axes of Unsqueeze are an input."""


def rewording(node: NodeText, fix: Fix, at: int, text: str, opset: int) -> tuple[int, int, str] | None:
    """Return the span of a statement that changes, counted from its start, and its new text; None where none says it.

    The statement stands at a place of the text, whose model imports an opset. An attribute that a function takes from
    its call stays as it is.
    """
    if node.operator is None:
        return None
    if fix.kind == "attribute":
        return _with_attribute(node, node.operator, fix)
    read = [name for name in node.inputs if name.text == fix.operand]
    if len(read) != 1 or "." in node.operator.text:
        return None
    (operand,) = read
    old = text[at + operand.start : at + operand.end]
    new = _unused(f"{re.sub(r'[^A-Za-z0-9_]', '_', operand.text)}_{fix.kind}", text)
    computed = _computed(fix, old, new, text, opset)
    if not computed:
        return None
    kept = text[at : at + operand.start]
    indent = text[text.rfind("\n", 0, at) + 1 : at]
    between = f"\n{indent}" if not indent.strip() else " "
    return 0, operand.end, f"{between.join(computed)}{between}{kept}{new}"


def _with_attribute(node: NodeText, operator: Name, fix: Fix) -> tuple[int, int, str] | None:
    value = _spelled(fix.value)
    if fix.attribute is None or value is None:
        return None
    entry = f"{fix.attribute} = {value}"
    for attribute in node.attributes:
        if attribute.name.text == fix.attribute:
            return None if attribute.ref is not None else (attribute.name.start, attribute.end, entry)
    if node.attributes:
        end = node.attributes[-1].end
        return end, end, f", {entry}"
    return operator.end, operator.end, f" <{entry}>"


def _computed(fix: Fix, old: str, new: str, text: str, opset: int) -> list[str]:
    """Return the statements that put an operand in the form that would fit, under a new name; none if it has none."""
    value = _spelled(fix.value)
    if fix.kind == "transpose" and value is not None:
        return [f"{new} = Transpose <perm = {value}> ({old})"]
    if fix.kind == "cast" and isinstance(fix.value, str):
        return [f"{new} = Cast <to = {int(dtype_of(fix.value))}> ({old})"]
    if fix.kind == "unsqueeze" and value is not None and opset < AXES_AS_INPUT:
        return [f"{new} = Unsqueeze <axes = {value}> ({old})"]
    if fix.kind == "unsqueeze" and value is not None:
        axes = _unused(f"{new}_axes", text)
        return [f"{axes} = Constant <value_ints = {value}> ()", f"{new} = Unsqueeze ({old}, {axes})"]
    return []


def _unused(name: str, text: str) -> str:
    """The name, or one like it, that stands nowhere in the text."""
    name = name if name[:1].isalpha() else f"v_{name}"
    while name in text:
        name += "_"
    return name


def _spelled(value: object) -> str | None:
    if isinstance(value, int):
        return str(value)
    entries = list(value) if isinstance(value, tuple) else []
    return str(entries) if entries and all(isinstance(v, int) for v in entries) else None
