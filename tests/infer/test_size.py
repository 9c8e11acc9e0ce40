"""A formula that doubles with every node is given up, with a note, before anything of it takes too long to decide."""

from __future__ import annotations

import pytest

from tests.effort import within
from tests.models import checked, contract, texts

POOLS = "p{i} = AveragePool <kernel_shape = [2], strides = [2]> (x{i}) x{j} = Concat <axis = 2> (x{i}, p{i})"
SQUARES = "s{i} = Shape(x{i}) m{i} = Mul(s{i}, s{i}) x{j} = Expand(x{i}, m{i})"


def chain(step: str, count: int) -> str:
    steps = "\n".join(step.format(i=i, j=i + 1) for i in range(count))
    return f"g (float[N, C, L] x0) => (float[] y) {{ {steps} y = Relu(x{count}) }}"


@pytest.mark.parametrize("step", [POOLS, SQUARES], ids=["pools", "squares"])
def test_a_formula_that_doubles_is_given_up_with_a_note(step: str) -> None:
    with within(4_000_000):
        report = checked(chain(step, 20))
    assert report.ok
    assert "expression-too-large" in {d.code.name for d in report.diagnostics}
    assert len(texts(report)["y"]) < 5000


def test_with_sizes_given_it_is_a_number() -> None:
    report = checked(chain(POOLS, 20), bind={"N": 1, "C": 1, "L": 2})
    assert report.diagnostics == ()
    size = 2
    for _ in range(20):
        size += size // 2
    assert texts(report)["y"] == f"f32[1, 1, {size}]"


def test_conditions_from_before_stand() -> None:
    assert contract(checked(chain(POOLS, 20))) == ["L >= 2"]
