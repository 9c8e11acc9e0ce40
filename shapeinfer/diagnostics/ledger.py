"""Where a rule, and the shape arithmetic below it, writes down what it asks and finds."""

from __future__ import annotations

from typing import NoReturn

from shapeinfer.diagnostics.codes import BUDGET_EXCEEDED, DIM_MISMATCH, Code, Severity
from shapeinfer.diagnostics.finding import Claim, Finding, ports
from shapeinfer.dims import Answer, Condition, Dim, Equal, Size, better, equal, slot, text_of

MOST_NEW = 1_000
"""A rule that asks for more new lengths than this is stopped."""


class RuleStopped(Exception):
    """A rule found a fault after which it knows nothing of its outputs; the fault is in the ledger."""


class Ledger:
    """Collects the claims and findings of one call, and hands out its fresh symbols."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.claims: list[Claim] = []
        self.handed_out: list[Dim] = []

    def spoken(self, port: str) -> str:
        """Return how people know a port, such as ``A`` or ``inputs 2``."""
        return port.replace(".", " ")

    def fresh(self, low: int | None = 0, high: int | None = None) -> Dim:
        """Return a new unknown length (or, with ``low=None``, a new unknown integer).

        A rule that asks for more than ``MOST_NEW`` ends: the rank that it was told is absurd.
        """
        if len(self.handed_out) >= MOST_NEW:
            message = f"more than {MOST_NEW} lengths of one node are unknown, which is too many to follow"
            self.fail(BUDGET_EXCEEDED, message)
        return self.placeholder(low, high)

    def placeholder(self, low: int | None = 0, high: int | None = None) -> Dim:
        """Return a new unknown length even where a rule asked for too many of them: what it left open needs one."""
        made = slot(len(self.handed_out), low, high)
        self.handed_out.append(made)
        return made

    def report(self, code: Code, message: str, at: str = "", severity: Severity | None = None) -> None:
        """Record a fault and go on."""
        self.findings.append(Finding(code, message, ports(at), severity or code.severity))

    def fail(self, code: Code, message: str, at: str = "") -> NoReturn:
        """Record a fault and end the rule: its outputs are unknown."""
        self.report(code, message, at)
        raise RuleStopped

    def require(self, condition: Condition, code: Code, message: str, at: str = "") -> Answer:
        """Ask for a condition: false is a fault, undecided a claim, true nothing. Return the answer."""
        answer = condition.answer()
        if answer.is_no:
            self.report(code, message, at)
        elif answer.is_maybe:
            claim = Claim(condition, code, message, ports(at))
            if claim not in self.claims:
                self.claims.append(claim)
        return answer

    def equal(self, a: Size, b: Size, code: Code = DIM_MISMATCH, at: str = "", message: str = "") -> Size:
        """Ask that two lengths agree and return the better known of the two, a fresh one if they do not."""
        if a is b:
            return a
        answer = equal(a, b)
        if answer.is_yes:
            return better(a, b)
        where = ports(at)
        if not message and len(where) == 2:
            first, second = (_side(size, p.axis, self.spoken(p.text)) for size, p in zip((a, b), where))
            message = f"{first} but {second}"
        self.require(Equal(a, b), code, message or f"{text_of(a)} is not {text_of(b)}", at)
        return self.fresh() if answer.is_no else better(a, b)


def _side(size: Size, axis: int | None, name: str) -> str:
    return f"{name} is {text_of(size)}" if axis is None else f"axis {axis} of {name} is {text_of(size)}"
