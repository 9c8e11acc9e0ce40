"""The bodies of a model's own functions as models, to fold them like any other graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import onnx

from shapeinfer.rewrite.names import graphs_of

CONSTANTS_ARE_NODES = 3
"""An IR version in which a constant is a node, as it must be in a function, which has no initializers."""


def bodies(model: onnx.ModelProto) -> Iterator[tuple[onnx.FunctionProto, onnx.ModelProto]]:
    """Yield functions, each with a model of its body, whose inputs may be anything.

    Those that read attributes of their caller are left out: what they compute is not known before they are called.
    """
    by_name: dict[tuple[str, str], list[onnx.FunctionProto]] = {}
    for function in model.functions:
        by_name.setdefault((function.domain, function.name), []).append(function)
    for function in model.functions:
        if _reads_attributes(function.node):
            continue
        body = onnx.ModelProto(ir_version=CONSTANTS_ARE_NODES)
        body.opset_import.extend(function.opset_import)
        body.functions.extend(_called(function, by_name))
        body.graph.name = function.name
        body.graph.node.extend(function.node)
        body.graph.input.extend(onnx.ValueInfoProto(name=name) for name in function.input)
        body.graph.output.extend(onnx.ValueInfoProto(name=name) for name in function.output)
        yield function, body


def put_back(function: onnx.FunctionProto, body: onnx.ModelProto) -> None:
    """Let a function compute what its body as a model does, and forget the types of values that it no longer has."""
    del function.node[:]
    function.node.extend(body.graph.node)
    there = {*function.input, *(name for node in function.node for name in node.output)}
    for i in reversed(range(len(function.value_info))):
        if function.value_info[i].name not in there:
            del function.value_info[i]


def _reads_attributes(nodes: Iterable[onnx.NodeProto]) -> bool:
    return any(a.ref_attr_name for node in _all_nodes(nodes) for a in node.attribute)


def _all_nodes(nodes: Iterable[onnx.NodeProto]) -> Iterator[onnx.NodeProto]:
    """Yield nodes, and those of the graphs inside them."""
    pending = list(nodes)
    while pending:
        node = pending.pop()
        yield node
        pending += [inner for graph in graphs_of(node) for inner in graph.node]


def _called(
    function: onnx.FunctionProto, by_name: Mapping[tuple[str, str], list[onnx.FunctionProto]]
) -> list[onnx.FunctionProto]:
    """Return the functions that a function calls, and those that they call."""
    found: dict[tuple[str, str], list[onnx.FunctionProto]] = {}
    pending = [function]
    while pending:
        for node in _all_nodes(pending.pop().node):
            key = (node.domain, node.op_type)
            if key in by_name and key not in found:
                found[key] = [f for f in by_name[key] if f is not function]
                pending += found[key]
    return [f for functions in found.values() for f in functions]
