"""Hover texts."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from shapeinfer.editors import operators
from shapeinfer.editors.markdown import block, code
from shapeinfer.editors.mentions import definition, dim_at, mention_at
from shapeinfer.facts import Fact, SparseTensor, Tensor
from shapeinfer.text import NodeText, Written, statement_at


class HoverText(NamedTuple):
    """Markdown on a stretch of text."""

    start: int
    end: int
    markdown: str


def hover(written: Written, at: int) -> HoverText | None:
    """Return the hover text of a position: for a value, an operator, an attribute or a dim."""
    return _of_dim(written, at) or _of_operator(written, at) or _of_value(written, at)


def _of_dim(written: Written, at: int) -> HoverText | None:
    dim = dim_at(written, at)
    if dim is None:
        return None
    lines = [f"dim {code(dim.what.text)}", *_needed(written, {dim.what.text})]
    return HoverText(dim.at, dim.at + dim.what.end - dim.what.start, "\n".join(lines))


def _needed(written: Written, names: Collection[str]) -> Iterator[str]:
    """Conditions of the contract on dims."""
    needed = [r.condition for r in written.report.contract if any(s.name in names for s in r.asked.symbols)]
    if needed:
        yield "\n".join(["", "The model runs only where", "", *(f"- {code(c)}" for c in needed)])


def _of_operator(written: Written, at: int) -> HoverText | None:
    for base, body in reversed(written.around(at)):
        placed = statement_at(body, base, at)
        if placed is not None:
            return _in_node(written, placed.what, base + placed.at, at)
    return None


def _in_node(written: Written, node: NodeText, start: int, at: int) -> HoverText | None:
    if node.operator is None:
        return None
    found = operators.schema(written, node.operator.text)
    if node.operator.start <= at - start <= node.operator.end:
        text = operators.page(found) if found is not None else _function(written, node)
        return HoverText(start + node.operator.start, start + node.operator.end, text) if text else None
    for attribute in node.attributes:
        name = attribute.name
        if found is not None and name.start <= at - start <= name.end and name.text in found.attributes:
            return HoverText(
                start + name.start, start + name.end, operators.attribute_line(found.attributes[name.text])
            )
    return None


def _function(written: Written, node: NodeText) -> str:
    assert node.operator is not None, "its operator is pointed at"
    assert node.proto is not None, "a node with an operator could be read"
    operator, overload = node.operator.text, node.proto.overload
    for function in written.model.functions:
        name = ".".join(filter(None, (function.domain, function.name.text)))
        if (name, function.proto.overload) == (operator, overload):
            takes, gives = (", ".join(n.text for n in names) for names in (function.inputs, function.outputs))
            attributes = f" <{', '.join(n.text for n in function.attributes)}>" if function.attributes else ""
            return f"{block(f'{gives} = {operator}{attributes} ({takes})')}\n\na function of this model"
    return ""


def _of_value(written: Written, at: int) -> HoverText | None:
    mention = mention_at(written, at)
    if mention is None or mention.home is None:
        return None
    fact = None
    for _, body in reversed(written.around(mention.start)):
        fact = fact or written.facts(body).get(mention.name)
    lines = [block(f"{mention.name}: {fact.text if fact else '?'}")]
    lines += _definition_text(written, at, mention.kind)
    if isinstance(fact, Tensor) and fact.value is not None:
        lines += ["", f"holds {code(fact.spelled[len(fact.text) :])}"]
    if mention.home == 0:
        lines += _derived(written, mention.name, fact)
        if mention.kind == "input" and fact is not None:
            lines += _needed(written, {symbol.name for symbol in fact.symbols})
    return HoverText(mention.start, mention.end, "\n".join(lines))


def _definition_text(written: Written, at: int, kind: str) -> Iterator[str]:
    made = definition(written, at)
    if kind != "node":
        yield f"an {kind}"
    elif made:
        for base, body in reversed(written.around(made[0].start)):
            placed = statement_at(body, base, made[0].start)
            if placed is not None and placed.what.operator is not None:
                yield f"computed by {code(placed.what.operator.text)}"
                return


def _derived(written: Written, name: str, fact: Fact | None) -> Iterator[str]:
    """Where the lengths come from that are formulas."""
    result = written.report.result
    if result is None or not isinstance(fact, (Tensor, SparseTensor)) or name in result.graph.inputs:
        return
    for axis, size in enumerate(fact.shape or ()):
        if not isinstance(size, int):
            try:
                first, *rest = written.report.trace(name, axis).lines
            except ValueError:
                return
            yield "\n".join(["", f"{code(first)}:", "", *(f"- {code(line.strip())}" for line in rest)])
