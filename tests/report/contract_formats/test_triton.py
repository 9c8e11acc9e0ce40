"""Triton's model configuration, read by the rules of protobuf's text format.

``consumers.py`` reads it with Triton's own messages.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from shapeinfer import check, render_contract
from tests.report.contract_formats.modules import contract
from tests.report.contract_formats.protobuf import config
from tests.report.contract_formats.test_python import PATCHES

EXAMPLES = Path(__file__).parents[3] / "examples" / "models"


def read(text: str, **options: Any) -> dict[str, Any]:
    return config(contract(text, "triton", **options))


def test_it_has_types_and_dims_without_the_batch() -> None:
    assert read(PATCHES) == {
        "backend": "onnxruntime",
        "max_batch_size": 4,
        "input": [{"name": "image", "data_type": "TYPE_FP32", "dims": [3, -1, -1]}],
        "output": [{"name": "y", "data_type": "TYPE_FP32", "dims": [4, -1, -1]}],
    }


RELU = "g (float[n, 3] x) => (y) { y = Relu (x) }"
SQUARE = "g (float[n, 3] x) => (y) { t = Transpose (x) y = MatMul (x, t) }"


@pytest.mark.parametrize(
    ("why", "text", "options", "most"),
    [
        ("nothing bounds it", RELU, {}, 4),
        ("the greatest size is given", RELU, {"max_size": 32}, 32),
        ("its range is given", RELU, {"ranges": {"n": (1, 16)}, "max_size": 32}, 16),
        ("a batch of 1 is not allowed", RELU, {"ranges": {"n": (2, 16)}}, 0),
        ("not every size is allowed", RELU, {"assume": ["n % 2 == 0"]}, 0),
        ("it is fixed", RELU, {"bind": {"n": 2}}, 0),
        ("it depends on another dim", "g (float[n, k] x) => (y) { y = Relu (x) }", {"assume": ["n <= k"]}, 0),
        ("an output is of other size", "g (float[n, 3] x) => (y) { y = Concat <axis = 0> (x, x) }", {}, 0),
        ("an output has no axis", "g (float[n, 3] x) => (y) { y = ReduceSum <keepdims = 0> (x) }", {}, 0),
        ("another axis depends on it", SQUARE, {}, 0),
        ("inputs differ", "g (float[n, 3] x, float[m, 3] y) => (a, b) { a = Relu (x) b = Relu (y) }", {}, 0),
        ("data decides it", "g (bool[n] x) => (y) { i = NonZero (x) y = Transpose (i) }", {}, 0),
    ],
)
def test_max_batch_size(why: str, text: str, options: dict[str, Any], most: int) -> None:
    assert read(text, **options)["max_batch_size"] == most, why


def test_without_batches_every_axis_is_a_dim() -> None:
    found = read("g (float[n, 3] x, float[4] y) => (z) { z = Relu (x) }")
    assert [value["dims"] for value in (*found["input"], *found["output"])] == [[-1, 3], [4], [-1, 3]]


def test_a_tensor_without_axes_is_reshaped_from_one() -> None:
    (batched,) = read("g (float[n] x) => (y) { y = Relu (x) }")["input"]
    (scalar,) = read("g (int64 x) => (y) { y = Abs (x) }", shapes={"x": []})["input"]
    for value in (batched, scalar):
        assert (value["dims"], value["reshape"]) == ([1], {"shape": []})


def test_conditions_are_comments() -> None:
    lines = contract(PATCHES, "triton").split("\n")
    assert lines[lines.index("# The model requires this of its inputs, too, and Triton does not check it:") + 1 :] == [
        "#   width >= 16",
        "#   height >= 16",
        "",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "g (float[] x) => (y) { y = Relu (x) }",
            "the rank of input x is unknown, and Triton needs its dims; give them with --shape",
        ),
        (
            "g (complex64[n] x) => (y) { y = Shape (x) }",
            "input x is c64[n], for which Triton has no data type",
        ),
        (
            "g (float[n] x) => (y) { y = SequenceConstruct (x) }",
            "output y is seq(f32[n], 1), for which Triton has no data type",
        ),
    ],
)
def test_what_triton_does_not_know_is_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=r".") as raised:
        contract(text, "triton")
    assert str(raised.value) == said


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.onnx")), ids=lambda path: path.stem)
def test_the_examples_are_batched(path: Path) -> None:
    assert config(render_contract(check(path), "triton"))["max_batch_size"] == 4
