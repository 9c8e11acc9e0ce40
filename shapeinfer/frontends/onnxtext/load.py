"""Read the text of a model from a path or bytes; what cannot be read is reported with its line and column."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import partial

import onnx
from attrs import evolve

from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.diagnostics.errors import ModelError
from shapeinfer.frontends.files import fail, written
from shapeinfer.frontends.formats import DefaultInputs
from shapeinfer.frontends.onnx.imports import domain_of
from shapeinfer.frontends.onnx.model import ReadNodes
from shapeinfer.frontends.onnx.model import graph_of as graph_of_proto
from shapeinfer.frontends.onnxtext import ONNXTEXT
from shapeinfer.frontends.onnxtext.cursor import after_blanks
from shapeinfer.frontends.onnxtext.lines import lines_of
from shapeinfer.frontends.onnxtext.places import attach
from shapeinfer.frontends.onnxtext.read import OF_MODELS, complete, read_model
from shapeinfer.frontends.onnxtext.tree import Fault, ModelText, NodeText
from shapeinfer.graph import Graph, Node

_BLANK = r"(?:\s|\#[^\n]*(?:\n|\Z))*"
_NAME = r'(?:[A-Za-z_]\w*|"(?:[^"\\\n]|\\.)*")'
_START = re.compile(rf"<{_BLANK}(?:(?:{'|'.join(OF_MODELS)})\b|[A-Za-z_]\w*\s*:)|{_NAME}{_BLANK}(?:\(|=>)", re.ASCII)
"""A header, or the name of a graph and what follows it."""


def parse(model: str | os.PathLike[str] | bytes) -> ModelText:
    """Return the syntax tree of a model's text, with its faults. Raises ModelError for what is no text.

    A file may be a link to any other, such as one of passwords: where it does not start as a model does, nothing in it
    is quoted.
    """
    data, where = written(model)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        fail(codes.NOT_A_MODEL, f"not an ONNX model as text: line {line} is not UTF-8", where)
    read = read_model(text)
    if read.faults and not _START.match(text, after_blanks(text, 0)):
        at = read.faults[0].start
        message = "this does not start as a model does: with a header in < >, or a graph's name and inputs"
        return evolve(read, faults=(Fault(at, at, message, ""),))
    return read


def to_model(read: ModelText, where: str | None = None) -> onnx.ModelProto:
    """Return the model that a text stands for. Raises ModelError, with all that is wrong with the text."""
    if read.faults:
        raise ModelError(syntax_errors(read, where))
    proto = complete(read)
    if not proto.graph.node and not proto.graph.output:
        fail(codes.EMPTY_GRAPH, "the model's graph is empty: it has no nodes and no outputs", where)
    return proto


def graph_of(model: ModelText, before: ModelText | None = None, *, default_inputs: DefaultInputs = "free") -> Graph:
    """Return the main graph of a model with the places of its nodes, as far as the text could be read.

    Nodes of statements that are unchanged since ``before`` are reused. What is wrong with the text is among the
    graph's faults. Raises ModelError where there is no graph.
    """
    faults = syntax_errors(model)
    if model.graph is None:
        raise ModelError(faults)
    if not model.graph.nodes and not model.graph.outputs and not faults:
        fail(codes.EMPTY_GRAPH, "the model's graph is empty: it has no nodes and no outputs", None)
    known = {} if before is None or _imports(before) != _imports(model) else before.nodes
    proto = model.proto if _needs_no_model_checks(model) else complete(model)
    nodes = partial(_nodes, model, known)
    graph = graph_of_proto(proto, thorough=not faults, nodes=nodes, default_inputs=default_inputs)
    graph.faults = (*faults, *graph.faults)
    graph.format = ONNXTEXT
    attach(graph, model)
    return graph


def _needs_no_model_checks(model: ModelText) -> bool:
    """Whether no check needs all nodes together: no domain is missing, and there are no graphs inside."""
    assert model.graph is not None, "only a graph has nodes"
    imported = {domain_of(domain) for domain, _ in _imports(model)}
    nodes = [placed.what for placed in model.graph.nodes]
    called = {node.operator.text for node in nodes if node.operator is not None}
    used = {domain_of(operator.rpartition(".")[0]) for operator in called}
    if model.functions or not used <= imported:
        return False
    return not any(a.graphs for node in nodes if node.attributes for a in node.attributes)


def _imports(model: ModelText) -> list[tuple[str, int]]:
    return [(entry.domain, entry.version) for entry in model.proto.opset_import]


def _nodes(model: ModelText, known: Mapping[NodeText, Node], read: ReadNodes) -> list[Node]:
    """The nodes of the main graph, those that are known and those that are read now."""
    assert model.graph is not None, "it is a graph's nodes that are read"
    nodes = model.nodes
    imported = dict(_imports(model))
    for placed in model.graph.nodes:
        node = known.get(placed.what)
        if node is not None and node.call.domain in imported:
            nodes[placed.what] = node
        elif placed.what.proto is not None:
            (nodes[placed.what],) = read((placed.what.proto,))
    return list(nodes.values())


def syntax_errors(model: ModelText, path: str | None = None) -> list[Diagnostic]:
    """Return what is wrong with a text, in the order of its lines."""
    code, found = codes.SYNTAX_ERROR, []
    lines = lines_of(model.text) if model.faults else None
    for fault in sorted(model.faults, key=lambda f: f.start):
        assert lines is not None, "there are faults"
        line, column = lines.position(fault.start)
        notes = (f"to fix it, {fault.fix}",) if fault.fix else ()
        diagnostic = Diagnostic(
            code, code.severity, fault.message, notes=notes, path=path, line=line + 1, column=column + 1
        )
        found.append(diagnostic)
    return found
