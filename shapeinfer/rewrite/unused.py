"""Dead code elimination: unused nodes, initializers, and declarations of removed values."""

from __future__ import annotations

from collections.abc import Collection, Iterator, MutableSequence, Sequence
from typing import Any

import onnx
from attrs import frozen

from shapeinfer.rewrite.names import bodies_of, read, step, value_names


@frozen
class Removed:
    """A node that nothing used."""

    op_type: str
    name: str
    output: str
    graph: tuple[str, ...]


def _is_of_function(name: str) -> bool:
    """Whether a value is named as writers name those of functions, which have no value_info, in the main graph's."""
    return "/" in name.partition("::")[2]


def remove_unused(graph: onnx.GraphProto, kept: frozenset[str], path: tuple[str, ...] = ()) -> list[Removed]:
    """Remove nodes and initializers that no output needs, inside graphs first; return the nodes that went.

    Values whose names are ``kept`` stay, and inputs do, with the initializers that are their defaults.
    """
    gone: list[Removed] = []
    for index, node in enumerate(graph.node):
        for attribute, body in bodies_of(node):
            gone += remove_unused(body, kept, (*path, step(node, index, attribute)))
    needed = _needed(graph, kept)
    known = value_names(graph).union(v.name for v in graph.value_info if not _is_of_function(v.name))
    for i in reversed(range(len(graph.node))):
        node = graph.node[i]
        if needed.isdisjoint(filter(None, node.output)):
            gone.append(Removed(node.op_type, node.name, next(filter(None, node.output), ""), path))
            del graph.node[i]
    inputs = set() if path else {v.name for v in graph.input}
    _keep(graph.initializer, [t.name in needed or t.name in inputs for t in graph.initializer])
    _keep(graph.sparse_initializer, [s.values.name in needed for s in graph.sparse_initializer])
    forget(graph, known - value_names(graph))
    return gone


def _keep(entries: MutableSequence[Any], kept: Sequence[bool]) -> None:
    for i in reversed(range(len(kept))):
        if not kept[i]:
            del entries[i]


def _needed(graph: onnx.GraphProto, kept: frozenset[str]) -> set[str]:
    """Return the names of the values that a graph's outputs come from."""
    makers = {name: node for node in graph.node for name in node.output if name}
    needed = {v.name for v in graph.output} | kept
    pending = [*needed]
    while True:
        while pending:
            node = makers.get(pending.pop())
            new = set(read(node)) - needed if node is not None else set()
            needed |= new
            pending += new
        # Quantization parameters of a value that stays are used by whoever reads the annotation.
        pending = [n for n in _parameters(graph, needed) if n not in needed]
        if not pending:
            return needed
        needed.update(pending)


def _parameters(graph: onnx.GraphProto, needed: set[str]) -> Iterator[str]:
    there = needed | {v.name for v in graph.input}
    for annotation in graph.quantization_annotation:
        if annotation.tensor_name in there:
            yield from (entry.value for entry in annotation.quant_parameter_tensor_names)


def forget(graph: onnx.GraphProto, names: Collection[str]) -> None:
    """Remove what a graph declares of values that it no longer has."""
    for i in reversed(range(len(graph.value_info))):
        if graph.value_info[i].name in names:
            del graph.value_info[i]
    for i in reversed(range(len(graph.quantization_annotation))):
        if graph.quantization_annotation[i].tensor_name in names:
            del graph.quantization_annotation[i]


def names_in_training(model: onnx.ModelProto) -> frozenset[str]:
    """Return the names of values that the description of a model's training refers to."""
    names: set[str] = set()
    for training in model.training_info:
        for graph in (training.initialization, training.algorithm):
            for node in graph.node:
                names.update(read(node))
            names.update(v.name for v in graph.output)
        bindings = (*training.initialization_binding, *training.update_binding)
        names.update(text for entry in bindings for text in (entry.key, entry.value))
    return frozenset(names)


def annotated_names(graph: onnx.GraphProto) -> Iterator[str]:
    """Yield the names of values that a graph's quantization annotations speak of."""
    for annotation in graph.quantization_annotation:
        yield annotation.tensor_name
        yield from (entry.value for entry in annotation.quant_parameter_tensor_names)
