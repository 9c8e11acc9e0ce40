"""Blocks are moved between space, channels and batch."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.openvino.spec import agrees_with_openvino, fault, infer, outline

BLOCKS: dict[str, Any] = {"mode": "depth_first", "block_size": 2}


@pytest.mark.parametrize(
    ("op", "data", "output"),
    [
        ("DepthToSpace", "f32[N, 28, 2, W]", "f32[N, 7, 4, 2*W]"),
        ("DepthToSpace", "f32[N, 4*C, 3, 2, W]", "f32[N, (4*C)//8, 6, 4, 2*W]"),
        ("DepthToSpace", "f32[5, 6, 2]", "f32[5, 3, 4]"),
        ("SpaceToDepth", "f32[5, 7, 4, 6]", "f32[5, 28, 2, 3]"),
        ("SpaceToDepth", "f32[5, C, 2*H]", "f32[5, 2*C, H]"),
        ("DepthToSpace", "f32[...]", "f32[...]"),
    ],
)
def test_depth_and_space(op: str, data: str, output: str) -> None:
    assert infer(op, data, **BLOCKS) == output.replace("(4*C)//8", "C//2")


@pytest.mark.parametrize(
    ("op", "data", "attributes", "code"),
    [
        ("DepthToSpace", "f32[1, 6, 2, 2]", {}, "not-divisible"),
        ("SpaceToDepth", "f32[1, 6, 3, 2]", {}, "not-divisible"),
        ("SpaceToDepth", "f32[1, 6]", {}, "rank-mismatch"),
        ("SpaceToDepth", "f32[1, 6, 3, 2]", {"block_size": 0}, "invalid-attribute"),
        ("DepthToSpace", "f32[1, 6, 3, 2]", {"mode": "DCR"}, "invalid-attribute"),
    ],
)
def test_depth_that_is_no_space(op: str, data: str, attributes: dict[str, Any], code: str) -> None:
    assert fault(op, data, **{**BLOCKS, **attributes}) == code


def test_depth_and_space_agree_with_openvino() -> None:
    sizes = [{"N": 0, "W": 1}, {"N": 1, "W": 0}, {"N": 2, "W": 3}]
    for size in (1, 2):
        how: dict[str, Any] = {"mode": "blocks_first", "block_size": size}
        agrees_with_openvino("DepthToSpace", "f32[N, 4, 3, W]", version=1, bindings=sizes, **how)
        agrees_with_openvino("SpaceToDepth", "f32[N, 4, 2, 2*W]", version=1, bindings=sizes, **how)


def test_channels_are_shuffled_in_groups() -> None:
    assert infer("ShuffleChannels", "f32[N, 6, H]", version=3, group=3) == "f32[N, 6, H]"
    assert fault("ShuffleChannels", "f32[1, 6, 2]", version=3, group=4) == "not-divisible"
    assert fault("ShuffleChannels", "f32[1, 6, 2]", version=3, group=0) == "invalid-attribute"
    assert fault("ShuffleChannels", "f32[1, 6, 2]", version=3, axis=3) == "axis-out-of-range"
    sizes = [{"N": 0}, {"N": 1}]
    agrees_with_openvino("ShuffleChannels", "f32[N, 6, 2]", version=3, axis=-2, group=3, bindings=sizes)


def lists(*rows: str) -> tuple[str, ...]:
    return tuple(f"i64[{len(row.split(','))}]{{{row}}}" for row in rows)


@pytest.mark.parametrize(
    ("op", "data", "given", "output"),
    [
        ("BatchToSpace", "f32[10, 2]", lists("1, 5", "0, 2", "0, 0"), "f32[2, 8]"),
        (
            "BatchToSpace",
            "f32[48, 3, 3, 1, 3]",
            lists("1, 2, 4, 3, 1", "0, 0, 1, 0, 0", "0, 0, 1, 0, 0"),
            "f32[2, 6, 10, 3, 3]",
        ),
        ("BatchToSpace", "f32[6*N, 5, W]", lists("1, 2, 3", "0, 1, 0", "0, 2, 0"), "f32[N, 7, 3*W]"),
        ("BatchToSpace", "f32[6, 5]", ("i64[2]", *lists("0, 0", "0, 0")), "f32[?, ?]"),
        ("SpaceToBatch", "f32[2, 8]", lists("1, 5", "0, 2", "0, 0"), "f32[10, 2]"),
        ("SpaceToBatch", "f32[N, 5, 3*W]", lists("1, 2, 3", "0, 1, 0", "0, 2, 0"), "f32[6*N, 4, W]"),
        ("SpaceToBatch", "f32[2, 8]", (*lists("1, 2"), "i64[2]", "i64[2]"), "f32[4, ?]"),
        ("SpaceToBatch", "f32[...]", lists("1, 2", "0, 0", "0, 0"), "f32[...]"),
    ],
)
def test_batch_and_space(op: str, data: str, given: tuple[str, ...], output: str) -> None:
    assert outline(op, data, *given, version=2) == output


@pytest.mark.parametrize(
    ("op", "data", "given", "code"),
    [
        ("BatchToSpace", "f32[5, 2]", lists("1, 2", "0, 0", "0, 0"), "not-divisible"),
        ("BatchToSpace", "f32[4, 2]", lists("1, 2", "0, 3", "0, 2"), "negative-length"),
        ("BatchToSpace", "f32[4, 2]", lists("1, 2", "0, -1", "0, 0"), "invalid-value"),
        ("BatchToSpace", "f32[4, 2]", lists("1, 0", "0, 0", "0, 0"), "invalid-value"),
        ("BatchToSpace", "f32[4, 2]", lists("1, 2, 1", "0, 0, 0", "0, 0, 0"), "length-mismatch"),
        ("BatchToSpace", "f32[4]", lists("1", "0", "0"), "rank-mismatch"),
        ("SpaceToBatch", "f32[4, 3]", lists("1, 2", "0, 0", "0, 0"), "not-divisible"),
    ],
)
def test_a_batch_that_is_no_space(op: str, data: str, given: tuple[str, ...], code: str) -> None:
    assert fault(op, data, *given, version=2) == code


def test_batch_and_space_agree_with_openvino() -> None:
    sizes = [{"N": 0}, {"N": 1}, {"N": 4}]
    given = lists("1, 2, 3", "0, 1, 0", "0, 2, 0")
    agrees_with_openvino("BatchToSpace", "f32[6*N, 5, 2]", *given, version=2, bindings=sizes)
    agrees_with_openvino("SpaceToBatch", "f32[N, 5, 3*N]", *given, version=2, bindings=sizes)


def test_reorganised_blocks() -> None:
    assert infer("ReorgYolo", "f32[N, 64, 26, 26]", version=2, stride="2") == "f32[N, 256, 13, 13]"
    assert fault("ReorgYolo", "f32[1, 64, 25, 26]", version=2, stride="2") == "not-divisible"
    assert fault("ReorgYolo", "f32[1, 3, 26, 26]", version=2, stride="2") == "too-few-elements"
    assert fault("ReorgYolo", "f32[64, 26, 26]", version=2, stride="2") == "rank-mismatch"
    assert fault("ReorgYolo", "f32[1, 64, 26, 26]", version=2, stride="0") == "invalid-attribute"
    agrees_with_openvino("ReorgYolo", "f32[N, 5, 4, 6]", version=2, stride=(2,), bindings=[{"N": 0}, {"N": 1}])


PATCHES: dict[str, Any] = {"sizes": (3, 3), "strides": (5, 5), "rates": (1, 1), "auto_pad": "valid"}


def test_patches() -> None:
    image = "f32[64, 3, 10, 10]"
    assert infer("ExtractImagePatches", image, version=3, **PATCHES) == "f32[64, 27, 2, 2]"
    assert infer("ExtractImagePatches", image, version=3, **{**PATCHES, "sizes": (4, 4), "strides": (8, 8)}) == (
        "f32[64, 48, 1, 1]"
    )
    assert infer("ExtractImagePatches", image, version=3, **{**PATCHES, "sizes": (4, 4), "strides": (9, 9)}) == (
        "f32[64, 48, 1, 1]"
    )
    assert outline("ExtractImagePatches", "f32[...]", version=3, **PATCHES) == "f32[?, ?, ?, ?]"
    assert fault("ExtractImagePatches", "f32[3, 10, 10]", version=3, **PATCHES) == "rank-mismatch"
    assert fault("ExtractImagePatches", image, version=3, **{**PATCHES, "rates": (0, 1)}) == "invalid-attribute"
    assert fault("ExtractImagePatches", image, version=3, **{**PATCHES, "sizes": (3,)}) == "length-mismatch"


@pytest.mark.parametrize("pad", ["valid", "same_upper", "same_lower"])
def test_patches_agree_with_openvino(pad: str) -> None:
    sizes = [{"H": 0}, {"H": 1}, {"H": 2}, {"H": 3}, {"H": 10}, {"H": 11}]
    for rates in ((1, 1), (2, 3)):
        how = {**PATCHES, "auto_pad": pad, "rates": rates}
        agrees_with_openvino("ExtractImagePatches", "f32[2, 3, H, 11]", version=3, bindings=sizes, **how)


COLUMNS: dict[str, Any] = {"strides": (1, 1), "dilations": (1, 1), "pads_begin": (0, 0), "pads_end": (0, 0)}


def test_columns_are_laid_out() -> None:
    given = ("i64[2]{4, 4}", "i64[2]{2, 2}")
    assert infer("Col2Im", "f32[N, 12, 9]", *given, version=15) == "f32[N, 3, 4, 4]"
    assert infer("Col2Im", "f32[12, 9]", *given, version=15) == "f32[3, 4, 4]"
    assert outline("Col2Im", "f32[N, 12, 9]", "i64[2]", given[1], version=15) == "f32[N, 3, ?, ?]"
    assert fault("Col2Im", "f32[2, 12, 8]", *given, version=15) == "dim-mismatch"
    assert fault("Col2Im", "f32[2, 13, 9]", *given, version=15) == "not-divisible"
    assert fault("Col2Im", "f32[9]", *given, version=15) == "rank-mismatch"
    sizes = [{"N": 0}, {"N": 1}, {"N": 3}]
    agrees_with_openvino("Col2Im", "f32[N, 12, 9]", *given, version=15, bindings=sizes, **COLUMNS)
    padded = {**COLUMNS, "pads_begin": (1, 1), "pads_end": (1, 1), "strides": (2, 2)}
    agrees_with_openvino("Col2Im", "f32[N, 12, 9]", *given, version=15, bindings=sizes, **padded)
