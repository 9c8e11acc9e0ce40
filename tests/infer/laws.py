"""What must hold of a model under one binding: the contract, the check of the bound model and the runtime agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random

import numpy as np
import onnx
from attrs import field, frozen

from shapeinfer import Report, check
from shapeinfer.dims import Dim, Size, evaluate
from shapeinfer.facts import Tensor, dtype_of
from shapeinfer.infer.constraints.contract import Contract
from tests.infer.differences import (
    copies_by_zero,
    ends_the_process,
    is_lenient,
    is_own_limit,
    reduces_nothing,
    rounds_late,
)
from tests.infer.running import Array, session

SIZES = (0, 1, 1, 2, 2, 3, 4, 4, 5, 6, 7, 8, 8, 10, 12, 15, 16, 17, 24, 31, 32, 40)
MAX_ENTRIES = 200_000
"""Models with larger tensors are not run."""


@frozen
class Judged:
    """A model checked without any sizes, to be held against runs."""

    model: onnx.ModelProto
    report: Report = field(init=False)

    @report.default
    def _checked(self) -> Report:
        return check(self.model)

    def sizes_of(self, sample: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
        """The binding under which the inputs have the given shapes."""
        out: dict[str, int] = {}
        for name, shape in sample.items():
            fact = self.report.values[name]
            assert isinstance(fact, Tensor)
            out |= {d.name: n for d, n in zip(fact.dims, shape) if isinstance(d, Dim)}
        return out


def bindings(random: Random, base: Mapping[str, int], count: int) -> Iterator[dict[str, int]]:
    """The binding given, and others beside it, multiples of it or far from it."""
    yield dict(base)
    names = sorted(base)
    for _ in range(count - 1 if names else 0):
        sizes = dict(base)
        kind = random.randrange(5)
        some = names[random.randrange(len(names))]
        if kind == 0:
            sizes[some] = max(0, sizes[some] + random.randint(-2, 2))
        elif kind == 1:
            sizes[some] = _size(random)
        elif kind == 2:
            sizes = {name: n * 2 ** random.randint(0, 2) for name, n in sizes.items()}
        elif kind == 3:
            same = _size(random)
            sizes = {name: same if random.randrange(2) else n for name, n in sizes.items()}
        else:
            sizes = {name: _size(random) for name in names}
        yield sizes


def _size(random: Random) -> int:
    return SIZES[random.randrange(len(SIZES))]


def is_open(report: Report) -> bool:
    """Whether a condition speaks of lengths that are made up."""
    assert report.result is not None
    return any(s.is_fresh for a in report.result.pending for s in a.condition.symbols)


@frozen
class Trial:
    """One binding of a model: what was said of it and what came of it. ``wrong`` is None where they agree."""

    kind: str
    wrong: str | None = None


def tried(judged: Judged, sizes: Mapping[str, int]) -> Trial:
    """Hold a model's report and contract against its bound check and a run."""
    model, free = judged.model, judged.report
    bound = check(model, bind=sizes)
    if is_large(bound):
        return Trial("too large")
    if any(d(model, bound) for d in (ends_the_process, reduces_nothing, rounds_late)):
        return Trial("accepted")
    made, refusal = _run(model, bound)
    promised = made is not None and free.ok and bound.ok and free.contract.holds(sizes)
    if copies_by_zero(model, bound) and not promised:
        return Trial("accepted")
    if made is not None:
        return _ran(judged, bound, made, sizes)
    if not free.ok:
        return Trial("broken", f"broken without sizes, but not bound ({refusal})" if bound.ok else None)
    if not free.contract.holds(sizes):
        return Trial("outside", f"no error outside the contract ({refusal})" if bound.ok else None)
    if is_open(free) or is_open(bound):
        return Trial("open")
    if not bound.ok:
        return Trial("inside", f"inside the contract, but bound: {bound.errors[0].text} ({refusal})")
    return Trial("accepted") if is_own_limit(refusal, model, bound) else Trial("inside", f"does not run: {refusal}")


def _ran(judged: Judged, bound: Report, made: Mapping[str, Array], sizes: Mapping[str, int]) -> Trial:
    """Judge what was said of a model that runs."""
    model, free = judged.model, judged.report
    for report, what in ((bound, "bound"), (free, "without sizes")):
        for error in report.errors:
            if error.node is not None and is_lenient(model, bound, error.node.index, error.node.graph):
                return Trial("accepted")
            return Trial("outside", f"runs, but {what}: {error.text}")
    broken = [r for r in free.contract.all_sizes if not Contract([r]).holds(sizes)]
    if broken:
        return Trial("outside", f"runs and has no error, but outside its contract: {broken[0].condition}")
    for name, array in made.items():
        for report, what in ((free, "without sizes"), (bound, "bound")):
            if not agrees(report, name, array, sizes):
                maker = next(i for i, n in enumerate(model.graph.node) if name in n.output)
                if is_lenient(model, bound, maker):
                    return Trial("accepted")
                return Trial("inside", f"{name} is {report.values[name]} {what}, really {array.dtype}{array.shape}")
    return Trial("inside")


def is_large(bound: Report) -> bool:
    """Whether a model of these sizes is too large to be run."""
    return any(_entries(f) > MAX_ENTRIES for f in bound.values.values())


def _entries(fact: object) -> int:
    if not isinstance(fact, Tensor) or fact.shape is None:
        return 0
    return int(np.prod([d if isinstance(d, int) else 1 for d in fact.shape]))


def _run(model: onnx.ModelProto, bound: Report) -> tuple[dict[str, Array] | None, str]:
    """Run on numbers from 1 to 5; return every value made, or None and what the runtime says."""
    random = Random(0)
    feeds = {}
    for value in model.graph.input:
        fact = bound.values[value.name]
        assert isinstance(fact, Tensor)
        shape = [d for d in fact.dims if isinstance(d, int)]
        feeds[value.name] = np.array(
            [random.randint(1, 5) for _ in range(int(np.prod(shape)))], dtype=np.float32
        ).reshape(shape)
    names = [o.name for o in model.graph.output]
    try:
        return dict(zip(names, session(model).run(names, feeds))), ""
    except Exception as error:  # noqa: BLE001 - the runtime's own word that it does not run
        return None, str(error)


def agrees(report: Report, name: str, array: Array, sizes: Mapping[str, int]) -> bool:
    """Whether a value is as inferred, made-up lengths aside."""
    fact = report.values[name]
    if not isinstance(fact, Tensor) or fact.dtype is not dtype_of(array.dtype):
        return False
    if fact.shape is None:
        return True
    return len(fact.shape) == array.ndim and all(_is(d, n, sizes) for d, n in zip(fact.shape, array.shape))


def _is(size: Size, number: int, sizes: Mapping[str, int]) -> bool:
    if isinstance(size, int):
        return size == number
    return any(s.is_fresh for s in size.symbols) or evaluate(size, sizes) == number
