"""Random tensors: of a given shape, of an input's, or samples of its rows."""

from __future__ import annotations

import pytest

from shapeinfer import DType
from tests.ops.claims import asks
from tests.ops.spec import agrees_with_a_run, fault, infer


@pytest.mark.parametrize("op", ["RandomNormal", "RandomUniform"])
def test_the_shape_is_an_attribute(op: str) -> None:
    assert infer(op, shape=[2, 0, 3]) == "f32[2, 0, 3]"
    assert infer(op, shape=[2], dtype=DType.DOUBLE.value) == "f64[2]"
    assert fault(op, shape=[-1]) == "negative-length"
    assert fault(op, shape=[2], dtype=DType.INT64.value) == "invalid-attribute"


@pytest.mark.parametrize("op", ["RandomNormalLike", "RandomUniformLike", "Bernoulli"])
@pytest.mark.parametrize(
    ("given", "output"), [("f32[N, 3]", "f32[N, 3]"), ("f32[...]", "f32[...]"), ("?[N]", "?[N]"), ("f32[]", "f32[]")]
)
def test_like_an_input(op: str, given: str, output: str) -> None:
    assert infer(op, given) == output
    assert infer(op, given, dtype=DType.DOUBLE.value) == output.replace("f32", "f64").replace("?", "f64")


def test_an_input_of_integers_gives_no_type() -> None:
    assert fault("RandomNormalLike", "i64[N, 3]") == "invalid-attribute"
    assert infer("RandomNormalLike", "i64[N, 3]", dtype=DType.FLOAT.value) == "f32[N, 3]"


@pytest.mark.parametrize("op", ["RandomNormalLike", "RandomUniformLike", "Bernoulli"])
def test_like_an_input_agrees_with_a_run(op: str) -> None:
    agrees_with_a_run(op, "f32[N, 3]", bindings=[{"N": 0}, {"N": 2}])


def test_multinomial_draws_from_each_row() -> None:
    assert infer("Multinomial", "f32[N, 3]", sample_size=4) == "i32[N, 4]"
    assert infer("Multinomial", "f32[N, 3]", dtype=DType.INT64.value) == "i64[N, 1]"
    assert infer("Multinomial", "f32[...]") == "i32[Multinomial_0, 1]"
    assert asks("Multinomial", "f32[N, C]") == ["too-few-elements: C >= 1"]
    assert fault("Multinomial", "f32[3]") == "rank-mismatch"
    assert fault("Multinomial", "f32[2, 0]") == "too-few-elements"
    assert fault("Multinomial", "f32[2, 3]", sample_size=0) == "invalid-attribute"
    assert fault("Multinomial", "f32[2, 3]", dtype=DType.FLOAT.value) == "invalid-attribute"


def test_multinomial_agrees_with_a_run() -> None:
    agrees_with_a_run("Multinomial", "f32[N, 3]", sample_size=4, version=21, bindings=[{"N": 1}, {"N": 2}])
