"""If, Loop and Scan: operators that run graphs of their own (ONNX operators "If", "Loop", "Scan")."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from attrs import Factory, define, evolve

from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Severity
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.diagnostics.finding import Claim
from shapeinfer.dims import Dim, Equal, Size, maximum
from shapeinfer.facts import (
    UNKNOWN,
    DType,
    Fact,
    Tensor,
    complete,
    join,
    resized,
    tensor,
)
from shapeinfer.facts import (
    Sequence as SequenceFact,
)
from shapeinfer.graph import Graph
from shapeinfer.infer.declared import is_label
from shapeinfer.infer.places import node_ref
from shapeinfer.infer.scope import Scope
from shapeinfer.ops.call import infer_call
from shapeinfer.ops.types import spoken_type, type_string

if TYPE_CHECKING:
    from shapeinfer.infer.driver import Run

MAX_PASSES = 8
"""A loop body is inferred at most this often before every carried length counts as changing."""


def infer(run: Run, scope: Scope, index: int, facts: Sequence[Fact | None]) -> Sequence[Fact]:
    """Infer a node that has subgraphs; one of an unknown operator gives unknown outputs."""
    node = scope.graph.nodes[index]
    outcome = infer_call(node.call, facts)
    plain = run.settle(scope, index, facts, evolve(outcome, claims=(), slots=()))
    enter = _OPERATORS.get((node.call.domain, node.call.op_type))
    if enter is None or any(f.severity is Severity.ERROR for f in outcome.findings):
        return plain
    absent = [name for name in _GRAPHS[node.call.op_type] if name not in (node.graphs or {})]
    if absent:
        run.report(codes.MISSING_ATTRIBUTE, f"the attribute {absent[0]} holds no graph", scope, index)
        return plain
    results = enter(run, scope, index, facts)
    return [*results, *[UNKNOWN] * len(node.outputs)][: len(node.outputs)]


def _body(run: Run, scope: Scope, index: int, attribute: str, given: Mapping[str, Fact | None]) -> list[Fact]:
    """Infer a subgraph with facts for its inputs and return those of its outputs."""
    graph = _graph(scope, index, attribute)
    node = scope.graph.nodes[index]
    name = node.name or f"{node.call.op_type}_{index}"
    inner = Scope(graph, (*scope.path, f"{name}.{attribute}"), scope)
    inner.update({n: _entering(run, given.get(n) or UNKNOWN, n, fact) for n, fact in graph.inputs.items()})
    run.infer(inner)
    return [inner[name] or UNKNOWN for name in graph.outputs]


def _entering(run: Run, given: Fact, name: str, declared: Fact) -> Fact:
    """What a body's input holds: where it is given less than it declares, its own names are but labels."""
    if isinstance(given, Tensor) and given.dtype and given.shape is not None:
        return given
    return complete(given, resized(declared, lambda size: run.namer.fresh(name) if is_label(size) else size))


def _graph(scope: Scope, index: int, attribute: str) -> Graph:
    return (scope.graph.nodes[index].graphs or {})[attribute]


@define
class _Aside:
    """What was found in a body that may not run."""

    diagnostics: list[Diagnostic] = Factory(list)
    misnamed: list[tuple[tuple[Size, Size], Diagnostic]] = Factory(list)
    outputs: list[Fact] = Factory(list)


@contextmanager
def _aside(run: Run) -> Iterator[_Aside]:
    """Collect what is found inside apart, and forget what was learned."""
    found = _Aside()
    before = run.solver, run.diagnostics, run.misnamed, run.checked
    # A call that was looked at only in there has not said yet, out here, what it has to say.
    inner = run.solver = run.solver.scope()
    run.diagnostics, run.misnamed, run.checked = found.diagnostics, found.misnamed, dict(run.checked)
    try:
        yield found
    finally:
        run.solver, run.diagnostics, run.misnamed, run.checked = before
    found.outputs = [f.substitute(dict(inner.narrowed)) for f in found.outputs]


