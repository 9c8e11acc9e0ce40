"""A fix in the words of the text: where a statement changes, and what stands there then."""

from __future__ import annotations

from shapeinfer.diagnostics.fix import Fix
from shapeinfer.frontends.onnxtext.tree import NodeText


def rewording(node: NodeText, fix: Fix) -> tuple[int, int, str] | None:
    """Return the span of a statement that changes, counted from its start, and its new text.

    None for a fix that is no attribute, and for an attribute that a function takes from its call.
    """
    value = _spelled(fix.value)
    if fix.kind != "attribute" or fix.attribute is None or value is None or node.operator is None:
        return None
    entry = f"{fix.attribute} = {value}"
    for attribute in node.attributes:
        if attribute.name.text == fix.attribute:
            return None if attribute.ref is not None else (attribute.name.start, attribute.end, entry)
    if node.attributes:
        end = node.attributes[-1].end
        return end, end, f", {entry}"
    return node.operator.end, node.operator.end, f" <{entry}>"


def _spelled(value: object) -> str | None:
    if isinstance(value, int):
        return str(value)
    entries = list(value) if isinstance(value, tuple) else []
    return str(entries) if entries and all(isinstance(v, int) for v in entries) else None
