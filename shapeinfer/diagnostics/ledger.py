"""The ledger: where a rule and its shape arithmetic record claims and findings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from attrs import evolve

from shapeinfer.diagnostics.codes import BUDGET_EXCEEDED, DIM_MISMATCH, Code, Severity
from shapeinfer.diagnostics.detail import NOTHING, Detail
from shapeinfer.diagnostics.finding import Claim, Finding, Port, ports
from shapeinfer.dims import Answer, Condition, Dim, Equal, Size, better, equal, slot, text_of

MOST_NEW = 1_000
"""A rule that creates more fresh symbols than this is stopped."""


class RuleStopped(Exception):
    """A rule found a fault and cannot infer its outputs; the fault is in the ledger."""


class Ledger:
    """Collects the claims and findings of one call, and hands out its fresh symbols."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.claims: list[Claim] = []
        self._claimed: set[Claim] = set()
        """The same ones: of each axis of an absurd rank there may be one."""
        self.fresh_symbols: list[Dim] = []
        self.turned: dict[str, Sequence[int]] = {}
        """For an operand that a rule hands on with its axes in another order, which of its own each one is."""

    def port_name(self, port: str) -> str:
        """Return the name of a port in messages, such as ``A`` or ``inputs 2``."""
        return port.replace(".", " ")

    def place(self, at: str) -> str:
        """Return the readable form of ``at``: ``axis 1 of A``, ``entry 0 of shape``, or only an operand."""
        return " with ".join(self._place(port) for port in self._ports(at))

    def own_axis(self, port: str, axis: int) -> int:
        """Return which axis of an operand one is that arithmetic sees."""
        order = self.turned.get(port)
        return order[axis] if order is not None and 0 <= axis < len(order) else axis

    def _ports(self, at: str) -> tuple[Port, ...]:
        found = ports(at)
        if not self.turned:
            return found
        return tuple(p if p.axis is None else evolve(p, axis=self.own_axis(p.text, p.axis)) for p in found)

    def _place(self, port: Port) -> str:
        name = self.port_name(port.text)
        if port.entry is not None:
            return f"entry {port.entry} of {name}"
        return name if port.axis is None else f"axis {port.axis} of {name}"

    def fresh(self, low: int | None = 0, high: int | None = None) -> Dim:
        """Return a new unknown length (or, with ``low=None``, a new unknown integer).

        A rule that asks for more than ``MOST_NEW`` ends: the rank that it was told is absurd.
        """
        if len(self.fresh_symbols) >= MOST_NEW:
            message = f"more than {MOST_NEW} dims of one node are unknown; the node is skipped"
            self.fail(BUDGET_EXCEEDED, message)
        return self.placeholder(low, high)

    def placeholder(self, low: int | None = 0, high: int | None = None) -> Dim:
        """Return a new unknown length even where a rule asked for too many of them: what it left open needs one."""
        made = slot(len(self.fresh_symbols), low, high)
        self.fresh_symbols.append(made)
        return made

    def report(
        self, code: Code, message: str, at: str = "", severity: Severity | None = None, detail: Detail = NOTHING
    ) -> None:
        """Record a fault and go on."""
        self.findings.append(Finding(code, message, self._ports(at), severity or code.severity, detail=detail))

    def fail(self, code: Code, message: str, at: str = "", detail: Detail = NOTHING) -> NoReturn:
        """Record a fault and end the rule: its outputs are unknown."""
        self.report(code, message, at, detail=detail)
        raise RuleStopped

    def require(self, condition: Condition, code: Code, message: str, at: str = "", detail: Detail = NOTHING) -> Answer:
        """Require a condition: false is a finding, undecided a claim. Return the answer."""
        answer = condition.answer()
        if answer.is_no:
            self.report(code, message, at, detail=detail)
        elif answer.is_maybe:
            claim = Claim(condition, code, message, self._ports(at), detail)
            if claim not in self._claimed:
                self._claimed.add(claim)
                self.claims.append(claim)
        return answer

    def equal(self, a: Size, b: Size, code: Code = DIM_MISMATCH, at: str = "", message: str = "") -> Size:
        """Require that two dims are equal and return the better known one, a fresh symbol if they differ."""
        if a is b:
            return a
        answer = equal(a, b)
        if answer.is_yes:
            return better(a, b)
        where = self._ports(at)
        if not message and len(where) == 2:
            first, second = map(self._place, where)
            message = f"{first} is {text_of(a)} but {second} is {text_of(b)}"
        self.require(Equal(a, b), code, message or f"{text_of(a)} is not {text_of(b)}", at)
        return self.fresh() if answer.is_no else better(a, b)
