"""Run an inference over a whole model and give its outcome a final form."""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence

from attrs import evolve, field, frozen

from shapeinfer.budget import FINISHING, Budget, OverBudget, current, spending
from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Severity
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.dims import Dim, Equal, Size, simplest, substitute, text_of
from shapeinfer.facts import Fact
from shapeinfer.graph import Function, Graph
from shapeinfer.infer.constraints.caller import UNCONSTRAINED, Constraints, constrain
from shapeinfer.infer.constraints.contract import (
    Contract,
    body_conditions,
    contract_of,
    in_general,
    run_time_conditions,
    unsimplified,
)
from shapeinfer.infer.constraints.fixed_sizes import conditions_of_ranges, range_faults
from shapeinfer.infer.constraints.known_conditions import KnownConditions, known_conditions
from shapeinfer.infer.constraints.redeclared import redeclared
from shapeinfer.infer.constraints.solver import Current, PendingClaim, Reason, Solver
from shapeinfer.infer.declared import Assumption
from shapeinfer.infer.diagnosis.data_dependence import deciding_data
from shapeinfer.infer.diagnosis.source_locations import with_locations
from shapeinfer.infer.diagnosis.suppressions import split
from shapeinfer.infer.driver import Run
from shapeinfer.infer.scope import Scope
from shapeinfer.ops.call import with_entries
from shapeinfer.ops.signature import STANDARD, latest_version

MAX_PASSES = 3


@frozen(repr=False)
class Result:
    """All that one inference found. ``scopes`` has the values of every graph, ``labels`` what names stand for."""

    graph: Graph
    scopes: Mapping[Graph, Mapping[str, Fact | None]]
    diagnostics: tuple[Diagnostic, ...]
    pending: tuple[PendingClaim, ...]
    learned: Mapping[Dim, Size]
    narrowed: Mapping[Dim, Dim]
    """What symbols of ``pending`` turned out to be, and which declared one each symbol of a narrower range is."""
    labels: Mapping[Dim, Size]
    """Which size each name of a declaration stands for."""
    known: Mapping[Dim, Size]
    """What symbols turned out to be equal to."""
    given: Constraints = UNCONSTRAINED
    suppressed: tuple[Diagnostic, ...] = ()
    """What was found and the model suppresses."""
    replacements: Mapping[Dim, Size] = field(factory=dict)
    """What stands in the final facts in place of a symbol of the inference."""
    assumptions: tuple[Assumption, ...] = ()
    """What is taken from the model's declarations, since nothing else determines it; none of a model with errors."""
    budget: Budget = field(factory=current)
    inferred: Mapping[Graph, Scope] = field(factory=dict)
    """The facts as they were inferred, without what later nodes taught."""
    reasons: Mapping[Dim, Reason] = field(factory=dict)
    """For symbols that the inputs declare and something was learned of, why."""
    speculative: tuple[PendingClaim, ...] = ()
    """What bodies that may not run require, if they run, in the dims that the inputs declare."""
    in_general: Callable[[], Contract] | None = None
    """Computes the conditions for dims of size 2 and more, where an inference with such dims found them."""

    def final(self, fact: Fact) -> Fact:
        """Return a fact with all that was learned, in the names that the model declares."""
        return fact.substitute(self.learned).substitute(self.replacements) if self.replacements else fact

    def given_scopes(self) -> Mapping[Graph, Mapping[str, Fact | None]]:
        """Return the values of every graph, with what follows from the caller's assumptions for the model's inputs."""
        if not self.given.assume:
            return self.scopes
        values = self.scopes[self.graph]
        inputs = {n: self.final(f) for n in self.graph.inputs if (f := values.get(n)) is not None}
        return {**self.scopes, self.graph: {**values, **inputs}}

    @functools.cached_property
    def contract(self) -> Contract:
        """The conditions under which the model runs; simplified when first read, as far as the budget goes."""
        with spending(self.budget, FINISHING):
            try:
                found = None if self.in_general is None else self.in_general()
                declared = {s.name: s for fact in self.graph.inputs.values() for s in fact.symbols}
                ranges = conditions_of_ranges(self.given.ranges, declared)
                contract = in_general(contract_of(self.pending, self.learned, self.narrowed, ranges), found)
            except OverBudget:
                return unsimplified(self.pending)
            try:
                inside = body_conditions(self.speculative, contract, self.learned, self.narrowed)
                open_ = [*self.at_run_time.all_sizes, *inside]
            except OverBudget:
                return contract
        scopes = self.inferred.values()
        of_data = [evolve(r, depends_on=deciding_data(r.asked, r.node, scopes)) for r in open_]
        return Contract((*contract, *contract.unsimplified), contract.all_sizes, of_data, contract.assumed)

    @functools.cached_property
    def at_run_time(self) -> Contract:
        """The conditions on what only data decides."""
        with spending(self.budget, FINISHING):
            try:
                return run_time_conditions(self.pending, self.learned, self.narrowed)
            except OverBudget:
                return unsimplified(self.pending, of_data=True)

    @functools.cached_property
    def premises(self) -> KnownConditions:
        """What holds for all inputs that meet the contract and what the caller gave."""
        return known_conditions(self.pending, self.learned, self.narrowed)

    def stands_for(self, declared: Dim, length: Size) -> bool:
        """Whether a declared dim is a name for a length: a label, or a dim found to be equal to it."""
        if self.labels.get(declared) == length:
            return True
        return bool(self.known) and isinstance(length, Dim) and substitute(declared, self.known) is length


