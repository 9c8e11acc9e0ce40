"""What is learned from claims: equalities as substitutions, contradictions with both their reasons."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping

from attrs import evolve, frozen

from shapeinfer.budget import OverBudget
from shapeinfer.diagnostics.diagnostic import NodeRef
from shapeinfer.diagnostics.finding import Claim
from shapeinfer.dims import (
    AllOf,
    Answer,
    Condition,
    Contradiction,
    Dim,
    Equal,
    Size,
    consequences,
    determined,
    has_fresh_symbol,
    is_linear,
    simplest,
    solve_for_symbol,
    substitute,
    symbol,
    text_of,
)
from shapeinfer.facts import Fact

MAX_LESSONS = 200
"""From one claim no more conditions than this are looked at again for what follows from them."""


@frozen(repr=False)
class Reason:
    """Why a symbol was replaced: the condition, the node that requires it, and what that node says of it."""

    condition: str
    node: NodeRef | None
    claim: Claim | None = None

    @property
    def text(self) -> str:
        return self.condition + _asked_by(self.node)


@frozen(repr=False)
class PendingClaim:
    """A condition of the model that neither always nor never holds, and the node that needs it."""

    condition: Condition
    claim: Claim
    node: NodeRef | None
    taught: bool = False
    """Whether something was learned from it, so that it must be kept for that to hold."""


class _Refuted(Exception):
    """What was asked cannot hold with what is known."""

    def __init__(self, reasons: list[str]) -> None:
        super().__init__(*reasons)
        self.reasons = reasons


class Current(dict["Fact | None", "Fact | None"]):
    """Facts with what was learned put in, each once; nothing stays nothing."""

    def __init__(self, known: Mapping[Dim, Size]) -> None:
        super().__init__({None: None})
        self._known = known
        self._with: dict[Dim, list[Fact]] = {}
        """For each symbol the facts that hold it, also with all that was learned."""

    def __missing__(self, fact: Fact) -> Fact:
        found = self[fact] = fact.substitute(self._known)
        for s in found.symbols:
            self._with.setdefault(s, []).append(fact)
        return found

    def learn(self, symbol: Dim, known: Mapping[Dim, Size]) -> None:
        """Take what is known now, which is more of a symbol: the facts that it does not occur in remain as they are."""
        self._known = known
        for fact in self._with.pop(symbol, ()):
            self.pop(fact, None)


class Solver:
    """What was learned so far: for a symbol what it equals, or the same symbol of a narrower range."""

    def __init__(self, known: Mapping[Dim, Size] | None = None) -> None:
        self.known: dict[Dim, Size] = dict(known or {})
        self.narrowed: dict[Dim, Dim] = {}
        """For each symbol of a narrower range the one that the model declares."""
        self.reasons: dict[Dim, Reason] = {}
        self.asked: dict[Condition, PendingClaim] = {}
        self._speaking: dict[Dim, list[Condition]] = {}
        """For each symbol the conditions asked that speak of it."""
        self._before: Solver | None = None
        """What was known before the claim that is being settled, once something was learned from it."""
        self.current = Current(self.known)
        """Facts with all that was learned."""

    def size(self, size: Size) -> Size:
        """Return a length with all that was learned."""
        return substitute(size, self.known) if self.known else size

    def final(self) -> dict[Dim, Size]:
        """Return what every symbol stands for, in the symbols that the model declares."""
        merged = {s: substitute(v, self.narrowed) for s, v in self.known.items()}
        return {s: v for s, v in merged.items() if v is not s} | self.narrowed

    def settle(self, claim: Claim, node: NodeRef | None) -> tuple[Answer, list[str]]:
        """Take a claim: learn from it what can be learned. NO comes with the reasons that contradict it."""
        condition = claim.condition.substitute(self.known) if self.known else claim.condition
        answer = condition.answer()
        if answer.is_no:
            return answer, self.because(claim.condition.symbols)
        if answer.is_yes or condition in self.asked:
            return answer, []
        condition = simplest(condition)
        answer = condition.answer()
        if answer.is_no:
            return answer, self.because(claim.condition.symbols)
        if answer.is_yes:
            return answer, []
        parts = condition.parts if isinstance(condition, AllOf) else (condition,)
        news = [PendingClaim(p, claim, node) for p in parts if p not in self.asked]
        for asked in news:
            self._ask(asked)
        try:
            self._teach(news)
        except (_Refuted, OverBudget, MemoryError) as ended:
            if self._before is not None:
                self._restore(self._before)
            for asked in news:
                self._take_back(asked)
            if not isinstance(ended, _Refuted):
                raise
            return Answer.NO, ended.reasons
        finally:
            self._before = None
        return answer, []

    def _ask(self, asked: PendingClaim) -> None:
        self.asked[asked.condition] = asked
        for s in asked.condition.symbols:
            self._speaking.setdefault(s, []).append(asked.condition)

    def _take_back(self, asked: PendingClaim) -> None:
        del self.asked[asked.condition]
        for s in asked.condition.symbols:
            self._speaking[s].remove(asked.condition)

    def _teach(self, news: Iterable[PendingClaim]) -> None:
        """Learn from conditions, and then again from those that speak of what was learned, until nothing follows."""
        queue = deque(asked.condition for asked in news)
        for _ in range(MAX_LESSONS):
            if not queue:
                return
            asked = self.asked.get(queue.popleft())
            if asked is None:
                continue
            now = simplest(asked.condition.substitute(self.known))
            if now.answer().is_no:
                raise _Refuted([f"{asked.condition.text} is also required" + _asked_by(asked.node)])
            for part in now.parts if isinstance(now, AllOf) else (now,):
                for one, size in self._lessons(part):
                    if one not in self.known:
                        if self._before is None:
                            self._before = self.scope()
                        self._learn(one, size, part, asked)
                        asked = self._keep(asked, now)
                        queue.extend(c for c in self._speaking[one] if c != asked.condition)
                        queue.extend(self._follow_up(part, one, size, asked))

    def _lessons(self, condition: Condition) -> list[tuple[Dim, Size]]:
        """What a condition says of symbols, alone or, if it is an equation, with the others that share its symbols."""
        found = solve_for_symbol(condition)
        if found is not None:
            return [found]
        if not isinstance(condition, Equal) or not is_linear(condition):
            return []
        others = {c for s in condition.symbols for c in self._speaking.get(s, ()) if c in self.asked}
        system = [c for c in self.asked if c in others and isinstance(c, Equal)]
        system = [c for c in (c.substitute(self.known) for c in system) if is_linear(c)]
        if len(system) < 2:
            return []
        try:
            solved = determined(system)
        except Contradiction:
            both = " and ".join(c.text for c in system)
            raise _Refuted([f"no sizes satisfy {both} together"]) from None
        return [(s, size) for s, size in solved.items() if s.is_fresh or _can_replace_named_symbol(size)]

    def _follow_up(self, condition: Condition, one: Dim, size: Size, asked: PendingClaim) -> list[Condition]:
        """Ask for what must hold of the others where a made-up symbol was solved for."""
        more = [c for c in consequences(condition, one, size) if c.answer().is_maybe and c not in self.asked]
        for c in more:
            self._ask(PendingClaim(c, asked.claim, asked.node))
        return more

    def _keep(self, asked: PendingClaim, now: Condition) -> PendingClaim:
        """Mark a condition as one that taught something, in the words in which it did, and return it so."""
        if asked.taught:
            return asked
        kept = evolve(asked, condition=now, taught=True)
        # What it said beyond that follows from what others taught before, and those are kept.
        self.asked = {(now if c == asked.condition else c): a for c, a in self.asked.items()}
        self._ask(kept)
        return kept

    def _learn(self, symbol: Dim, size: Size, condition: Condition, asked: PendingClaim) -> None:
        one = {symbol: size}
        if isinstance(size, Dim) and size.is_symbol and size.name == symbol.name:
            self.narrowed[size] = self.narrowed.get(symbol, symbol)
        self.known = {s: substitute(v, one) for s, v in self.known.items()} | one
        self.reasons[symbol] = Reason(condition.text, asked.node, asked.claim)
        self._speaking.setdefault(symbol, [])
        self._also_of(size, symbol)
        self.current.learn(symbol, self.known)

    def _also_of(self, size: Size, symbol: Dim) -> None:
        """Note that what speaks of a symbol speaks of the length, too, that it stands for."""
        for s in size.symbols if isinstance(size, Dim) else ():
            self._speaking.setdefault(s, []).extend(self._speaking.get(symbol, ()))

    def narrow(self, given: Dim, low: int, high: int | None) -> None:
        """Take a range for a symbol that the model declares; ``Run.constraint_notes`` holds who gave it."""
        if given in self.known:
            return
        ranged = symbol(given.name, low, high, given.divisor, given.is_fresh)
        if isinstance(ranged, Dim):
            self.narrowed[ranged] = given
        self.known[given] = ranged
        self.current = Current(self.known)

    def reason(self, declared: Dim) -> Reason | None:
        """Return why the model's own symbol is what it is, the latest reason of several."""
        steps = [declared, *(n for n, base in self.narrowed.items() if base is declared)]
        return next((self.reasons[step] for step in reversed(steps) if step in self.reasons), None)

    def because(self, symbols: Iterable[Dim]) -> list[str]:
        """Say of each symbol of which something was learned what it was, and who asked for it."""
        out = []
        for s in sorted((s for s in symbols if s in self.known), key=lambda s: s.name):
            now = self.known[s]
            is_itself = isinstance(now, Dim) and self.narrowed.get(now) is s
            reason = self.reason(s)
            if reason is None:
                continue
            out.append(reason.text if is_itself else f"{s.name} is {text_of(now)}: {reason.text}")
        return out

    def carried(self) -> Solver:
        """Return what is known of the model's own dims, for another pass that may use it from the start."""
        own = Solver({s: v for s, v in self.known.items() if not s.is_fresh and not has_fresh_symbol(v)})
        own.narrowed = {s: base for s, base in self.narrowed.items() if not base.is_fresh}
        own.reasons = {s: r for s, r in self.reasons.items() if not s.is_fresh}
        for asked in self.asked.values():
            if not any(s.is_fresh for s in asked.condition.symbols):
                own._ask(asked)
        for s, size in own.known.items():
            own._also_of(size, s)
        return own

    def scope(self) -> Solver:
        """Return a copy: what is learned in a branch that may not run stays there."""
        inner = Solver(self.known)
        inner.narrowed = dict(self.narrowed)
        inner.reasons = dict(self.reasons)
        inner.asked = dict(self.asked)
        inner._speaking = {s: list(conditions) for s, conditions in self._speaking.items()}
        return inner

    def _restore(self, before: Solver) -> None:
        """Forget what was learned since a copy was taken."""
        self.known, self.narrowed, self.reasons = before.known, before.narrowed, before.reasons
        self.asked, self._speaking = before.asked, before._speaking
        self.current = Current(self.known)


def _can_replace_named_symbol(size: Size) -> bool:
    """Whether a length may stand for a symbol of the author's: no made-up one, and nothing that might be negative."""
    return isinstance(size, int) or (not has_fresh_symbol(size) and size.low is not None and size.low >= 0)


def _asked_by(node: NodeRef | None) -> str:
    return f", required by {node.text}" if node else ""
