"""The conditions on its inputs under which a model runs."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from attrs import field, frozen

from shapeinfer.diagnostics.codes import ASSUMPTION_FALSE
from shapeinfer.diagnostics.diagnostic import NodeRef, Operand
from shapeinfer.diagnostics.finding import Claim
from shapeinfer.diagnostics.markup import escaped, table
from shapeinfer.diagnostics.printable import printable
from shapeinfer.dims import (
    AllOf,
    Answer,
    Condition,
    Contradiction,
    Dim,
    Equal,
    Size,
    at_least,
    determined,
    equal,
    follows,
    implies,
    is_linear,
    minimal,
    rewritten,
    rules_of,
    satisfying,
    simplest,
    symbol,
    witness,
)
from shapeinfer.dims.notation.arguments import ByDim, whole_numbers_by_name
from shapeinfer.infer.constraints.solver import PendingClaim

GENERAL: Final = 2
"""The smallest size in general: 0 and 1 are legal, and faults hide behind them."""


@frozen(repr=False)
class Requirement:
    """A condition on the inputs of a model or of one call, what needs it, and a smallest input that breaks it.

    ``operands`` are those that the condition is about, where it is of one call (``infer_op``, ``broadcast_shapes``); in
    the contract of a model there are none, since many nodes may have computed the dims.
    """

    condition: str
    node: NodeRef | None
    witness: Mapping[str, int] | None = field(default=None, hash=False)
    operands: tuple[Operand, ...] = field(default=(), repr=False, kw_only=True)
    asked: Condition = field(repr=False, kw_only=True)
    claim: Claim = field(repr=False, kw_only=True)
    depends_on: str = field(default="", kw_only=True)
    """What decides at run time whether it must hold, beside the inputs' sizes; empty where only those do."""

    def __repr__(self) -> str:
        by = f", by {self.node.text}" if self.node else ""
        return printable(f"<Requirement: {self.condition}{by}>")

    def __str__(self) -> str:
        """Return the condition, the message and the node in a line."""
        return f"{self.condition}: {self.message}{f', at {self.node.text}' if self.node else ''}"

    @property
    def message(self) -> str:
        """What the node requires, as its rule words it."""
        return self.claim.message

    @property
    def expr(self) -> Any:
        """The condition as a sympy relational or boolean. Raises ``sympy.SympifyError`` for one that is too large."""
        return self.asked.expr

    def _sympy_(self) -> Any:
        return self.expr

    def _repr_latex_(self) -> str | None:
        """Return the condition's formula as a notebook shows it, None for one that is too large."""
        return self.asked._repr_latex_()

    def to_dict(self) -> dict[str, Any]:
        return {
            "condition": self.condition,
            "node": self.node.to_dict() if self.node else None,
            "message": self.message,
            "witness": None if self.witness is None else dict(self.witness),
            **({"depends_on": self.depends_on} if self.depends_on else {}),
        }


LONGEST = 100
"""A condition of more characters is not listed among those that people read."""

FEW = 3
"""So many conditions are in a contract's representation."""

MOST_REWRITTEN = 50
"""So many equations are held against each other."""

MOST_SHOWN = 200
"""Of more conditions only the first ones have sizes that break them: each is held against all."""