def infer_graph(graph: Graph, given: Constraints = UNCONSTRAINED, *, memo: bool = True) -> Result:
    """Infer a graph, under the caller's constraints on its inputs, as far as the budget in force goes.

    Where those declare inputs anew, the graph of the result is another one.
    """
    graph = redeclared(graph, given.shapes)

    def start(known: Solver | None) -> Run:
        return Run(graph, known, enter_body, memo=memo)

    run, scope = deque(passes(graph, given, start), maxlen=1).pop()
    return finished(graph, given, run, scope)


def enter_body(
    run: Run, scope: Scope, index: int, facts: Sequence[Fact | None], function: Function | None
) -> Sequence[Fact]:
    """Infer a node by what it holds or calls, or by the body that the standard gives its operator."""
    # Most models have no bodies, and start faster without what infers them.
    from shapeinfer.infer.bodies import control, functions

    if function is not None:
        return functions.enter(run, scope, index, facts, function)
    node = scope.graph.nodes[index]
    infer = functions.infer if node.call.function in scope.graph.functions else control.infer
    return infer(run, scope, index, facts)


def passes(graph: Graph, given: Constraints, start: Callable[[Solver | None], Run]) -> Iterator[tuple[Run, Scope]]:
    """Infer, and once more with what later nodes showed of the inputs where earlier ones could have used it.

    Assumptions from declarations are used once all that follows without them was found: else they could contradict it.
    ``start`` makes the run of each pass from what the one before it learned; what the last one found is what holds.
    """
    known: Solver | None = None
    assumed: dict[Assumption, None] = {}
    for may_assume in (False, True):
        for _ in range(MAX_PASSES):
            run = start(known)
            run.declarations.may_assume = may_assume
            # What was assumed in one pass may be known in the next by what followed from it.
            run.state.comparisons.assumed |= assumed
            run.start_from(constrain(graph, given, run.state.solver))
            scope = Scope(graph)
            for name, fact in run.inputs.facts.items():
                scope[name] = with_entries(fact, functools.partial(run.namer.fresh, name, None))
            run.infer(scope)
            yield run, scope
            before, known = known, run.state.solver.carried()
            assumed = run.state.comparisons.assumed
            if run.effort.is_over:
                return
            if not run.namer.count or known.known == (before.known if before else {}):
                break
        if not run.declarations.would_assume:
            return


def finished(graph: Graph, given: Constraints, run: Run, scope: Scope) -> Result:
    """Return what the last pass found in its final form."""
    _report_missing_outputs(run, scope)
    run.state.diagnostics += _imports_too_new(graph)
    pending = tuple(run.state.solver.pending.values())
    adopted: dict[Dim, Size] = {}
    known: dict[Dim, Size] = {}
    mapping: dict[Dim, Size] = {}
    scopes: Mapping[Graph, Mapping[str, Fact | None]] = run.scopes
    try:
        run.state.diagnostics += _misnamed(run)
        run.state.diagnostics += range_faults(pending, given.ranges, run.inputs.notes) if given.ranges else []
        adopted = _labels(run)
        known = run.state.solver.final()
        mapping = _names_of(adopted, known)
        if mapping:
            scopes = {g: _final(s, run.state.solver.current, mapping, g) for g, s in run.scopes.items()}
    except OverBudget as over:
        run.effort.note_stop(f"{over}; the contract was not simplified completely")
        mapping, scopes = {}, run.scopes
    declared = {name: fact for name, fact in run.inputs.facts.items() if scope[name] is not fact}
    if declared:
        # The symbols of what an input holds stand where they are used; of the input itself they say nothing.
        scopes = {**scopes, graph: {**scopes[graph], **declared}}
    run.state.diagnostics += [run.effort.stopped] if run.effort.stopped else []
    broken = any(d.severity is Severity.ERROR for d in run.state.diagnostics)
    assumptions = () if broken else tuple(run.state.comparisons.assumed)
    run.state.diagnostics += map(_assumed, assumptions) if not run.effort.is_over else ()
    others = [(scope.path, scope.graph) for scope in run.scopes.values()]
    located = with_locations(dict.fromkeys(run.state.diagnostics), graph, others)
    reported, suppressed = split(located, graph, run.scopes.values())
    return Result(
        graph,
        scopes,
        reported,
        pending,
        dict(run.state.solver.known),
        dict(run.state.solver.narrowed),
        adopted,
        known,
        given,
        suppressed,
        mapping,
        assumptions,
        inferred=run.scopes,
        speculative=tuple(run.state.speculative),
        reasons={s: why for f in graph.inputs.values() for s in f.symbols if (why := run.state.solver.reason(s))},
    )


