"""A ModelProto as a Graph."""

from __future__ import annotations

from collections.abc import Mapping

import onnx

from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.dims import Size, symbol
from shapeinfer.facts import Fact, Tensor, tensor
from shapeinfer.frontends.onnx.attributes import read_attributes
from shapeinfer.frontends.onnx.tensors import sparse_fact, tensor_fact
from shapeinfer.frontends.onnx.types import UNNAMED, TypeReader, plain_names
from shapeinfer.graph import NO_ATTRIBUTES, Call, Declaration, Function, Graph, Node

_calls: dict[tuple[object, ...], Call] = {}
MAX_CALLS = 50_000
LARGE = 1 << 16
"""Attributes of more bytes than this are not kept beyond the model."""

_GRAPH_KINDS = (onnx.AttributeProto.GRAPH, onnx.AttributeProto.GRAPHS)


def graph_of(model: onnx.ModelProto) -> Graph:
    """Return the main graph of a model, its functions included. Reads no weights."""
    if len(_calls) > MAX_CALLS:
        _calls.clear()
    opsets = {o.domain if o.domain != "ai.onnx" else "": o.version for o in model.opset_import}
    reader = TypeReader(plain_names(model.graph.input))
    functions: dict[tuple[str, str], Function] = {}
    builder = _Builder(opsets, reader, functions, constants=model.ir_version < 4)
    for proto in model.functions:
        functions[proto.domain, proto.name] = _function(proto, opsets, functions)
    return builder.graph(model.graph)


