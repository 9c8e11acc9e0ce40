"""The edits that rewrites return, and a draft that collects those of one graph and applies them all at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
import onnx
from attrs import frozen
from onnx import numpy_helper

from shapeinfer.rewrite.names import put, value_names
from shapeinfer.rewrite.site import Site
from shapeinfer.rewrite.stored import Array
from shapeinfer.rewrite.unused import forget

STORED_APART = 4
"""From this IR version on an initializer need not be an input, which a caller could give anew."""


@frozen
class Same:
    """The node's first output is another value."""

    value: str


@frozen
class Narrower:
    """The node's output may be a smaller value."""

    value: str
    changed: tuple[str, ...]
    """The values that have another shape then."""


@frozen
class Duplicate:
    """Each output of the node is another value."""

    values: tuple[tuple[str, str], ...]
    """The outputs that are read, each with the value that it is."""


@frozen
class Known:
    """The node's outputs are constants, each by its name."""

    arrays: tuple[tuple[str, Array], ...]


@frozen
class Reads:
    """The node does the same with other inputs, by port: a value, or a constant."""

    inputs: tuple[tuple[int, str | Array], ...]
    without: str = ""
    """An attribute that it does without then."""


@frozen
class Calls:
    """Other nodes do the same, the last of them under the node's name."""

    nodes: tuple[onnx.NodeProto, ...]
    constants: tuple[tuple[str, Array], ...] = ()
    """What they read besides, under names that ``Site.names`` made."""


@frozen
class Runs:
    """The node does what one of its graphs does."""

    attribute: str
    inputs: tuple[str | Array, ...] = ()
    """What the inputs of that graph are: a value, or a constant."""
    first: int = 0
    """The first output of that graph that the node gives."""
    stacked: int | None = None
    """The first output of the node that has an axis of length 1 before those of the graph's."""


@frozen
class Moves:
    """The node's output is what earlier nodes compute once they read other values."""

    inputs: tuple[tuple[int, int, str], ...]
    """What they read: a node, the input by its number, and the value."""
    value: str


Edit: TypeAlias = "Moves | Narrower | Same | Duplicate | Known | Reads | Calls | Runs"