def _names_of(adopted: Mapping[Dim, Size], known: Mapping[Dim, Size]) -> dict[Dim, Size]:
    """What stands in the facts in place of symbols: what they equal, in the names that the model declares."""
    mapping: dict[Dim, Size] = {}
    for label, size in adopted.items():
        if isinstance(size, Dim) and size.is_symbol and size.is_fresh:
            mapping.setdefault(size, label)
    mapping = {**known, **mapping}
    return {s: substitute(v, mapping) for s, v in mapping.items()}


def _final(scope: Scope, current: Current, mapping: Mapping[Dim, Size], graph: Graph) -> dict[str, Fact | None]:
    """The facts with all that was learned, which simplifies them, in the names that the model declares.

    Inputs keep what the model declares of them.
    """
    done = {f: now and now.substitute(mapping) for f in set(scope.values()) for now in (current[f],)}
    out = dict(zip(scope, map(done.__getitem__, scope.values())))
    out.update((name, scope[name]) for name in graph.inputs if name in scope)
    return out


def _assumed(assumption: Assumption) -> Diagnostic:
    message = f"{assumption.text}, as declared; nothing else determines it"
    code = codes.ASSUMED_DECLARATION
    return Diagnostic(code, code.severity, message, assumption.node, axis=assumption.axis)


def _misnamed(run: Run) -> list[Diagnostic]:
    """Report the dims declared with another dim's name, once for each pair, however many values have it."""
    if not run.state.comparisons.misnamed:
        return []
    premises = _premises(run)
    found: dict[tuple[Size, Size], dict[Diagnostic, None]] = {}
    for both, diagnostic in run.state.comparisons.misnamed:
        found.setdefault(both, {}).setdefault(diagnostic)
    return [
        _where(first, len(rest), premises, mine, declared)
        for (mine, declared), (first, *rest) in found.items()
        if not premises.are_same(mine, declared)
    ]


def _where(first: Diagnostic, more: int, premises: KnownConditions, mine: Size, declared: Size) -> Diagnostic:
    """Add for which inputs the declared size is right, if for any, and how often it is declared."""
    notes = (*first.notes, f"the same holds at {more} more places") if more else first.notes
    now, meant = premises.current(mine), premises.current(declared)
    condition = simplest(Equal(now, meant))
    only = ""
    if isinstance(now, int):
        only = "" if isinstance(mine, int) else f", which is {now}"
    elif not _are_names(now, meant) and not condition.answer().is_no and premises.is_possible(condition):
        only = f"; it holds only for {condition.substitute(premises.narrowed).text}"
    return evolve(first, message=first.message + only, notes=notes)


def _are_names(a: Size, b: Size) -> bool:
    return isinstance(a, Dim) and isinstance(b, Dim) and a.is_symbol and b.is_symbol


def _premises(run: Run) -> KnownConditions:
    return known_conditions(run.state.solver.pending.values(), run.state.solver.known, run.state.solver.narrowed)


def _imports_too_new(graph: Graph) -> list[Diagnostic]:
    return [
        Diagnostic(
            codes.OPSET_TOO_NEW,
            codes.OPSET_TOO_NEW.severity,
            f"the model imports opset {version} of {domain or 'ai.onnx'}; the newest that the installed onnx "
            f"knows is {latest_version(domain)}, by which operators are read",
        )
        for domain, version in graph.opsets.items()
        if domain in STANDARD and version > latest_version(domain)
    ]


def _report_missing_outputs(run: Run, scope: Scope) -> None:
    for name in scope.graph.outputs:
        if not scope.defines(name):
            message = f"graph output {name} is not computed by any node"
            run.state.diagnostics.append(
                Diagnostic(codes.MISSING_OUTPUT, codes.MISSING_OUTPUT.severity, message, value=name)
            )


def _labels(run: Run) -> dict[Dim, Size]:
    """The labels that stand for one length, and for which; one that stands for two is reported and dropped."""
    adopted: dict[Dim, Size] = {}
    for label, places in run.declarations.labels.items():
        sizes = {
            substitute(run.state.solver.size(size), run.state.solver.narrowed): diagnostic
            for size, diagnostic in places.items()
        }
        if len(sizes) == 1:
            (adopted[label],) = sizes
            continue
        first, *rest = sizes.items()
        premises = _premises(run)
        for size, diagnostic in rest:
            if not premises.are_same(size, first[0]):
                note = f"elsewhere it stands for {text_of(first[0])}"
                run.state.diagnostics.append(evolve(diagnostic, notes=(*diagnostic.notes, note)))
    return adopted
