"""The model once more in general: named dims of size 2 and more, so that the sizes 0 and 1 hide no fault.

0 and 1 are legal sizes, and nearly every fault of a real model runs for one of them: a mask that is one too long runs
where ``past + seq == 1``. What is inferred, and whether a finding is an error, follows from all sizes. The words, the
place and what is worth a warning follow from the inference in general.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from attrs import evolve, frozen

from shapeinfer.budget import OverBudget
from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Code, Severity
from shapeinfer.diagnostics.diagnostic import Diagnostic, NodeRef
from shapeinfer.diagnostics.finding import Claim
from shapeinfer.dims import AnyOf, AtMost, Condition, Dim, Divides, Equal, Size, simplest, substitute
from shapeinfer.infer.constraints.caller import free_dims
from shapeinfer.infer.constraints.contract import Contract, Requirement, fails_in_general, holds_in_general
from shapeinfer.infer.diagnosis.causes import Causes, grouped
from shapeinfer.infer.diagnosis.diagnose import diagnose
from shapeinfer.infer.diagnosis.origins import Origins
from shapeinfer.infer.diagnosis.source_locations import with_locations
from shapeinfer.infer.diagnosis.suppressions import split
from shapeinfer.infer.diagnosis.would_fit import would_fit
from shapeinfer.infer.nearest_sizes import with_nearest_sizes
from shapeinfer.infer.result import Result, infer_graph

MOST_TRIED = 4
"""So many dims are tried as 1 where a model runs for no sizes in general."""

MOST_FIXES = 20
"""For more findings no edit is looked for."""

_INVENTED = re.compile(r"unk__\d+|.*_dim_\d+|s\d+|\?.*|.*\.\d+")
"""Names of dims that exporters number where the author gave none."""

_SIZES = (codes.DECLARED_SHAPE_MISMATCH, codes.LABEL_CONFLICT)
"""Warnings about sizes, which a different size may take away."""


def judged(full: Result) -> Result:
    """Return a result with its findings in the words of the inference in general, one for each cause.

    Severity follows the full truth: an error in general that some sizes escape is a warning.
    """
    found, contract = list(full.diagnostics), None
    general = _in_general(full) if _may_hide_faults(full) else None
    if general is not None:
        found, contract = _Judge(full, general).findings()
    judging = full if general is None else general
    one_each = grouped(found, Causes(judging.inferred.values()))
    fixed = _with_fixes(one_each, judging)
    return evolve(full, diagnostics=with_nearest_sizes(fixed, full), in_general=contract)


def _with_fixes(diagnostics: Iterable[Diagnostic], result: Result) -> Iterator[Diagnostic]:
    """Yield the diagnostics, the first of them with the edit that would make the node fit."""
    at = {scope.path: scope for scope in result.inferred.values()}
    narrowed: dict[Dim, Size] = {declared: narrower for narrower, declared in result.narrowed.items()}
    left = MOST_FIXES
    for d in diagnostics:
        scope = at.get(d.node.graph) if d.node is not None and d.node.index >= 0 else None
        if scope is None or not d.operands or d.severity is Severity.NOTE or not left:
            yield d
            continue
        left -= 1
        node = scope.graph.nodes[d.node.index] if d.node is not None and d.node.index < len(scope.graph.nodes) else None
        facts = [scope.fact(n).substitute(narrowed) if n else None for n in node.inputs] if node is not None else []
        yield d if node is None else evolve(d, fix=would_fit(d, scope, facts))


def _may_hide_faults(full: Result) -> bool:
    """Whether an inference in general may say more: not where all that is required are plain bounds of single dims."""
    if any(d.code is codes.BUDGET_EXCEEDED for d in full.diagnostics) or not full.graph.inputs:
        return False
    if any(_is_of_named_dims(d) for d in full.diagnostics):
        return True
    return any(_is_suspicious(a.condition) for a in full.pending if a.claim.code is not codes.ASSUMPTION_FALSE)


def _is_of_named_dims(diagnostic: Diagnostic) -> bool:
    """Whether a finding compares a dim that has a formula."""
    return diagnostic.severity is not Severity.NOTE and any(isinstance(o.dim, Dim) for o in diagnostic.operands)


def _is_suspicious(condition: Condition) -> bool:
    if any(s.is_fresh for s in condition.symbols):
        return False
    if isinstance(condition, (AtMost, Divides)) and len(condition.symbols) == 1:
        return fails_in_general(condition)
    return not holds_in_general(condition)


def _in_general(full: Result, bind: Mapping[str, int] | None = None) -> Result | None:
    """Infer in general, with some dims bound; None past the budget, and where nothing is free."""
    given = evolve(full.given, in_general=True, bind={**full.given.bind, **(bind or {})})
    if not free_dims(full.graph, full.given):
        return None
    try:
        found = infer_graph(full.graph, given)
    except OverBudget:
        return None
    return None if any(d.code is codes.BUDGET_EXCEEDED for d in found.diagnostics) else found


def pins(general: Result) -> list[Pin]:
    """Return the free dims that an inference in general found to have one size, or that of others, and why."""
    judge = _Judge(general, general)
    found = []
    for dim in judge.free:
        why, size = general.reasons.get(dim), substitute(general.known.get(dim, dim), general.narrowed)
        if size is not dim and why is not None and why.claim is not None:
            node, claim = judge.cause(Pin(dim, size, why.claim, why.node), why.claim)
            found.append(Pin(dim, size, claim, node))
    return found


@frozen(repr=False)
class Pin:
    """A free dim that must have one size, or the size of another dim, and why."""

    dim: Dim
    size: Size
    claim: Claim | None
    node: NodeRef | None

    @property
    def condition(self) -> Equal:
        return Equal(self.dim, self.size)


class _Judge:
    """Compares what was found for all sizes with what was found in general."""

    def __init__(self, full: Result, general: Result) -> None:
        self.full = full
        self.general = general
        self.causes = Causes(general.inferred.values())
        self.free = [s for s in free_dims(full.graph, full.given) if not s.is_fresh]

    def findings(self) -> tuple[list[Diagnostic], Callable[[], Contract] | None]:
        """Return all findings, those in general in place of their like, and what computes the contract in general."""
        full = [d for d in self.full.diagnostics if d.severity is not Severity.NOTE]
        known = {_key(d): d for d in full}
        taken = {_key(d) for d in self.general.diagnostics}
        errors = [d for d in self.general.diagnostics if d.severity is Severity.ERROR and _key(d) not in known]
        out = [_worded(known[_key(d)], d) for d in self.general.diagnostics if _key(d) in known]
        out += [d for d in full if _key(d) not in taken and d.code not in _SIZES]
        contract: Callable[[], Contract] | None = partial(_contract_in, self.general)
        new: list[Diagnostic] = []
        if errors and not self._follow_from(errors, out):
            degenerate, contract = self._degenerate(errors)
            new.append(degenerate)
        else:
            failing = [d for d in out if d.severity is Severity.ERROR]
            new += [p for p in self._pinned() if not failing or any(self.causes.leads_to(p, d) for d in failing)]
        new = with_locations(new, self.full.graph, [(s.path, s.graph) for s in self.full.inferred.values()])
        shown, _ = split(new, self.full.graph, self.full.inferred.values())
        notes = [d for d in self.full.diagnostics if d.severity is Severity.NOTE]
        return [*(sorted([*shown, *out], key=_place) if shown else out), *notes], contract

    def _follow_from(self, errors: Iterable[Diagnostic], others: Sequence[Diagnostic]) -> bool:
        """Whether errors in general only repeat what errors for all sizes say."""
        causes = [d for d in others if d.severity is Severity.ERROR]
        return bool(causes) and all(any(self.causes.leads_to(c, e) for c in causes) for e in errors)

    def _pinned(self) -> list[Diagnostic]:
        """Return a finding for each cause that leaves a free dim one size, or that of another."""
        groups: dict[NodeRef | None, list[tuple[Pin, Claim]]] = {}
        for pin in self._pins():
            assert pin.claim is not None, "a pin without a reason is not listed"
            place, claim = self.cause(pin, pin.claim)
            groups.setdefault(place, []).append((pin, claim))
        return [self._pin_finding(place, pins) for place, pins in groups.items()]

    def _pin_finding(self, place: NodeRef | None, pins: Sequence[tuple[Pin, Claim]]) -> Diagnostic:
        claim = pins[0][1]
        is_number = isinstance(pins[0][0].size, int)
        conditions = " and ".join(simplest(p.condition).text for p, _ in pins)
        above = "" if all(self._is_for_all_sizes(p) for p, _ in pins) else " for sizes above 1"
        code = codes.PINNED_DIM if is_number else codes.TIED_DIMS
        return _restated(self._diagnosed(claim, place), code, f"requires {conditions}{above}: {claim.message}")

    def _is_for_all_sizes(self, pin: Pin) -> bool:
        """Whether the inference for all sizes learned the same; otherwise sizes 0 and 1 may be exempt."""
        known = self.full.known
        return known.get(pin.dim) == pin.size or (isinstance(pin.size, Dim) and known.get(pin.size) == pin.dim)

    def _pins(self) -> list[Pin]:
        found = []
        for dim in self.free:
            size = self.general.known.get(dim)
            why = self.general.reasons.get(dim)
            if (
                why is None
                or why.claim is None
                or why.claim.code is codes.ASSUMPTION_FALSE
                or _INVENTED.fullmatch(dim.name)
            ):
                continue
            is_other = isinstance(size, Dim) and size.is_symbol and size.name != dim.name and not size.is_fresh
            if isinstance(size, int) or (is_other and not _INVENTED.fullmatch(size.name)):  # type: ignore[union-attr]
                found.append(Pin(dim, size, why.claim, why.node))  # type: ignore[arg-type]
        return found

    def cause(self, pin: Pin, claim: Claim) -> tuple[NodeRef | None, Claim]:
        """Return the node that computed what pins a dim, if it requires something of that dim itself."""
        before = self.causes.nodes(self._diagnosed(claim, pin.node))
        asked = [a for a in self.general.pending if a.node is not None and a.node in before]
        names = {pin.dim.name}
        first = next(
            (a for a in asked if isinstance(a.condition, Equal) and names <= _names_in(a.claim.condition)), None
        )
        return (pin.node, claim) if first is None else (first.node, first.claim)

    def _diagnosed(self, claim: Claim, place: NodeRef | None) -> Diagnostic:
        """Return a claim as a diagnostic at its node, as if it were false."""
        for scope in self.general.inferred.values():
            if place is not None and scope.path == place.graph and place.index < len(scope.graph.nodes):
                node = scope.graph.nodes[place.index]
                facts = [scope.fact(name) if name else None for name in node.inputs]
                return diagnose(claim, node, place, facts, Origins(scope))
        return Diagnostic(claim.code, claim.code.severity, claim.message, place)

    def _degenerate(self, errors: Sequence[Diagnostic]) -> tuple[Diagnostic, Callable[[], Contract] | None]:
        """Return what says that the model runs for small sizes only, and its contract."""
        names = {s.name for a in self.full.pending if not holds_in_general(a.condition) for s in a.condition.symbols}
        runs: dict[Dim, Result] = {}
        for dim in [s for s in self.free if s.name in names][:MOST_TRIED]:
            found = _in_general(self.full, {dim.name: 1})
            if found is not None and not _has_new_errors(found, self.full):
                runs[dim] = found
        first = errors[0]
        if not runs:
            return _restated(first, codes.DEGENERATE_SIZES_ONLY, f"requires sizes 0 or 1: {first.message}"), None
        either: Condition = simplest(AnyOf(tuple(Equal(dim, 1) for dim in runs)))
        code = codes.PINNED_DIM if len(runs) == 1 else codes.DEGENERATE_SIZES_ONLY
        claim = Claim(either, code, first.message)
        required = Requirement(either.text, first.node, None, asked=either, claim=claim)
        contract = partial(_with_shared, required, tuple(runs.values()))
        return _restated(first, code, f"requires {either.text}: {first.message}"), contract


def _worded(full: Diagnostic, general: Diagnostic) -> Diagnostic:
    """Return a finding in general; where it compares the same, the full one, which may know when it holds."""
    same = [str(o.dim) for o in full.operands] == [str(o.dim) for o in general.operands]
    return full if same else evolve(general, severity=full.severity)


def _names_in(condition: Condition) -> set[str]:
    return {s.name for s in condition.symbols}


def _contract_in(general: Result) -> Contract:
    """Return the contract of an inference in general, which is simplified when first read."""
    return general.contract


def _with_shared(required: Requirement, runs: Sequence[Result]) -> Contract:
    """Return the contract of a model that runs for small sizes only: which, and what is required for each of them."""
    shared = [r for r in runs[0].contract if all(_has(run.contract, r) for run in runs)]
    return Contract([required, *shared])


def _has(contract: Contract, requirement: Requirement) -> bool:
    return any(r.condition == requirement.condition for r in contract)


def _has_new_errors(found: Result, full: Result) -> bool:
    known = {_key(d) for d in full.diagnostics}
    return any(d.severity is Severity.ERROR and _key(d) not in known for d in found.diagnostics)


def _key(diagnostic: Diagnostic) -> tuple[str, NodeRef | None, str | None]:
    """The subject of a diagnostic: its node or value, otherwise what it says, of which there may be several."""
    about = diagnostic.value or (diagnostic.message if diagnostic.node is None else None)
    return diagnostic.code.name, diagnostic.node, about


def _place(diagnostic: Diagnostic) -> tuple[bool, int]:
    """Sort key: as the nodes of the main graph stand, what has no node first; findings in bodies stay with theirs."""
    node = diagnostic.node
    return (node is not None, node.index if node is not None and not node.graph else -1)


def _restated(diagnostic: Diagnostic, code: Code, message: str) -> Diagnostic:
    """Return a diagnostic as one of another code."""
    page = f"shapeinfer explain {code.name}"
    return evolve(diagnostic, code=code, severity=code.severity, message=message, help=page)
