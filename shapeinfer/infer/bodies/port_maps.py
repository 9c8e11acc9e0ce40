"""Bodies that are connected to their node port by port: OpenVINO's If, Loop and TensorIterator."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.dims import Dim, Size, add, floordiv, maximum, mul, sub
from shapeinfer.facts import UNKNOWN, DType, Fact, Tensor, tensor
from shapeinfer.graph import Node
from shapeinfer.graph.wiring import Inlet, Slices
from shapeinfer.infer.bodies.loops import Carried, changed
from shapeinfer.infer.bodies.speculative import infer_body, known_entry, known_truth, subgraph, with_own_symbols
from shapeinfer.infer.driver import Run
from shapeinfer.infer.scope import Scope


def infer_branch(run: Run, scope: Scope, index: int, body: str, facts: Sequence[Fact | None]) -> list[Fact]:
    """Infer a branch with what its wiring gives it, and return what it gives the node's outputs."""
    node = scope.graph.nodes[index]
    wiring = node.wiring[body]
    results = infer_body(run, scope, index, body, {i.name: _input_fact(i, facts) for i in wiring.inlets})
    outputs = {o.target: results[o.result] for o in wiring.outlets if o.target is not None}
    return [outputs.get(i, UNKNOWN) for i in range(len(node.outputs))]


def infer_mapped_loop(run: Run, scope: Scope, index: int, facts: Sequence[Fact | None]) -> list[Fact]:
    """Widen what the back edges change; what leaves in slices is put together, the rest is that of the last pass."""
    node = scope.graph.nodes[index]
    if node.call.op_type == "Loop" and known_truth(facts[1]) is False:
        return [UNKNOWN] * len(node.outputs)  # OpenVINO gives lengths of 0 that no run has
    wiring = node.wiring["body"]
    back = {name: result for result, name in wiring.back}
    carried = [inlet for inlet in wiring.inlets if inlet.name in back]
    mark = run.namer.count

    def body(now: Sequence[Fact]) -> list[Fact]:
        given = {i.name: _entering(run, scope, index, i, facts) for i in wiring.inlets if i.name not in back}
        given |= {inlet.name: fact for inlet, fact in zip(carried, now)}
        widened = changed([inlet.name for inlet in carried], state.initial, now)
        results = infer_body(run, scope, index, "body", given, widened)
        return [*(results[back[inlet.name]] for inlet in carried), *results]

    state = Carried(run, [_input_fact(inlet, facts) for inlet in carried])
    results = state.widen_to_fixpoint(body, 0)[len(carried) :]
    left = [back[inlet.name] for inlet in carried]
    after = dict(zip(left, state.after([results[i] for i in left], mark)))
    condition = next((results[o.result] for o in wiring.outlets if o.target is None), None)
    trips = _trips(run, node, facts, condition)
    outputs = {
        outlet.target: after.get(outlet.result) or with_own_symbols(run, mark, results[outlet.result])
        if outlet.slices is None
        else _together(run, mark, results[outlet.result], outlet.slices.axis, trips)
        for outlet in wiring.outlets
    }
    return [outputs.get(i, UNKNOWN) for i in range(len(node.outputs))]


def _input_fact(inlet: Inlet, facts: Sequence[Fact | None]) -> Fact:
    return UNKNOWN if inlet.source is None or inlet.source >= len(facts) else facts[inlet.source] or UNKNOWN


def _entering(run: Run, scope: Scope, index: int, inlet: Inlet, facts: Sequence[Fact | None]) -> Fact:
    """What a body's input holds at every pass: the number of the pass, a slice, or the same each time."""
    if inlet.source is None:
        declared = subgraph(scope, index, "body").inputs.get(inlet.name)
        shape = declared.shape if isinstance(declared, Tensor) and declared.shape == (1,) else ()
        return tensor(DType.INT64, shape, (run.namer.fresh("Loop"),))
    fact = _input_fact(inlet, facts)
    if inlet.slices is None or not isinstance(fact, Tensor) or fact.shape is None:
        return fact if inlet.slices is None or not isinstance(fact, Tensor) else tensor(fact.dtype, None)
    axis = inlet.slices.axis % max(len(fact.shape), 1)
    return tensor(fact.dtype, (*fact.shape[:axis], inlet.slices.part, *fact.shape[axis + 1 :]))


def _trips(run: Run, node: Node, facts: Sequence[Fact | None], condition: Fact | None) -> Size:
    """The number of passes: a Loop's trip count if nothing ends it before, a TensorIterator's slices."""
    if node.call.op_type == "Loop":
        limit = known_entry(facts[0])
        if isinstance(limit, int) and limit < 0:
            limit = None  # -1 stands for no limit
        certain = known_truth(facts[1]) is True and (condition is None or known_truth(condition) is True)
        if certain and limit is not None and (isinstance(limit, int) or (limit.low is not None and limit.low >= 0)):
            return limit
        return run.namer.fresh("Loop", 0, limit if isinstance(limit, int) and limit > 0 else None)
    for inlet in node.wiring["body"].inlets:
        count = None if inlet.slices is None else _count(inlet.slices, _input_fact(inlet, facts))
        if count is not None:
            return count
    return run.namer.fresh(node.call.op_type)


def _count(slices: Slices, fact: Fact) -> Size | None:
    """How many slices an input is taken apart into, both ends included; an end below 0 counts from the last."""
    if not isinstance(fact, Tensor) or not fact.shape or slices.part < 1:
        return None
    length = fact.shape[slices.axis % len(fact.shape)]
    first, last = (add(length, at) if at < 0 else at for at in (slices.start, slices.end))
    if slices.stride < 0:
        first, last = last, first
    return maximum(0, floordiv(add(sub(last, first), 1), slices.part))


def _together(run: Run, mark: int, fact: Fact, axis: int, trips: Size) -> Fact:
    """As many slices put together along an axis; other lengths of one pass are not known outside."""
    if not isinstance(fact, Tensor) or not fact.shape:
        return tensor(fact.dtype, None) if isinstance(fact, Tensor) else UNKNOWN
    dims = [run.namer.fresh("Loop") if run.namer.since(mark, d) else d for d in fact.shape]
    at = axis % len(dims)
    part = dims[at]
    dims[at] = run.namer.fresh("Loop") if isinstance(part, Dim) and part.is_fresh else mul(part, trips)
    return tensor(fact.dtype, tuple(dims))
