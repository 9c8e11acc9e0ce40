"""Draw a random program by its number."""

from __future__ import annotations

from random import Random

import numpy as np

from tests.fuzz.oracle import Sample
from tests.fuzz.programs.bodies import BODIES
from tests.fuzz.programs.builder import NAMES, OPSETS, Grower, Step
from tests.fuzz.programs.consumers import CONSUMERS
from tests.fuzz.programs.lengths import LENGTHS
from tests.fuzz.programs.sequences import SEQUENCES
from tests.fuzz.runtime import Runtime
from tests.infer.graphs import Unfit
from tests.infer.patterns import STEPS as PATTERNS

FORMULAS = ("N + 1", "2*N", "N + M", "N//2")


def drawn(number: int, runtime: Runtime) -> Sample:
    """Make the program of a number: a few inputs, lengths computed of them, and operators that these decide."""
    random = Random(number)
    while True:
        b = Grower(random, OPSETS[random.randrange(len(OPSETS))], run=runtime.run)
        try:
            _inputs(b)
        except Unfit:
            continue
        b.grow(LENGTHS[0])
        _take(b, LENGTHS, b.number(2, 10))
        for _ in range(b.number(1, 3)):
            if b.chance(35):
                _take(b, BODIES, 1)
            _take(b, CONSUMERS, b.number(1, 3))
            _take(b, LENGTHS, b.number(0, 4))
        if b.chance(25):
            _take(b, PATTERNS, b.number(1, 3))
        if b.chance(20):
            _take(b, SEQUENCES, b.number(3, 8))
            _take(b, (*CONSUMERS, *LENGTHS), b.number(1, 4))
        if len(b.nodes) > 1:
            return Sample(number, b.model(), {i.name: b.values[i.name] for i in b.inputs})


def _take(b: Grower, steps: tuple[Step, ...], count: int) -> None:
    for _ in range(count):
        b.grow(b.pick(steps))


def _inputs(b: Grower) -> None:
    """Add one to three tensors of floats, and at times integers that only a run knows."""
    b.length("N")
    b.length("M")
    b.input(str(b.pick(NAMES)), *(_dim(b) for _ in range(b.pick((0, 1, 1, 2, 2, 3)))))
    for _ in range(b.pick((0, 0, 1, 1, 2))):
        b.input(*(_dim(b) for _ in range(b.pick((1, 2, 2, 3, 3, 4)))))
    if b.chance(25):
        n = b.number(1, 4)
        b.given(np.int64, [n], [b.number(0, 6) for _ in range(n)])
    if b.chance(10):
        b.given(np.int64, [], b.number(0, 6))
    if b.chance(10):
        b.given(np.bool_, [], b.chance(50))


def _dim(b: Grower) -> int | str | None:
    kind = b.number(0, 19)
    if kind < 12:
        return str(b.pick(NAMES))
    if kind == 12 and {"N", "M"} <= {d.dim_param for i in b.inputs for d in i.type.tensor_type.shape.dim}:
        return str(b.pick(FORMULAS))
    return int(b.pick((1, 2, 3, 4, 6, 8))) if kind < 18 else None
