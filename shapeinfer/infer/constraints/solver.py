"""What is learned from claims: equalities as substitutions, contradictions with both their reasons."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping

from attrs import evolve, frozen

from shapeinfer.budget import OverBudget
from shapeinfer.diagnostics.diagnostic import NodeRef
from shapeinfer.diagnostics.finding import Claim
from shapeinfer.dims import (
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

MAX_PROPAGATED = 200
"""After one claim no more pending conditions than this are propagated."""


@frozen(repr=False)
class Reason:
    """Why a symbol was replaced: the condition, the node that requires it, and what that node says of it."""

    condition: str
    node: NodeRef | None
    claim: Claim | None = None

    @property
    def text(self) -> str:
        return self.condition + _required_by(self.node)


@frozen(repr=False)
class PendingClaim:
    """A condition of the model that neither always nor never holds, and the node that needs it."""

    condition: Condition
    claim: Claim
    node: NodeRef | None
    taught: bool = False
    """Whether something was learned from it, so that it must be kept for that to hold."""


class _Refuted(Exception):
    """A claim cannot hold with what is known."""

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
        self.pending: dict[Condition, PendingClaim] = {}
        self._mentions: dict[Dim, list[Condition]] = {}
        """For each symbol the pending conditions that mention it."""
        self._implied: set[Condition] = set()
        """Pending conditions that follow from what is known, as they will when more is: nothing is learned of them."""
        self._before: Solver | None = None
        """What was known before the claim that is being decided, once something was learned from it."""
        self.current = Current(self.known)
        """Facts with all that was learned."""

    def size(self, size: Size) -> Size:
        """Return a length with all that was learned."""
        return substitute(size, self.known) if self.known else size

    def final(self) -> dict[Dim, Size]:
        """Return what every symbol stands for, in the symbols that the model declares."""
        merged = {s: substitute(v, self.narrowed) for s, v in self.known.items()}
        return {s: v for s, v in merged.items() if v is not s} | self.narrowed

    def decide(self, claim: Claim, node: NodeRef | None) -> tuple[Answer, list[str]]:
        """Decide a claim by what is known; one that is open stays pending, and what follows from it is learned.

        NO comes with the reasons that contradict the claim.
        """
        condition = claim.condition.substitute(self.known) if self.known else claim.condition
        answer = condition.answer()
        if answer.is_no:
            return answer, self.because(claim.condition.symbols)
        if answer.is_yes or condition in self.pending:
            return answer, []
        condition = simplest(condition)
        answer = condition.answer()
        if answer.is_no:
            return answer, self.because(claim.condition.symbols)
        if answer.is_yes:
            return answer, []
        added = [PendingClaim(p, claim, node) for p in condition.conjuncts if p not in self.pending]
        for pending in added:
            self._add(pending)
        try:
            self._propagate(added)
        except (_Refuted, OverBudget, MemoryError) as ended:
            if self._before is not None:
                self._restore(self._before)
            for pending in added:
                self._remove(pending)
            if not isinstance(ended, _Refuted):
                raise
            return Answer.NO, ended.reasons
        finally:
            self._before = None
        return answer, []

    def _add(self, pending: PendingClaim) -> None:
        self.pending[pending.condition] = pending
        for s in pending.condition.symbols:
            self._mentions.setdefault(s, []).append(pending.condition)

    def _remove(self, pending: PendingClaim) -> None:
        del self.pending[pending.condition]
        for s in pending.condition.symbols:
            self._mentions[s].remove(pending.condition)

    def _propagate(self, added: Iterable[PendingClaim]) -> None:
        """Learn from conditions, and again from those that mention what was learned, until a fixpoint is reached."""
        worklist = deque(pending.condition for pending in added)
        for _ in range(MAX_PROPAGATED):
            if not worklist:
                return
            pending = self.pending.get(worklist.popleft())
            if pending is None:
                continue
            now = simplest(pending.condition.substitute(self.known))
            if now.answer().is_no:
                raise _Refuted([f"{pending.condition.text} is also required" + _required_by(pending.node)])
            if now.answer().is_yes:
                self._implied.add(pending.condition)
                continue
            for part in now.conjuncts:
                for one, size in self._solutions(part):
                    if one not in self.known:
                        if self._before is None:
                            self._before = self.copy()
                        self._learn(one, size, part, pending)
                        pending = self._keep(pending, now)
                        mentioned = (c for c in self._mentions[one] if c not in self._implied)
                        worklist.extend(c for c in mentioned if c != pending.condition)
                        worklist.extend(self._follow_up(part, one, size, pending))

    def _solutions(self, condition: Condition) -> list[tuple[Dim, Size]]:
        """The symbols that a condition determines, alone or in the system of equations that share its symbols."""
        found = solve_for_symbol(condition)
        if found is not None:
            return [found]
        if not isinstance(condition, Equal) or not is_linear(condition):
            return []
        others = {c for s in condition.symbols for c in self._mentions.get(s, ()) if c in self.pending}
        system = [c for c in self.pending if c in others and isinstance(c, Equal)]
        system = [c for c in (c.substitute(self.known) for c in system) if is_linear(c)]
        if len(system) < 2:
            return []
        try:
            solved = determined(system)
        except Contradiction:
            both = " and ".join(c.text for c in system)
            raise _Refuted([f"no sizes satisfy {both} together"]) from None
        return [(s, size) for s, size in solved.items() if s.is_fresh or _can_replace_named_symbol(size)]

    def _follow_up(self, condition: Condition, one: Dim, size: Size, pending: PendingClaim) -> list[Condition]:
        """Return, and add, the conditions on the other symbols where a fresh symbol was solved for."""
        more = [c for c in consequences(condition, one, size) if c.answer().is_maybe and c not in self.pending]
        for c in more:
            self._add(PendingClaim(c, pending.claim, pending.node))
        return more

    def _keep(self, pending: PendingClaim, now: Condition) -> PendingClaim:
        """Mark a condition as one that something was learned from, in the form in which it was, and return it so."""
        if pending.taught:
            return pending
        kept = evolve(pending, condition=now, taught=True)
        # The rest of it follows from what was learned from others before, and those are kept.
        self.pending = {(now if c == pending.condition else c): a for c, a in self.pending.items()}
        self._add(kept)
        return kept

    def _learn(self, symbol: Dim, size: Size, condition: Condition, pending: PendingClaim) -> None:
        one = {symbol: size}
        if isinstance(size, Dim) and size.is_symbol and size.name == symbol.name:
            self.narrowed[size] = self.narrowed.get(symbol, symbol)
        self.known = {s: substitute(v, one) for s, v in self.known.items()} | one
        self.reasons[symbol] = Reason(condition.text, pending.node, pending.claim)
        self._mentions.setdefault(symbol, [])
        self._extend_mentions(size, symbol)
        self.current.learn(symbol, self.known)

    def _extend_mentions(self, size: Size, symbol: Dim) -> None:
        """Note that what mentions a symbol mentions the symbols of what it equals, too."""
        for s in size.symbols if isinstance(size, Dim) else ():
            open_ones = (c for c in self._mentions.get(symbol, ()) if c not in self._implied)
            self._mentions.setdefault(s, []).extend(open_ones)

    def narrow(self, given: Dim, low: int, high: int | None) -> None:
        """Take a range for a symbol that the model declares."""
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

    def explains(self, declared: Dim, refuted: Condition | None) -> bool:
        """Whether what was learned of a symbol says more than that it is not 0, or a condition is false for that."""
        now = self.known.get(declared)
        if not isinstance(now, Dim) or self.narrowed.get(now) is not declared:
            return True
        if now.high is not None or now.divisor != declared.divisor or (now.low or 0) > 2:
            return True
        return refuted is not None and not refuted.substitute({now: declared}).answer().is_no

    def because(self, symbols: Iterable[Dim]) -> list[str]:
        """Return what was learned of each symbol, and which node requires it."""
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
        for pending in self.pending.values():
            if not any(s.is_fresh for s in pending.condition.symbols):
                own._add(pending)
        for s, size in own.known.items():
            own._extend_mentions(size, s)
        return own

    def copy(self) -> Solver:
        """Return a copy: what is learned in a branch that may not run stays there."""
        inner = Solver(self.known)
        inner.narrowed = dict(self.narrowed)
        inner.reasons = dict(self.reasons)
        inner.pending = dict(self.pending)
        inner._implied = set(self._implied)
        inner._mentions = {s: list(conditions) for s, conditions in self._mentions.items()}
        return inner

    def _restore(self, before: Solver) -> None:
        """Forget what was learned since a copy was taken."""
        self.known, self.narrowed, self.reasons = before.known, before.narrowed, before.reasons
        self.pending, self._mentions, self._implied = before.pending, before._mentions, before._implied
        self.current = Current(self.known)


def _can_replace_named_symbol(size: Size) -> bool:
    """Whether a size may replace a symbol of the model's: no fresh symbol, and nothing that might be negative."""
    return isinstance(size, int) or (not has_fresh_symbol(size) and size.low is not None and size.low >= 0)


def _required_by(node: NodeRef | None) -> str:
    return f", required by {node.text}" if node else ""
