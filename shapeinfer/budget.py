"""What may a model take? Time, memory and the length of expressions; work that may be long looks here on its way.

The looks are calls in our own code, made where nothing is half done: so work ends wherever it is, on any thread,
and what it was part of can be forgotten as if it had never begun.
"""

from __future__ import annotations

import contextlib
import math
import mmap
import os
import sys
import threading
import time
from collections.abc import Iterator

from attrs import define, field, frozen, validators

MAX_EXPRESSION = 200
"""A length of more operations than this is not followed: conditions on it would take too long to decide."""
MAX_MEMORY = 4096
"""So many megabytes one model may take: far more than any needs whose weights stay unread."""
MAX_SECONDS: float | None = 300
"""So many seconds one model may take: a hundred times what the largest do."""
FINISHING = 0.5
"""This share comes on top for what is still to be done when a budget is spent, and again for the contract."""
STEP = 63
"""A loop over what takes no time looks before the entries whose index has none of these bits."""
LINUX = "/proc/self/statm"
"""Where Linux says how much memory a process has."""
LOOKS = 1024
"""The clock is looked at each time, memory once in so many times: asking for it takes a hundred times as long."""
MEGABYTE = 1 << 20


class OverBudget(BaseException):
    """The budget is spent. Nothing that handles exceptions catches this, but what goes on without the work begun."""


@frozen
class Budget:
    """Limits of one inference. Raises ValueError for one that leaves nothing to be done.

    ``seconds`` are counted from when it is spent; with None nothing depends on time. ``memory`` is how many
    megabytes the process may grow by. A length of more operations than ``expression`` is not followed.
    """

    seconds: float | None = field(default=MAX_SECONDS, validator=validators.optional(validators.gt(0)))
    expression: int = field(default=MAX_EXPRESSION, validator=validators.ge(1))
    memory: float = field(default=MAX_MEMORY, validator=validators.gt(0))


DEFAULT = Budget()


@define
class _Meter:
    """What is left of a budget: until when, and how many bytes of memory are too many."""

    budget: Budget
    until: float = math.inf
    most: float = math.inf
    looks: int = 0
    granted: bool = False

    def give(self, share: float) -> None:
        if self.budget.seconds is not None:
            self.until = time.monotonic() + share * self.budget.seconds
        self.most = resident() + share * self.budget.memory * MEGABYTE

    def look(self) -> None:
        if self.until < math.inf and time.monotonic() > self.until:
            raise OverBudget(f"inference took more than {self.budget.seconds:g} seconds")
        self.looks += 1
        if self.looks >= LOOKS:
            self.look_closely()

    def look_closely(self) -> None:
        self.looks = 0
        if resident() > self.most:
            raise OverBudget(f"inference took more than {self.budget.memory:g} megabytes of memory")


class _Here(threading.local):
    meter: _Meter | None = None


_here = _Here()


@contextlib.contextmanager
def spending(budget: Budget, share: float = 1) -> Iterator[None]:
    """Let what is done inside, on this thread, take this share of a budget and no more.

    Inside, ``look`` raises OverBudget when it is spent.
    """
    before = _here.meter
    _here.meter = _Meter(budget)
    _here.meter.give(share)
    try:
        yield
    finally:
        _here.meter = before


def grant(share: float) -> None:
    """Let what is being done take a share of its budget again, counted from now; once and no more."""
    if _here.meter is not None and not _here.meter.granted:
        _here.meter.granted = True
        _here.meter.give(share)


def current() -> Budget:
    """Return the budget that is being spent on this thread, the default one if there is none."""
    return DEFAULT if _here.meter is None else _here.meter.budget


def look() -> None:
    """Raise OverBudget if the budget of what is being done is spent."""
    meter = _here.meter
    if meter is not None:
        meter.look()


def look_closely() -> None:
    """Do the same where much may have happened since the last look: the memory is looked at far sooner."""
    meter = _here.meter
    if meter is not None:
        meter.looks += STEP
        meter.look()


def resident() -> int:
    """Return how many bytes of memory this process has, or the most that it ever had where that is all one learns.

    Growth is never overstated. On a system that says neither, it is 0.
    """
    try:
        return _now()
    except OSError:
        return _most()


def _now() -> int:
    file = os.open(LINUX, os.O_RDONLY)
    try:
        return int(os.read(file, 100).split()[1]) * mmap.PAGESIZE
    finally:
        os.close(file)


def _most() -> int:
    try:
        import resource
    except ImportError:  # Windows
        return 0
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