def _if(run: Run, scope: Scope, index: int, facts: Sequence[Fact | None]) -> list[Fact]:
    """Take the branch that a known condition chooses, else join both."""
    taken = _truth(facts[0])
    sure: list[Fact] = []
    open_: dict[bool, _Aside] = {}
    for choice, attribute in ((True, "then_branch"), (False, "else_branch")):
        if choice is taken:
            sure = _body(run, scope, index, attribute, {})
            continue
        with _aside(run) as open_[choice]:
            open_[choice].outputs = _body(run, scope, index, attribute, {})
    if taken is not None:
        return sure
    _report_branches(run, open_)
    mine, theirs = open_[True].outputs, open_[False].outputs
    if len(mine) != len(theirs):
        message = f"the then branch has {len(mine)} outputs, the else branch {len(theirs)}"
        run.report(codes.BRANCHES_DISAGREE, message, scope, index)
    return [_joined(run, scope, index, i, a, b) for i, (a, b) in enumerate(zip(mine, theirs))]


def _report_branches(run: Run, branches: Mapping[bool, _Aside]) -> None:
    """Report what the branches said: an error in one alone is a warning, for the other may be taken."""
    failing = [any(d.severity is Severity.ERROR for d in branches[c].diagnostics) for c in (True, False)]
    for choice, word in ((True, "then"), (False, "else")):
        run.misnamed += branches[choice].misnamed
        for d in branches[choice].diagnostics:
            if d.severity is Severity.ERROR and not all(failing):
                note = f"this happens whenever the {word} branch is taken, which depends on data"
                d = evolve(d, severity=Severity.WARNING, notes=(*d.notes, note))
            run.diagnostics.append(d)


def _joined(run: Run, scope: Scope, index: int, output: int, a: Fact, b: Fact) -> Fact:
    mine, theirs = type_string(a), type_string(b)
    if mine and theirs and mine != theirs:
        message = f"output {output} is {spoken_type(mine)} from one branch and {spoken_type(theirs)} from the other"
        run.report(codes.BRANCHES_DISAGREE, message, scope, index)
    return join(a, b, lambda _x, _y: run.namer.fresh("If"))


def _truth(fact: Fact | None) -> bool | None:
    if isinstance(fact, Tensor) and fact.value and isinstance(fact.value[0], (bool, int)):
        return bool(fact.value[0])
    return None


def _number(fact: Fact | None) -> Size | None:
    if isinstance(fact, Tensor) and fact.value and isinstance(fact.value[0], (int, Dim)):
        return fact.value[0]
    return None


def _loop(run: Run, scope: Scope, index: int, facts: Sequence[Fact | None]) -> list[Fact]:
    """Widen what the body changes; trust a trip count only where the condition cannot end the loop before."""
    graph = _graph(scope, index, "body")
    names = list(graph.inputs)
    facts = [*facts, None, None][: max(2, len(facts))]
    limit, start = _number(facts[0]), (True if facts[1] is None else _truth(facts[1]))
    carried = [f or UNKNOWN for f in facts[2:]]
    if len(names) != len(carried) + 2:
        message = f"the body takes {len(names)} inputs, the loop gives it {len(carried) + 2}"
        run.report(codes.MISSING_INPUT, message, scope, index)
        return []
    if start is False or (isinstance(limit, int) and limit <= 0):
        limit, start = 0, True
    last = limit - 1 if isinstance(limit, int) and limit > 1 else None
    counter = graph.inputs[names[0]]
    shape = counter.shape if isinstance(counter, Tensor) and counter.shape == (1,) else ()
    mark = run.namer.count

    def body(now: Sequence[Fact]) -> list[Fact]:
        # Another number at each pass: what was made in one pass with its number is not made with the next one's.
        count = run.namer.fresh("Loop", 0, last) if limit != 1 else 0
        first = (tensor(DType.INT64, shape, (count,)), tensor(DType.BOOL, (), (True,)))
        return _body(run, scope, index, "body", dict(zip(names, (*first, *now))))

    state = _Carried(run, carried)
    outputs = state.settle(body, 1, runs=limit != 0)
    if len(outputs) <= len(carried):
        message = f"the body gives {len(outputs)} outputs; it needs a condition and {len(carried)} carried values"
        run.report(codes.MISSING_NODE_OUTPUT, message, scope, index)
        return []
    certain = start is True and _truth(outputs[0]) is True and facts[0] is not None
    if limit == 0:
        trips: Size = 0
    elif certain and limit is not None:
        trips = maximum(0, limit)
    else:
        trips = run.namer.fresh("Loop", 0, limit if isinstance(limit, int) and limit > 0 else None)
    scans = [_stacked(run, mark, f, trips, 0) for f in outputs[1 + len(carried) :]]
    if limit == 0:
        return [*carried, *scans]
    return [*state.after(outputs[1 : 1 + len(carried)], mark), *scans]