class Contract(tuple[Requirement, ...]):
    """What a model requires of the dims of its inputs, the shortest conditions first.

    Iterating gives what is required in general, of dims of size 2 and more. ``all_sizes`` has every condition in the
    words that are true for the sizes 0 and 1 too, and ``small_sizes`` those of them that only such sizes break.
    ``unsimplified`` has the conditions in general that are too long to read. ``at_run_time`` has those that data has a
    part in, each with what it ``depends_on``; ``holds`` does not judge them.
    """

    all_sizes: tuple[Requirement, ...]
    unsimplified: tuple[Requirement, ...]
    at_run_time: tuple[Requirement, ...]
    assumed: tuple[Condition, ...]
    """What the caller assumes of the dims and their ranges, which every size named here satisfies."""

    def __new__(
        cls,
        in_general: Iterable[Requirement] = (),
        all_sizes: Iterable[Requirement] | None = None,
        at_run_time: Iterable[Requirement] = (),
        assumed: Iterable[Condition] = (),
    ) -> Contract:
        required = tuple(in_general)
        contract = super().__new__(cls, (r for r in required if len(r.condition) <= LONGEST))
        contract.unsimplified = tuple(r for r in required if len(r.condition) > LONGEST)
        contract.all_sizes = required if all_sizes is None else tuple(all_sizes)
        contract.at_run_time = tuple(at_run_time)
        contract.assumed = tuple(assumed)
        return contract

    def __repr__(self) -> str:
        few = ", ".join(r.condition for r in self[:FEW]) or "no condition"
        return printable(f"<Contract: {few}{f', and {len(self) - FEW} more' if len(self) > FEW else ''}>")

    def __reduce__(self) -> tuple[Any, ...]:
        return Contract, ((*self, *self.unsimplified), self.all_sizes, self.at_run_time, self.assumed)

    def __eq__(self, other: object) -> bool:
        return super().__eq__(other) is True and (not isinstance(other, Contract) or self.all_sizes == other.all_sizes)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return super().__hash__()

    @functools.cached_property
    def small_sizes(self) -> tuple[Requirement, ...]:
        """The conditions of ``all_sizes`` that hold for all dims of size 2 and more that are in the contract."""
        listed = (*self, *self.unsimplified)
        required = [r.asked for r in listed]
        in_general = [_of_larger(condition) for condition in required]
        others = [r for r in self.all_sizes if r not in listed and not follows(required, r.asked)]
        return tuple(r for r in others if holds_in_general(r.asked) or follows(in_general, _of_larger(r.asked)))

    @functools.cached_property
    def smallest_sizes(self) -> Mapping[str, int] | None:
        """The smallest sizes that satisfy every condition, each dim at least 1; None where none were found."""
        required = [r.asked for r in self.all_sizes]
        symbols = frozenset().union(*(c.symbols for c in required))
        return satisfying([*required, *(c for c in self.assumed if symbols & c.symbols)])

    @property
    def small_text(self) -> str:
        """What only sizes 0 and 1 break, in a line: ``batch, seq >= 1 and 2 conditions of sizes 0 and 1``."""
        bounds = [(next(iter(r.asked.symbols)).name, r) for r in self.small_sizes if len(r.asked.symbols) == 1]
        named = [name for name, r in bounds if r.condition == f"{name} >= 1"]
        others = len(self.small_sizes) - len(named)
        parts = [f"{', '.join(named)} >= 1"] if named else []
        parts += [f"{others} condition{'' if others == 1 else 's'} of sizes 0 and 1"] if others else []
        return " and ".join(parts)

    @property
    def text(self) -> str:
        """One condition a line; empty for a model that runs for all sizes of 2 and more."""
        return "\n".join(r.condition for r in self)

    def _repr_html_(self) -> str:
        """Return the contract as a notebook shows it."""
        small = self.small_text
        if not self and not self.unsimplified:
            runs = f"where {escaped(small)}" if small else "for all sizes of its inputs, as far as is known"
            return f"<p>It runs {runs}.</p>"
        also = f"<p>It also requires {escaped(small)}.</p>" if small else ""
        rows = ((r.condition, "" if r.node is None else r.node.text, r.message) for r in self)
        long = f"<p>{len(self.unsimplified)} more could not be simplified.</p>" if self.unsimplified else ""
        sizes = ", ".join(f"{name} = {size}" for name, size in (self.smallest_sizes or {}).items())
        runs = f"<p>The smallest sizes that run: {escaped(sizes)}.</p>" if sizes else ""
        return table(("It runs only where", "needed by", "since"), rows) + long + runs + also

    @property
    def expr(self) -> Any:
        """The conditions of ``all_sizes`` as one sympy boolean, their conjunction; ``true`` where there is none.

        Raises ``sympy.SympifyError`` where one is too large.
        """
        from sympy import And

        return And(*(r.expr for r in self.all_sizes))

    def holds(self, bind: ByDim[int]) -> bool | Answer:
        """Return whether sizes, by name, satisfy every condition, those of the sizes 0 and 1 too.

        With a size for each dim that the conditions contain, the answer is a bool. With fewer it is an Answer for all
        sizes of the others: YES if all of them run, NO if none of them does, else MAYBE, also where it is not decided.
        Names of other dims are ignored. Raises ValueError for what is no whole number.
        """
        given = whole_numbers_by_name(bind, "bind")
        under = [_under(r.asked, given) for r in self.all_sizes]
        if all(s.name in given for r in self.all_sizes for s in r.asked.symbols):
            return all(c.answer().is_yes for c in under)
        return _joint_answer(under)


