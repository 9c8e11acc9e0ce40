"""Loop: what it carries is widened until no pass changes it (ONNX operator "Loop")."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shapeinfer.diagnostics import codes
from shapeinfer.dims import Dim, Size, equal, maximum, product
from shapeinfer.facts import (
    UNKNOWN,
    DType,
    Fact,
    OptionalType,
    SequenceType,
    Tensor,
    Unknown,
    join,
    tensor,
)
from shapeinfer.infer.bodies.speculative import (
    infer_body,
    known_entry,
    known_truth,
    speculate,
    subgraph,
    with_own_symbols,
)
from shapeinfer.infer.driver import Run
from shapeinfer.infer.scope import Scope
from shapeinfer.ops.types import readable_type, type_string

MAX_PASSES = 8
"""A loop body is inferred at most this often before every carried length counts as changing."""


def infer_loop(run: Run, scope: Scope, index: int, facts: Sequence[Fact | None]) -> list[Fact]:
    """Widen what the body changes; trust a trip count only where the condition cannot end the loop before."""
    graph = subgraph(scope, index, "body")
    names = list(graph.inputs)
    facts = [*facts, None, None][: max(2, len(facts))]
    one_entry(run, scope, index, "the trip count", facts[0])
    one_entry(run, scope, index, "the condition", facts[1])
    limit, start = known_entry(facts[0]), (True if facts[1] is None else known_truth(facts[1]))
    carried = [f or UNKNOWN for f in facts[2:]]
    if len(names) != len(carried) + 2:
        message = f"the body takes {len(names)} inputs, the loop passes {len(carried) + 2}"
        run.report(codes.SUBGRAPH_MISMATCH, message, scope, index)
        return []
    if start is False or (isinstance(limit, int) and limit <= 0):
        limit, start = 0, True
    last = limit - 1 if isinstance(limit, int) and limit > 1 else None
    counter = graph.inputs[names[0]]
    shape = counter.shape if isinstance(counter, Tensor) and counter.shape == (1,) else ()
    mark = run.namer.count

    def body(now: Sequence[Fact]) -> list[Fact]:
        # Another number at each pass: what is computed in one pass from its number is not computed in the next.
        count = run.namer.fresh("Loop", 0, last) if limit != 1 else 0
        first = (tensor(DType.INT64, shape, (count,)), tensor(DType.BOOL, (), (True,)))
        return infer_body(run, scope, index, "body", dict(zip(names, (*first, *now))), changed(names[2:], carried, now))

    state = Carried(run, carried)
    outputs = state.widen_to_fixpoint(body, 1, runs=limit != 0)
    if len(outputs) <= len(carried):
        message = (
            f"the body returns {len(outputs)} outputs; expected a condition and {len(carried)} loop-carried values"
        )
        run.report(codes.SUBGRAPH_MISMATCH, message, scope, index)
        return []
    fits(run, scope, index, len(outputs) - 1)
    for i, (before, after) in enumerate(zip(carried, outputs[1:])):
        same_kind(run, scope, index, f"loop-carried value {i}", before, after)
    same_kind(run, scope, index, "the condition", tensor(DType.BOOL, ()), outputs[0])
    certain = start is True and known_truth(outputs[0]) is True and facts[0] is not None
    if limit == 0:
        trips: Size = 0
    elif certain and limit is not None:
        trips = maximum(0, limit)
    else:
        trips = run.namer.fresh("Loop", 0, limit if isinstance(limit, int) and limit > 0 else None)
    scans = [stacked(run, mark, f, trips, 0) for f in outputs[1 + len(carried) :]]
    if limit == 0:
        return [*carried, *scans]
    return [*state.after(outputs[1 : 1 + len(carried)], mark), *scans]


def one_entry(run: Run, scope: Scope, index: int, what: str, fact: Fact | None) -> None:
    """Report a trip count or a condition that is not one number."""
    if isinstance(fact, Tensor) and fact.shape is not None and equal(product(fact.shape), 1).is_no:
        run.report(codes.LENGTH_MISMATCH, f"{what} must hold one value, it is {fact.text}", scope, index)


def fits(run: Run, scope: Scope, index: int, count: int) -> None:
    """Report a node that names more outputs than its body gives it."""
    named = len(scope.graph.nodes[index].outputs)
    if named > count:
        message = f"the node names {named} outputs, its body returns {count}"
        run.report(codes.SUBGRAPH_MISMATCH, message, scope, index)


def same_kind(run: Run, scope: Scope, index: int, what: str, before: Fact, after: Fact) -> None:
    """Report a value whose element type another pass changes."""
    mine, theirs = type_string(before), type_string(after)
    if isinstance(before, Tensor) and isinstance(after, Tensor) and mine and theirs and mine != theirs:
        message = f"{what} is {readable_type(mine)} before an iteration and {readable_type(theirs)} after it"
        run.report(codes.ELEMENT_TYPE_MISMATCH, message, scope, index)


def stacked(run: Run, mark: int, fact: Fact, trips: Size, axis: int) -> Fact:
    """A scan output: the body's output with an axis of as many slices; lengths of one pass are not known outside."""
    if not isinstance(fact, Tensor):
        return UNKNOWN
    if fact.shape is None:
        return tensor(fact.dtype, None)
    dims = [run.namer.fresh("Loop") if run.namer.since(mark, d) else d for d in fact.shape]
    dims.insert(axis if axis >= 0 else len(dims) + 1 + axis, trips)
    return tensor(fact.dtype, tuple(dims))


