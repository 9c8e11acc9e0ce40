"""Operators that run graphs of their own: which one does, and If, which joins two (ONNX operator "If")."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from attrs import evolve

from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Severity
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.diagnostics.finding import Claim
from shapeinfer.dims import Condition, follows
from shapeinfer.facts import OPENVINO, UNKNOWN, Fact, join
from shapeinfer.infer.bodies.loops import fits, infer_loop, one_entry
from shapeinfer.infer.bodies.port_maps import infer_branch, infer_mapped_loop
from shapeinfer.infer.bodies.refusals import conditions_of, refusals, refuses
from shapeinfer.infer.bodies.scans import infer_scan, infer_sequence_map
from shapeinfer.infer.bodies.speculative import Speculation, infer_body, known_truth, speculate, subgraph
from shapeinfer.infer.constraints.solver import PendingClaim, Solver
from shapeinfer.infer.driver import Run
from shapeinfer.infer.scope import Scope
from shapeinfer.ops.call import Outcome, infer_call
from shapeinfer.ops.types import readable_type, type_string

MOST_COMPARED = 100
"""So many conditions of a branch are held against those of the other."""


def infer(run: Run, scope: Scope, index: int, facts: Sequence[Fact | None]) -> Sequence[Fact]:
    """Infer a node that has subgraphs; one of an unknown operator gives unknown outputs."""
    node = scope.graph.nodes[index]
    outcome = infer_call(node.call, facts, run.effort.expression)
    plain = run.replay(scope, index, facts, evolve(outcome, claims=(), slots=()))
    enter = _OPERATORS.get((node.call.domain, node.call.op_type))
    if enter is None or any(f.severity is Severity.ERROR for f in outcome.findings):
        return plain
    absent = [name for name in _GRAPHS[node.call.domain, node.call.op_type] if name not in (node.graphs or {})]
    if absent:
        message = f"the attribute {absent[0]} holds no graph"
        run.report(codes.MISSING_ATTRIBUTE, message, scope, index, Detail(absent[0]))
        return plain
    results = enter(run, scope, index, facts)
    return [*results, *[UNKNOWN] * len(node.outputs)][: len(node.outputs)]


def _if(run: Run, scope: Scope, index: int, facts: Sequence[Fact | None]) -> list[Fact]:
    """Take the branch that a known condition chooses, else join both."""
    for attribute in ("then_branch", "else_branch"):
        count = len(subgraph(scope, index, attribute).inputs)
        if count:
            run.report(
                codes.SUBGRAPH_MISMATCH, f"{attribute} takes {count} inputs; a branch of If takes none", scope, index
            )
    one_entry(run, scope, index, "the condition", facts[0])

    def branch(choice: bool) -> list[Fact]:
        return infer_body(run, scope, index, "then_branch" if choice else "else_branch", {})

    return _chosen(run, scope, index, known_truth(facts[0]), branch)


def _mapped_if(run: Run, scope: Scope, index: int, facts: Sequence[Fact | None]) -> list[Fact]:
    """Do the same where each branch is connected to the node port by port (OpenVINO operator "If")."""

    def branch(choice: bool) -> list[Fact]:
        return infer_branch(run, scope, index, "then_body" if choice else "else_body", facts)

    return _chosen(run, scope, index, known_truth(facts[0]), branch)


def _chosen(run: Run, scope: Scope, index: int, taken: bool | None, branch: Callable[[bool], list[Fact]]) -> list[Fact]:
    sure: list[Fact] = []
    open_: dict[bool, Speculation] = {}
    required_inside = dict(run.state.speculative)
    for choice in (True, False):
        if choice is taken:
            sure = branch(choice)
            continue
        with speculate(run) as open_[choice]:
            open_[choice].outputs = branch(choice)
    if taken is not None:
        return sure
    mine, theirs = open_[True].outputs, open_[False].outputs
    if len(mine) == len(theirs):
        taken = _only_possible(run, scope, index, open_)
    if taken is not None:
        run.state.speculative = required_inside
        _report_branches(run, open_, (not taken,))
        return branch(taken)
    _report_branches(run, open_)
    _require_of_both(run, open_)
    if len(mine) != len(theirs):
        message = f"the then branch has {len(mine)} outputs, the else branch {len(theirs)}"
        run.report(codes.BRANCHES_DISAGREE, message, scope, index)
    else:
        fits(run, scope, index, len(mine))
    return [_joined(run, scope, index, i, a, b) for i, (a, b) in enumerate(zip(mine, theirs))]


def _only_possible(run: Run, scope: Scope, index: int, branches: Mapping[bool, Speculation]) -> bool | None:
    """Return the branch that each run takes which does not fail, and require what makes it so; None if there is none.

    A run that takes a branch fails if the branch does, or what reads its results.
    """
    node = scope.graph.nodes[index]
    attributes = zip((True, False), _GRAPHS[node.call.domain, node.call.op_type])
    failing = {
        choice: [d for d in branches[choice].state.diagnostics if refuses(d, scope, (index, attribute))]
        for choice, attribute in attributes
    }
    found = {c: faults[0] for c, faults in failing.items() if faults}
    if not found:
        results = {c: branches[c].outputs for c in (True, False)}
        found = refusals(run, scope, index, results)
        if len(found) == 2:
            note = f"where the else branch is taken: {found[False].message}"
            run.state.diagnostics.append(evolve(found[True], notes=(*found[True].notes, note)))
    if len(found) != 1:
        return None
    ((failed, refusal),) = found.items()
    conditions = conditions_of(scope, node.inputs[0])
    if conditions is not None:
        where = f" at {refusal.node.text}" if refusal.node else ""
        message = f"the {_WORDS[failed]} branch must not be taken, it fails{where}: {refusal.message}"
        claim = Claim(conditions[not failed], refusal.code, message)
        run.replay(scope, index, (), Outcome((), (claim,)))
    return not failed


def _report_branches(run: Run, branches: Mapping[bool, Speculation], choices: Collection[bool] = (True, False)) -> None:
    """Report what was found in the branches: an error in one alone is a warning, for the other may be taken."""
    failing = [any(d.severity is Severity.ERROR for d in branches[c].state.diagnostics) for c in (True, False)]
    for choice in choices:
        run.state.comparisons.add(branches[choice].state.comparisons)
        for d in branches[choice].state.diagnostics:
            if d.severity is Severity.ERROR and not all(failing):
                note = f"this happens whenever the {_WORDS[choice]} branch is taken, which depends on data"
                d = evolve(d, severity=Severity.WARNING, notes=(*d.notes, note))
            run.state.diagnostics.append(d)


def _require_of_both(run: Run, branches: Mapping[bool, Speculation]) -> None:
    """Require of the model what both branches require, since one of them runs."""
    mine, theirs = (_required_by(branches[choice], run.state.solver) for choice in (True, False))
    for some, others in ((mine, theirs), (theirs, mine)):
        known = list(others)
        for condition, pending in some.items() if known else ():
            if condition in others or follows(known, condition):
                run.state.solver.decide(evolve(pending.claim, condition=condition), pending.node)


def _required_by(branch: Speculation, outer: Solver) -> dict[Condition, PendingClaim]:
    """Return what a branch requires of dims that are known outside it, and the outer graph does not."""
    inner = branch.state.solver
    pending = {k: p for k, p in inner.pending.items() if k not in outer.pending}
    found = {p.condition.substitute(inner.narrowed): p for p in list(pending.values())[:MOST_COMPARED]}
    return {c: p for c, p in found.items() if not any(s.is_fresh for s in c.symbols)}


def _joined(run: Run, scope: Scope, index: int, output: int, a: Fact, b: Fact) -> Fact:
    mine, theirs = type_string(a), type_string(b)
    if mine and theirs and mine != theirs:
        message = f"output {output} is {readable_type(mine)} from one branch and {readable_type(theirs)} from the other"
        run.report(codes.BRANCHES_DISAGREE, message, scope, index)
    return join(a, b, lambda _x, _y: run.namer.fresh("If"))


_WORDS = {True: "then", False: "else"}
_GRAPHS = {
    ("", "If"): ("then_branch", "else_branch"),
    ("", "Loop"): ("body",),
    ("", "Scan"): ("body",),
    ("", "SequenceMap"): ("body",),
    (OPENVINO, "If"): ("then_body", "else_body"),
    (OPENVINO, "Loop"): ("body",),
    (OPENVINO, "TensorIterator"): ("body",),
}
_OPERATORS = {
    ("", "If"): _if,
    ("", "Loop"): infer_loop,
    ("", "Scan"): infer_scan,
    ("", "SequenceMap"): infer_sequence_map,
    (OPENVINO, "If"): _mapped_if,
    (OPENVINO, "Loop"): infer_mapped_loop,
    (OPENVINO, "TensorIterator"): infer_mapped_loop,
}