def in_general(contract: Contract, found: Contract | None = None) -> Contract:
    """Return a contract whose own conditions are those that dims of size 2 and more can break.

    ``found`` has them where they were found by an inference with such dims.
    """
    required = [r for r in contract.all_sizes if not holds_in_general(r.asked)] if found is None else found
    listed = required if found is None else (*found, *found.unsimplified)
    return Contract(listed, contract.all_sizes, assumed=contract.assumed)


def holds_in_general(condition: Condition) -> bool:
    """Whether a condition holds for all sizes of at least 2 of its symbols."""
    return _of_larger(condition).answer().is_yes


def fails_in_general(condition: Condition) -> bool:
    """Whether a condition holds for no sizes of at least 2 of its symbols."""
    return _of_larger(condition).answer().is_no


def _of_larger(condition: Condition) -> Condition:
    sizes = {s: larger for s in condition.symbols if (larger := at_least_two(s)) is not s}
    return simplest(condition.substitute(sizes))


def at_least_two(declared: Dim) -> Size:
    """Return a symbol in the part of its range that is 2 or more; itself if that is all or none of it."""
    low, high = declared.bounds()
    if (low is not None and low >= GENERAL) or (high is not None and high < GENERAL):
        return declared
    return symbol(declared.name, GENERAL, high, declared.divisor, declared.is_fresh)


def _under(condition: Condition, bind: Mapping[str, int]) -> Condition:
    return condition.substitute({s: bind[s.name] for s in condition.symbols if s.name in bind})


def _joint_answer(conditions: Sequence[Condition]) -> Answer:
    """Decide whether all conditions hold: NO, too, where what equations determine contradicts another of them."""
    parts = [part for c in conditions for part in simplest(c).conjuncts]
    answer = simplest(AllOf(tuple(parts))).answer()
    if not answer.is_maybe:
        return answer
    try:
        known = determined([c for c in parts if isinstance(c, Equal) and is_linear(c)])
    except Contradiction:
        return Answer.NO
    in_range = [at_least(size, low) for s, size in known.items() if (low := s.bounds()[0]) is not None]
    # A YES of these would be no answer: the equations hold of what they themselves determine.
    return answer & simplest(AllOf((*in_range, *(c.substitute(known) for c in parts)))).answer()


def contract_of(
    pending: Iterable[PendingClaim],
    known: Mapping[Dim, Size],
    narrowed: Mapping[Dim, Dim],
    ranges: Iterable[Condition] = (),
) -> Contract:
    """Return what remains of the pending conditions: those on the inputs' own dims, simplified, none implied by others.

    ``known`` is what was learned, which conditions that taught nothing may follow from; ``narrowed`` gives for
    symbols of a narrower range those that the model declares. What the caller assumes is no part of it, nor are the
    ``ranges`` that it gives.
    """
    in_force, assumed = _in_force(pending, known, narrowed)
    assumed += ranges
    by = {c: a for c, a in in_force.items() if not _is_of_data(a.condition)}
    by = _together({c: by[c] for c in minimal(list(by))})
    kept = _without_rewritten(minimal(list(by)))
    shown = {c: _least_that_breaks(c, kept, assumed) for c in kept[:MOST_SHOWN]}
    return _sorted((_requirement(c, by[c], shown.get(c)) for c in kept), assumed)


def _without_rewritten(conditions: Sequence[Condition]) -> list[Condition]:
    """Return the conditions without the equations that say nothing once the shorter ones are put into them."""
    kept = sorted(conditions, key=lambda c: len(c.text))
    equations = [c for c in kept if isinstance(c, Equal)]
    for c in reversed(equations[:MOST_REWRITTEN]):
        others = rules_of([e for e in equations if e is not c])
        if equal(rewritten(c.a, others), rewritten(c.b, others)).is_yes:
            equations.remove(c)
            kept.remove(c)
    return [c for c in conditions if c in kept]


