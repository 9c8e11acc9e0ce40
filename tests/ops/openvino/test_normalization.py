"""Normalizations keep the shape."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.openvino.spec import agrees_with_openvino, fault, infer

SIZES = [{"N": 0, "C": 1, "H": 0}, {"N": 3, "C": 6, "H": 4}]
DATA = "f32[N, C, H]"
OF_CHANNELS = ("f32[C]",) * 4
GROUPED = ("f32[2, 6]", "f32[6]", "f32[6]")
MVN = {"eps": 1e-5, "normalize_variance": True, "eps_mode": "inside_sqrt"}
LRN = {"alpha": 1.0, "beta": 0.5, "bias": 1.0, "size": 4}
L2 = {"eps": 1.0, "eps_mode": "max"}


@pytest.mark.parametrize(
    ("op", "version", "inputs", "attributes"),
    [
        ("BatchNormInference", 5, (DATA, *OF_CHANNELS), {"epsilon": 0.1}),
        ("BatchNormInference", 1, (*OF_CHANNELS[:2], DATA, *OF_CHANNELS[2:]), {"epsilon": 0.1}),
        ("GroupNormalization", 12, (DATA, "f32[C]", "f32[C]"), {"num_groups": 1, "epsilon": 0.1}),
        ("GRN", 1, (DATA,), {"bias": 1.0}),
        ("LRN", 1, (DATA, "i64[2]{1, 1}"), LRN),
        ("LRN", 1, (DATA, "i64[0]{}"), LRN),
        ("MVN", 2, (DATA,), {"eps": 0.1, "across_channels": False}),
        ("MVN", 2, (DATA,), {"eps": 0.1, "reduction_axes": [1, 2]}),
        ("MVN", 6, (DATA, "i64[1]{-1}"), MVN),
        ("MVN", 6, (DATA, "i32[2]"), MVN | {"eps_mode": "OUTSIDE_SQRT"}),
        ("NormalizeL2", 1, (DATA, "i64[]{1}"), L2),
        ("NormalizeL2", 1, (DATA, "i64[2]{-1, 1}"), L2),
    ],
)
def test_the_shape_stays(op: str, version: int, inputs: tuple[str, ...], attributes: dict[str, Any]) -> None:
    assert infer(op, *inputs, version=version, **attributes) == DATA
    agrees_with_openvino(op, *inputs, version=version, bindings=SIZES, **attributes)


@pytest.mark.parametrize(
    ("op", "version", "inputs", "attributes", "code"),
    [
        ("BatchNormInference", 5, ("f32[2, 3]", *("f32[4]",) * 4), {"epsilon": 0.1}, "dim-mismatch"),
        ("BatchNormInference", 5, ("f32[3]", *("f32[3]",) * 4), {"epsilon": 0.1}, "rank-mismatch"),
        ("BatchNormInference", 5, ("f32[2, 3]", "f32[1, 3]", *("f32[3]",) * 3), {"epsilon": 0.1}, "rank-mismatch"),
        (
            "GroupNormalization",
            12,
            ("f32[2, 6]", "f32[6]", "f32[6]"),
            {"num_groups": 4, "epsilon": 1.0},
            "not-divisible",
        ),
        (
            "GroupNormalization",
            12,
            ("f32[2, 6]", "f32[6]", "f32[6]"),
            {"num_groups": 0, "epsilon": 1.0},
            "invalid-attribute",
        ),
        ("GRN", 1, ("f32[2]",), {"bias": 1.0}, "rank-mismatch"),
        ("LRN", 1, ("f32[2]", "i64[1]{1}"), LRN, "axis-out-of-range"),
        ("MVN", 6, ("f32[2, 3]", "i64[1]{2}"), MVN, "axis-out-of-range"),
        ("MVN", 6, ("f32[2, 3]", "i64[3]"), MVN, "length-mismatch"),
        ("MVN", 6, ("f32[2, 3]", "i64[]{1}"), MVN, "rank-mismatch"),
        ("MVN", 6, ("f32[2, 3]", "i64[1]{1}"), {"eps": 0.1, "eps_mode": "inside_sqrt"}, "missing-attribute"),
        ("NormalizeL2", 1, ("f32[2, 3]", "i64[1]{-3}"), L2, "axis-out-of-range"),
        ("NormalizeL2", 1, ("f32[2, 3]", "f32[1]"), L2, "element-type-not-allowed"),
    ],
)
def test_what_cannot_be_normalized(
    op: str, version: int, inputs: tuple[str, ...], attributes: dict[str, Any], code: str
) -> None:
    assert fault(op, *inputs, version=version, **attributes) == code


def test_a_parameter_shows_how_many_channels_there_are() -> None:
    inputs = ("f32[N, C]", "f32[3]", "f32[...]", "f32[3]", "f32[3]")
    assert infer("BatchNormInference", *inputs, version=5, epsilon=0.1) == "f32[N, 3]"
