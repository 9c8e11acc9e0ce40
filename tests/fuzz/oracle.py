"""What must hold of a model at one binding of its inputs' dims, whoever made the model: runs have the last word.

What runs has no error, stands inside its contract, and every value of it has the inferred type, shape and contents.
What the runtime refuses may have an error or not; how often one foretold it is counted.
"""

from __future__ import annotations

import contextlib
import traceback
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

import numpy as np
import onnx
from attrs import field, frozen

from shapeinfer import Report, check
from shapeinfer.diagnostics.codes import INTERNAL_ERROR
from shapeinfer.dims import Dim, Size, evaluate, parse
from shapeinfer.facts import Tensor
from shapeinfer.infer.constraints.contract import Contract
from tests.fuzz.held import disagreement
from tests.fuzz.own_ways import own_way
from tests.fuzz.refusals import is_own, reason
from tests.fuzz.runtime import Refused, Runtime, Value

SIZES = (0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 12, 16, 24)
MAX_ENTRIES = 200_000
"""Models with larger tensors are not run."""


class Misjudged(Exception):
    """What is said of a model is wrong; the text says what and where."""


@frozen
class Sample:
    """A model with every value as an output, its number, and inputs that it may run with."""

    number: int
    model: onnx.ModelProto
    feeds: Mapping[str, Value]

    @property
    def text(self) -> str:
        """The model as text, as far as onnx's printer can write it."""
        with contextlib.suppress(Exception):
            return str(onnx.printer.to_text(self.model))
        return str(self.model)[:4000]


@frozen
class Tried:
    """What came of one model: how each of its bindings ended, and what is wrong with what was said of it."""

    ended: Counter[str]
    wrong: str | None = None


def checked(model: onnx.ModelProto, **given: Any) -> Report:
    """Check a model. Raises Misjudged for a crash and for a fault of ours."""
    with ours("check"):
        report = check(model, **given)
    for diagnostic in report.diagnostics:
        if diagnostic.code is INTERNAL_ERROR:
            raise Misjudged(f"internal error: {diagnostic.text}")
    return report


@contextlib.contextmanager
def ours(what: str) -> Iterator[None]:
    """Raise Misjudged for whatever is raised inside."""
    try:
        yield
    except Misjudged:
        raise
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{last.filename.rpartition('shapeinfer/')[2]}:{last.lineno}"
        raise Misjudged(f"crash in {what}: {type(error).__name__} at {place}: {str(error)[:200]}") from error


def declared(model: onnx.ModelProto) -> dict[str, list[Size]]:
    """Return the declared dims of each input that has a rank; one without a name is named by its axis."""
    weights = {t.name for t in model.graph.initializer}
    return {
        value.name: [
            d.dim_value if d.HasField("dim_value") else parse(d.dim_param or f"{value.name}_dim_{axis}")
            for axis, d in enumerate(value.type.tensor_type.shape.dim)
        ]
        for value in model.graph.input
        if value.type.tensor_type.HasField("shape") and value.name not in weights
    }


def sizes_of(model: onnx.ModelProto, feeds: Mapping[str, Value]) -> dict[str, int]:
    """Return the sizes of the inputs' named dims in some feeds, by name."""
    sizes: dict[str, int] = {}
    for name, shape in declared(model).items():
        lengths = zip(shape, getattr(feeds.get(name), "shape", ()))
        sizes |= {d.name: n for d, n in lengths if isinstance(d, Dim) and d.is_symbol}
    return sizes


def bindings(random: Random, base: Mapping[str, int], count: int) -> Iterator[dict[str, int]]:
    """Yield the binding given and others, in which 0 and 1 are frequent."""
    yield dict(base)
    names = sorted(base)
    for i in range(count - 1 if names else 0):
        if i == 0:
            yield {**base, names[random.randrange(len(names))]: random.choice((0, 1))}
        elif i == 1:
            yield {name: random.choice((1, n, n)) for name, n in base.items()}
        elif i % 2:
            yield {**base, names[random.randrange(len(names))]: random.choice(SIZES)}
        else:
            yield {name: random.choice((*SIZES, n)) for name, n in base.items()}


