"""A ModelProto as a Graph."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

import onnx
import onnx.defs

from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.dims import Size, symbol
from shapeinfer.facts import Fact, MapType, OptionalType, SequenceType, resized, tensor
from shapeinfer.frontends.formats import ONNX, DefaultInputs
from shapeinfer.frontends.onnx.attributes import read_attributes
from shapeinfer.frontends.onnx.bodies import standard_body
from shapeinfer.frontends.onnx.faults import (
    DEFAULTS_CAME,
    default_faults,
    file_faults,
    fixed_defaults,
    formulas,
    graph_faults,
    input_faults,
)
from shapeinfer.frontends.onnx.ignores import ignores_of
from shapeinfer.frontends.onnx.imports import assumed, domain_of, imports, key_of, not_imported
from shapeinfer.frontends.onnx.names import as_text, require_text
from shapeinfer.frontends.onnx.nodes import decode, without_text
from shapeinfer.frontends.onnx.tensors import sparse_fact, tensor_fact
from shapeinfer.frontends.onnx.trace import operation, origin
from shapeinfer.frontends.onnx.types import TypeReader, borne_by
from shapeinfer.graph import (
    NO_ATTRIBUTES,
    UNNAMED,
    Call,
    Declaration,
    Function,
    FunctionKey,
    Functions,
    Graph,
    Node,
)
from shapeinfer.remembered import forgotten_by, make_room, note, note_text

_calls: dict[tuple[object, ...], Call] = {}
forgotten_by(_calls.clear)
MAX_CALLS = 50_000
TYPES_CAME = 2
"""The IR version since which an attribute has a field for its type."""

LARGE = 1 << 16
"""Attributes of more bytes than this are not kept beyond the model."""
TIMES = 8
"""Attributes take so many times their bytes, about: as key, as read, and in messages."""

DEEPEST = 50
"""Subgraphs nested deeper than this are not read, since nothing infers them."""

ReadNodes = Callable[[Sequence[onnx.NodeProto]], "list[Node]"]
_Key: TypeAlias = "tuple[bytes, int | tuple[bool, ...]]"
"""What a node calls, and which outputs it names."""

_GRAPH_KINDS = (onnx.AttributeProto.GRAPH, onnx.AttributeProto.GRAPHS)


def graph_of(
    model: onnx.ModelProto,
    *,
    thorough: bool = False,
    nodes: Callable[[ReadNodes], Sequence[Node]] | None = None,
    default_inputs: DefaultInputs = "free",
) -> Graph:
    """Return the main graph of a model, its functions included. Reads no weights.

    ``thorough`` also looks for what is wrong with the model as a file, though its shapes can be inferred all the same.
    ``nodes`` gives the main graph's nodes, if some of them were read before; it is called with what reads the others.
    ``default_inputs`` tells how to treat initializers that are inputs too; up to IR version 3 they are constants.
    """
    if len(_calls) > MAX_CALLS:
        _calls.clear()
    make_room()
    require_text(o.domain for o in model.opset_import)
    opsets = imports(model.opset_import)
    if not opsets and model.ir_version < 3:
        opsets[""] = 1  # the field came with IR version 3
    borne = borne_by(model.graph.input)
    reader = TypeReader(borne)
    functions: dict[FunctionKey, Function] = {}
    builder = _Builder(opsets, reader, functions, ir_version=model.ir_version, fixed=default_inputs == "fixed")
    for proto in model.functions:
        functions[key_of(proto)] = _function(proto, opsets, model.ir_version)
    if thorough:
        builder.thorough = True
        builder.faults += [*file_faults(model), *formulas(borne)]
    graph = builder.graph(model.graph, nodes)
    if model.ir_version >= DEFAULTS_CAME:
        builder.faults += fixed_defaults(v.name for v in model.graph.input if v.name in graph.initializers)
    if builder.missing or functions:
        builder.faults += not_imported(model, opsets)
    graph.faults = tuple(builder.faults)
    graph.ignores = ignores_of(model)
    return graph


def reader_of_nodes(model: onnx.ModelProto, graph: Graph) -> ReadNodes:
    """Return what reads nodes that are new in the main graph of a model, which was read before."""
    reader = TypeReader(borne_by(model.graph.input))
    return _Builder(graph.opsets, reader, graph.functions, ir_version=model.ir_version).nodes


class _Builder:
    """Builds graphs that share opset imports, a reader of types and functions."""

    def __init__(
        self,
        opsets: Mapping[str, int],
        reader: TypeReader,
        functions: Functions,
        *,
        ir_version: int = 0,
        fixed: bool = False,
        bindings: Mapping[str, onnx.AttributeProto] | None = None,
    ) -> None:
        self.opsets = opsets
        self.reader = reader
        self.functions = functions
        self.constants = fixed or ir_version < DEFAULTS_CAME
        """Whether initializers that are also inputs keep their value: so it was before IR version 4."""
        self.typed = ir_version >= TYPES_CAME
        """Whether attributes must say of which type they are."""
        self.bindings = bindings
        """Inside a function: the attributes of the call, which nodes refer to by name."""
        self.faults: list[Diagnostic] = []
        self.thorough = False
        self.missing = False
        """Whether a node was of a domain that is not imported."""
        self._annotated = False
        """Whether a node had text or metadata."""
        self._depth = 0
        self._calls: dict[_Key, Call] = {}

    def graph(self, proto: onnx.GraphProto, known: Callable[[ReadNodes], Sequence[Node]] | None = None) -> Graph:
        initializers: dict[str, Fact] = {t.name: tensor_fact(t) for t in proto.initializer}
        for sparse in proto.sparse_initializer:
            initializers[sparse.values.name] = _dense(sparse)
        if self.thorough:
            self.faults += graph_faults(proto)
        inputs: dict[str, Fact] = {}
        defaults: dict[str, Fact] = {}
        for value in proto.input:
            if self.constants and value.name in initializers:
                declared_type = self._read(value, "input", label=True)
                self.faults += default_faults(value.name, declared_type, initializers[value.name])
                continue
            # Who calls a subgraph gives it what it gives it: names that only its inputs bear are labels.
            inputs[value.name] = self._read(value, "input", label=self._depth > 0)
            if not self._depth:
                self.faults += input_faults(value)
                inputs[value.name] = _input(inputs[value.name], value.name, self.reader.borne)
            if value.name in initializers:
                defaults[value.name] = initializers.pop(value.name)
                self.faults += default_faults(value.name, inputs[value.name], defaults[value.name])
        declared = {v.name: Declaration(self._read(v, "value", label=True)) for v in proto.value_info}
        for v in proto.output:
            if v.HasField("type"):
                declared[v.name] = Declaration(self._read(v, "output", label=True), output=not self._depth)
        nodes = self.nodes(proto.node) if known is None else known(self.nodes)
        outputs = [v.name for v in proto.output]
        require_text((*inputs, *initializers, *declared, *outputs))
        name = as_text(proto.name)
        return Graph(
            name,
            nodes,
            inputs,
            initializers,
            outputs,
            declared,
            self.opsets,
            self.functions,
            standard_function,
            origin=origin,
            operation=operation,
            format=ONNX,
            defaults=defaults,
        )

    def _read(self, value: onnx.ValueInfoProto, what: str, *, label: bool) -> Fact:
        fact = self.reader.read(value.type, label=label)
        if self.reader.negative:
            message = f"{what} {value.name} declares a negative dim; it is treated as unknown"
            code = codes.NEGATIVE_DIM_VALUE
            self.faults.append(Diagnostic(code, code.severity, message, value=value.name))
        return fact

    def nodes(self, protos: Sequence[onnx.NodeProto]) -> list[Node]:
        """Read nodes; what was called before with the same attributes is looked up by their bytes."""
        if self.bindings is not None:
            protos = [self._resolved(p) if any(a.ref_attr_name for a in p.attribute) else p for p in protos]
        seen, read = self._calls.get, []
        for proto, (inputs, outputs, called) in zip(protos, decode(protos)):
            if self._annotated:
                called = without_text(called)
            key = (called, tuple([o != "" for o in outputs]) if "" in outputs else len(outputs))
            call = seen(key)
            read.append(self._new(proto, inputs, outputs, key) if call is None else Node(call, inputs, outputs, proto))
        return read

    def _new(self, proto: onnx.NodeProto, inputs: tuple[str, ...], outputs: tuple[str, ...], key: _Key) -> Node:
        """Read a node that calls what none before it did."""
        if not self._annotated and (proto.doc_string or proto.metadata_props):
            # What is written about a node is bytes too, and as a rule each has its own.
            self._annotated = True
            (node,) = self.nodes([proto])
            return node
        attributes = proto.attribute
        require_text(
            (proto.op_type, proto.domain, proto.overload, *(n for a in attributes for n in (a.name, a.ref_attr_name)))
        )
        if any(a.type in _GRAPH_KINDS or a.HasField("g") for a in attributes):
            return self._with_graphs(proto, inputs, outputs)
        raw = b"".join(a.SerializeToString() for a in attributes)
        call = self._call(proto, outputs, raw)
        if len(raw) <= LARGE:
            self._calls[key] = call
        return Node(call, inputs, outputs, proto)

    def _call(self, proto: onnx.NodeProto, outputs: tuple[str, ...], raw: bytes) -> Call:
        """Return the call of a node; equal calls are one object, across models too unless they are large."""
        domain = domain_of(proto.domain)
        opset = self._opset(domain)
        named = tuple(o != "" for o in outputs)
        key = (proto.op_type, domain, opset, named, raw, proto.overload, self.typed)
        call = _calls.get(key)
        if call is None:
            read = read_attributes(proto.attribute, typed=self.typed) if raw else NO_ATTRIBUTES
            call = Call(proto.op_type, domain, opset, read, named, overload=proto.overload)
            note_text(proto.op_type, domain, proto.overload)
            note(TIMES * (len(raw) + len(named)))
            if len(raw) <= LARGE:
                call = _calls.setdefault(key, call)
        return call

    def _with_graphs(self, proto: onnx.NodeProto, inputs: tuple[str, ...], outputs: tuple[str, ...]) -> Node:
        graphs: dict[str, Graph] = {}
        self._depth += 1
        if self._depth <= DEEPEST:
            for a in proto.attribute:
                if a.HasField("g"):
                    graphs[a.name] = self.graph(a.g)
                # No operator of ONNX has several in one attribute, but those of others read what is around them too.
                graphs.update((f"{a.name}[{i}]", self.graph(g)) for i, g in enumerate(a.graphs))
        self._depth -= 1
        domain = domain_of(proto.domain)
        named = tuple(o != "" for o in outputs)
        note_text(proto.op_type, domain, proto.overload)
        note(TIMES * len(named))
        call = Call(
            proto.op_type, domain, self._opset(domain), read_attributes(proto.attribute), named, overload=proto.overload
        )
        return Node(call, inputs, outputs, proto, graphs)

    def _opset(self, domain: str) -> int:
        version = self.opsets.get(domain)
        if version is None:
            self.missing = True
            return assumed(domain)
        return version

    def _resolved(self, proto: onnx.NodeProto) -> onnx.NodeProto:
        """Replace references to the function's attributes by the call's; one that the call lacks drops out."""
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


def standard_function(node: Node, facts: Iterable[Fact | None]) -> Function | None:
    """Return the body that ONNX gives the operator of a node, for inputs of these types; None if it gives none."""
    call = node.call
    try:
        schema = onnx.defs.get_schema(call.op_type, call.opset, call.domain)
    except (onnx.defs.SchemaError, TypeError):  # a version of more than 32 bits is none
        return None
    proto = standard_body(schema, node.source, facts)
    return None if proto is None else _function(proto, {call.domain: call.opset}, 0, standard=True)


def _function(
    proto: onnx.FunctionProto, opsets: Mapping[str, int], ir_version: int, *, standard: bool = False
) -> Function:
    own = dict(opsets) | imports(proto.opset_import)
    key = key_of(proto)
    defaults = {a.name: a for a in proto.attribute_proto}

    def body(node: Node, functions: Functions) -> Graph:
        functions = {} if standard else functions
        assert isinstance(node.source, onnx.NodeProto), "a function is called by a node of its own model"
        passed = {a.name: a for a in node.source.attribute}
        builder = _Builder(own, TypeReader(()), functions, ir_version=ir_version, bindings={**defaults, **passed})
        nodes = builder.nodes(proto.node)
        outputs = tuple(proto.output)
        graph = Graph(proto.name, nodes, {}, {}, outputs, {}, own, functions, standard_function)
        graph.origin, graph.operation = origin, operation
        if not standard:
            graph.function, graph.call, graph.formals = key, node.call, tuple(proto.input)
        return graph

    required = dict.fromkeys(proto.attribute, True) | dict.fromkeys(defaults, False)
    return Function(proto.domain, proto.name, tuple(proto.input), tuple(proto.output), required, body, proto.overload)


def _input(fact: Fact, name: str, borne: frozenset[str]) -> Fact:
    """A declared input whose unnamed dims get names from the input and their axes."""
    if UNNAMED not in fact.symbols:
        return fact
    inner = fact.element if isinstance(fact, OptionalType) else fact
    several = isinstance(inner, (SequenceType, MapType))
    """Whether it holds several tensors, whose lengths may differ: no one length is the input's own."""
    axes = itertools.count()

    def own(size: Size) -> Size:
        axis = next(axes)
        if size is not UNNAMED:
            return size
        invented = f"{name}_dim_{axis}"
        while invented in borne:
            invented += "_"
        return symbol(invented, fresh=several)

    return resized(fact, own)


def _dense(sparse: onnx.SparseTensorProto) -> Fact:
    """A sparse initializer is used as the dense tensor that it stands for (IR, "SparseTensorProto")."""
    fact = sparse_fact(sparse)
    return tensor(fact.dtype, fact.shape)
