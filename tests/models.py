"""Models for tests: ONNX's text syntax read, checked, and what was found as short text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import onnx

from shapeinfer import Report, check
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.dims import Size, has_fresh_symbol, symbol
from shapeinfer.facts import Fact, resized

OF_NO_USE = ("unused-input", "unused-initializer", "unused-node", "output-is-input", "untyped-input")
HEADER = '<ir_version: 9, opset_import: ["" : 20, "my" : 1]>\n'


def parsed(text: str) -> onnx.ModelProto:
    """Read a model; a header is put before text that has none."""
    text = text.strip()
    return onnx.parser.parse_model(text if text.startswith("<") else HEADER + text)


def checked(
    model: str | onnx.ModelProto,
    *,
    bind: Mapping[str, int] | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
) -> Report:
    """Check a model, given as text or as a proto."""
    return check(parsed(model) if isinstance(model, str) else model, bind=bind, shapes=shapes)


def texts(report: Report) -> dict[str, str]:
    """The values of the main graph as text."""
    return {name: fact.text for name, fact in report.values.items()}


def faults(report: Report) -> list[str]:
    """What was found, in order: ``error dim-mismatch @ 3`` or ``warning cycle @ If_0.then_branch / 2``.

    That something is of no use is left out: most models here are made for one value.
    """
    return [fault(d) for d in report.diagnostics if d.code.name not in OF_NO_USE]


def fault(diagnostic: Diagnostic) -> str:
    node = diagnostic.node
    where = "" if node is None else f" @ {' / '.join((*node.graph, str(node.index)))}"
    return f"{diagnostic.severity.value} {diagnostic.code.name}{where}"


def contract(report: Report) -> list[str]:
    """The conditions that are true for all sizes, 0 and 1 too."""
    return [r.condition for r in report.contract.all_sizes]


def in_general(report: Report) -> list[str]:
    """The conditions that dims of size 2 and more can break."""
    return [r.condition for r in report.contract]


def about_sizes(report: Report) -> list[str]:
    """What was found of sizes that the author named: dims that are pinned, tied, or small only."""
    return [
        d.message for d in report.diagnostics if d.code.name in ("pinned-dim", "tied-dims", "degenerate-sizes-only")
    ]


def clean(model: str | onnx.ModelProto) -> dict[str, str]:
    """The values' text of a model in which nothing is found."""
    report = checked(model)
    assert faults(report) == [], [d.text for d in report.diagnostics]
    return texts(report)


def made(
    nodes: Iterable[onnx.NodeProto],
    inputs: Iterable[onnx.ValueInfoProto] = (),
    outputs: Iterable[str] = ("y",),
    *,
    opsets: Mapping[str, int] | None = None,
    ir_version: int = 9,
    initializers: Iterable[onnx.TensorProto] = (),
    **graph: Any,
) -> onnx.ModelProto:
    """Build a model from protos; its outputs declare no type."""
    value_info = [onnx.ValueInfoProto(name=name) for name in outputs]
    built = onnx.helper.make_graph(
        list(nodes), "main", list(inputs), value_info, initializer=list(initializers), **graph
    )
    imports = [onnx.helper.make_opsetid(d, v) for d, v in (opsets or {"": 20, "my": 1}).items()]
    return onnx.helper.make_model(built, opset_imports=imports, ir_version=ir_version)


def node(op: str, inputs: str = "", outputs: str = "y", **attributes: Any) -> onnx.NodeProto:
    """Build a node from space-separated names; ``_`` is one left out."""

    def split(names: str) -> list[str]:
        return [n if n != "_" else "" for n in names.split()]

    return onnx.helper.make_node(op, split(inputs), split(outputs), **attributes)


def floats(name: str, *dims: int | str | None) -> onnx.ValueInfoProto:
    """An input of floats; a dim of None has no name."""
    return onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, dims)


def scalar(name: str, dtype: int) -> onnx.ValueInfoProto:
    return onnx.helper.make_tensor_value_info(name, dtype, [])


def outline(fact: Fact) -> str:
    """The text of a fact, with ``?`` for every length that the inputs do not determine."""

    def shown(size: Size) -> Size:
        return symbol("?") if has_fresh_symbol(size) else size

    return resized(fact, shown).text


def outlines(report: Report) -> dict[str, str]:
    return {name: outline(fact) for name, fact in report.values.items()}