def run_time_conditions(
    pending: Iterable[PendingClaim], known: Mapping[Dim, Size], narrowed: Mapping[Dim, Dim]
) -> Contract:
    """Return the data-dependent conditions, such as those on how many entries are not zero."""
    in_force, _ = _in_force(pending, known, narrowed)
    by = {c: a for c, a in in_force.items() if _is_of_data(c)}
    return _sorted(_requirement(c, by[c]) for c in minimal(list(by)))


def body_conditions(
    speculative: Iterable[PendingClaim], contract: Contract, known: Mapping[Dim, Size], narrowed: Mapping[Dim, Dim]
) -> Iterator[Requirement]:
    """Yield what bodies that may not run require of the inputs' dims in general, and the contract does not."""
    required = [r.asked for r in contract.all_sizes]
    bodies: dict[tuple[str, ...], list[PendingClaim]] = {}
    for pending in speculative:
        bodies.setdefault(pending.node.graph if pending.node else (), []).append(pending)
    for claims in bodies.values():
        found = in_general(contract_of(claims, known, narrowed))
        yield from (r for r in found if not follows(required, r.asked))


def unsimplified(pending: Iterable[PendingClaim], of_data: bool = False) -> Contract:
    """Return all pending conditions as they are, where it would take too long to simplify them.

    With ``of_data`` the data-dependent ones, else the others.
    """
    by = {a.condition: a for a in pending if a.claim.code is not ASSUMPTION_FALSE}
    return _sorted(_requirement(c, a) for c, a in by.items() if _is_of_data(c) is of_data)


def _requirement(condition: Condition, pending: PendingClaim, witness: Mapping[str, int] | None = None) -> Requirement:
    return Requirement(condition.text, pending.node, witness, asked=condition, claim=pending.claim)


def _together(by: Mapping[Condition, PendingClaim]) -> dict[Condition, PendingClaim]:
    """Merge the conditions on one symbol, where that is shorter: ``n % 4 == 0 and n % 6 == 0``."""
    groups: dict[Dim, list[Condition]] = {}
    for condition in sorted(by, key=lambda c: c.text):
        if len(condition.symbols) == 1:
            groups.setdefault(next(iter(condition.symbols)), []).append(condition)
    out = dict(by)
    for group in groups.values():
        parts = simplest(AllOf(tuple(group))).conjuncts
        if set(parts) != set(group) and sum(len(p.text) for p in parts) <= sum(len(c.text) for c in group):
            who = {p: by.get(p) or next((by[c] for c in group if implies(c, p)), by[group[0]]) for p in parts}
            out = {c: a for c, a in out.items() if c not in group} | who
    return out


def _in_force(
    pending: Iterable[PendingClaim], known: Mapping[Dim, Size], narrowed: Mapping[Dim, Dim]
) -> tuple[dict[Condition, PendingClaim], list[Condition]]:
    """Return the conditions in their simplest form, each with the claim that required it first; and what is assumed."""
    by: dict[Condition, PendingClaim] = {}
    assumed: list[Condition] = []
    for a in pending:
        condition = simplest(a.condition if a.taught else a.condition.substitute(known))
        for part in condition.conjuncts:
            declared = part.substitute(narrowed)
            if a.claim.code is ASSUMPTION_FALSE:
                assumed.append(declared)
            else:
                by.setdefault(declared, a)
    return {c: a for c, a in by.items() if not follows(assumed, c)} if assumed else by, assumed


def _is_of_data(condition: Condition) -> bool:
    """Whether a condition is data-dependent."""
    return any(s.is_fresh for s in condition.symbols)


def _sorted(requirements: Iterable[Requirement], assumed: Iterable[Condition] = ()) -> Contract:
    listed = sorted(requirements, key=lambda r: (len(r.asked.symbols), len(r.condition), r.condition))
    return Contract(listed, assumed=assumed)


def _least_that_breaks(
    condition: Condition, kept: Iterable[Condition], assumed: Sequence[Condition]
) -> dict[str, int] | None:
    """Return smallest sizes that break a condition and none of the others, or others with it; not what is assumed."""
    others = [other for other in kept if other is not condition]
    return witness(condition, [*others, *assumed]) or witness(condition, assumed)
