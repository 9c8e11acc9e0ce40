"""Search for inputs that take more than three times the effort when they are twice as long, for each reader.

An input is put together from pieces of the reader's language, some of which are repeated or nested so and so often.
Its effort is measured at sizes that double: how often each function is called, which is the same on every machine, and
processor time for what libraries in C do. Inputs that grow fastest are changed further. One that more than triples
twice in a row is reported once for the function that grows, and kept in --out.
"""

from __future__ import annotations

import cProfile
import gc
import itertools
import math
import os
import pstats
import re
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from types import CodeType, FrameType
from typing import Any, TypeAlias

from attrs import define, evolve, field, frozen

from shapeinfer import remembered
from shapeinfer.infer.driver import forget
from tests.fuzz.pieces import READERS, Reader
from tests.fuzz.targets import TooSlow, soon

TRIPLED = math.log2(3)
FEW = 400
"""Characters at which calls are counted first, and twice."""
CALLS = 1500
"""Fewer calls of a function are not judged."""
ENOUGH = 0.05
"""Seconds after which an input that does not look as if it grew is left."""
MOST = 1.5
"""Seconds after which one that does is judged."""
NOISE = 1.4
"""What grew too fast once and not again counts as that."""
KEPT = 24
"""So many inputs are changed further."""
_NUMBER = re.compile("[§¶]")

Called: TypeAlias = "Counter[CodeType | str]"


@frozen
class Part:
    """A piece of an input: repeated, or nested around a core, where it ``grows``."""

    open: str
    core: str = ""
    close: str = ""
    grows: bool = True

    def text(self, n: int) -> str:
        times = n if self.grows else 1
        opened = "".join(_numbered(self.open, i) for i in range(1, times + 1))
        return opened + self.core + "".join(_numbered(self.close, i) for i in range(times, 0, -1))


def _numbered(piece: str, i: int) -> str:
    return (
        _NUMBER.sub(lambda found: str(i if found[0] == "§" else i - 1), piece)
        if "§" in piece or "¶" in piece
        else piece
    )


