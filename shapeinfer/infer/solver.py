"""What is learned from claims: equalities as substitutions, contradictions with both their reasons."""

from __future__ import annotations

from attrs import frozen

from shapeinfer.diagnostics.diagnostic import NodeRef
from shapeinfer.diagnostics.finding import Claim
from shapeinfer.diagnostics.ledger import better
from shapeinfer.dims import Answer, Condition, Dim, Equal, Size, substitute, text_of
from shapeinfer.facts import Fact


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


class Solver:
    """Equalities learned so far, each resolved to what its symbol finally stands for."""

    def __init__(self) -> None:
        self.known: dict[Dim, Size] = {}
        self.reasons: dict[Dim, Reason] = {}
        self.asked: dict[Condition, Asked] = {}
        self._facts: dict[Fact, Fact] = {}

    @property
    def active(self) -> bool:
        """Whether anything was learned that facts must be brought up to date with."""
        return bool(self.known)

    def size(self, size: Size) -> Size:
        """Return a length with every learned equality applied."""
        return substitute(size, self.known) if self.known else size

    def fact(self, fact: Fact) -> Fact:
        """Return a fact with every learned equality applied."""
        found = self._facts.get(fact)
        if found is None:
            found = self._facts[fact] = fact.substitute(self.known)
        return found

    def settle(self, claim: Claim, node: NodeRef | None) -> tuple[Answer, list[str]]:
        """Take a claim: learn from it what can be learned. NO comes with the reasons that contradict it."""
        condition = claim.condition.substitute(self.known) if self.known else claim.condition
        answer = condition.answer()
        if answer.is_no:
            return answer, self._because(claim.condition)
        if answer.is_yes or condition in self.asked:
            return answer, []
        if isinstance(condition, Equal):
            found = _solved(condition.a, condition.b)
            if found is not None:
                refuted = self._refuted(*found)
                if refuted is not None:
                    return Answer.NO, [f"{refuted.condition.text} is needed too" + _asked_by(refuted.node)]
                self._learn(*found, condition, node)
        self.asked[condition] = Asked(condition, claim, node)
        return answer, []

    def _refuted(self, symbol: Dim, size: Size) -> Asked | None:
        """Return a condition asked before that could not hold if the symbol were that size."""
        one = {symbol: size}
        for asked in self.asked.values():
            if symbol in asked.condition.symbols and asked.condition.substitute(one).answer().is_no:
                return asked
        return None

    def _learn(self, symbol: Dim, size: Size, condition: Equal, node: NodeRef | None) -> None:
        one = {symbol: size}
        self.known = {s: substitute(v, one) for s, v in self.known.items()} | one
        self.reasons[symbol] = Reason(condition.text, node)
        self._facts.clear()

    def _because(self, condition: Condition) -> list[str]:
        """The reasons behind every replaced symbol of a condition."""
        replaced = sorted((s for s in condition.symbols if s in self.reasons), key=lambda s: s.name)
        return [f"{s.name} is {text_of(self.known[s])}: {self.reasons[s].text}" for s in replaced]

    def scope(self) -> Solver:
        """Return a copy: what is learned in a branch that may not run stays there."""
        inner = Solver()
        inner.known = dict(self.known)
        inner.reasons = dict(self.reasons)
        inner.asked = dict(self.asked)
        return inner


def _asked_by(node: NodeRef | None) -> str:
    return f", asked by {node.text}" if node else ""


def _solved(a: Size, b: Size) -> tuple[Dim, Size] | None:
    """Solve ``a == b`` for a symbol alone on one side: a made-up one rather than the author's."""
    best = better(a, b)
    other = b if best is a else a
    for symbol, size in ((other, best), (best, other)):
        inside = size.symbols if isinstance(size, Dim) else frozenset()
        if not isinstance(symbol, Dim) or not symbol.is_symbol or symbol in inside:
            continue
        # An input's dim is never explained by a made-up one.
        if symbol.made or not any(s.made for s in inside):
            return symbol, size
    return None
