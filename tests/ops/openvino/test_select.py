"""Select chooses entries; OneHot, NonZero and Unique give lengths that data decides."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.openvino.spec import agrees_with_openvino, fault, infer, outline

AXIS = "auto_broadcast.auto_broadcast_axis"


@pytest.mark.parametrize(
    ("inputs", "attributes", "output"),
    [
        (("bool[N, 1]", "f32[1, 3]", "f32[]"), {}, "f32[N, 3]"),
        (("bool[2, 3]", "str[2, N]", "str[2, 3]"), {"auto_broadcast": "none"}, "str[2, 3]"),
        (("bool[3]", "f32[2, 3, N]", "f32[3, 1]"), {"auto_broadcast": "pdpd", AXIS: 1}, "f32[2, 3, N]"),
        (("bool[...]", "f32[2]", "f32[2]"), {}, "f32[...]"),
        (("bool[2]{True, False}", "i64[2]{1, 2}", "i64[]{N}"), {}, "i64[2]{1, N}"),
    ],
)
def test_both_choices_are_broadcast(inputs: tuple[str, ...], attributes: dict[str, Any], output: str) -> None:
    assert infer("Select", *inputs, **attributes) == output


@pytest.mark.parametrize(
    ("inputs", "attributes", "code"),
    [
        (("bool[2]", "f32[3]", "f32[3]"), {}, "not-broadcastable"),
        (("bool[2]", "f32[2]", "f32[1]"), {"auto_broadcast": "none"}, "dim-mismatch"),
        (("bool[2]", "f32[2]", "f16[2]"), {}, "element-type-mismatch"),
        (("f32[2]", "f32[2]", "f32[2]"), {}, "element-type-not-allowed"),
    ],
)
def test_what_cannot_be_selected(inputs: tuple[str, ...], attributes: dict[str, Any], code: str) -> None:
    assert fault("Select", *inputs, **attributes) == code


def test_select_agrees_with_openvino() -> None:
    sizes = [{"N": 0, "M": 1}, {"N": 1, "M": 0}, {"N": 3, "M": 2}]
    agrees_with_openvino("Select", "bool[N, 1]", "f32[1, M]", "f32[]", version=1, bindings=sizes)
    same: dict[str, Any] = {"auto_broadcast": "none"}
    agrees_with_openvino("Select", "bool[N, M]", "f32[N, M]", "f32[N, M]", version=1, bindings=sizes, **same)
    laid: dict[str, Any] = {"auto_broadcast": "pdpd", AXIS: 1}
    agrees_with_openvino("Select", "bool[N]", "f32[2, N, M]", "f32[N]", version=1, bindings=sizes, **laid)


@pytest.mark.parametrize("version", [1, 16])
@pytest.mark.parametrize(
    ("indices", "depth", "axis", "output"),
    [
        ("i64[N, 3]", "i64[]{4}", -1, "f32[N, 3, 4]"),
        ("i64[N, 3]", "i32[]{D}", 1, "f32[N, D, 3]"),
        ("i64[]", "i64[]{0}", 0, "f32[0]"),
        ("i64[N]", "i64[]", 0, "f32[?, N]"),
        ("i64[...]", "i64[]{3}", 0, "f32[...]"),
    ],
)
def test_an_axis_is_added(version: int, indices: str, depth: str, axis: int, output: str) -> None:
    assert outline("OneHot", indices, depth, "f32[]", "f32[]", axis=axis, version=version) == output


def test_known_indices_are_marked() -> None:
    values = ("i64[]{3}", "i64[]{1}", "i64[]{2}")
    assert infer("OneHot", "i64[2]{0, 3}", *values, axis=-1, version=1) == "i64[2, 3]{1, 2, 2, 2, 2, 2}"
    assert infer("OneHot", "i64[1]{-1}", *values, axis=-1, version=16) == "i64[1, 3]"
    mode: dict[str, Any] = {"negative_indices_mode": "normalize"}
    assert infer("OneHot", "i64[1]{-1}", *values, axis=-1, version=16, **mode) == "i64[1, 3]{2, 2, 1}"


def test_what_cannot_be_marked() -> None:
    values = ("f32[]", "f32[]")
    assert fault("OneHot", "i64[2]", "i64[]{-1}", *values, axis=0, version=1) == "negative-length"
    assert fault("OneHot", "i64[2]", "i64[1]{4}", *values, axis=0, version=1) == "rank-mismatch"
    assert fault("OneHot", "i64[2]", "i64[]{4}", *values, axis=2, version=1) == "axis-out-of-range"
    assert fault("OneHot", "i64[2]", "i64[]{4}", *values, version=1) == "missing-attribute"
    assert fault("OneHot", "f32[2]", "i64[]{4}", *values, axis=0, version=1) == "element-type-not-allowed"


@pytest.mark.parametrize("version", [1, 16])
def test_one_hot_agrees_with_openvino(version: int) -> None:
    for axis in (0, 1, -1):
        for depth in (0, 1, 4):
            inputs = ("i64[N, 2]", f"i64[]{{{depth}}}", "f32[]", "f32[]")
            agrees_with_openvino("OneHot", *inputs, version=version, axis=axis, bindings=[{"N": 0}, {"N": 1}, {"N": 3}])


def test_coordinates_of_what_is_not_zero() -> None:
    assert outline("NonZero", "f32[2, N]", version=3) == "i64[2, ?]"
    assert outline("NonZero", "f32[...]", version=3, output_type="i32") == "i32[?, ?]"
    assert infer("NonZero", "i64[2, 2]{0, 1, 2, 0}", version=3) == "i64[2, 2]{0, 1, 1, 0}"
    assert infer("NonZero", "f32[0, 2]", version=3) == "i64[2, 0]"
    assert fault("NonZero", "f32[2]", version=3, output_type="f32") == "invalid-attribute"
    agrees_with_openvino("NonZero", "f32[2, N]", version=3, output_type="i32", bindings=[{"N": 0}, {"N": 3}])


@pytest.mark.parametrize(
    ("inputs", "output"),
    [
        (("f32[2, N]",), ["f32[?]", "i32[?]", "i32[2*N]", "i64[?]"]),
        (("f32[2, N]", "i64[]{1}"), ["f32[2, ?]", "i32[?]", "i32[N]", "i64[?]"]),
        (("f32[2, N]", "i64[1]{-2}"), ["f32[?, N]", "i32[?]", "i32[2]", "i64[?]"]),
        (("f32[2, N]", "i64[]"), ["f32[?, ?]", "i32[?]", "i32[?]", "i64[?]"]),
        (("f32[...]",), ["f32[?]", "i32[?]", "i32[?]", "i64[?]"]),
        (("i64[3]{1, 1, 2}",), ["i64[2]", "i32[2]", "i32[3]", "i64[2]"]),
    ],
)
def test_what_differs_is_kept(inputs: tuple[str, ...], output: list[str]) -> None:
    assert outline("Unique", *inputs, version=10, outputs=4, index_element_type="i32") == output


def test_unique_agrees_with_openvino() -> None:
    sizes = [{"N": 0}, {"N": 1}, {"N": 3}]
    agrees_with_openvino("Unique", "f32[2, N]", version=10, outputs=4, index_element_type="i32", bindings=sizes)
    agrees_with_openvino("Unique", "f32[2, N]", "i64[]{0}", version=10, outputs=4, bindings=sizes)
    assert fault("Unique", "f32[2]", "i64[2]", version=10) == "length-mismatch"
