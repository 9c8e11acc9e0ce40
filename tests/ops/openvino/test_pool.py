"""Pools slide a window over each channel, or divide it into parts."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.openvino.spec import agrees_with_openvino, fault, infer, outline

SIZES = [{"N": 1, "H": h} for h in range(3, 9)]
POOLS = [("MaxPool", 1), ("MaxPool", 8), ("MaxPool", 14), ("AvgPool", 1), ("AvgPool", 14), ("AvgPool", 16)]


@pytest.mark.parametrize(("op", "version"), POOLS)
@pytest.mark.parametrize(
    ("attributes", "space"),
    [
        ({"kernel": "3,2", "strides": "1,1"}, "H - 2, 8"),
        ({"kernel": "3,2", "strides": "2,3", "pads_begin": "1,0", "pads_end": "0,1"}, "H//2, 3"),
        ({"kernel": "2,2", "strides": "3,2", "pads_end": "1,1", "rounding_type": "ceil"}, "(H + 1)//3 + 1, 5"),
        ({"kernel": "2,2", "strides": "2,2", "auto_pad": "same_upper"}, "(H + 1)//2, 5"),
        ({"kernel": "2,2", "strides": "2,2", "auto_pad": "VALID", "pads_begin": "1,1"}, "H//2, 4"),
    ],
)
def test_the_window_of_a_pool(op: str, version: int, attributes: dict[str, Any], space: str) -> None:
    given = {**attributes, "exclude-pad": True} if op == "AvgPool" else attributes
    outputs = 2 if op == "MaxPool" and version > 1 else 1
    made = infer(op, "f32[N, 3, H, 9]", version=version, outputs=outputs, **given)
    assert (made[0] if outputs == 2 else made) == infer("Abs", f"f32[N, 3, {space}]")
    agrees_with_openvino(op, "f32[N, 3, H, 9]", version=version, outputs=outputs, bindings=SIZES, **given)


@pytest.mark.parametrize(("op", "version"), [("MaxPool", 14), ("AvgPool", 16)])
def test_the_last_window_may_be_kept_from_starting_in_the_padding(op: str, version: int) -> None:
    late: dict[str, Any] = {"kernel": "2,3", "strides": "3,2", "pads_end": "1,1", "pads_begin": "0,1"}
    given = {**late, "rounding_type": "ceil_torch", "dilations": "1,2"}
    given |= {"exclude-pad": False} if op == "AvgPool" else {}
    agrees_with_openvino(op, "f32[N, 3, H, 9]", version=version, bindings=SIZES, **given)
    agrees_with_openvino(op, "f32[N, 3, 9, H]", version=version, bindings=SIZES[2:], **given)


def test_a_stride_that_skips_elements_is_not_followed_where_it_is_rounded_up_twice() -> None:
    given: dict[str, Any] = {"kernel": "1,1", "strides": "3,3", "auto_pad": "same_upper", "rounding_type": "ceil"}
    assert outline("MaxPool", "f32[N, 3, 9, 9]", version=1, **given) == "f32[N, 3, ?, ?]"


def test_indices_are_of_the_type_asked_for() -> None:
    given: dict[str, Any] = {"kernel": "2", "strides": "2", "index_element_type": "i32", "axis": -1}
    assert infer("MaxPool", "f32[N, 3, 8]", version=8, outputs=2, **given) == ["f32[N, 3, 4]", "i32[N, 3, 4]"]
    agrees_with_openvino("MaxPool", "f32[N, 3, 8]", version=8, outputs=2, bindings=[{"N": 1}], **given)


@pytest.mark.parametrize(
    ("x", "attributes", "code"),
    [
        ("f32[1, 3, 8, 8]", {"kernel": "2"}, "rank-mismatch"),
        ("f32[1, 3, 1, 8]", {"kernel": "2,2"}, "window-too-large"),
        ("f32[1, 3, 0, 8]", {"kernel": "2,2", "auto_pad": "same_upper"}, "too-few-elements"),
        ("f32[1, 3, 8, 8]", {"kernel": "2,0"}, "invalid-attribute"),
        ("f32[1, 3, 8, 8]", {"kernel": "2,2", "rounding_type": "up"}, "invalid-attribute"),
        ("f32[1, 3, 8, 8]", {"kernel": "2,2", "axis": 4}, "axis-out-of-range"),
        ("f32[1, 3, 8, 8]", {"kernel": "2,2", "index_element_type": "u8"}, "invalid-attribute"),
        ("f32[1, 3, 8, 8]", {}, "missing-attribute"),
        ("str[1, 3, 8, 8]", {"kernel": "2,2"}, "element-type-not-allowed"),
    ],
)
def test_what_cannot_be_pooled(x: str, attributes: dict[str, Any], code: str) -> None:
    assert fault("MaxPool", x, version=8, **attributes) == code


def test_without_a_rank_the_kernel_gives_it() -> None:
    assert outline("MaxPool", "f32[...]", version=1, kernel="2,2") == "f32[?, ?, ? - 1, ? - 1]"


@pytest.mark.parametrize(
    ("x", "target", "output"),
    [
        ("f32[N, 3, H, 9]", "i64[2]{3, 4}", "f32[N, 3, 3, 4]"),
        ("f32[N, 3, 9]", "i32[1]{H}", "f32[N, 3, H]"),
    ],
)
def test_adaptive_pools_divide_into_parts(x: str, target: str, output: str) -> None:
    sizes = [{"N": 0, "H": 1}, {"N": 2, "H": 3}]
    indices = output.replace("f32", "i32")
    assert infer("AdaptiveAvgPool", x, target, version=8) == output
    assert infer("AdaptiveMaxPool", x, target, version=8, outputs=2, index_element_type="i32") == [output, indices]
    agrees_with_openvino("AdaptiveAvgPool", x, target, version=8, bindings=sizes)
    agrees_with_openvino("AdaptiveMaxPool", x, target, version=8, outputs=2, bindings=sizes)


def test_what_is_known_of_the_parts() -> None:
    assert outline("AdaptiveAvgPool", "f32[N, 3, 9, 9]", "i64[2]", version=8) == "f32[N, 3, ?, ?]"
    assert outline("AdaptiveAvgPool", "f32[N, 3, 9, 9]", "i64[...]", version=8) == "f32[N, 3, ?, ?]"
    assert outline("AdaptiveAvgPool", "f32[...]", "i64[2]{5, 6}", version=8) == "f32[?, ?, 5, 6]"
    assert outline("AdaptiveAvgPool", "f32[...]", "i64[...]", version=8) == "f32[...]"
    assert fault("AdaptiveAvgPool", "f32[1, 3, 9, 9]", "i64[1]{3}", version=8) == "length-mismatch"
    assert fault("AdaptiveAvgPool", "f32[3, 9]", "i64[1]{3}", version=8) == "rank-mismatch"
