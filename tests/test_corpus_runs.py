"""Models of real exporters run as before after types were written into them, and after they were folded."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest

from shapeinfer import fold, infer_shapes
from tests.conftest import Runs
from tests.rewrite.runs import difference, is_near, runs
from tests.weights import fed, weighted


def refusal(model: onnx.ModelProto) -> str:
    """What onnx's full check says against a model, empty where it accepts it."""
    try:
        onnx.checker.check_model(model, full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
        return str(error)
    return ""


@pytest.fixture
def model(corpus_model: Path) -> onnx.ModelProto:
    return weighted(onnx.load(corpus_model, load_external_data=False))


def test_typed_and_folded_it_gives_the_same_bit_for_bit(model: onnx.ModelProto, corpus_runs: Runs) -> None:
    typed, folded = infer_shapes(model), fold(model).model
    assert refusal(typed) == refusal(folded) == refusal(model)
    feeds = [fed(binding) for binding in corpus_runs]
    before = runs(model, feeds)
    assert [said for said in before if isinstance(said, str)] == []
    assert [difference(*pair) for pair in zip(before, runs(typed, feeds))] == [None] * len(feeds)
    assert [difference(*pair) for pair in zip(before, runs(folded, feeds))] == [None] * len(feeds)


def test_folded_it_gives_the_same_where_the_runtime_optimizes_it(model: onnx.ModelProto, corpus_runs: Runs) -> None:
    """Then it believes what the model declares of its outputs, and other kernels round the last digits."""
    folded = fold(model).model
    feeds = [fed(binding) for binding in corpus_runs]
    for before, after in zip(runs(model, feeds), runs(folded, feeds, optimized=True)):
        assert not isinstance(after, str), after
        assert all(map(is_near, before, after))
