"""Which branch of an If its readers refuse.

TorchScript squeezes an axis whose size it does not know by an If: one branch squeezes it where it is 1, the other
leaves it. Their ranks differ, and mostly the nodes behind run for one of them only. A run that does not fail took that
one, which makes its facts the facts of the output and its condition one of the model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Severity
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.diagnostics.finding import Claim
from shapeinfer.dims import AtMost, Condition, Equal, Size, below, nonzero, sub
from shapeinfer.facts import OPENVINO, Fact, Tensor
from shapeinfer.graph import Graph
from shapeinfer.graph.order import reads
from shapeinfer.infer.bodies.speculative import known_entry, step_into
from shapeinfer.infer.diagnosis.diagnose import node_ref
from shapeinfer.infer.driver import Run
from shapeinfer.infer.scope import Scope, UndefinedValue
from shapeinfer.ops.signature import STANDARD

LOOK_AHEAD = 256
"""Among so many nodes behind an If its readers are looked for."""
MOST_READERS = 32
"""Of the readers no more than the first so many are tried: what refuses a rank mostly comes soon."""

MAX_STEPS = 20
"""A condition is followed back over so many nodes at most."""

REFUSALS = frozenset(
    {
        codes.NOT_BROADCASTABLE,
        codes.INNER_DIM_MISMATCH,
        codes.DIM_MISMATCH,
        codes.CHANNEL_MISMATCH,
        codes.AXIS_OUT_OF_RANGE,
        codes.DUPLICATE_AXIS,
        codes.RANK_MISMATCH,
        codes.LENGTH_MISMATCH,
        codes.INVALID_PERMUTATION,
        codes.VOLUME_MISMATCH,
        codes.NOT_DIVISIBLE,
        codes.INDEX_OUT_OF_RANGE,
        codes.SQUEEZE_NOT_ONE,
        codes.SPLIT_SUM,
        codes.WINDOW_TOO_LARGE,
        codes.TOO_FEW_ELEMENTS,
        codes.NEGATIVE_LENGTH,
    }
)
"""Faults of a shape, which make a run fail and which other shapes do not have."""


def refuses(found: Diagnostic, scope: Scope, inside: tuple[int, str] | None = None) -> bool:
    """Whether each run of a graph fails for what was found in it, or, of a node's graph, each run of that.

    The body of a loop may not run at all, and runtimes skip nodes that no output depends on.
    """
    node = found.node
    if node is None or found.severity is not Severity.ERROR or found.code not in REFUSALS:
        return False
    graph, path, needed = scope.graph, scope.path, _needed(scope)
    if inside is not None:
        holder = graph.nodes[inside[0]]
        if inside[0] not in needed or holder.graphs is None:
            return False
        path = (*path, step_into(holder, *inside))
        graph = holder.graphs[inside[1]]
        needed = live(graph)
    if node.graph[: len(path)] != path:
        return False
    for step in node.graph[len(path) :]:
        with_graphs = ((i, graph.nodes[i].graphs) for i in needed)
        held = [
            inner
            for i, graphs in with_graphs
            if graphs
            for attribute, inner in graphs.items()
            if step == step_into(graph.nodes[i], i, attribute)
        ]
        if len(held) != 1 or step.endswith(".body"):
            return False
        (graph,) = held
        needed = live(graph)
    return node.index in needed


def live(graph: Graph) -> dict[int, list[str]]:
    """Return the nodes that an output of the graph depends on, each with what it reads."""
    producers = {name: i for i, node in enumerate(graph.nodes) for name in node.outputs if name}
    found: dict[int, list[str]] = {}
    waiting = [producers[name] for name in graph.outputs if name in producers]
    while waiting:
        i = waiting.pop()
        if i not in found:
            found[i] = reads(graph, i)
            waiting += [producers[name] for name in found[i] if name in producers]
    return found


def refusals(
    run: Run,
    scope: Scope,
    index: int,
    results: Mapping[bool, Sequence[Fact]],
) -> dict[bool, Diagnostic]:
    """Return, for each branch whose results a node behind the If refuses, how it does.

    Looks for that only where the branches differ in rank, since the facts that cover both are worth little then.
    """
    if (
        run.is_trying
        or not run.effort.may_try
        or not any(_differ_in_rank(a, b) for a, b in zip(results[True], results[False]))
    ):
        return {}
    run.note_look_ahead(scope)
    behind = _readers(scope, index)
    if not behind:
        return {}
    conditions = conditions_of(scope, scope.graph.nodes[index].inputs[0])
    found: dict[bool, Diagnostic] = {}
    for choice in (True, False):
        condition = None if conditions is None else conditions[choice]
        refusal = _refusal(run, scope, index, behind, results[choice], condition)
        if refusal is not None:
            found[choice] = refusal
    if len(found) == 2 and (found[True].node, found[True].message) == (found[False].node, found[False].message):
        return {}  # a fault that has nothing to do with the branches
    return found


def _differ_in_rank(a: Fact, b: Fact) -> bool:
    shapes = [f.shape if isinstance(f, Tensor) else None for f in (a, b)]
    return shapes[0] is not None and shapes[1] is not None and len(shapes[0]) != len(shapes[1])


def _refusal(
    run: Run,
    scope: Scope,
    index: int,
    behind: Sequence[int],
    results: Sequence[Fact],
    condition: Condition | None,
) -> Diagnostic | None:
    node = scope.graph.nodes[index]
    tried = scope.with_facts((name, fact) for name, fact in zip(node.outputs, results) if name)
    with _trial(run):
        place = node_ref(node, index, scope.path)
        if condition is not None:
            claim = Claim(condition, codes.DIM_MISMATCH, f"the branch is taken where {condition.text}")
            if run.state.solver.decide(claim, place)[0].is_no:
                return Diagnostic(claim.code, Severity.ERROR, f"{condition.text} never holds", place)
        try:
            run.walk(tried, behind)
        except UndefinedValue:
            return None
        return next((d for d in run.state.diagnostics if refuses(d, scope)), None)


@contextmanager
def _trial(run: Run) -> Iterator[None]:
    """Forget what is found, learned and named inside."""
    before = run.state, run.namer, run.scopes, run.declarations.may_assume, run.declarations.would_assume
    run.state, run.namer, run.scopes = run.state.branch(run.namer.count), run.namer.copy(), {}
    run.declarations.may_assume = False
    run.is_trying = True
    try:
        with run.effort.trying():
            yield
    finally:
        run.state, run.namer, run.scopes, run.declarations.may_assume, run.declarations.would_assume = before
        run.is_trying = False


def _readers(scope: Scope, index: int) -> list[int]:
    """Return the nodes that read what a node computes and that outputs hang on, with what else they need."""
    nodes, order, needed = scope.graph.nodes, scope.order, _needed(scope)
    at = index if isinstance(order, range) else list(order).index(index)
    near = [i for i in order[at + 1 : at + 1 + LOOK_AHEAD] if i in needed]
    changed = {name for name in nodes[index].outputs if name}
    readers: set[int] = set()
    for i in near:
        if not changed.isdisjoint(needed[i]) and len(readers) < MOST_READERS:
            readers.add(i)
            changed.update(name for name in nodes[i].outputs if name)
    kept: list[int] = []
    wanted: set[str] = set()
    for i in reversed(near):
        if i in readers or not wanted.isdisjoint(nodes[i].outputs):
            wanted.update(needed[i])
            kept.append(i)
    return kept[::-1]


def _needed(scope: Scope) -> dict[int, list[str]]:
    if scope.needed is None:
        scope.needed = live(scope.graph)
    return scope.needed


def conditions_of(scope: Scope, name: str) -> dict[bool, Condition] | None:
    """Return on which sizes it depends that a boolean value is true, and that it is false; None where not on sizes."""
    outer: Scope | None = scope
    swapped = False
    for _ in range(MAX_STEPS):
        while outer is not None and name not in outer:
            outer = outer.outer
        node = None if outer is None else outer.producer(name)
        if node is None or outer is None or not node.inputs or node.call.domain not in (*STANDARD, OPENVINO):
            return None
        op_type, inputs = node.call.op_type, node.inputs
        entries = [known_entry(outer.fact(n)) for n in inputs[:2]]
        if op_type in ("Not", "LogicalNot"):
            swapped = not swapped
        elif op_type in ("Cast", "Convert") and entries[0] is not None:
            return _oriented(nonzero(entries[0]), Equal(entries[0], 0), swapped)
        elif op_type in _COMPARISONS and len(entries) == 2:
            a, b = entries
            return None if a is None or b is None else _oriented(*_COMPARISONS[op_type](a, b), swapped)
        elif op_type not in _HANDED_ON:
            return None
        name = inputs[0]
    return None


def _oriented(yes: Condition, no: Condition, swapped: bool) -> dict[bool, Condition]:
    return {True: no, False: yes} if swapped else {True: yes, False: no}


def _less(a: Size, b: Size) -> tuple[Condition, Condition]:
    return below(a, b), AtMost(b, a)


_HANDED_ON = frozenset({"Identity", "Squeeze", "Unsqueeze", "Reshape", "Flatten"})
"""Operators that leave the only entry of a tensor as it is."""
_COMPARISONS: dict[str, Callable[[Size, Size], tuple[Condition, Condition]]] = {
    "Equal": lambda a, b: (Equal(a, b), nonzero(sub(a, b))),
    "NotEqual": lambda a, b: (nonzero(sub(a, b)), Equal(a, b)),
    "Less": _less,
    "Greater": lambda a, b: _less(b, a),
    "LessOrEqual": lambda a, b: _less(b, a)[::-1],
    "GreaterOrEqual": lambda a, b: _less(a, b)[::-1],
    "LessEqual": lambda a, b: _less(b, a)[::-1],
    "GreaterEqual": lambda a, b: _less(a, b)[::-1],
}
"""For comparisons of two sizes on which condition they are true, and on which false."""