def changed(names: Sequence[str], before: Sequence[Fact], now: Sequence[Fact]) -> list[str]:
    """Return the names of the values that passes change."""
    return [name for name, was, fact in zip(names, before, now) if fact is not was]


class Carried:
    """The loop-carried values; what holds of each before every pass is the fixpoint of widening it."""

    def __init__(self, run: Run, initial: Sequence[Fact]) -> None:
        self.run = run
        self.initial = list(initial)
        self.now = list(initial)
        self._widened: set[Dim] = set()

    def widen_to_fixpoint(
        self, body: Callable[[Sequence[Fact]], list[Fact]], skip: int, *, runs: bool = True
    ) -> list[Fact]:
        """Infer the body until what it carries no longer changes; the last pass is reported, if it ``runs`` at all."""
        outputs: list[Fact] = []
        for attempt in range(MAX_PASSES + 1):
            with speculate(self.run) as found:
                found.outputs = body(self.now)
            outputs = found.outputs
            after = [
                self._widen(before, left, everything=attempt >= MAX_PASSES - 1)
                for before, left in zip(self.now, outputs[skip : skip + len(self.now)])
            ]
            after += self.now[len(after) :]
            stable = all(a is b for a, b in zip(after, self.now))
            self.now = after
            if stable:
                break
        if runs:
            self.run.state.add_findings(found.state)
        return outputs

    def _widen(self, before: Fact, after: Fact, *, everything: bool) -> Fact:
        """What holds before a pass, given what the pass before left."""
        if everything and isinstance(before, Tensor) and before is not after:
            return tensor(before.dtype, None)
        if isinstance(before, OptionalType) and not isinstance(after, (OptionalType, Unknown)):
            return OptionalType(join(before.element, after, self._merge))
        if isinstance(before, SequenceType) and isinstance(after, SequenceType):
            return join(before, after, self._merge)
        if isinstance(before, Tensor) and isinstance(after, Tensor) and before.dtype and not after.dtype:
            after = tensor(before.dtype, after.shape, after.value, after.ends)
        return join(before, after, self._merge)

    def _merge(self, before: Size, _after: Size) -> Size:
        """A length that a pass changes: one symbol stands for it before every pass, whatever it is then."""
        if isinstance(before, Dim) and before in self._widened:
            return before
        fresh = self.run.namer.fresh("Loop")
        self._widened.add(fresh)
        return fresh

    def after(self, results: Sequence[Fact], mark: int) -> list[Fact]:
        """What holds after the loop: nothing of a length that changes, or that belongs to one pass.

        A value that may be absent before the loop is of the kind that the body returns behind it.
        """
        return [with_own_symbols(self.run, mark, _of_kind(now, left)) for now, left in zip(self.now, results)]


def _of_kind(carried: Fact, result: Fact) -> Fact:
    if isinstance(carried, OptionalType) and not isinstance(result, (OptionalType, Unknown)):
        return carried.element
    return carried
