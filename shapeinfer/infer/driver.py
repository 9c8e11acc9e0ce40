"""Drive the rules over a graph: one look-up for a call seen before, one rule for a new one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Protocol, TypeAlias

from shapeinfer.budget import MAX_EXPRESSION, STEP, OverBudget, look_closely
from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Code, Severity
from shapeinfer.diagnostics.detail import NOTHING, Detail
from shapeinfer.diagnostics.diagnostic import Diagnostic, NodeRef
from shapeinfer.diagnostics.finding import Claim, Finding
from shapeinfer.dims import Dim, Size, text_of
from shapeinfer.facts import OPENVINO, UNKNOWN, Fact, Tensor
from shapeinfer.graph import Call, Declaration, Function, FunctionKey, Graph, Node, order
from shapeinfer.infer.constraints.caller import ConstrainedInputs
from shapeinfer.infer.constraints.fixed_sizes import constraint_notes
from shapeinfer.infer.constraints.solver import Solver
from shapeinfer.infer.declared import Assumption, Declarations, Reconciled, reconcile
from shapeinfer.infer.diagnosis.diagnose import compared, diagnose, node_ref
from shapeinfer.infer.diagnosis.fault_symbols import (
    assumption_notes,
    declared_for,
    declared_symbols_of,
    symbols_of,
)
from shapeinfer.infer.diagnosis.origins import Origins
from shapeinfer.infer.names import Namer
from shapeinfer.infer.scope import Scope, UndefinedValue
from shapeinfer.infer.state import MAX_DEPTH, Effort, State
from shapeinfer.ops.call import Outcome, infer_call
from shapeinfer.ops.signature import STANDARD
from shapeinfer.remembered import forgotten_by, make_room, note, note_text

MEMO_LIMIT = 200_000
_REPEATABLE = (*STANDARD, OPENVINO)
"""Domains whose operators are deterministic: of the same values they compute the same sizes."""

_Facts: TypeAlias = "tuple[Fact | None, ...]"


class Memo:
    """What was inferred before, for any model, and holds for all."""

    def __init__(self) -> None:
        self.outcomes: dict[tuple[Call, _Facts], Outcome] = {}
        self.reconciled: dict[tuple[Fact, Declaration, Fact], Reconciled] = {}
        """What inferred facts and declarations come to, where that makes no fresh symbol."""

    def forget(self) -> None:
        self.outcomes.clear()
        self.reconciled.clear()

    def __len__(self) -> int:
        return len(self.outcomes) + len(self.reconciled)


_memo = Memo()


@forgotten_by
def forget() -> None:
    """Forget the outcomes of all calls, as is needed after rules were added."""
    _memo.forget()


class Observer(Protocol):
    """Follows an inference of the main graph: wants to know where more happens than facts being handed on."""

    def started(self, known: Mapping[Dim, Size]) -> None:
        """The graph is about to be walked, with what is known of its symbols."""

    def acted(self, node: Node, known: Mapping[Dim, Size]) -> None:
        """A node had claims, findings, fresh symbols, a declaration or a body; this is known behind it."""

    def looked_ahead(self) -> None:
        """The facts of a node also depend on later nodes."""


class EnterBody(Protocol):
    """Infers a node by what it holds or calls."""

    def __call__(
        self, run: Run, scope: Scope, index: int, facts: Sequence[Fact | None], function: Function | None
    ) -> Sequence[Fact]:
        """Infer by the body that the standard gives the operator, ``function``; without one by the node's own."""


