"""What holds for all inputs that a model accepts, for questions about its sizes."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping

from attrs import Factory, frozen

from shapeinfer.dims import (
    AllOf,
    Answer,
    Condition,
    Dim,
    Equal,
    Rules,
    Size,
    equal,
    follows,
    rewritten,
    rules_of,
    simplest,
    substitute,
)
from shapeinfer.infer.constraints.solver import PendingClaim


@frozen(repr=False)
class KnownConditions:
    """What holds for all inputs that the model accepts."""

    conditions: tuple[Condition, ...] = ()
    learned: Mapping[Dim, Size] = Factory(dict)
    narrowed: Mapping[Dim, Size] = Factory(dict)
    equations: tuple[Equal, ...] = ()
    """The equalities among the conditions, as the nodes require them."""

    @functools.cached_property
    def rules(self) -> Rules:
        """The equations as rewrite rules for parts of sizes."""
        return rules_of(self.equations)

    def current(self, size: Size) -> Size:
        """Return a length with all that was learned, its symbols in the range that they were found to have."""
        return substitute(size, self.learned)

    def declared(self, size: Dim) -> Dim:
        """Return a length in the symbols that the model declares."""
        found = substitute(size, self.narrowed)
        assert isinstance(found, Dim), "a symbol of a narrower range stands for itself"
        return found

    def answer(self, condition: Condition) -> Answer:
        """Answer a question about lengths that are current."""
        answer, simple = condition.answer(), condition
        if answer.is_maybe:
            simple = simplest(condition)
            answer = simple.answer()
        if answer.is_maybe and follows([c for c in self.conditions if c.symbols & simple.symbols], simple):
            return Answer.YES
        if answer.is_maybe and isinstance(condition, Equal) and self.equations:
            return equal(rewritten(condition.a, self.rules), rewritten(condition.b, self.rules))
        return answer

    def is_possible(self, condition: Condition) -> bool:
        """Whether a condition on lengths that are current may hold together with each other one."""
        near = (c for c in self.conditions if c.symbols & condition.symbols)
        return not any(simplest(AllOf((c, condition))).answer().is_no for c in near)

    def are_same(self, a: Size, b: Size) -> bool:
        """Tell whether two lengths are proven equal."""
        return self.answer(Equal(self.current(a), self.current(b))).is_yes


def known_conditions(
    pending: Iterable[PendingClaim], learned: Mapping[Dim, Size], narrowed: Mapping[Dim, Size]
) -> KnownConditions:
    """Return what holds for all inputs that meet the pending claims."""
    pending = list(pending)
    conditions = (a.condition.substitute(learned) for a in pending)
    claims = dict.fromkeys(a.claim.condition for a in pending)
    equations = (c.substitute(learned) for c in claims if isinstance(c, Equal))
    return KnownConditions(
        tuple(c for c in conditions if not c.answer().is_yes),
        learned,
        narrowed,
        tuple(e for e in equations if not e.answer().is_yes),
    )
