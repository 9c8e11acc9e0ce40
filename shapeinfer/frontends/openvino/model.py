"""An IR as a Graph: layers are nodes, ports are values ``LAYER NAME:OUTPUT INDEX``, and their dims are claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from attrs import define, evolve, field

from shapeinfer.budget import look
from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.dims import Dim, Size, equal, symbol
from shapeinfer.facts import OPENVINO, UNKNOWN, Fact, Profile, Shape, Tensor, resized, tensor
from shapeinfer.frontends.openvino.bodies import BODIES, wiring
from shapeinfer.frontends.openvino.layers import Faults, Layer, read_net
from shapeinfer.frontends.openvino.ports import BadText, claimed, element_type, names_of, numbers, parameter_shape
from shapeinfer.frontends.openvino.read import Document
from shapeinfer.frontends.openvino.tree import Element
from shapeinfer.frontends.openvino.weights import Weights, bytes_needed
from shapeinfer.graph import UNNAMED, Attributes, AttributeType, Call, Declaration, Graph, Node
from shapeinfer.graph.order import sort
from shapeinfer.graph.wiring import Wiring
from shapeinfer.remembered import forgotten_by, make_room, note, note_text

CONSTANTS = ("Const", "Constant")
DEEPEST = 50
"""Bodies nested deeper than this are not read, since nothing infers them."""

MAX_CALLS = 50_000
NOWHERE = "?"
"""The value at an input that no edge leads to."""

_calls: dict[tuple[object, ...], Call] = {}
forgotten_by(_calls.clear)


def graph_of(
    document: Document, profile: Profile = "spec", shapes: Mapping[str, Sequence[int]] = MappingProxyType({})
) -> Graph:
    """Return the main graph of an IR, its bodies included; of the constants only small ones are read.

    ``shapes`` are what inputs are to be reshaped to. One that an input does not declare opens its dims, and then the
    lengths in the ports, which were inferred for others, claim nothing.
    """
    if len(_calls) > MAX_CALLS:
        _calls.clear()
    make_room()
    with Weights(document.weights) as weights:
        model = _Model(weights, profile, shapes)
        graph = _GraphReader(model, document.root, ()).read(document.root.attributes.get("name", ""))
    problem = model.weights.problem
    if problem and model.has_constants:
        message = f"{problem}; the contents of constants are unknown, and so are the shapes that depend on them"
        finding = Diagnostic(codes.MISSING_WEIGHTS, codes.MISSING_WEIGHTS.severity, message, path=document.path)
        model.faults.insert(0, finding)
    graph.faults = tuple(model.faults)
    if model.reshaped:
        _open_claims(graph, ranks=model.reranked)
    return graph


def _open_claims(graph: Graph, *, ranks: bool) -> None:
    """Leave of what ports declare the element types, and the ranks unless those are open too."""

    def opened(fact: Fact) -> Fact:
        return tensor(fact.dtype, None) if ranks and isinstance(fact, Tensor) else resized(fact, lambda _: UNNAMED)

    graph.declared = {name: evolve(d, fact=opened(d.fact)) for name, d in graph.declared.items()}
    for node in graph.nodes:
        for inner in (node.graphs or {}).values():
            _open_claims(inner, ranks=ranks)


@define(eq=False)
class _Model:
    """What the graphs of one file share."""

    weights: Weights
    profile: Profile
    shapes: Mapping[str, Sequence[int]]
    reshaped: bool = False
    reranked: bool = False
    """Whether an input is to have a shape, or a number of axes, that it does not declare."""
    faults: list[Diagnostic] = field(factory=list)
    has_constants: bool = False


class _GraphReader:
    """Reads one graph: that of the <net>, or that of a body."""

    def __init__(self, model: _Model, element: Element, path: tuple[str, ...]) -> None:
        self._model = model
        self._path = path
        self._faults = Faults(path, model.faults)
        self.net = read_net(element, self._faults)
        self.results: list[str] = []
        self._inputs: dict[str, Fact] = {}
        self._constants: dict[str, Fact] = {}
        self._declared: dict[str, Declaration] = {}
        self._aliases: dict[str, str] = {}
        self._outputs: list[str] = []
        self._nodes: list[Node] = []

    def read(self, name: str) -> Graph:
        """Return the graph, its nodes in an order that works if there is one."""
        for key, layer in self.net.layers.items():
            look()
            self._layer(key, layer)
        opsets: dict[str, int] = {}
        for layer in self.net.layers.values():
            opsets[layer.domain] = max(layer.opset, opsets.get(layer.domain, 0))
        graph = Graph(
            name,
            self._nodes,
            self._inputs,
            self._constants,
            self._outputs,
            self._declared,
            dict(sorted(opsets.items())),
            aliases=self._aliases,
            constants_are_layers=True,
            format=OPENVINO,
        )
        graph.nodes = [self._nodes[i] for i in sort(graph, lambda _: False).nodes]
        return graph

    def _layer(self, key: str, layer: Layer) -> None:
        for output, port in enumerate(layer.element.below("output", "port")):
            self._aliases.update(dict.fromkeys(names_of(port), layer.value(output)))
        if layer.type == "Parameter":
            self._inputs[layer.value(0)] = self._parameter(layer)
            self._aliases[layer.name] = layer.value(0)
        elif layer.type in CONSTANTS:
            self._constants[layer.value(0)] = self._constant(layer)
        elif layer.type == "Result":
            if not layer.inputs:
                self._faults.in_layer(codes.MALFORMED_LAYER, "a Result needs an input port", layer)
                return
            self._outputs.append(self._reads(key, layer)[0])
            self.results.append(key)
        else:
            self._nodes.append(self._node(key, layer))

    def _parameter(self, layer: Layer) -> Fact:
        """The fact of an input; in a body open lengths are mere labels, since the layer around it gives its own."""
        try:
            dtype = element_type(layer.data.get("element_type", "dynamic"))
            fact = tensor(dtype, parameter_shape(layer.data.get("shape", "..."), layer.name))
        except BadText as error:
            self._faults.in_layer(codes.MALFORMED_LAYER, str(error), layer)
            return tensor(element_type("dynamic"), None)
        return resized(fact, _label) if self._path else self._reshaped(layer, fact)

    def _reshaped(self, layer: Layer, fact: Tensor) -> Fact:
        """An input with its dims opened, where it is to have a shape that it does not declare."""
        called = [layer.name, *(name for port in layer.element.below("output", "port") for name in names_of(port))]
        wanted = next((self._model.shapes[name] for name in called if name in self._model.shapes), None)
        if wanted is None or fact.shape is None or _admits(fact.shape, wanted):
            return fact
        self._model.reshaped = True
        self._model.reranked |= len(wanted) != len(fact.shape)
        return fact.of(*(symbol(f"{layer.name}.{axis}") for axis in range(len(wanted))))

    def _constant(self, layer: Layer) -> Fact:
        self._model.has_constants = True
        try:
            kind = layer.data.get("element_type", "")
            dtype, shape = element_type(kind), numbers(layer.data.get("shape", ""))
        except BadText as error:
            self._faults.in_layer(codes.MALFORMED_LAYER, str(error), layer)
            return tensor(element_type("dynamic"), None)
        fact = tensor(dtype, shape)
        try:
            offset, size = (int(layer.data[name]) for name in ("offset", "size"))
        except (KeyError, ValueError):
            self._faults.in_layer(codes.MALFORMED_LAYER, "a constant needs an offset and a size, each a number", layer)
            return fact
        needed, there = bytes_needed(kind.lower(), dtype, shape), self._model.weights.size
        if needed is not None and needed != size:
            message = f"{kind} of shape [{', '.join(map(str, shape))}] takes {needed} bytes, the constant has {size}"
            self._faults.in_layer(codes.WEIGHTS_OUT_OF_RANGE, message, layer)
        elif there is not None and not 0 <= offset <= offset + size <= there:
            where = f"bytes {offset} to {offset + size} of {self._model.weights.name}"
            self._faults.in_layer(codes.WEIGHTS_OUT_OF_RANGE, f"{where}, which has but {there}", layer)
        else:
            return fact.holding(self._model.weights.entries(offset, size, dtype, shape))
        return fact

    def _reads(self, key: str, layer: Layer) -> list[str]:
        """The values at a layer's inputs; one that nothing leads to is a fault."""
        names = [self.net.sources.get((key, port), NOWHERE) for port in layer.inputs]
        for port, name in zip(layer.inputs, names):
            if name == NOWHERE:
                self._constants[NOWHERE] = UNKNOWN
                if not layer.is_ambiguous:
                    self._faults.in_layer(codes.BROKEN_EDGE, f"input port {port} is not connected", layer)
        return names

    def _node(self, key: str, layer: Layer) -> Node:
        outputs = tuple(layer.value(i) for i in range(len(layer.outputs)))
        for name, port in zip(outputs, layer.element.below("output", "port")):
            try:
                self._declared[name] = Declaration(claimed(port), claim=True)
            except BadText as error:
                self._faults.at(codes.MALFORMED_LAYER, str(error), port.line, layer.name, layer.type, layer.domain)
        node = Node(self._call(layer), tuple(self._reads(key, layer)), outputs, layer)
        bodies = {tag: body for tag in BODIES if (body := layer.element.first(tag)) is not None}
        if bodies or any(layer.element.first(port_map) for port_map in BODIES.values()):
            node.graphs, node.wiring = self._bodies(layer, bodies)
        return node

    def _call(self, layer: Layer) -> Call:
        """The call of a layer; equal calls are one object, across models too."""
        key = (layer.type, layer.domain, layer.opset, len(layer.outputs), self._model.profile, *layer.data.items())
        call = _calls.get(key)
        if call is None:
            attributes = Attributes(dict(layer.data), dict.fromkeys(layer.data, AttributeType.TEXT))
            named = (True,) * len(layer.outputs)
            new = Call(layer.type, layer.domain, layer.opset, attributes, named, self._model.profile)
            note_text(layer.type, layer.domain, *map(str, layer.data), *map(str, layer.data.values()))
            note(8 * len(named))
            call = _calls.setdefault(key, new)
        return call

    def _bodies(self, layer: Layer, bodies: dict[str, Element]) -> tuple[dict[str, Graph], dict[str, Wiring]]:
        graphs: dict[str, Graph] = {}
        wirings: dict[str, Wiring] = {}
        if len(self._path) < DEEPEST:
            for tag, element in bodies.items():
                reader = _GraphReader(self._model, element, (*self._path, f"{layer.name}.{tag}"))
                graphs[tag] = reader.read(tag)
                wirings[tag] = wiring(layer, tag, reader.net, reader.results, self._faults)
        return graphs, wirings


def _admits(shape: Shape, wanted: Sequence[int]) -> bool:
    """Whether declared dims allow these sizes."""
    return len(shape) == len(wanted) and not any(equal(d, size).is_no for d, size in zip(shape, wanted))


def _label(size: Size) -> Size:
    return symbol(size.name, size.low, size.high, fresh=True) if isinstance(size, Dim) else size
