"""The cost of each node and of a whole model."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from attrs import evolve, field, frozen

from shapeinfer.cost.liveness import LiveSet, lifetimes
from shapeinfer.cost.memory import Bytes, byte_sum, greatest, joined, peak_of
from shapeinfer.cost.multiply_adds import multiply_adds
from shapeinfer.cost.stored import bytes_of, elements_of
from shapeinfer.diagnostics.diagnostic import NodeRef
from shapeinfer.diagnostics.markup import escaped, table
from shapeinfer.dims import Dim, Size, maximum, mul, substitute, text_of, total
from shapeinfer.dims.notation.arguments import ByDim, DimLike, by_name, read_dim
from shapeinfer.facts import Fact, Tensor
from shapeinfer.graph import Graph, Node
from shapeinfer.infer.diagnosis.diagnose import node_ref

Scopes: TypeAlias = Mapping[Graph, Mapping[str, "Fact | None"]]
Look: TypeAlias = Callable[[str], "Fact | None"]
Weights: TypeAlias = "dict[tuple[object, str], Fact]"
"""Weights by their graph and name."""


@frozen
class NodeCost:
    """The cost of one node of the main graph, including its subgraphs; None if unknown."""

    node: NodeRef
    parameters: Size | None
    """The elements of the weights that it reads; one that several nodes read counts at each."""
    multiply_adds: Size | None
    bytes: Size | None
    """The bytes of its outputs."""

    def to_dict(self) -> dict[str, Any]:
        numbers = {"parameters": self.parameters, "multiply_adds": self.multiply_adds, "bytes": self.bytes}
        return {"node": self.node.to_dict(), **{name: _json_size(size) for name, size in numbers.items()}}


@frozen(repr=False)
class Cost:
    """The cost of a run of a model, as formulas of the input dims or as numbers; None if unknown.

    ``parameters`` and ``parameter_bytes`` are of the weights that nodes read: initializers and Constant nodes.
    ``peak_bytes`` is the most that is alive at once beside the weights, with the nodes in the order of the file: inputs
    during the whole run, outputs to its end, every other value from the node that makes it to the last that reads it.
    No value shares its memory with another. Inside nodes the greatest moment of a body counts, beside what is alive
    around it.
    ``multiply_adds`` are those of matrix products, convolutions, attention and recurrences; the rest counts as none.
    """

    nodes: tuple[NodeCost, ...] = field(repr=False)
    parameters: Size | None
    parameter_bytes: Size | None
    peak_bytes: Size | None
    multiply_adds: Size | None
    unknown: tuple[str, ...] = ()
    """Why something is None, a line each."""

    def __repr__(self) -> str:
        sums = {"parameters": self.parameters, "multiply_adds": self.multiply_adds, "peak_bytes": self.peak_bytes}
        return f"<Cost {' '.join(f'{name}={size!r}' for name, size in sums.items())}>"

    def evaluate(self, bind: ByDim[DimLike]) -> Cost:
        """Return the cost for sizes of dims; what depends on other dims remains a formula.

        Nothing is inferred or counted again, so that many sizes can be compared. Whether the model runs with them is
        not asked, ``Contract.holds`` tells: a formula that would divide by 0 remains. For arrays of sizes each formula
        has an ``evaluate`` of its own: ``cost.multiply_adds.evaluate(N=np.arange(1, 9))``. Raises ValueError for what
        is no size.
        """
        sizes = {name: read_dim(size, name) for name, size in by_name(bind, "bind").items()}

        @functools.cache
        def at(formula: Size) -> Size:
            symbols = formula.symbols if isinstance(formula, Dim) else ()
            return substitute(formula, {s: sizes[s.name] for s in symbols if s.name in sizes})

        return self.bound(at)

    def bound(self, replaced: Callable[[Size], Size]) -> Cost:
        """Return the cost with each formula replaced."""

        def new(size: Size | None) -> Size | None:
            return None if size is None else replaced(size)

        nodes = tuple(evolve(n, multiply_adds=new(n.multiply_adds), bytes=new(n.bytes)) for n in self.nodes)
        return evolve(self, nodes=nodes, peak_bytes=new(self.peak_bytes), multiply_adds=new(self.multiply_adds))

    def _repr_html_(self) -> str:
        """Return the sums as a notebook shows them."""
        sizes = {
            "parameters": self.parameters,
            "bytes of parameters": self.parameter_bytes,
            "multiply-adds": self.multiply_adds,
            "peak bytes of activations": self.peak_bytes,
        }
        notes = "".join(f"<p>{escaped(line)}</p>" for line in self.unknown)
        return table(("cost", ""), ((name, "?" if s is None else str(s)) for name, s in sizes.items())) + notes

    def to_dict(self) -> dict[str, Any]:
        """Return the cost in the form that ``shapeinfer cost --format json`` prints: numbers, or formulas as text."""
        sums = {
            "parameters": self.parameters,
            "parameter_bytes": self.parameter_bytes,
            "peak_bytes": self.peak_bytes,
            "multiply_adds": self.multiply_adds,
        }
        return {
            **{name: _json_size(size) for name, size in sums.items()},
            "unknown": list(self.unknown),
            "nodes": [n.to_dict() for n in self.nodes],
        }


def _json_size(size: Size | None) -> int | str | None:
    return size if size is None or isinstance(size, int) else text_of(size)


def cost_of(graph: Graph, scopes: Scopes) -> Cost:
    """Return what a graph costs whose values are in ``scopes``."""
    count = _Count(scopes)
    whole = count.graph(graph, lambda _: None, {}, inputs=True)
    weights = whole.weights.values()
    return Cost(
        tuple(whole.nodes),
        _sum(map(elements_of, weights)),
        _sum(map(bytes_of, weights)),
        None if whole.alive is None else peak_of(whole.alive),
        _sum(n.multiply_adds for n in whole.nodes),
        tuple(count.unknown),
    )


def live_sets_of(graph: Graph, scopes: Scopes, replaced: Callable[[Size], Size]) -> Iterator[LiveSet]:
    """Return what is alive at each node of a graph whose values are in ``scopes``, with each formula replaced."""
    count = _Count(scopes)
    look = scopes[graph].get
    held = count.weights(graph, look)
    weights = {name for _, name in held}

    def size_of(name: str) -> Size | None:
        size = bytes_of(look(name))
        return None if size is None else replaced(size)

    sizes = {name: size_of(name) for name in graph.inputs}
    now: Bytes = {}
    for size in sizes.values():
        now = joined(now, _as_bytes(size))
    for (index, node), (begun, ended) in zip(enumerate(graph.nodes), lifetimes(graph, weights)):
        before = now
        for name in begun:
            sizes[name] = size_of(name)
            now = joined(now, _as_bytes(sizes[name]))
        whole = count.within(node, look, held)
        inside = count.most_inside(graph, node, whole)
        around = now if node.call.op_type in _LOOPS else before
        peak = None if inside is None else replaced(peak_of(inside))
        yield LiveSet(node_ref(node, index, ()), dict(sizes), peak, (now, around))
        for name in ended:
            now = joined(now, _as_bytes(sizes.pop(name, None)), -1)


def _as_bytes(size: Size | None) -> Bytes:
    return {} if size is None else byte_sum(size)


def _sum(sizes: Iterable[Size | None]) -> Size | None:
    known = list(sizes)
    return None if None in known else total(s for s in known if s is not None)


@frozen
class _Whole:
    """The cost of a graph: ``alive`` has the candidates for the peak memory, None if unknown."""

    nodes: Sequence[NodeCost]
    weights: Weights
    alive: Sequence[Bytes] | None

    @property
    def multiply_adds(self) -> Size | None:
        return _sum(n.multiply_adds for n in self.nodes)


class _Count:
    """Counts a graph and those inside its nodes."""

    def __init__(self, scopes: Scopes) -> None:
        self.scopes = scopes
        self.unknown: dict[str, None] = {}
        """What is unknown, without duplicates."""
        self.bodies: dict[object, Graph] = {}
        """For a call of a function and the facts of its inputs the body that was inferred."""
        for graph in scopes:
            if graph.call is not None:
                facts = tuple(scopes[graph].get(name) for name in graph.formals)
                self.bodies[graph.function, graph.call, facts] = graph

    def graph(self, graph: Graph, outer: Look, seen: Weights, *, inputs: bool = False) -> _Whole:
        """Count a graph. ``seen`` has the weights of the graphs around it; with ``inputs`` its inputs take memory."""
        values = self.scopes[graph]

        def look(name: str) -> Fact | None:
            return values.get(name) or outer(name)

        held = self.weights(graph, look)
        around = {**seen, **held}
        visible = {name: (place, fact) for (place, name), fact in around.items()}
        nodes: list[NodeCost] = []
        used: Weights = {}
        inside: list[_Whole | None] = []
        for index, node in enumerate(graph.nodes):
            within = self.within(node, look, around)
            inside.append(within)
            read = {(visible[n][0], n): visible[n][1] for n in node.inputs if n in visible}
            read |= within.weights if within else {}
            used |= read
            made = [look(o) for o in node.outputs if o]
            place = node_ref(node, index, ())
            work = within.multiply_adds if within else self.work(node, look)
            nodes.append(NodeCost(place, _sum(map(elements_of, read.values())), work, _sum(map(bytes_of, made))))
        names = {name for _, name in held}
        return _Whole(nodes, used, self.alive(graph, look, names, inside, graph.inputs if inputs else ()))

    def weights(self, graph: Graph, look: Look) -> Weights:
        """Return the weights of a graph: its initializers and what its Constant nodes hold."""
        owner = graph.function or graph
        held: Weights = {(owner, n): f for n, f in graph.initializers.items()}
        return held | {(owner, n.outputs[0]): f for n in graph.nodes if _is_weight(n) and (f := look(n.outputs[0]))}

    def most_inside(self, graph: Graph, node: Node, whole: _Whole | None) -> Sequence[Bytes] | None:
        """Return the candidates for the peak memory inside a node: none of a plain operator, None if unknown."""
        if whole is None:
            return None if node.call.function in graph.functions else ()
        return whole.alive

    def work(self, node: Node, look: Look) -> Size | None:
        """Return the multiply-adds of a node without graphs of its own."""
        inputs = [look(n) if n else None for n in node.inputs]
        found = multiply_adds(node.call, inputs, [look(o) if o else None for o in node.outputs])
        if found is None:
            operator = NodeRef(0, "", node.call.op_type, node.call.domain).operator
            self.unknown[f"the multiply-adds of {operator} are unknown"] = None
        return found

    def within(self, node: Node, look: Look, seen: Weights) -> _Whole | None:
        """Return the cost of a node's subgraphs or function, None for a plain operator."""
        if node.graphs is None:
            facts = tuple(look(n) if n else None for n in node.inputs)
            body = self.bodies.get((node.call.function, node.call, facts))
            return None if body is None else self.graph(body, lambda _: None, {})
        wholes = [self.graph(g, look, seen, inputs=True) for g in node.graphs.values() if g in self.scopes]
        trips = _trips(node, look)
        work = [w.multiply_adds for w in wholes]
        most = None if None in work or not work else maximum(*(w for w in work if w is not None))
        if most is not None and most != 0:
            most = None if trips is None else mul(most, trips)
        if most is None:
            self.unknown[f"the multiply-adds inside {node.call.op_type} are unknown"] = None
        weights: Weights = {}
        for whole in wholes:
            weights |= whole.weights
        alive = None if any(w.alive is None for w in wholes) else [s for w in wholes for s in w.alive or ()]
        sum_ = NodeCost(NodeRef(0, "", node.call.op_type), 0, most, 0)
        return _Whole([sum_], weights, alive)

    def alive(
        self,
        graph: Graph,
        look: Look,
        weights: Iterable[str],
        inside: Sequence[_Whole | None],
        inputs: Iterable[str],
    ) -> list[Bytes] | None:
        """Return the sums of what is alive at each node, those that another always reaches left out."""
        sizes = {name: self.bytes(name, look) for name in inputs}
        now: Bytes = {}
        for size in sizes.values():
            now = joined(now, size or {})
        sums = [now]
        missing = None in sizes.values()
        for node, whole, (begun, ended) in zip(graph.nodes, inside, lifetimes(graph, set(weights))):
            before = now
            for name in begun:
                sizes[name] = size = self.bytes(name, look)
                missing |= size is None
                now = joined(now, size or {})
            most = self.most_inside(graph, node, whole)
            missing |= most is None
            sums.append(now)
            around = now if node.call.op_type in _LOOPS else before
            sums += [joined(around, s) for s in most or ()]
            for name in ended:
                now = joined(now, sizes.pop(name, None) or {}, -1)
        return None if missing else greatest(sums)

    def bytes(self, name: str, look: Look) -> Bytes | None:
        size = bytes_of(look(name))
        if size is None:
            self.unknown[f"the size of {name} in bytes is unknown"] = None
        return None if size is None else _as_bytes(size)


_LOOPS = ("Loop", "Scan", "SequenceMap", "TensorIterator")
"""The outputs of these grow while the body runs; for others the outputs of the body are those of the node."""


def _is_weight(node: Node) -> bool:
    return (node.call.domain, node.call.op_type) == ("", "Constant") and bool(node.outputs)


def _trips(node: Node, look: Look) -> Size | None:
    """Return how often the body of a node runs, None if unknown."""
    if node.call.op_type == "If":
        return 1
    if node.call.op_type != "Scan" or node.call.opset < 9:
        return None
    values = node.call.attributes.values
    count = int(values.get("num_scan_inputs", 0))
    first = look(node.inputs[-count]) if 0 < count <= len(node.inputs) else None
    shape = first.shape if isinstance(first, Tensor) else None
    axis = int(next(iter(values.get("scan_input_axes", ())), 0))
    return shape[axis] if shape and -len(shape) <= axis < len(shape) else None