def fed(model: onnx.ModelProto, feeds: Mapping[str, Value], sizes: Mapping[str, int]) -> dict[str, Value]:
    """Return the same inputs at other sizes: entries are repeated or left out along each axis."""
    shapes, out = declared(model), dict(feeds)
    for name, value in feeds.items():
        if isinstance(value, np.ndarray):
            for axis, size in enumerate(shapes.get(name, ())):
                if isinstance(size, Dim) and axis < value.ndim and all(s.name in sizes for s in size.symbols):
                    value = _as_long(value, axis, max(0, evaluate(size, sizes)))
            out[name] = value
    return out


def _as_long(array: np.ndarray[Any, Any], axis: int, length: int) -> np.ndarray[Any, Any]:
    if array.shape[axis] == 0:
        shape = (*array.shape[:axis], length, *array.shape[axis + 1 :])
        return np.zeros(shape, array.dtype)
    longer: np.ndarray[Any, Any] = array.take(np.arange(length) % array.shape[axis], axis)
    return longer


@frozen
class Judge:
    """Holds samples against runs, at so many bindings each."""

    runtime: Runtime
    count: int = 5
    unforeseen: Counter[str] = field(factory=Counter)
    """What the runtime refused for although neither an error nor the contract foretold it."""

    def tried(self, sample: Sample) -> Tried:
        """Hold a model at several bindings against the runtime."""
        ended: Counter[str] = Counter()
        sizes: Mapping[str, int] = {}
        try:
            free = checked(sample.model)
            random = Random(sample.number)
            for sizes in bindings(random, sizes_of(sample.model, sample.feeds), self.count):
                ended[self.at(sample, free, sizes)] += 1
        except Misjudged as wrong:
            ended["wrong"] += 1
            return Tried(ended, f"model {sample.number} at {dict(sizes)}: {wrong}")
        return Tried(ended)

    def at(self, sample: Sample, free: Report, sizes: Mapping[str, int]) -> str:
        """Return how one binding ended. Raises Misjudged."""
        bound = checked(sample.model, bind=sizes)
        with ours("the contract"):
            holds = free.contract.holds(sizes)
            assert isinstance(holds, bool), "the contract has a dim without a size"
        if is_large(bound):
            return "too large"
        feeds = fed(sample.model, sample.feeds, sizes)
        try:
            made = self.runtime.run(sample.model, feeds)
        except Refused as refused:
            if is_own(str(refused)):
                return "the runtime's own refusal"
            ended = foretold(free, bound, holds, str(refused))
            if ended == "not foretold":
                self.unforeseen[reason(str(refused))] += 1
            return ended
        outputs = {o.name: value for o, value in zip(sample.model.graph.output, made)}
        wrong = misjudgement((free, bound), holds, sizes, outputs)
        if wrong is None:
            return "ran"
        if own := own_way(sample.model, bound, outputs, wrong):
            return f"the runtime's own way ({own})"
        raise Misjudged(wrong)


def foretold(free: Report, bound: Report, holds: bool, refusal: str) -> str:
    """Return whether an error or the contract, or both, foretold that the runtime refuses."""
    if not free.ok or not (bound.ok or holds):
        return "foretold"
    if bound.ok and holds:
        return "died, not foretold" if "ended" in refusal else "not foretold"
    return "foretold by the contract alone" if bound.ok else "foretold at these sizes alone"


def misjudgement(
    reports: Sequence[Report], holds: bool, sizes: Mapping[str, int], outputs: Mapping[str, Value]
) -> str | None:
    """Say what is wrong with what was said of a model that ran, without sizes and bound to these."""
    for report, what in zip(reports, ("without sizes", "bound")):
        if report.errors:
            return f"runs, but {what}: {report.errors[0].text}"
    if not holds:
        broken = [r.condition for r in reports[0].contract.all_sizes if not Contract([r]).holds(sizes)]
        return f"runs, but outside its contract: {broken}"
    for report, what in zip(reports, ("without sizes", "bound")):
        wrong = disagreement(report.values, outputs, sizes)
        if wrong is not None:
            return f"WRONG {what}: {wrong}"
    return None


def is_large(bound: Report) -> bool:
    """Whether a model of these sizes is too large to be run."""
    shapes = [f.shape for f in bound.values.values() if isinstance(f, Tensor) and f.shape is not None]
    return any(np.prod([float(d) for d in s if isinstance(d, int)], dtype=float) > MAX_ENTRIES for s in shapes)
