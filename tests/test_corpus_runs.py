"""Models of real exporters run as before after types were written into them, and after they were folded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import onnx
import pytest
from attrs import frozen

from shapeinfer import fold, infer_shapes
from tests.conftest import Runs
from tests.infer.running import Array
from tests.rewrite.runs import difference, is_near, runs
from tests.weights import fed, weighted


def refusal(model: onnx.ModelProto) -> str:
    """What onnx's full check says against a model, empty where it accepts it."""
    try:
        onnx.checker.check_model(model, full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
        return str(error)
    return ""


@frozen
class Case:
    """A model with weights, the same one folded, and what it gives for the inputs of each run."""

    model: onnx.ModelProto
    folded: onnx.ModelProto
    feeds: list[dict[str, Array]]
    before: list[list[Any] | str]


@pytest.fixture(scope="session")
def case(corpus_model: Path, corpus_runs: Runs) -> Case:
    model = weighted(onnx.load(corpus_model, load_external_data=False))
    feeds = [fed(binding) for binding in corpus_runs]
    return Case(model, fold(model).model, feeds, runs(model, feeds))


def test_typed_and_folded_it_gives_the_same_bit_for_bit(case: Case) -> None:
    typed = infer_shapes(case.model)
    assert refusal(typed) == refusal(case.folded) == refusal(case.model)
    assert [said for said in case.before if isinstance(said, str)] == []
    for other in (typed, case.folded):
        assert [difference(*pair) for pair in zip(case.before, runs(other, case.feeds))] == [None] * len(case.feeds)


def test_folded_it_gives_the_same_where_the_runtime_optimizes_it(case: Case) -> None:
    """Then it believes what the model declares of its outputs, and other kernels round the last digits."""
    for before, after in zip(case.before, runs(case.folded, case.feeds, optimized=True)):
        assert not isinstance(after, str), after
        assert all(map(is_near, before, after))
