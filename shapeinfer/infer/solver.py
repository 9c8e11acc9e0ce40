"""What is learned from claims: equalities as substitutions, contradictions with both their reasons."""

from __future__ import annotations

import math
from collections.abc import Iterable

from attrs import frozen

from shapeinfer.diagnostics.diagnostic import NodeRef
from shapeinfer.diagnostics.finding import Claim
from shapeinfer.diagnostics.ledger import better
from shapeinfer.dims import (
    AllOf,
    Answer,
    AtMost,
    Condition,
    Dim,
    Divides,
    Equal,
    Size,
    simplest,
    substitute,
    symbol,
    text_of,
)
from shapeinfer.facts import Fact

MAX_LEAST = 4096
"""A least size is looked for up to this far above the one known."""


@frozen
class Reason:
    """Why a symbol was replaced: the condition, and the node that asked for it."""

    condition: str
    node: NodeRef | None

    @property
    def text(self) -> str:
        return self.condition + _asked_by(self.node)


@frozen
class Asked:
    """A condition of the model that neither always nor never holds, and the node that needs it."""

    condition: Condition
    claim: Claim
    node: NodeRef | None
    taught: bool = False
    """Whether something was learned from it, so that it must be kept for that to hold."""


class Solver:
    """What was learned so far: for a symbol what it equals, or the same symbol of a narrower range."""

    def __init__(self) -> None:
        self.known: dict[Dim, Size] = {}
        self.narrowed: dict[Dim, Dim] = {}
        """For each symbol of a narrower range the one that the model declares."""
        self.reasons: dict[Dim, Reason] = {}
        self.asked: dict[Condition, Asked] = {}
        self._facts: dict[Fact, Fact] = {}

    def size(self, size: Size) -> Size:
        """Return a length with all that was learned."""
        return substitute(size, self.known) if self.known else size

    def final(self) -> dict[Dim, Size]:
        """Return what every symbol stands for, in the symbols that the model declares."""
        merged = {s: substitute(v, self.narrowed) for s, v in self.known.items()}
        return {s: v for s, v in merged.items() if v is not s} | self.narrowed

    def fact(self, fact: Fact) -> Fact:
        """Return a fact with all that was learned."""
        found = self._facts.get(fact)
        if found is None:
            found = self._facts[fact] = fact.substitute(self.known)
        return found

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
        if answer.is_yes or condition in self.asked:
            return answer, []
        taught = False
        for part in condition.parts if isinstance(condition, AllOf) else (condition,):
            found = _learned(part)
            if found is None or found[0] in self.known:
                continue
            refuted = self._refuted(*found)
            if refuted is not None:
                return Answer.NO, [f"{refuted.condition.text} is needed too" + _asked_by(refuted.node)]
            self._learn(*found, part, node)
            taught = True
        self.asked[condition] = Asked(condition, claim, node, taught)
        return answer, []

    def _refuted(self, symbol: Dim, size: Size) -> Asked | None:
        """Return a condition asked before that could not hold if the symbol were that size."""
        one = {symbol: size}
        for asked in self.asked.values():
            if symbol in asked.condition.symbols and asked.condition.substitute(one).answer().is_no:
                return asked
        return None

    def _learn(self, symbol: Dim, size: Size, condition: Condition, node: NodeRef | None) -> None:
        one = {symbol: size}
        if isinstance(size, Dim) and size.is_symbol and size.name == symbol.name:
            self.narrowed[size] = self.narrowed.get(symbol, symbol)
        self.known = {s: substitute(v, one) for s, v in self.known.items()} | one
        self.reasons[symbol] = Reason(condition.text, node)
        self._facts.clear()

    def narrow(self, given: Dim, low: int, high: int | None) -> None:
        """Take a range for a symbol that the model declares, from whoever knows it and says so (``Run.said``)."""
        if given in self.known:
            return
        ranged = _ranged(given, low, high)
        if isinstance(ranged, Dim):
            self.narrowed[ranged] = given
        self.known[given] = ranged
        self._facts.clear()

    def because(self, symbols: Iterable[Dim]) -> list[str]:
        """Say of each symbol of which something was learned what it was, and who asked for it."""
        out = []
        for s in sorted((s for s in symbols if s in self.known), key=lambda s: s.name):
            now = self.known[s]
            is_itself = isinstance(now, Dim) and self.narrowed.get(now) is s
            steps = [s, *(n for n, base in self.narrowed.items() if base is s)]
            reason = next((self.reasons[step].text for step in reversed(steps) if step in self.reasons), None)
            if reason is None:
                continue
            out.append(reason if is_itself else f"{s.name} is {text_of(now)}: {reason}")
        return out

    def carried(self) -> Solver:
        """Return what is known of the model's own dims, for another pass that may use it from the start."""
        own = Solver()
        own.known = {s: v for s, v in self.known.items() if not s.made and not _made(v)}
        own.narrowed = {s: base for s, base in self.narrowed.items() if not base.made}
        own.reasons = {s: r for s, r in self.reasons.items() if not s.made}
        own.asked = {c: a for c, a in self.asked.items() if not any(s.made for s in c.symbols)}
        return own

    def scope(self) -> Solver:
        """Return a copy: what is learned in a branch that may not run stays there."""
        inner = Solver()
        inner.known = dict(self.known)
        inner.narrowed = dict(self.narrowed)
        inner.reasons = dict(self.reasons)
        inner.asked = dict(self.asked)
        return inner