@frozen
class Plan:
    """An input of any size: the gaps of a frame hold parts."""

    frame: tuple[str, ...]
    gaps: tuple[tuple[Part, ...], ...]

    def text(self, n: int) -> str:
        return self.frame[0] + "".join(
            "".join(part.text(n) for part in gap) + after for gap, after in zip(self.gaps, self.frame[1:])
        )

    def times(self, length: int) -> int:
        """Return how often to repeat what grows for about so many more characters."""
        each = sum(len(p.open) + len(p.close) for gap in self.gaps for p in gap if p.grows)
        return max(2, length // max(each, 1))

    def __str__(self) -> str:
        shown = [f"({p.open!r} {p.core!r} {p.close!r}{'*n' if p.grows else ''})" for gap in self.gaps for p in gap]
        return f"{self.frame[0][-30:]!r}... {' '.join(shown)}"


# Effort


def afresh() -> None:
    """Forget what earlier inputs left, so that the same input takes the same."""
    forget()
    remembered.note(2 * remembered.MOST)
    remembered.make_room()


def seconds(reader: Reader, text: str) -> float:
    """Return how much of a processor's time an input takes. Raises TooSlow."""
    afresh()
    data = reader.prepared(text)
    gc.collect()
    gc.disable()  # it comes when it likes
    try:
        begun = time.process_time()
        with soon():
            reader.read(data)
        return time.process_time() - begun
    finally:
        gc.enable()


def calls(reader: Reader, text: str) -> Called:
    """Count the calls of each function in Python, and of those in C by name, that an input takes. Raises TooSlow."""
    afresh()
    data = reader.prepared(text)
    made: Called = Counter()

    def count(frame: FrameType, event: str, arg: Any) -> None:
        if event == "call":
            made[frame.f_code] += 1
        elif event == "c_call":
            made[arg.__qualname__] += 1

    before = sys.getprofile()
    with soon():
        sys.setprofile(count)
        try:
            reader.read(data)
        finally:
            sys.setprofile(before)
    return made


def exponents(sizes: Sequence[int], efforts: Sequence[float]) -> list[float]:
    """Return for each step how effort grows: 1 where it is proportional to the size."""
    steps = zip(itertools.pairwise(sizes), itertools.pairwise(efforts))
    return [math.log(max(f, 1e-9) / max(e, 1e-9)) / math.log(t / s) for (s, t), (e, f) in steps if t > s]


@frozen
class Growth:
    """How an input grew: the lesser of two steps in a row, at the worst place, and what grew."""

    exponent: float
    what: str
    size: int = 0
    seconds: float = 0.0


def in_calls(reader: Reader, plan: Plan, few: int = FEW, least: int = CALLS) -> Growth:
    """Return the growth of the function whose calls grow fastest."""
    n = plan.times(few)
    texts = [plan.text(n * k) for k in (1, 2, 4) if len(plan.text(n * k)) <= reader.most]
    sizes = [len(t) for t in texts]
    if len(texts) < 3 or sizes[0] >= sizes[1]:
        return Growth(0, "")
    counts = [calls(reader, t) for t in texts]
    worst = Growth(0, "")
    for function, last in counts[-1].items():
        if last >= least:
            steps = exponents(sizes, [max(c[function], 1) for c in counts])
            if steps and min(steps) > worst.exponent:
                worst = Growth(min(steps), f"calls of {_where(function)}", sizes[-1])
    return worst


def _where(function: CodeType | str) -> str:
    if isinstance(function, str):
        return function
    return f"{Path(function.co_filename).name}:{function.co_firstlineno} {function.co_name}"


def in_time(reader: Reader, plan: Plan) -> Growth:
    """Return the growth of time, at sizes that double until it is plain."""
    n = plan.times(FEW)
    sizes: list[int] = []
    times: list[float] = []
    while len(text := plan.text(n)) <= reader.most and (not sizes or len(text) > sizes[-1]):
        sizes.append(len(text))
        times.append(seconds(reader, text))
        steps = exponents(sizes, times)
        looks = len(steps) >= 2 and steps[-1] > TRIPLED - 0.15
        if times[-1] > (MOST if looks else ENOUGH):
            break
        n *= 2
    steps = exponents(sizes, times)
    if len(steps) < 2 or times[-3] < reader.floor / 4 or times[-1] < reader.floor:
        return Growth(min(0.9, min(steps[-2:], default=0)), "", sizes[-1] if sizes else 0, max(times, default=0))
    return Growth(min(steps[-2:]), "time", sizes[-1], times[-1])


def hot(reader: Reader, plan: Plan, size: int) -> str:
    """Return the function that most time is spent in."""
    n = plan.times(FEW)
    while len(plan.text(2 * n)) <= size:
        n *= 2
    data = reader.prepared(plan.text(n))
    afresh()
    profile = cProfile.Profile()
    profile.enable()
    try:
        with soon():
            reader.read(data)
    except TooSlow:
        pass
    finally:
        profile.disable()
    found: dict[tuple[str, int, str], Any] = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    (file, line, name), _ = max(found.items(), key=lambda item: item[1][2])
    return f"{Path(file).name}:{line} {name}"


# Search


def each(reader: Reader) -> Iterator[Plan]:
    """Iterate over the inputs that grow by one piece, repeated or nested, in one place."""
    grow = [Part(piece) for piece in reader.pieces] + [Part(opens, "", closes) for opens, closes in reader.nests]
    for frame in reader.frames:
        for gap in range(len(frame) - 1):
            for part in grow:
                yield Plan(frame, tuple((part,) if i == gap else () for i in range(len(frame) - 1)))


def drawn(reader: Reader, random: Random) -> Plan:
    """Return a new input."""
    frame = random.choice(reader.frames)
    gaps = [[some(reader, random)] if random.random() < 0.4 else [] for _ in frame[1:]]
    random.choice(gaps).append(some(reader, random))
    return Plan(frame, tuple(map(tuple, gaps)))


def some(reader: Reader, random: Random) -> Part:
    """Return a piece that grows, or one that does not."""
    kind = random.randrange(10)
    if kind < 5:
        return Part(fragment(reader, random))
    if kind < 8:
        opens, closes = random.choice(reader.nests)
        before = fragment(reader, random) if kind == 7 else ""
        return Part(before + opens, fragment(reader, random), closes if random.random() < 0.8 else "")
    return (
        Part(fragment(reader, random), grows=False)
        if kind == 8
        else Part(fragment(reader, random), "", fragment(reader, random))
    )


def fragment(reader: Reader, random: Random) -> str:
    return "".join(random.choice(reader.pieces) for _ in range(random.choice((1, 1, 1, 2, 3))))


def changed(plan: Plan, reader: Reader, random: Random) -> Plan:
    """Return an input that differs in a part or two, or in its frame."""
    gaps = [list(gap) for gap in plan.gaps]
    frame = plan.frame
    for _ in range(random.choice((1, 1, 2))):
        gap = random.choice(gaps)
        kind = random.randrange(7)
        if kind == 0 or not gap:
            gap.insert(random.randrange(len(gap) + 1), some(reader, random))
        elif kind == 1:
            gap.remove(random.choice(gap))
        elif kind == 2:
            frame = random.choice(reader.frames)
            gaps = [gaps[i] if i < len(gaps) else [] for i in range(len(frame) - 1)]
        else:
            at = random.randrange(len(gap))
            gap[at] = _part_changed(gap[at], reader, random)
    if not any(p.grows for gap in gaps for p in gap):
        random.choice(gaps).append(some(reader, random))
    return Plan(frame, tuple(map(tuple, gaps)))


def _part_changed(before: Part, reader: Reader, random: Random) -> Part:
    kind = random.randrange(6)
    if kind == 0:
        return evolve(before, grows=not before.grows)
    if kind == 1:
        return evolve(before, open=before.open + fragment(reader, random))
    if kind == 2:
        return evolve(before, open=fragment(reader, random) + before.open)
    if kind == 3 and len(before.open) > 1:
        at = random.randrange(len(before.open))
        return evolve(before, open=before.open[:at] + before.open[at + 1 :])
    if kind == 4:
        return evolve(before, core=fragment(reader, random) if not before.core else "")
    return evolve(before, close=fragment(reader, random) if not before.close else "")


@define
class Search:
    """The search for one reader: what was tried, what grows most, and what grows too fast."""

    name: str
    reader: Reader
    random: Random
    say: Callable[[str], None] = print
    tried: int = 0
    best: list[tuple[float, Plan]] = field(factory=list)
    worst: tuple[float, Plan | None] = (0.0, None)
    slowest: float = 0.0
    found: dict[str, tuple[Growth, Plan]] = field(factory=dict)

    def run(self, until: float) -> None:
        """Try inputs until then: single pieces in every place, and between them what chance makes of several."""
        gc.collect()
        gc.freeze()  # what there is already need not be looked at before each measurement
        simple = list(each(self.reader))
        self.random.shuffle(simple)
        while time.monotonic() < until:
            if simple and self.tried % 2:
                plan = simple.pop()
            elif self.best and self.random.random() < 0.6:
                plan = changed(self.random.choice(self.best)[1], self.reader, self.random)
            else:
                plan = drawn(self.reader, self.random)
            self.tried += 1
            self._note(plan, self.judged(plan))

    def judged(self, plan: Plan) -> Growth:
        """Return how an input grows; what fails is what the other targets look for."""
        try:
            grown = in_calls(self.reader, plan)
            if grown.exponent < TRIPLED:
                grown = max(grown, in_time(self.reader, plan), key=lambda g: g.exponent)
            return grown if grown.exponent < TRIPLED else self._again(plan, grown)
        except TooSlow as slow:
            frames = traceback.extract_tb(slow.__traceback__)
            last = next((f for f in reversed(frames) if f"{os.sep}tests{os.sep}" not in f.filename), frames[-1])
            return Growth(9.0, f"too slow: {Path(last.filename).name}:{last.lineno} {last.name}")
        except Exception as error:  # noqa: BLE001 - likewise
            return Growth(0.0, f"{type(error).__name__}")

    def _again(self, plan: Plan, grown: Growth) -> Growth:
        """Measure what grew too fast once more, calls at other sizes."""
        if grown.what == "time":
            again = in_time(self.reader, plan)
            if again.exponent >= TRIPLED:
                return evolve(again, what=f"time in {hot(self.reader, plan, again.size)}")
        else:
            again = min((in_calls(self.reader, plan, k * FEW) for k in (4, 12)), key=lambda g: g.exponent)
        return again if again.exponent >= TRIPLED else evolve(again, exponent=min(again.exponent, NOISE))

    def _note(self, plan: Plan, grown: Growth) -> None:
        self.slowest = max(self.slowest, grown.seconds)
        if grown.exponent >= TRIPLED:
            if grown.what not in self.found:
                self.found[grown.what] = grown, plan
                self.say(f"{self.name}: n^{grown.exponent:.2f} {grown.what}: {plan}")
            return  # what is found already is not what is looked for
        if grown.exponent > self.worst[0]:
            self.worst = grown.exponent, plan
        self.best.append((grown.exponent, plan))
        if len(self.best) > 2 * KEPT:
            self.best.sort(key=lambda pair: -pair[0])
            del self.best[KEPT:]


def searched(names: Sequence[str], limit: float, seed: int, out: Path) -> Iterator[Search]:
    """Search for each reader so many seconds; inputs that grow too fast are kept in a folder."""
    for name in names:
        search = Search(name, READERS[name], Random(seed), lambda line: print(line, flush=True))
        search.run(time.monotonic() + limit)
        for i, (_, plan) in enumerate(search.found.values()):
            data = search.reader.prepared(plan.text(plan.times(8 * FEW)))
            (out / f"growth-{name}-{i}").write_bytes(
                data if isinstance(data, bytes) else data.encode("utf-8", "replace")
            )
        yield search


def table(searches: Sequence[Search]) -> str:
    """Return a table of what searches came to."""
    rows = ["| reader | inputs | too fast | worst left | slowest, s | input |", "|---|---|---|---|---|---|"]
    for s in searches:
        exponent, plan = s.worst
        rows.append(f"| {s.name} | {s.tried} | {len(s.found)} | n^{exponent:.2f} | {s.slowest:.2f} | {plan} |")
    return "\n".join(rows)
