"""ONNX's operators with channels last: what they give is what ONNX's own give, transposed."""

from __future__ import annotations

from typing import Any

import pytest

from shapeinfer import infer_op
from shapeinfer.facts import Tensor
from shapeinfer.ops.signature import declared
from tests.each import each
from tests.ops.spec import fault, infer, outline

LAST = "com.ms.internal.nhwc"
IMAGE = "f32[N, 9, W, 6]"
FILTERS = "f32[4, 6, 3, 3]"
SCALE, ZERO = "f32[]{0.5}", "u8[]{0}"
CASES: list[tuple[str, list[str], dict[str, Any], str | list[str]]] = [
    ("AveragePool", [IMAGE], {"kernel_shape": [2, 3]}, "f32[N, 8, W - 2, 6]"),
    ("AveragePool", ["f32[N, 9, C]"], {"kernel_shape": [2]}, "f32[N, 8, C]"),
    ("BatchNormalization", [IMAGE, *["f32[6]"] * 4], {}, IMAGE),
    ("Conv", [IMAGE, FILTERS, "f32[4]"], {}, "f32[N, 7, W - 2, 4]"),
    ("Conv", [IMAGE, FILTERS], {"activation": "Relu", "pads": [1, 1, 1, 1]}, "f32[N, 9, W, 4]"),
    ("Conv", ["f32[...]", FILTERS], {}, "f32[?, ? - 2, ? - 2, 4]"),
    ("ConvTranspose", [IMAGE, "f32[6, 4, 3, 3]"], {}, "f32[N, 11, W + 2, 4]"),
    ("ConvTranspose", ["f32[N, 9, 8, 6]", "f32[6, 4, 3, 3]"], {"output_shape": [10, 9]}, "f32[N, 10, 9, 4]"),
    ("DepthToSpace", ["f32[N, H, W, 12]"], {"blocksize": 2}, "f32[N, 2*H, 2*W, 3]"),
    ("SpaceToDepth", ["f32[N, 4, 6, C]"], {"blocksize": 2}, "f32[N, 2, 3, 4*C]"),
    ("GlobalAveragePool", [IMAGE], {}, "f32[N, 1, 1, 6]"),
    ("GlobalLpPool", [IMAGE], {}, "f32[N, 1, 1, 6]"),
    ("GlobalMaxPool", [IMAGE], {}, "f32[N, 1, 1, 6]"),
    ("GridSample", [IMAGE, "f32[N, 7, 5, 2]"], {}, "f32[N, 7, 5, 6]"),
    ("InstanceNormalization", [IMAGE, "f32[6]", "f32[6]"], {}, IMAGE),
    ("LRN", [IMAGE], {"size": 3}, IMAGE),
    ("LpPool", [IMAGE], {"kernel_shape": [2, 3]}, "f32[N, 8, W - 2, 6]"),
    ("MaxPool", [IMAGE], {"kernel_shape": [2, 3], "outputs": 2}, ["f32[N, 8, W - 2, 6]", "i64[...]"]),
    ("MaxUnpool", [IMAGE, "i64[N, 9, W, 6]"], {"kernel_shape": [2, 2], "strides": [2, 2]}, "f32[N, 18, 2*W, 6]"),
    ("QLinearAveragePool", ["u8[N, 9, W, 6]", *[SCALE, ZERO] * 2], {"kernel_shape": [2, 3]}, "u8[N, 8, W - 2, 6]"),
    ("QLinearConv", ["u8[N, 9, W, 6]", SCALE, ZERO, "u8[4, 6, 3, 3]", *[SCALE, ZERO] * 2], {}, "u8[N, 7, W - 2, 4]"),
    (
        "QLinearConvTranspose",
        ["u8[N, 9, W, 6]", SCALE, ZERO, "u8[6, 4, 3, 3]", *[SCALE, ZERO] * 2],
        {},
        "u8[N, 11, W + 2, 4]",
    ),
    ("Resize", [IMAGE, "", "f32[4]{1, 2, 3, 1}"], {}, "f32[N, 18, 3*W, 6]"),
    ("Resize", [IMAGE, "", "", "i64[2]{8, 15}"], {"axes": [1, 2]}, "f32[N, 8, 15, 6]"),
]


@pytest.mark.parametrize(("op", "inputs", "attributes", "output"), CASES)
def test_the_channels_stay_last(op: str, inputs: list[str], attributes: dict[str, Any], output: Any) -> None:
    assert outline(op, *inputs, domain=LAST, **attributes) == output


def test_every_operator_has_a_case() -> None:
    assert {s.name for s in declared() if s.domain == LAST} == {op for op, *_ in CASES}


@each([s for s in declared() if s.domain == LAST and s.name in ("AveragePool", "LpPool", "MaxPool")], lambda s: s.since)
def test_every_version_is_onnxs_own(own: Any) -> None:
    options: dict[str, Any] = {"version": own.since, "attributes": {"kernel_shape": [2, 3]}}
    (last,) = infer_op(own.name, [Tensor("f32", ("N", 9, "W", 6))], domain=LAST, **options)
    (first,) = infer_op(own.name, [Tensor("f32", ("N", 6, 9, "W"))], **options)
    assert isinstance(first, Tensor)
    assert isinstance(last, Tensor)
    assert last.dims == (first.dims[0], *first.dims[2:], first.dims[1])


def test_a_fault_names_the_axis_that_the_model_has() -> None:
    assert fault("Conv", "f32[1, 9, 8, 5]", FILTERS, domain=LAST) == "channel-mismatch"
    assert fault("MaxPool", "f32[1, 2, 9, 6]", domain=LAST, kernel_shape=[3, 3]) == "window-too-large"
    assert fault("BatchNormalization", IMAGE, *["f32[9]"] * 4, domain=LAST) == "dim-mismatch"
    assert infer("Resize", IMAGE, "", "f32[4]{1, 1, 2, 3}", domain=LAST) == "f32[N, 9, 2*W, 18]"
