"""SoftMax, LogSoftmax and PRelu keep the shape."""

from __future__ import annotations

import pytest

from tests.ops.openvino.spec import agrees_with_openvino, fault, infer


@pytest.mark.parametrize(
    ("op", "version"), [("SoftMax", 1), ("Softmax", 1), ("SoftMax", 8), ("Softmax", 8), ("LogSoftmax", 5)]
)
def test_the_axis_is_one_of_the_data(op: str, version: int) -> None:
    assert infer(op, "f32[N, 3]", version=version) == "f32[N, 3]"
    assert infer(op, "f32[]", axis=0, version=version) == "f32[]"
    assert fault(op, "f32[2, 3]", axis=2, version=version) == "axis-out-of-range"
    agrees_with_openvino(op, "f32[N, 3]", version=version, axis=0, bindings=[{"N": 0}, {"N": 1}])


def test_the_first_version_counts_from_the_front() -> None:
    assert fault("SoftMax", "f32[2, 3]", axis=-1, version=1) == "axis-out-of-range"
    assert infer("SoftMax", "f32[2, 3]", axis=-1, version=8) == "f32[2, 3]"
    assert infer("LogSoftmax", "f32[2, 3]", axis=-2, version=5) == "f32[2, 3]"


@pytest.mark.parametrize("op", ["PReLU", "PRelu"])
@pytest.mark.parametrize(
    ("data", "slope"),
    [
        ("f32[128]", "f32[1]"),
        ("f32[20, 128]", "f32[128]"),
        ("f32[1, 20, 128, 128]", "f32[20]"),
        ("f32[1, 20, N, 12]", "f32[12]"),
        ("f32[1, 20, N, 12]", "f32[20, 1, 1]"),
        ("f32[1, 20]", "f32[...]"),
    ],
)
def test_slopes_are_broadcast_onto_the_data(op: str, data: str, slope: str) -> None:
    assert infer(op, data, slope) == data


def test_slopes_that_do_not_fit() -> None:
    assert fault("PReLU", "f32[1, 3, 4]", "f32[5]") == "not-broadcastable"
    assert fault("PReLU", "f32[3, 4]", "f32[2, 3, 4]") == "rank-mismatch"


def test_prelu_agrees_with_openvino() -> None:
    agrees_with_openvino("PReLU", "f32[N, 3, 4]", "f32[3]", version=1, bindings=[{"N": 0}, {"N": 1}])
