"""Drive the rules over a graph: one look-up for a call seen before, one rule for a new one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TypeAlias

from attrs import evolve

from shapeinfer.budget import FINISHING, MAX_EXPRESSION, STEP, OverBudget, current, grant, look_closely
from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Code, Severity
from shapeinfer.diagnostics.detail import NOTHING, Detail
from shapeinfer.diagnostics.diagnostic import Diagnostic, NodeRef
from shapeinfer.diagnostics.finding import Claim, Finding
from shapeinfer.dims import Dim, Size, text_of
from shapeinfer.facts import OPENVINO, UNKNOWN, Fact
from shapeinfer.graph import Call, Declaration, FunctionKey, Graph, Node, order
from shapeinfer.infer.constraints.solver import Solver
from shapeinfer.infer.declared import Assumption, Comparisons, Reconciled, reconcile
from shapeinfer.infer.diagnosis.diagnose import compared, diagnose, node_ref
from shapeinfer.infer.diagnosis.fault_symbols import (
    assumption_notes,
    constraint_notes,
    declared_for,
    declared_symbols_of,
    symbols_of,
)
from shapeinfer.infer.diagnosis.origins import Origins
from shapeinfer.infer.names import Namer
from shapeinfer.infer.scope import Scope, UndefinedValue
from shapeinfer.ops.call import Outcome, infer_call
from shapeinfer.ops.signature import STANDARD
from shapeinfer.remembered import forgotten_by, make_room, note, note_text

MEMO_LIMIT = 200_000
MAX_DEPTH = 40
"""Subgraphs and functions nested deeper than this are not entered."""

MAX_WORK = 1_000_000
LEAST_WORK = 10_000
MOST_TIMES = 50
"""Subgraphs and functions are entered until so many times the nodes of the model were walked in them, or these."""
A_FUNCTION = 5
"""So many nodes are counted for a model-local function, which is not read before it is called."""

_REPEATABLE = (*STANDARD, OPENVINO)
"""Domains of whose operators none gives, of the same values, lengths that differ."""

_Facts: TypeAlias = "tuple[Fact | None, ...]"
_Memo: TypeAlias = dict[tuple[Call, _Facts], Outcome]
_memo: _Memo = {}
_compared: dict[tuple[Fact, Declaration, Fact], Reconciled] = {}
"""What comes of inferred facts and what is declared of them, where that makes no new symbol."""


@forgotten_by
def forget() -> None:
    """Forget the outcomes of all calls, as is needed after rules were added."""
    _memo.clear()
    _compared.clear()


class Run:
    """One inference over one model. ``memo=False`` runs every rule anew, which changes nothing but the time."""

    def __init__(self, graph: Graph, solver: Solver | None = None, *, memo: bool = True) -> None:
        self.solver = solver or Solver()
        self.most = current().expression
        """How many operations of a length are followed."""
        self.diagnostics: list[Diagnostic] = list(graph.faults)
        self.scopes: dict[Graph, Scope] = {}
        """The values of every graph entered: the main one, subgraphs, functions' bodies as last called."""
        self.namer = Namer(_names(graph))
        self.most_work = min(MAX_WORK, max(LEAST_WORK, MOST_TIMES * _size(graph)))
        self.bound: Mapping[Dim, Size] = {}
        """The sizes given for dims of inputs, which declarations mean too."""
        self.constraint_notes: dict[str, str] = {}
        """What the caller said of dims of inputs, by name: ``N = 3`` or ``1 <= N <= 8``."""
        self.labels: dict[Dim, dict[Size, Diagnostic]] = {}
        """For each label the lengths it stands for, each with what to say of it."""
        self.comparisons = Comparisons()
        """What came of what the model declares of values."""
        self.assumes = False
        """Whether what only declarations say is used: not before all that follows without them was found."""
        self.would_assume = False
        """Whether there is anything of that kind."""
        self.mark = 0
        """How many symbols were made before what is inferred apart now: a pass of a loop, a branch."""
        self.work = 0
        """How many nodes of subgraphs and functions were walked."""
        self.stopped: Diagnostic | None = None
        """What to say of the budget, if it was spent on the way."""
        self.is_over = False
        """Whether the rest is left unknown, because it is."""
        self.checked: dict[tuple[object, ...], Sequence[Fact]] = {}
        """What calls of model-local functions gave, by function, call and facts."""
        self.calling: tuple[FunctionKey, ...] = ()
        """The model-local functions being inferred, outermost first."""
        self._depth = 0
        if len(_memo) + len(_compared) > MEMO_LIMIT:
            forget()
        make_room()
        self._compared = _compared if memo else {}
        self._memo: _Memo | None = None
        if memo:  # what is remembered was followed as far as usual
            self._memo = _memo if self.most == MAX_EXPRESSION else {}

    def infer(self, scope: Scope) -> None:
        """Infer every node of the scope's graph, whose inputs are in the scope, and fill in what they make."""
        graph = scope.graph
        scope.update(graph.initializers)
        given = dict(scope)
        self.scopes[graph] = scope
        said = len(self.diagnostics)
        before = None if scope.path else self.solver.scope()
        try:
            self._walk(scope, range(len(graph.nodes)))
        except UndefinedValue:
            del self.diagnostics[said:]
            if before is not None:
                # In the right order all of it is learned, named and called once more.
                self.solver, self.namer, self.work, self.stopped = before, Namer(_names(graph)), 0, None
                self.labels.clear()
                self.comparisons.clear()
                self.checked.clear()
            scope.clear()
            scope.lengths.clear()
            scope.update(given)
            found = order.sort(graph, scope.defines)
            # A body may read what a later node around it makes: that graph puts its own nodes in order then.
            scope.absent = found.circular if scope.outer is not None else found.circular | found.undefined
            for fault in found.faults:
                self.report(fault.code, fault.message, scope, fault.node)
            self._walk(scope, found.nodes)

    def _walk(self, scope: Scope, indices: Sequence[int]) -> None:
        graph, memo, solver = scope.graph, self._memo, self.solver
        nodes, declared, own = graph.nodes, graph.declared, graph.functions
        read = scope.__getitem__
        if scope.path:
            self.work += len(nodes)
        for index in indices:
            node = nodes[index]
            call = node.call
            try:
                if not index & STEP:
                    look_closely()
                if self.is_over:
                    self._leave(scope, index)
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
                self.stop(over, node_ref(node, index, scope.path))
                self._leave(scope, index)

    def _called(self, scope: Scope, index: int, facts: _Facts, outcome: Outcome | None) -> Sequence[Fact]:
        """Run the rule of a call, unless its outcome is remembered, and settle what comes of it."""
        call = scope.graph.nodes[index].call
        if outcome is None:
            outcome = infer_call(call, facts, self.most)
            if self._memo is not None:
                self._memo[call, facts] = outcome
                note(8 * (len(facts) + len(outcome.facts)))
                note_text(*[f.message for f in outcome.findings], *[c.message for c in outcome.claims])
        results = outcome.facts if outcome.plain else self.settle(scope, index, facts, outcome)
        if not outcome.ruled and not any(f.severity is Severity.ERROR for f in outcome.findings):
            results = self._by_body(scope, index, facts) or results
        return results

    def _place(self, scope: Scope, index: int, name: str, fact: Fact) -> None:
        """Note what a value is that was made before, which is a fault, or of which something is declared."""
        if name in scope:
            if name:
                self.report(
                    codes.MADE_TWICE, f"value {name} is already defined; each value must be defined once", scope, index
                )
            return
        is_same = scope.graph.declared[name].fact is fact
        scope[name] = fact if is_same else self._declared(scope, index, name, fact)

    def stop(self, over: OverBudget | MemoryError, place: NodeRef | None = None) -> None:
        """Infer no more, since the budget is spent, and say where that was."""
        why = "there was not enough memory" if isinstance(over, MemoryError) else str(over)
        self.say_stopped(f"{why}; everything from here on is unknown", place)
        self.is_over = True
        grant(FINISHING)

    def _leave(self, scope: Scope, index: int) -> None:
        """Leave open what a node makes, but for what is declared of it."""
        for name in scope.graph.nodes[index].outputs:
            if name in scope:
                continue
            scope[name] = UNKNOWN
            if name in scope.graph.declared:
                with suppress(OverBudget):
                    scope[name] = self._declared(scope, index, name, UNKNOWN)

    def settle(self, scope: Scope, index: int, facts: Sequence[Fact | None], outcome: Outcome) -> Sequence[Fact]:
        """Replay an outcome at a node: new symbols for its placeholders, claims settled, findings placed."""
        node = scope.graph.nodes[index]
        place = node_ref(node, index, scope.path)
        mapping = self._lengths(scope, node, facts, outcome) if outcome.slots else {}
        for claim in outcome.claims:
            answer, because = self.solver.settle(_replayed(claim, mapping), place)
            if answer.is_no:
                because = list(dict.fromkeys(because + self._learned_for(claim, scope, node)))
                because += self._premises_for(claim, scope, node)
                self.diagnostics.append(diagnose(claim, node, place, facts, Origins(scope), because))
        for finding in outcome.findings:
            because = self._learned_for(finding, scope, node) + self._premises_for(finding, scope, node)
            self.diagnostics.append(diagnose(finding, node, place, facts, Origins(scope), because))
        return [f.substitute(mapping) for f in outcome.facts] if mapping else outcome.facts

    def _lengths(self, scope: Scope, node: Node, facts: Sequence[Fact | None], outcome: Outcome) -> dict[Dim, Size]:
        """Return new symbols for the placeholders of an outcome, those of an earlier node that computes the same."""
        key = (node.call, node.inputs, tuple(facts))
        made = scope.lengths.get(key)
        if made is None:
            made = tuple(self.namer.like(node.call.op_type, s) for s in outcome.slots)
            if node.call.domain in _REPEATABLE:
                scope.lengths[key] = made
        return dict(zip(outcome.slots, made))

    def _learned_for(self, fault: Finding | Claim, scope: Scope, node: Node) -> list[str]:
        """Notes of what was learned of the sizes that a fault comes from; facts that know it name them no more."""
        return self.solver.because({*symbols_of(fault, scope, node), *declared_symbols_of(fault, scope, node)})

    def _premises_for(self, fault: Finding | Claim, scope: Scope, node: Node) -> list[str]:
        """Notes of what the caller said of the sizes that a fault comes from, and of what is taken as declared."""
        assumed = self.comparisons.assumed
        notes = assumption_notes(fault, scope, node, assumed) if assumed else []
        if not self.constraint_notes:
            return notes
        asked = fault.condition.symbols if isinstance(fault, Claim) else frozenset()
        symbols = {*asked, *symbols_of(fault, scope, node), *declared_symbols_of(fault, scope, node)}
        return notes + constraint_notes(self.constraint_notes, (s.name for s in symbols))

    def report(self, code: Code, message: str, scope: Scope, index: int, detail: Detail = NOTHING) -> None:
        """Record a fault at a node."""
        place = node_ref(scope.graph.nodes[index], index, scope.path)
        self.diagnostics.append(Diagnostic(code, code.severity, message, place, detail=detail))

    def _entered(self, scope: Scope, index: int, facts: Sequence[Fact | None]) -> Sequence[Fact]:
        """Infer a node that has graphs of its own or calls a model-local function."""
        node = scope.graph.nodes[index]
        if self._depth >= MAX_DEPTH:
            self.report(codes.NESTED_TOO_DEEP, f"graphs are nested deeper than {MAX_DEPTH}", scope, index)
            return [UNKNOWN] * len(node.outputs)
        if self.work > self.most_work:
            message = f"subgraphs and functions expand to more than {self.most_work} nodes; the rest is not entered"
            self.say_stopped(message, node_ref(node, index, scope.path))
            return [UNKNOWN] * len(node.outputs)
        from shapeinfer.infer.bodies import control, functions

        self._depth += 1
        try:
            enter = functions.infer if node.call.function in scope.graph.functions else control.infer
            return enter(self, scope, index, facts)
        finally:
            self._depth -= 1

    def say_stopped(self, message: str, place: NodeRef | None = None) -> None:
        """Say where inference stopped, at the first place alone."""
        code = codes.BUDGET_EXCEEDED
        self.stopped = self.stopped or Diagnostic(code, code.severity, message, place)

    def _by_body(self, scope: Scope, index: int, facts: Sequence[Fact | None]) -> Sequence[Fact] | None:
        """Infer a node that no rule speaks for by the body that the standard gives its operator, if it has one."""
        graph = scope.graph
        function = graph.bodies and graph.bodies(graph.nodes[index], facts)
        if not function or self._depth >= MAX_DEPTH or self.work > self.most_work:
            return None
        from shapeinfer.infer.bodies import functions

        self._depth += 1
        try:
            return functions.enter(self, scope, index, facts, function)
        finally:
            self._depth -= 1

    def _declared(self, scope: Scope, index: int, name: str, fact: Fact) -> Fact:
        """Hold a declaration against what was inferred."""
        declaration = scope.graph.declared[name]
        meant = declaration.fact.substitute(self.bound) if self.bound else declaration.fact
        found = self._compared.get((fact, declaration, meant))
        if found is None:
            made = self.namer.count
            found = reconcile(fact, declaration, meant, lambda: self.namer.fresh(name))
            if self.namer.count == made:
                self._compared[fact, declaration, meant] = found
                note_text(*[clash.message("") for clash in found.clashes])
        if found.adopted is not None:
            place = node_ref(scope.graph.nodes[index], index, scope.path)
            if not self.assume(name, None, declaration.fact.text, place):
                return found.fact
        if found.clashes or found.labels:
            self._say_declared(scope, index, name, found)
        return found.adopted or self._taken(scope, index, name, found)

    def _taken(self, scope: Scope, index: int, name: str, found: Reconciled) -> Fact:
        """Return a fact with the numbers that are declared where only data decides."""
        # Lengths that came into a body are not decided in it.
        numbers: dict[int, Size] = {
            axis: said
            for axis, size, said in found.open
            if all(self.namer.since(self.mark, self.solver.narrowed.get(s, s)) for s in size.symbols)
        }
        place = node_ref(scope.graph.nodes[index], index, scope.path) if numbers else None
        taken = {axis: said for axis, said in numbers.items() if self.assume(name, axis, text_of(said), place)}
        return found.taking(taken) if taken else found.fact

    def assume(self, name: str, axis: int | None, declared: str, place: NodeRef | None) -> bool:
        """Note what only a declaration says of a value, and tell whether it is to be used."""
        self.would_assume = True
        if self.assumes or self.is_over:
            self.comparisons.assumed[Assumption(name, axis, declared, place)] = None
        return self.assumes or self.is_over

    def _say_declared(self, scope: Scope, index: int, name: str, found: Reconciled) -> None:
        """Note what does not fit a declaration, and which lengths its labels stand for."""
        place = node_ref(scope.graph.nodes[index], index, scope.path)
        for clash in found.clashes:
            notes: list[str] = []
            if self.constraint_notes and clash.axis is not None:
                notes = constraint_notes(self.constraint_notes, (s.name for s in declared_for(name, clash.axis, scope)))
            message = clash.message(name)
            both = compared(name, scope.graph.declared[name].fact, found.fact, clash.axis)
            said = Diagnostic(clash.code, clash.severity, message, place, None, clash.axis, both, tuple(notes))
            if clash.sizes is None:
                self.diagnostics.append(said)
            else:
                self.comparisons.misnamed.append((clash.sizes, said))
        # A body runs many times, each time with other lengths: its labels name none of them.
        for label, size in found.labels if scope.outer is None else ():
            places = self.labels.setdefault(label, {})
            if size not in places:
                message = f"the name {label.name} is declared for {name}, where it stands for {size}"
                places[size] = Diagnostic(codes.LABEL_CONFLICT, codes.LABEL_CONFLICT.severity, message, place)


def _size(model: Graph) -> int:
    """How many nodes a model has, about as many as that in its functions."""
    return _nodes_in(model) + A_FUNCTION * len(model.functions)


def _nodes_in(graph: Graph) -> int:
    inner = sum(_nodes_in(g) for node in graph.nodes if node.graphs for g in node.graphs.values())
    return len(graph.nodes) + inner


def _names(graph: Graph) -> set[str]:
    """Every name that made-up ones must avoid: dims of inputs and declarations."""
    facts = {*graph.inputs.values(), *(d.fact for d in graph.declared.values())}
    return {s.name for f in facts for s in f.symbols}


def _replayed(claim: Claim, mapping: Mapping[Dim, Size]) -> Claim:
    return evolve(claim, condition=claim.condition.substitute(mapping)) if mapping else claim