def _made(size: Size) -> bool:
    return isinstance(size, Dim) and any(s.made for s in size.symbols)


def _asked_by(node: NodeRef | None) -> str:
    return f", asked by {node.text}" if node else ""


def _learned(condition: Condition) -> tuple[Dim, Size] | None:
    """Return a symbol and what it must be, exactly as the condition asks; None where that is no single symbol."""
    if isinstance(condition, Equal):
        return _solved(condition.a, condition.b)
    if isinstance(condition, AtMost) and len(condition.symbols) == 1:
        (symbol,) = condition.symbols
        narrowed = _at_most(symbol, condition) if symbol is condition.a else _at_least(symbol, condition)
        return None if narrowed is None else (symbol, narrowed)
    if isinstance(condition, Divides) and isinstance(condition.divisor, int) and isinstance(condition.a, Dim):
        return _divided(condition.a, condition.divisor)
    return None


def _divided(size: Dim, divisor: int) -> tuple[Dim, Size] | None:
    """Return a symbol as a multiple of what divides it."""
    if not size.is_symbol:
        return None
    try:
        return size, symbol(size.name, size.low, size.high, math.lcm(size.divisor, divisor), size.made)
    except ValueError:
        return None


def _ranged(s: Dim, low: int | None, high: int | None) -> Size:
    return symbol(s.name, low, high, s.divisor, s.made)


def _at_most(s: Dim, condition: AtMost) -> Size | None:
    return _ranged(s, s.low, condition.b) if isinstance(condition.b, int) else None


def _at_least(s: Dim, condition: AtMost) -> Size | None:
    """Return the symbol from the least number on that satisfies the condition, if that is all it asks."""
    if s.low is None:
        return _ranged(s, condition.a, s.high) if s is condition.b and isinstance(condition.a, int) else None

    def holds_from(number: int) -> bool:
        if s.high is not None and number > s.high:
            return True
        return condition.substitute({s: _ranged(s, number, s.high)}).answer().is_yes

    step = 1
    while not holds_from(s.low + step):
        step *= 2
        if step > MAX_LEAST:
            return None
    fails, holds = s.low + step // 2, s.low + step
    while holds - fails > 1:
        middle = (fails + holds) // 2
        fails, holds = (fails, middle) if holds_from(middle) else (middle, holds)
    if s.high is not None and holds > s.high:
        return None
    needed = condition.substitute({s: _ranged(s, s.low, holds - 1)}).answer().is_no
    return _ranged(s, holds, s.high) if needed else None


def _solved(a: Size, b: Size) -> tuple[Dim, Size] | None:
    """Solve ``a == b`` for a symbol alone on one side: a made-up one rather than the author's."""
    best = better(a, b)
    other = b if best is a else a
    for side, size in ((other, best), (best, other)):
        inside = size.symbols if isinstance(size, Dim) else frozenset()
        if not isinstance(side, Dim) or not side.is_symbol or side in inside:
            continue
        # An input's dim is never explained by a made-up one.
        if side.made or not any(s.made for s in inside):
            return side, size
    return None