def _scan(run: Run, scope: Scope, index: int, facts: Sequence[Fact | None]) -> list[Fact]:
    """Run the body over slices of the scan inputs; its scan outputs are stacked to as many."""
    node = scope.graph.nodes[index]
    values = node.call.attributes.values
    batched = node.call.opset < 9
    given = list(facts[1:] if batched else facts)
    count = int(values.get("num_scan_inputs", 0))
    names = list(_graph(scope, index, "body").inputs)
    states = len(given) - count
    if not 0 <= states < len(given) or len(names) != len(given):
        message = f"the body takes {len(names)} inputs, the scan gives it {len(given)}"
        run.report(codes.MISSING_INPUT, message, scope, index)
        return []
    axes = [int(a) for a in values.get("scan_input_axes", (0,) * count)]
    slices, trips = _slices(run, scope, index, given[states:], axes, 1 if batched else 0)
    mark = run.namer.count
    carried = [_unbatched(f or UNKNOWN) if batched else f or UNKNOWN for f in given[:states]]
    state = _Carried(run, carried)
    outputs = state.settle(lambda now: _body(run, scope, index, "body", dict(zip(names, [*now, *slices]))), 0)
    if len(outputs) < states:
        message = f"the body gives {len(outputs)} outputs; it needs {states} states"
        run.report(codes.MISSING_NODE_OUTPUT, message, scope, index)
        return []
    after: list[Fact] = list(state.after(outputs[:states], mark))
    out_axes = [int(a) for a in values.get("scan_output_axes", (0,) * (len(outputs) - states))]
    scans = []
    for fact, axis in zip(outputs[states:], out_axes):
        rank = len(fact.shape) + 1 if isinstance(fact, Tensor) and fact.shape is not None else None
        if rank is not None and not -rank <= axis < rank:
            message = f"scan output axis {axis} is out of range for an output of rank {rank}"
            run.report(codes.AXIS_OUT_OF_RANGE, message, scope, index)
            fact, axis = UNKNOWN, 0
        scans.append(_stacked(run, mark, fact, trips, axis))
    if batched:
        batch = next((f.shape[0] for f in given if isinstance(f, Tensor) and f.shape), None)
        first = run.namer.fresh("Scan") if batch is None else batch
        return [_prefixed(f, first) for f in (*after, *scans)]
    return [*after, *scans]


def _slices(
    run: Run, scope: Scope, index: int, inputs: Sequence[Fact | None], axes: Sequence[int], first: int
) -> tuple[list[Fact], Size]:
    """The scan inputs without the axis that is scanned (and without the batch axis), and its length."""
    out: list[Fact] = []
    trips: Size | None = None
    for fact, axis in zip(inputs, axes):
        if not isinstance(fact, Tensor) or fact.shape is None:
            out.append(tensor(fact.dtype, None) if isinstance(fact, Tensor) else UNKNOWN)
            continue
        at = first + axis if axis >= 0 else len(fact.shape) + axis
        if not first <= at < len(fact.shape):
            message = f"scan axis {axis} is out of range for an input of rank {len(fact.shape)}"
            run.report(codes.AXIS_OUT_OF_RANGE, message, scope, index)
            out.append(tensor(fact.dtype, None))
            continue
        length = fact.shape[at]
        if trips is not None and not _agree(run, scope, index, trips, length):
            run.report(codes.DIM_MISMATCH, f"scan inputs have {trips} and {length} slices", scope, index)
        trips = length if trips is None or isinstance(length, int) else trips
        out.append(tensor(fact.dtype, tuple(d for i, d in enumerate(fact.shape) if i >= first and i != at)))
    return out, run.namer.fresh("Scan") if trips is None else trips


