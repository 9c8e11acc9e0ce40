"""Slice, StridedSlice and SliceScatter take ranges of positions."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.openvino.spec import agrees_with_openvino, fault, infer, outline


@pytest.mark.parametrize(
    ("data", "ranges", "output"),
    [
        ("f32[5, N]", ("i64[1]{1}", "i64[1]{4}", "i64[1]{2}"), "f32[2, N]"),
        ("f32[5, N]", ("i64[1]{1}", "i32[1]{100}", "i64[1]{1}", "i64[1]{0}"), "f32[4, N]"),
        ("f32[5, N + 1]", ("i64[1]{1}", "i64[1]{9223372036854775807}", "i64[1]{1}", "i64[1]{-1}"), "f32[5, N]"),
        ("f32[5]", ("i64[1]{4}", "i64[1]{-9}", "i64[1]{-1}"), "f32[5]"),
        ("f32[5, N]", ("i64[K]", "i64[K]", "i64[K]"), "f32[?, ?]"),
        ("f32[5, N]", ("i64[1]", "i64[1]", "i64[1]"), "f32[?, N]"),
        ("i64[3]{1, N, 3}", ("i64[1]{1}", "i64[1]{3}", "i64[1]{1}"), "i64[2]{N, 3}"),
    ],
)
def test_slice(data: str, ranges: tuple[str, ...], output: str) -> None:
    assert outline("Slice", data, *ranges, version=8) == output


@pytest.mark.parametrize(
    ("ranges", "code"),
    [
        (("i64[1]{1}", "i64[2]{4, 4}", "i64[1]{1}"), "length-mismatch"),
        (("i64[3]", "i64[3]", "i64[3]"), "length-mismatch"),
        (("i64[1]{1}", "i64[1]{4}", "i64[1]{0}"), "invalid-value"),
        (("i64[1]{1}", "i64[1]{4}", "i64[1]{1}", "i64[1]{2}"), "axis-out-of-range"),
        (("i64[2]{1, 1}", "i64[2]{4, 4}", "i64[2]{1, 1}", "i64[2]{0, -2}"), "duplicate-axis"),
        (("i64[]{1}", "i64[1]{4}", "i64[1]{1}"), "rank-mismatch"),
    ],
)
def test_what_cannot_be_sliced(ranges: tuple[str, ...], code: str) -> None:
    assert fault("Slice", "f32[5, 6]", *ranges, version=8) == code


def test_slice_agrees_with_openvino() -> None:
    sizes = [{"N": 0}, {"N": 1}, {"N": 2}, {"N": 7}]
    for start, stop, step in (
        (1, 4, 1),
        (0, -1, 2),
        (-3, 2**63 - 1, 1),
        (2, 0, -1),
        (-1, -(2**63), -1),
        (-1, -(2**31), -2),
    ):
        ranges = [f"i64[1]{{{x}}}" for x in (start, stop, step)]
        agrees_with_openvino("Slice", "f32[2, N]", *ranges, "i64[1]{1}", version=8, bindings=sizes)


MASKS = ("begin_mask", "end_mask", "new_axis_mask", "shrink_axis_mask", "ellipsis_mask")


def masked(**given: str) -> dict[str, Any]:
    """Spell masks of one length from strings of bits."""
    length = max(len(bits) for bits in given.values())
    return {mask: tuple(map(int, given.get(mask.partition("_")[0], "0").ljust(length, "0"))) for mask in MASKS}


def rows(begin: str, end: str, stride: str = "") -> tuple[str, ...]:
    return tuple(f"i64[{len(x.split(','))}]{{{x}}}" for x in (begin, end, stride) if x)


STRIDED: list[tuple[str, tuple[str, ...], dict[str, Any], str]] = [
    ("f32[N, 6]", rows("0, 1", "2, 4"), masked(begin="10", end="10"), "f32[N, 3]"),
    ("f32[N, 6]", rows("1", "6", "2"), masked(begin="1", end="1"), "f32[(N + 1)//2, 6]"),
    ("f32[N, 6]", rows("0, -1", "0, 0", "1, 1"), masked(begin="10", end="10", shrink="01"), "f32[N]"),
    ("f32[2, N]", rows("0, 0, 0", "0, 0, 0"), masked(begin="011", end="011", new="100"), "f32[1, 2, N]"),
    ("f32[2, N, 4, 5]", rows("0, 0, 1", "1, 0, 3"), masked(ellipsis="010"), "f32[1, N, 4, 2]"),
    ("f32[2, N, 4, 5]", rows("0, 0, 0", "1, 0, 0"), masked(ellipsis="010", shrink="100", new="001"), "f32[N, 4, 5, 1]"),
    ("f32[4, N]", rows("0", "0", "-1"), masked(begin="1", end="1"), "f32[4, N]"),
    ("f32[4, N]", rows("1", "1"), {}, "f32[0, N]"),
    ("f32[4, N]", rows("3", "0", "-1"), {}, "f32[3, N]"),
    ("f32[4, N]", rows("1234", "1234"), {}, "f32[0, N]"),
]


@pytest.mark.parametrize(("data", "ranges", "masks", "output"), STRIDED)
def test_strided_slice(data: str, ranges: tuple[str, ...], masks: dict[str, Any], output: str) -> None:
    assert infer("StridedSlice", data, *ranges, **masks) == output
    agrees_with_openvino("StridedSlice", data, *ranges, version=1, bindings=[{"N": 0}, {"N": 1}, {"N": 3}], **masks)


@pytest.mark.parametrize(
    ("data", "ranges", "masks", "output"),
    [
        ("f32[4, N]", ("i64[1]", "i64[1]"), {}, "f32[?, N]"),
        ("f32[4, N]", ("i64[1]", "i64[1]", "i64[1]{1}"), masked(begin="1", end="1"), "f32[4, N]"),
        ("f32[4, N]", ("i64[1]", "i64[1]"), masked(shrink="1"), "f32[N]"),
        ("f32[4, N]", ("i64[K]", "i64[K]"), {}, "f32[...]"),
        ("f32[...]", ("i64[1]", "i64[1]"), {}, "f32[...]"),
        ("i64[3]{1, N, 3}", rows("1", "2"), masked(shrink="1"), "i64[]{N}"),
        ("i64[3]{1, N, 3}", rows("-1", "0"), masked(shrink="1"), "i64[]{3}"),
        ("i64[3]{1, N, 3}", rows("0", "2"), masked(begin="1"), "i64[2]{1, N}"),
        ("i64[3]{1, N, 3}", rows("1, 0", "3, 0"), masked(new="01"), "i64[2, 1]{N, 3}"),
        ("i64[3]{1, N, 3}", rows("0", "0", "-1"), masked(begin="1", end="1"), "i64[3]{3, N, 1}"),
    ],
)
def test_what_is_known_of_a_strided_slice(
    data: str, ranges: tuple[str, ...], masks: dict[str, Any], output: str
) -> None:
    assert outline("StridedSlice", data, *ranges, **masks) == output


@pytest.mark.parametrize(
    ("ranges", "masks", "code"),
    [
        (rows("0", "1", "0"), {}, "invalid-value"),
        (rows("0, 0", "1, 1"), {}, "length-mismatch"),
        (rows("0", "1, 1"), {}, "length-mismatch"),
        (rows("0, 0, 0", "0, 0, 0"), masked(ellipsis="101"), "invalid-attribute"),
        (("i64[]{0}", "i64[]{1}"), {}, "rank-mismatch"),
    ],
)
def test_what_cannot_be_sliced_by_strides(ranges: tuple[str, ...], masks: dict[str, Any], code: str) -> None:
    assert fault("StridedSlice", "f32[4]", *ranges, **masks) == code


def test_a_slice_is_replaced() -> None:
    ranges = ("i64[1]{1}", "i64[1]{3}", "i64[1]{1}")
    assert infer("SliceScatter", "f32[4, N]", "f32[2, N]", *ranges, version=15) == "f32[4, N]"
    assert fault("SliceScatter", "f32[4, 5]", "f32[3, 5]", *ranges, version=15) == "dim-mismatch"
    assert fault("SliceScatter", "f32[4, 5]", "f32[5]", *ranges, version=15) == "rank-mismatch"
    sizes = [{"N": 0}, {"N": 1}, {"N": 3}]
    agrees_with_openvino("SliceScatter", "f32[4, N]", "f32[2, N]", *ranges, version=15, bindings=sizes)