class Draft:
    """The edits of one graph, of which those that stand in each other's way are refused."""

    def __init__(self, site: Site, ir_version: int) -> None:
        self.site = site
        self.names = site.names
        self.apart = ir_version >= STORED_APART
        self.nodes: dict[int, list[onnx.NodeProto]] = {}
        """What stands in the place of nodes."""
        self.runs: dict[int, tuple[onnx.GraphProto, Runs]] = {}
        """Graphs inside nodes that stand in the place of those."""
        self.becomes: dict[str, str] = {}
        """What is read in the place of values."""
        self.renamed_outputs: dict[str, str] = {}
        """Values that their nodes compute under another name."""
        self.initializers: list[onnx.TensorProto] = []
        """Constants that are added to the graph."""
        self._constants: dict[tuple[str, tuple[int, ...], bytes], str] = {}

    def take(self, index: int, edit: Edit) -> bool:
        """Take an edit of a node that has none yet, and return whether it is possible."""
        if isinstance(edit, Same):
            return self._same(index, edit.value)
        if isinstance(edit, Narrower):
            taken = self._same(index, edit.value)
            self.site.changed.update(edit.changed if taken else ())
            return taken
        if isinstance(edit, Moves):
            return self._moves(index, edit)
        if isinstance(edit, Duplicate):
            return self._duplicate(index, edit)
        if isinstance(edit, Known):
            self.nodes[index] = [node for name, array in edit.arrays for node in self._known(name, array)]
        elif isinstance(edit, Reads):
            self.nodes[index] = self._reads(index, edit)
        elif isinstance(edit, Calls):
            self.nodes[index] = self._calls(index, edit)
        else:
            return self._runs(index, edit)
        return True

    @property
    def is_empty(self) -> bool:
        """Whether nothing was taken; initializers are only added for other edits."""
        return not (self.nodes or self.runs or self.becomes)

    def apply(self) -> None:
        """Write all that was taken into the graph."""
        if self.is_empty:
            return
        proto = self.site.proto
        before = value_names(proto)
        proto.initializer.extend(self.initializers)
        for index, (body, runs) in self.runs.items():
            self.nodes[index] = self._inlined(proto.node[index], body, runs)
        found: list[onnx.NodeProto] = []
        for index, node in enumerate(proto.node):
            found += self.nodes.get(index, [node])
        becomes = {old: self._final(new) for old, new in self.becomes.items()}
        put(found, becomes)
        for node in found if self.renamed_outputs else ():
            for i, name in enumerate(node.output):
                node.output[i] = self.renamed_outputs.get(name, name)
        del proto.node[:]
        proto.node.extend(found)
        forget(proto, before - value_names(proto))
        stored = {tensor.name for tensor in self.initializers}
        # An initializer has its own type; a declared one may be false.
        for i in reversed(range(len(proto.value_info))):
            if proto.value_info[i].name in stored:
                del proto.value_info[i]

    def _final(self, name: str) -> str:
        while name in self.becomes:
            name = self.becomes[name]
        return name

    def _same(self, index: int, value: str) -> bool:
        """Let all read one value for another; one that the graph gives back keeps its name, and the other takes it."""
        site, (name, *more) = self.site, self.site.nodes[index].outputs
        value = self._final(value)
        if {name, value} & (site.hidden | site.kept_names) or value in site.doubtful:
            return False
        others = any(site.is_read(other) for other in more)
        if name not in site.outputs:
            if not others:
                self.nodes[index] = []
            elif not site.is_read(name):
                return False
            self.becomes[name] = value
            return True
        producer = site.producers.get(value)
        taken = value in site.outputs or value in self.renamed_outputs or producer is None or producer in self.nodes
        believed = name in site.doubtful and site.reader_count(value) > 1
        if others or taken or believed or producer in self.runs:
            return False
        self.becomes[value] = self.renamed_outputs[value] = name
        self.nodes[index] = []
        return True

    def _moves(self, index: int, edit: Moves) -> bool:
        moved = {at for at, _, _ in edit.inputs}
        if any(at in self.nodes or at in self.runs for at in moved) or not self._same(index, edit.value):
            return False
        for at in moved:
            node = onnx.NodeProto()
            node.CopyFrom(self.site.proto.node[at])
            self.nodes[at] = [node]
        for at, port, value in edit.inputs:
            self.nodes[at][0].input[port] = value
        return True

    def _duplicate(self, index: int, edit: Duplicate) -> bool:
        if len(edit.values) == 1 and edit.values[0][0] == self.site.nodes[index].outputs[0]:
            return self._same(index, edit.values[0][1])
        values = {name: self._final(value) for name, value in edit.values}
        touched = {*values, *values.values()}
        if touched & (self.site.hidden | self.site.kept_names | self.site.outputs | self.site.doubtful):
            return False
        self.nodes[index] = []
        self.becomes.update(values)
        return True

    def _known(self, name: str, array: Array) -> Iterable[onnx.NodeProto]:
        if name in self.site.outputs or not self.apart:
            yield onnx.helper.make_node("Constant", [], [name], value=numpy_helper.from_array(array))
        else:
            self.initializers.append(numpy_helper.from_array(array, name))

    def _calls(self, index: int, edit: Calls) -> list[onnx.NodeProto]:
        if self.site.nodes[index].name:
            edit.nodes[-1].name = self.site.nodes[index].name
        return [*(node for name, array in edit.constants for node in self._known(name, array)), *edit.nodes]

    def _reads(self, index: int, edit: Reads) -> list[onnx.NodeProto]:
        node = onnx.NodeProto()
        node.CopyFrom(self.site.proto.node[index])
        before: list[onnx.NodeProto] = []
        for port, operand in edit.inputs:
            if not isinstance(operand, str):
                name = self._constant(f"{node.output[0]}_{node.op_type.lower()}", operand)
                if not self.apart:
                    before += self._known(name, operand)
                operand = name
            node.input[port] = operand
        for i in reversed(range(len(node.attribute))):
            if node.attribute[i].name == edit.without:
                del node.attribute[i]
        return [*before, node]

    def _constant(self, wish: str, array: Array) -> str:
        """Return the name of a constant; equal ones are one initializer, where they may be initializers."""
        if not self.apart:
            return self.names.fresh(wish)
        key = (str(array.dtype), array.shape, array.tobytes())
        if key not in self._constants:
            self._constants[key] = self.names.fresh(wish)
            self.initializers.append(numpy_helper.from_array(array, self._constants[key]))
        return self._constants[key]

    def _runs(self, index: int, edit: Runs) -> bool:
        node = self.site.proto.node[index]
        body = next(a.g for a in node.attribute if a.name == edit.attribute)
        if body.sparse_initializer or body.quantization_annotation or len(body.output) < len(node.output) + edit.first:
            return False
        if len(body.input) != len(edit.inputs):
            return False
        self.runs[index] = body, edit
        return True

    def _inlined(self, node: onnx.NodeProto, body: onnx.GraphProto, runs: Runs) -> list[onnx.NodeProto]:
        """Return the nodes of a graph for the place of the node that holds it, under names that nothing else has."""
        inside = onnx.GraphProto()
        inside.CopyFrom(body)
        own = dict.fromkeys([*(t.name for t in inside.initializer), *(o for n in inside.node for o in n.output if o)])
        becomes = {name: self.names.fresh(f"{node.name or node.op_type}.{name}") for name in own}
        constants: list[onnx.NodeProto] = []
        for formal, actual in zip(body.input, runs.inputs):
            becomes[formal.name] = self._actual(formal.name, actual, constants)
        put(inside.node, becomes)
        for inner in inside.node:
            for i, name in enumerate(inner.output):
                inner.output[i] = becomes.get(name, name)
        for value in inside.value_info:
            if value.name in own:
                value.name = becomes[value.name]
                self.site.proto.value_info.append(value)
        for tensor in inside.initializer:
            tensor.name = becomes[tensor.name]
            if self.apart:
                self.site.proto.initializer.append(tensor)
            else:
                constants.append(onnx.helper.make_node("Constant", [], [tensor.name], value=tensor))
        results = [becomes.get(v.name, v.name) for v in inside.output][runs.first :]
        ends = [self._end(r, o, runs, i, constants) for i, (r, o) in enumerate(zip(results, node.output)) if o]
        return [*constants, *inside.node, *ends]

    def _actual(self, formal: str, actual: str | Array, constants: list[onnx.NodeProto]) -> str:
        """Return what an input of a graph is read as in the place of the node."""
        if isinstance(actual, str):
            return self._final(actual)
        name = self.names.fresh(formal)
        constants.append(onnx.helper.make_node("Constant", [], [name], value=numpy_helper.from_array(actual)))
        return name

    def _end(self, result: str, output: str, runs: Runs, port: int, constants: list[onnx.NodeProto]) -> onnx.NodeProto:
        """Return the node that gives a result of a graph as an output of the node."""
        if runs.stacked is None or port < runs.stacked:
            return onnx.helper.make_node("Identity", [result], [output])
        axes = self._actual(f"{output}_axes", np.zeros(1, np.int64), constants)
        return onnx.helper.make_node("Unsqueeze", [result, axes], [output])