def _agree(run: Run, scope: Scope, index: int, a: Size, b: Size) -> bool:
    """Whether two lengths can be equal, which the node needs."""
    claim = Claim(Equal(a, b), codes.DIM_MISMATCH, f"scan inputs have {a} and {b} slices")
    answer, _ = run.solver.settle(claim, node_ref(scope.graph.nodes[index], index, scope.path))
    return not answer.is_no


def _unbatched(fact: Fact) -> Fact:
    if isinstance(fact, Tensor) and fact.shape:
        return tensor(fact.dtype, fact.shape[1:])
    return fact


def _prefixed(fact: Fact, length: Size) -> Fact:
    if isinstance(fact, Tensor) and fact.shape is not None:
        return tensor(fact.dtype, (length, *fact.shape))
    return fact


def _stacked(run: Run, mark: int, fact: Fact, trips: Size, axis: int) -> Fact:
    """A scan output: the body's output with an axis of as many slices; lengths of one pass are not known outside."""
    if not isinstance(fact, Tensor):
        return UNKNOWN
    if fact.shape is None:
        return tensor(fact.dtype, None)
    dims = [run.namer.fresh("Loop") if run.namer.since(mark, d) else d for d in fact.shape]
    dims.insert(axis if axis >= 0 else len(dims) + 1 + axis, trips)
    return tensor(fact.dtype, tuple(dims))


class _Carried:
    """The values a loop carries: what holds of each before every pass, found by widening what the body changes."""

    def __init__(self, run: Run, initial: Sequence[Fact]) -> None:
        self.run = run
        self.initial = list(initial)
        self.now = list(initial)
        self._widened: set[Dim] = set()

    def settle(self, body: Callable[[Sequence[Fact]], list[Fact]], skip: int, *, runs: bool = True) -> list[Fact]:
        """Infer the body until what it carries no longer changes; the last pass is reported, if it ``runs`` at all."""
        outputs: list[Fact] = []
        for attempt in range(MAX_PASSES + 1):
            with _aside(self.run) as found:
                found.outputs = body(self.now)
            outputs = found.outputs
            after = [
                self._widen(before, made, everything=attempt >= MAX_PASSES - 1)
                for before, made in zip(self.now, outputs[skip : skip + len(self.now)])
            ]
            after += self.now[len(after) :]
            stable = all(a is b for a, b in zip(after, self.now))
            self.now = after
            if stable:
                break
        if runs:
            self.run.diagnostics += found.diagnostics
            self.run.misnamed += found.misnamed
        return outputs

    def _widen(self, before: Fact, made: Fact, *, everything: bool) -> Fact:
        """What holds before a pass, given what the pass before left."""
        if everything and isinstance(before, Tensor) and before is not made:
            return tensor(before.dtype, None)
        if isinstance(before, SequenceFact) and isinstance(made, SequenceFact):
            return join(before, made, self._merge)
        if isinstance(before, Tensor) and isinstance(made, Tensor) and before.dtype and not made.dtype:
            made = tensor(before.dtype, made.shape, made.value)
        return join(before, made, self._merge)

    def _merge(self, before: Size, _made: Size) -> Size:
        """A length that a pass changes: one symbol stands for it before every pass, whatever it is then."""
        if isinstance(before, Dim) and before in self._widened:
            return before
        fresh = self.run.namer.fresh("Loop")
        self._widened.add(fresh)
        return fresh

    def after(self, made: Sequence[Fact], mark: int) -> list[Fact]:
        """What holds after the loop: nothing of a length that changes, or that belongs to one pass."""
        out: list[Fact] = []
        for now in self.now[: len(made)]:
            inner = {
                s: self.run.namer.fresh("Loop") for s in sorted(now.symbols, key=str) if self.run.namer.since(mark, s)
            }
            out.append(now.substitute(inner) if inner else now)
        return out


_GRAPHS = {"If": ("then_branch", "else_branch"), "Loop": ("body",), "Scan": ("body",)}
_OPERATORS = {("", "If"): _if, ("", "Loop"): _loop, ("", "Scan"): _scan}