class _Builder:
    """Builds graphs that share opset imports, a reader of types and functions."""

    def __init__(
        self,
        opsets: Mapping[str, int],
        reader: TypeReader,
        functions: Mapping[tuple[str, str], Function],
        *,
        constants: bool = False,
        bindings: Mapping[str, onnx.AttributeProto] | None = None,
    ) -> None:
        self.opsets = opsets
        self.reader = reader
        self.functions = functions
        self.constants = constants
        """Whether initializers that are also inputs keep their value: so it was before IR version 4."""
        self.bindings = bindings
        """Inside a function: the attributes of the call, which nodes refer to by name."""
        self._calls: dict[tuple[object, ...], Call] = {}

    def graph(self, proto: onnx.GraphProto) -> Graph:
        initializers: dict[str, Fact] = {t.name: tensor_fact(t) for t in proto.initializer}
        for sparse in proto.sparse_initializer:
            initializers[sparse.values.name] = _dense(sparse)
        inputs: dict[str, Fact] = {}
        faults: list[Diagnostic] = []
        for value in proto.input:
            if self.constants and value.name in initializers:
                continue
            self.reader.negative = False
            inputs[value.name] = self._input(value)
            if self.reader.negative:
                message = f"input {value.name} declares a negative dim; it is taken as unknown"
                faults.append(Diagnostic(codes.NEGATIVE_DIM_VALUE, codes.NEGATIVE_DIM_VALUE.severity, message))
            if value.name in initializers:
                del initializers[value.name]
        read = self.reader.read
        declared = {v.name: Declaration(read(v.type, label=True)) for v in proto.value_info}
        for v in proto.output:
            if v.HasField("type"):
                declared[v.name] = Declaration(read(v.type, label=True), output=True)
        return Graph(
            proto.name,
            [self.node(n) for n in proto.node],
            inputs,
            initializers,
            [v.name for v in proto.output],
            declared,
            self.opsets,
            self.functions,
            faults,
        )

    def _input(self, value: onnx.ValueInfoProto) -> Fact:
        """A declared input; a dim without a name gets one from the input and its axis."""
        fact = self.reader.read(value.type, label=False)
        if not isinstance(fact, Tensor) or fact.shape is None or UNNAMED not in fact.shape:
            return fact
        return tensor(fact.dtype, tuple(self._own(d, value.name, i) for i, d in enumerate(fact.shape)))

    def _own(self, size: Size, name: str, axis: int) -> Size:
        if size is not UNNAMED:
            return size
        made = f"{name}_dim_{axis}"
        while made in self.reader.names:
            made += "_"
        return symbol(made)

    def node(self, proto: onnx.NodeProto) -> Node:
        outputs = tuple(proto.output)
        attributes = proto.attribute
        if attributes and self.bindings is not None and any(a.ref_attr_name for a in attributes):
            proto = self._resolved(proto)
            attributes = proto.attribute
        raw = [a.SerializeToString() for a in attributes] if attributes else ()
        named = tuple([o != "" for o in outputs]) if "" in outputs else len(outputs)
        key = (proto.op_type, proto.domain, named, *raw)
        call = self._calls.get(key)
        if call is None:
            if any(a.type in _GRAPH_KINDS or a.HasField("g") for a in attributes):
                return self._with_graphs(proto, outputs)
            call = self._calls[key] = self._call(proto, outputs, b"".join(raw))
        return Node(call, tuple(proto.input), outputs, proto)

    def _call(self, proto: onnx.NodeProto, outputs: tuple[str, ...], raw: bytes) -> Call:
        """Return the call of a node; equal calls are one object, across models too unless they are large."""
        domain = "" if proto.domain == "ai.onnx" else proto.domain
        opset = self.opsets.get(domain, 0)
        named = tuple(o != "" for o in outputs)
        key = (proto.op_type, domain, opset, named, raw)
        call = _calls.get(key)
        if call is None:
            read = read_attributes(proto.attribute) if raw else NO_ATTRIBUTES
            call = Call(proto.op_type, domain, opset, read, named)
            if len(raw) <= LARGE:
                _calls[key] = call
        return call

    def _with_graphs(self, proto: onnx.NodeProto, outputs: tuple[str, ...]) -> Node:
        graphs = {a.name: self.graph(a.g) for a in proto.attribute if a.HasField("g")}
        domain = "" if proto.domain == "ai.onnx" else proto.domain
        named = tuple(o != "" for o in outputs)
        call = Call(proto.op_type, domain, self.opsets.get(domain, 0), read_attributes(proto.attribute), named)
        return Node(call, tuple(proto.input), outputs, proto, graphs)

    def _resolved(self, proto: onnx.NodeProto) -> onnx.NodeProto:
        """Replace references to the function's attributes by the call's; one that was not given drops out."""
        assert self.bindings is not None, "only a function's nodes refer to attributes"
        out = onnx.NodeProto()
        out.CopyFrom(proto)
        del out.attribute[:]
        for a in proto.attribute:
            if not a.ref_attr_name:
                out.attribute.append(a)
            elif a.ref_attr_name in self.bindings:
                out.attribute.append(self.bindings[a.ref_attr_name])
                out.attribute[-1].name = a.name
        return out


def _function(
    proto: onnx.FunctionProto, opsets: Mapping[str, int], functions: Mapping[tuple[str, str], Function]
) -> Function:
    own = dict(opsets) | {o.domain if o.domain != "ai.onnx" else "": o.version for o in proto.opset_import}
    defaults = {a.name: a for a in proto.attribute_proto}

    def body(node: Node) -> Graph:
        assert isinstance(node.source, onnx.NodeProto), "a function is called by a node of its own model"
        given = {a.name: a for a in node.source.attribute}
        builder = _Builder(own, TypeReader(()), functions, bindings={**defaults, **given})
        nodes = [builder.node(n) for n in proto.node]
        return Graph(proto.name, nodes, {}, {}, tuple(proto.output), {}, own, functions)

    required = dict.fromkeys(proto.attribute, True) | dict.fromkeys(defaults, False)
    return Function(proto.domain, proto.name, tuple(proto.input), tuple(proto.output), required, body)


def _dense(sparse: onnx.SparseTensorProto) -> Fact:
    """A sparse initializer is used as the dense tensor that it stands for (IR, "SparseTensorProto")."""
    fact = sparse_fact(sparse)
    return tensor(fact.dtype, fact.shape)