class Run:
    """One inference over one model. ``memo=False`` runs every rule anew, which changes nothing but the time."""

    def __init__(
        self,
        graph: Graph,
        solver: Solver | None,
        enter_body: EnterBody,
        *,
        memo: bool = True,
        observer: Observer | None = None,
    ) -> None:
        self.state = State(solver or Solver(), list(graph.faults))
        self.effort = Effort(graph)
        self.inputs = ConstrainedInputs(graph.inputs)
        self.namer = Namer(_names(graph))
        self.scopes: dict[Graph, Scope] = {}
        """The values of every graph entered: the main one, subgraphs, functions' bodies as last called."""
        self.declarations = Declarations()
        self.calling: tuple[FunctionKey, ...] = ()
        """The model-local functions being inferred, outermost first."""
        self.is_trying = False
        """Whether nodes are tried with facts that may not hold."""
        self._origins: Origins | None = None
        self._enter_body = enter_body
        self._observer = observer
        if len(_memo) > MEMO_LIMIT:
            forget()
        make_room()
        self._reconciled = _memo.reconciled if memo else {}
        self._outcomes: dict[tuple[Call, _Facts], Outcome] | None = None
        if memo:  # what is remembered was followed as far as usual
            self._outcomes = _memo.outcomes if self.effort.expression == MAX_EXPRESSION else {}

    def start_from(self, inputs: ConstrainedInputs) -> None:
        """Take what the caller's constraints come to, with what the model cannot meet of them."""
        self.inputs = inputs
        self.state.diagnostics += inputs.diagnostics
        if inputs.over is not None:
            self.effort.end(inputs.over)

    def infer(self, scope: Scope) -> None:
        """Infer every node of the scope's graph, whose inputs are in the scope, and add what they compute."""
        graph = scope.graph
        scope.update(graph.initializers)
        given = dict(scope)
        self.scopes[graph] = scope
        count = len(self.state.diagnostics)
        before = None if scope.path else self.state.solver.copy()
        if self._observer is not None and not scope.path:
            self._observer.started(self.state.solver.known)
        try:
            self.walk(scope, range(len(graph.nodes)))
        except UndefinedValue:
            if before is None:
                del self.state.diagnostics[count:]
            else:
                # In topological order all of it is learned, named and called once more.
                self.state.restart(before, count)
                self.effort.restart()
                self.namer = Namer(_names(graph))
                self.declarations.labels.clear()
            self._origins = None
            scope.clear()
            scope.fresh_symbols.clear()
            scope.needed = None
            scope.update(given)
            found = order.sort(graph, scope.defines, hints=scope.outer is None)
            # A body may read what a later node around it computes: that graph sorts its own nodes then.
            scope.absent = found.circular if scope.outer is not None else found.circular | found.undefined
            for fault in found.faults:
                self.report(fault.code, fault.message, scope, fault.node)
            self.walk(scope, found.nodes)

    def walk(self, scope: Scope, indices: Sequence[int]) -> None:
        """Infer nodes of the scope's graph, in this order, and add what they compute."""
        scope.order = indices
        graph, memo, solver, effort = scope.graph, self._outcomes, self.state.solver, self.effort
        nodes, declared, own = graph.nodes, graph.declared, graph.functions
        read = scope.__getitem__
        if scope.path or self.is_trying:
            effort.nodes += len(indices)
        for index in indices:
            node = nodes[index]
            call = node.call
            try:
                if not index & STEP:
                    look_closely()
                if effort.is_over:
                    self._leave_unknown(scope, index)
                    continue
                facts: _Facts = tuple(map(read, node.inputs))
                if solver.known:
                    facts = tuple(map(solver.current.__getitem__, facts))
                if node.graphs is not None or (own and call.function in own):
                    results: Sequence[Fact] = self._entered(scope, index, facts)
                else:
                    outcome = None if memo is None else memo.get((call, facts))
                    if outcome is not None and outcome.plain:
                        results = outcome.facts
                    else:
                        results = self._called(scope, index, facts, outcome)
                for name, fact in zip(node.outputs, results):
                    if name in scope or name in declared:
                        self._place(scope, index, name, fact)
                    else:
                        scope[name] = fact
            except (OverBudget, MemoryError) as over:
                effort.end(over, node_ref(node, index, scope.path))
                self._leave_unknown(scope, index)

    def _called(self, scope: Scope, index: int, facts: _Facts, outcome: Outcome | None) -> Sequence[Fact]:
        """Run the rule of a call, unless its outcome is remembered, and replay it."""
        call = scope.graph.nodes[index].call
        if outcome is None:
            outcome = infer_call(call, facts, self.effort.expression)
            if self._outcomes is not None:
                self._outcomes[call, facts] = outcome
                note(8 * (len(facts) + len(outcome.facts)))
                note_text(*[f.message for f in outcome.findings], *[c.message for c in outcome.claims])
        results = outcome.facts if outcome.plain else self.replay(scope, index, facts, outcome)
        if not outcome.ruled and not any(f.severity is Severity.ERROR for f in outcome.findings):
            results = self._by_body(scope, index, facts) or results
        return results

    def _place(self, scope: Scope, index: int, name: str, fact: Fact) -> None:
        """Add a value that is defined already, which is a fault, or that the model declares."""
        if name in scope:
            if name:
                self.report(
                    codes.MADE_TWICE, f"value {name} is already defined; each value must be defined once", scope, index
                )
            return
        is_same = scope.graph.declared[name].fact is fact
        scope[name] = fact if is_same else self._reconcile(scope, index, name, fact)

    def _leave_unknown(self, scope: Scope, index: int) -> None:
        """Leave a node's outputs unknown, but for what is declared of them."""
        for name in scope.graph.nodes[index].outputs:
            if name in scope:
                continue
            scope[name] = UNKNOWN
            if name in scope.graph.declared:
                with suppress(OverBudget):
                    scope[name] = self._reconcile(scope, index, name, UNKNOWN)

    def replay(self, scope: Scope, index: int, facts: Sequence[Fact | None], outcome: Outcome) -> Sequence[Fact]:
        """Replay an outcome at a node: fresh symbols for its slots, claims decided, findings reported there."""
        node = scope.graph.nodes[index]
        place = node_ref(node, index, scope.path)
        mapping = self._fresh_symbols(scope, node, facts, outcome) if outcome.slots else {}
        for claim in outcome.claims:
            answer, because = self.state.solver.decide(claim.replacing(mapping), place)
            if answer.is_no:
                because = list(dict.fromkeys(because + self._learned_notes(claim, scope, node)))
                because += self._context_notes(claim, scope, node)
                self.state.diagnostics.append(diagnose(claim, node, place, facts, self._origins_in(scope), because))
        for finding in outcome.findings:
            because = self._learned_notes(finding, scope, node) + self._context_notes(finding, scope, node)
            self.state.diagnostics.append(diagnose(finding, node, place, facts, self._origins_in(scope), because))
        self._observe(scope, index)
        return [f.substitute(mapping) for f in outcome.facts] if mapping else outcome.facts

    def _fresh_symbols(
        self, scope: Scope, node: Node, facts: Sequence[Fact | None], outcome: Outcome
    ) -> dict[Dim, Size]:
        """Return fresh symbols for the slots of an outcome, or those of an earlier node that computes the same."""
        key = (node.call, node.inputs, tuple(facts))
        symbols = scope.fresh_symbols.get(key)
        if symbols is None:
            symbols = tuple(self.namer.like(node.call.op_type, s) for s in outcome.slots)
            if node.call.domain in _REPEATABLE:
                scope.fresh_symbols[key] = symbols
        return dict(zip(outcome.slots, symbols))

    def _learned_notes(self, fault: Finding | Claim, scope: Scope, node: Node) -> list[str]:
        """Return notes on what was learned of the sizes that a fault comes from."""
        solver = self.state.solver
        if not solver.known:
            return []
        symbols = {*symbols_of(fault, scope, node), *self._declared_symbols_of(fault, scope, node)}
        refuted = fault.condition if isinstance(fault, Claim) else None
        is_empty = any(isinstance(f, Tensor) and 0 in (f.shape or ()) for f in map(scope.fact, node.inputs))
        return solver.because(s for s in symbols if is_empty or solver.explains(s, refuted))

    def _declared_symbols_of(self, fault: Finding | Claim, scope: Scope, node: Node) -> set[Dim]:
        return declared_symbols_of(fault, self._origins_in(scope), node)

    def _origins_in(self, scope: Scope) -> Origins:
        """Return what traces axes in a scope: of one scope the same, which keeps what it found."""
        if self._origins is None or self._origins.scope is not scope:
            self._origins = Origins(scope)
        return self._origins

    def _context_notes(self, fault: Finding | Claim, scope: Scope, node: Node) -> list[str]:
        """Return notes on what the caller fixes, and what is assumed, of the sizes that a fault comes from."""
        assumed = self.state.comparisons.assumed
        notes = assumption_notes(fault, self._origins_in(scope), node, assumed) if assumed else []
        if not self.inputs.notes:
            return notes
        required = fault.condition.symbols if isinstance(fault, Claim) else frozenset()
        symbols = {*required, *symbols_of(fault, scope, node), *self._declared_symbols_of(fault, scope, node)}
        return notes + constraint_notes(self.inputs.notes, (s.name for s in symbols))

    def report(self, code: Code, message: str, scope: Scope, index: int, detail: Detail = NOTHING) -> None:
        """Record a fault at a node."""
        place = node_ref(scope.graph.nodes[index], index, scope.path)
        self.state.diagnostics.append(Diagnostic(code, code.severity, message, place, detail=detail))

    def _entered(self, scope: Scope, index: int, facts: Sequence[Fact | None]) -> Sequence[Fact]:
        """Infer a node that has graphs of its own or calls a model-local function."""
        node = scope.graph.nodes[index]
        if self.effort.is_too_deep:
            self.report(codes.NESTED_TOO_DEEP, f"graphs are nested deeper than {MAX_DEPTH}", scope, index)
            results: Sequence[Fact] = [UNKNOWN] * len(node.outputs)
        elif self.effort.is_too_much:
            most = self.effort.most_nodes
            message = f"subgraphs and functions expand to more than {most} nodes; the rest is not entered"
            self.effort.note_stop(message, node_ref(node, index, scope.path))
            results = [UNKNOWN] * len(node.outputs)
        else:
            with self.effort.deeper():
                results = self._enter_body(self, scope, index, facts, None)
        self._observe(scope, index)
        return results

    def _by_body(self, scope: Scope, index: int, facts: Sequence[Fact | None]) -> Sequence[Fact] | None:
        """Infer a node of an operator without a rule by the body that the standard gives it, if it has one."""
        bodies, results = scope.graph.bodies, None
        function = bodies and bodies(scope.graph.nodes[index], facts)
        if function and not self.effort.is_too_deep and not self.effort.is_too_much:
            with self.effort.deeper():
                results = self._enter_body(self, scope, index, facts, function)
        self._observe(scope, index)
        return results

    def note_look_ahead(self, scope: Scope) -> None:
        """Note that the facts of a node also depend on later nodes."""
        if self._observer is not None and not scope.path:
            self._observer.looked_ahead()

    def _observe(self, scope: Scope, index: int) -> None:
        if self._observer is not None and not scope.path and not self.is_trying:
            self._observer.acted(scope.graph.nodes[index], self.state.solver.known)

    def _reconcile(self, scope: Scope, index: int, name: str, fact: Fact) -> Fact:
        """Return the better of what was inferred and what is declared of a value, and report mismatches."""
        self._observe(scope, index)
        declaration = scope.graph.declared[name]
        meant = declaration.fact.substitute(self.inputs.sizes) if self.inputs.sizes else declaration.fact
        found = self._reconciled.get((fact, declaration, meant))
        if found is None:
            fresh = self.namer.count
            found = reconcile(fact, declaration, meant, lambda: self.namer.fresh(name))
            if self.namer.count == fresh:
                self._reconciled[fact, declaration, meant] = found
                note_text(*[clash.message("") for clash in found.clashes])
        if found.adopted is not None:
            place = node_ref(scope.graph.nodes[index], index, scope.path)
            if not self.assume(name, None, declaration.fact.text, place):
                return found.fact
        if found.clashes or found.labels:
            self._report_mismatches(scope, index, name, found)
        return found.adopted or self._with_assumed_sizes(scope, index, name, found)

    def _with_assumed_sizes(self, scope: Scope, index: int, name: str, found: Reconciled) -> Fact:
        """Return a fact with the numbers that are declared for data-dependent axes."""
        # Lengths that came into a body are not decided in it.
        numbers: dict[int, Size] = {
            axis: declared
            for axis, size, declared in found.open
            if all(self.namer.since(self.state.mark, self.state.solver.narrowed.get(s, s)) for s in size.symbols)
        }
        place = node_ref(scope.graph.nodes[index], index, scope.path) if numbers else None
        taken = {axis: number for axis, number in numbers.items() if self.assume(name, axis, text_of(number), place)}
        return found.taking(taken) if taken else found.fact

    def assume(self, name: str, axis: int | None, declared: str, place: NodeRef | None) -> bool:
        """Note what only a declaration determines of a value, and return whether to use it."""
        self.declarations.would_assume = True
        if self.declarations.may_assume or self.effort.is_over:
            self.state.comparisons.assumed[Assumption(name, axis, declared, place)] = None
        return self.declarations.may_assume or self.effort.is_over

    def _report_mismatches(self, scope: Scope, index: int, name: str, found: Reconciled) -> None:
        """Report what does not fit a declaration, and note which sizes its labels stand for."""
        place = node_ref(scope.graph.nodes[index], index, scope.path)
        for clash in found.clashes:
            at, given = clash.axis, self.inputs.notes
            named = declared_for(name, at, self._origins_in(scope)) if given and at is not None else ()
            notes = constraint_notes(given, (s.name for s in named))
            message = clash.message(name)
            both = compared(name, scope.graph.declared[name].fact, found.fact, at)
            diagnostic = Diagnostic(clash.code, clash.severity, message, place, None, at, both, tuple(notes))
            if clash.sizes is None:
                self.state.diagnostics.append(diagnostic)
            else:
                self.state.comparisons.misnamed.append((clash.sizes, diagnostic))
        # A body runs many times, each time with other lengths: its labels name none of them.
        for label, size in found.labels if scope.outer is None else ():
            places = self.declarations.labels.setdefault(label, {})
            if size not in places:
                message = f"the name {label.name} is declared for {name}, where it stands for {size}"
                places[size] = Diagnostic(codes.LABEL_CONFLICT, codes.LABEL_CONFLICT.severity, message, place)


def _names(graph: Graph) -> set[str]:
    """Every name that fresh symbols must avoid: dims of inputs and declarations."""
    facts = {*graph.inputs.values(), *(d.fact for d in graph.declared.values())}
    return {s.name for f in facts for s in f.symbols}
