"""Models of real exporters are folded: they stay models, with outputs of the same types, and shrink but once."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest

from shapeinfer import Folded, check, fold, infer_shapes
from shapeinfer.diagnostics.codes import DECLARED_SHAPE_MISMATCH, DECLARED_TYPE_MISMATCH
from shapeinfer.dims import Size, has_fresh_symbol
from shapeinfer.facts import Fact, resized
from shapeinfer.graph import UNNAMED


def told(fact: Fact) -> Fact:
    """A type with one name for all lengths that only data decides."""

    def name(size: Size) -> Size:
        return UNNAMED if has_fresh_symbol(size) else size

    return resized(fact, name)


def accepted(model: onnx.ModelProto) -> bool:
    try:
        onnx.checker.check_model(model, full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError):
        return False
    return True


@pytest.fixture(scope="session")
def folded(some_model: Path) -> Folded:
    return fold(some_model)


def test_a_folded_model_is_one_of_the_same_types(some_model: Path, folded: Folded) -> None:
    model = onnx.load(some_model, load_external_data=False)
    assert folded.after <= folded.before
    assert accepted(folded.model) or not accepted(model)
    assert list(folded.model.graph.output) == list(infer_shapes(folded.model).graph.output)
    before, after = check(model), check(folded.model)
    names = [o.name for o in folded.model.graph.output]
    assert names == [o.name for o in model.graph.output]
    assert [told(after.values[n]) for n in names] == [told(before.values[n]) for n in names]
    assert {d.message for d in after.errors} <= {d.message for d in before.errors}
    assert not [d.message for d in after.diagnostics if d.code in (DECLARED_SHAPE_MISMATCH, DECLARED_TYPE_MISMATCH)]


def test_folding_it_again_changes_no_byte(folded: Folded) -> None:
    again = fold(folded.model)
    assert again.rewrites == ()
    assert again.model.SerializeToString() == folded.model.SerializeToString()


@pytest.mark.parametrize(("name", "before", "after"), [("bert", 306, 153), ("resnet", 46, 37), ("llama_kv", 573, 223)])
def test_how_many_nodes_the_examples_have_before_and_after(name: str, before: int, after: int) -> None:
    path = Path(__file__).parents[2] / "examples" / "models" / f"{name}.onnx"
    folded = fold(path)
    assert (folded.before, folded.after) == (before, after)
