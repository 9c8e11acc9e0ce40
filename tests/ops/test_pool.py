"""Pools: one number for each window over the spatial axes, or for all of them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.claims import asks
from tests.ops.spec import agrees_with_a_run, fault, infer, outline

SIZES = [{"N": 0, "H": 3, "W": 5}, {"N": 1, "H": 4, "W": 4}, {"N": 2, "H": 7, "W": 6}, {"N": 1, "H": 8, "W": 9}]
SLIDING = [("MaxPool", v) for v in (1, 8, 10, 11, 12, 22)]
SLIDING += [("AveragePool", v) for v in (1, 7, 10, 11, 19, 22)]
SLIDING += [("LpPool", v) for v in (2, 11, 18, 22)]
WITH_CEIL = [(op, v) for op, v in SLIDING if v >= (18 if op == "LpPool" else 10)]
WITH_DILATIONS = [(op, v) for op, v in SLIDING if v >= {"MaxPool": 10, "AveragePool": 19, "LpPool": 18}[op]]


@pytest.mark.parametrize(("op", "version"), SLIDING)
@pytest.mark.parametrize(
    ("attributes", "space"),
    [
        ({}, "H - 2, W - 1"),
        ({"strides": [2, 2]}, "(H - 1)//2, W//2"),
        ({"strides": [2, 3], "pads": [1, 0, 1, 1]}, "(H + 1)//2, (W + 2)//3"),
        ({"strides": [2, 2], "auto_pad": "SAME_UPPER"}, "(H + 1)//2, (W + 1)//2"),
        ({"strides": [1, 2], "auto_pad": "SAME_LOWER"}, "H, (W + 1)//2"),
        ({"strides": [2, 2], "auto_pad": "VALID"}, "(H - 1)//2, W//2"),
    ],
)
def test_the_window_of_pools(op: str, version: int, attributes: dict[str, Any], space: str) -> None:
    wanted = infer("Identity", f"f32[N, 3, {space}]")
    assert infer(op, "f32[N, 3, H, W]", kernel_shape=[3, 2], version=version, **attributes) == wanted
    agrees_with_a_run(op, "f32[N, 3, H, W]", kernel_shape=[3, 2], version=version, bindings=SIZES, **attributes)


@pytest.mark.parametrize(("op", "version"), WITH_CEIL)
@pytest.mark.parametrize(
    ("kernel", "attributes", "length"),
    [
        (3, {"strides": [2]}, "H//2"),
        (2, {"strides": [2]}, "(H + 1)//2"),
        (3, {"strides": [2], "pads": [1, 1]}, "(H + 2)//2"),
        (2, {"strides": [2], "auto_pad": "VALID"}, "(H + 1)//2"),
    ],
)
def test_rounding_up_admits_an_incomplete_last_window(
    op: str, version: int, kernel: int, attributes: dict[str, Any], length: str
) -> None:
    attributes = {"kernel_shape": [kernel], "ceil_mode": 1, **attributes}
    assert infer(op, "f32[N, 3, H]", version=version, **attributes) == infer("Identity", f"f32[N, 3, {length}]")
    agrees_with_a_run(op, "f32[N, 3, H]", version=version, bindings=SIZES, **attributes)


@pytest.mark.parametrize(("op", "version"), WITH_CEIL)
@pytest.mark.parametrize(
    ("kernel", "stride", "pads", "length"),
    [(1, 2, [0, 0], "(H + 1)//2"), (2, 3, [1, 1], "(H + 3)//3"), (2, 4, [0, 1], "(H + 3)//4")],
)
def test_no_window_starts_in_the_padding_after_the_end(
    op: str, version: int, kernel: int, stride: int, pads: list[int], length: str
) -> None:
    attributes: dict[str, Any] = {"kernel_shape": [kernel], "strides": [stride], "pads": pads, "ceil_mode": 1}
    assert infer(op, "f32[N, 3, H]", version=version, **attributes) == infer("Identity", f"f32[N, 3, {length}]")
    agrees_with_a_run(op, "f32[N, 3, H]", version=version, bindings=SIZES, **attributes)


@pytest.mark.parametrize(("op", "version"), WITH_DILATIONS)
def test_dilation_widens_the_window(op: str, version: int) -> None:
    attributes: dict[str, Any] = {"kernel_shape": [2], "dilations": [2], "version": version}
    assert infer(op, "f32[N, 3, H]", **attributes) == "f32[N, 3, H - 2]"
    agrees_with_a_run(op, "f32[N, 3, H]", bindings=SIZES, **attributes)


def test_the_padding_of_a_dilated_window_is_the_runtimes_choice() -> None:
    given: dict[str, Any] = {"kernel_shape": [2], "dilations": [2], "auto_pad": "SAME_UPPER"}
    assert outline("MaxPool", "f32[N, 3, 8]", **given) == "f32[N, 3, ?]"


@pytest.mark.parametrize("version", [8, 10, 12, 22])
def test_max_pool_also_gives_where_each_maximum_was(version: int) -> None:
    outputs = infer("MaxPool", "f32[N, 3, H]", kernel_shape=[2], strides=[2], version=version, outputs=2)
    assert outputs == ["f32[N, 3, H//2]", "i64[N, 3, H//2]"]
    agrees_with_a_run("MaxPool", "f32[N, 3, H]", kernel_shape=[2], version=version, outputs=2, bindings=SIZES)


def test_max_pool_of_a_max_pool() -> None:
    once = infer("MaxPool", "f32[1, 3, H, 4]", kernel_shape=[2, 1], strides=[2, 1])
    assert once == "f32[1, 3, H//2, 4]"
    assert infer("MaxPool", str(once), kernel_shape=[2, 1], strides=[2, 1]) == "f32[1, 3, H//4, 4]"


@pytest.mark.parametrize(
    ("given", "output"),
    [
        ("f32[...]", "f32[?, ?, ?, ?]"),
        ("?[N, C, H, W]", "?[N, C, H - 1, W - 1]"),
        ("f32[N, C, 4, 5]", "f32[N, C, 3, 4]"),
    ],
)
def test_what_is_known_of_the_output_as_less_is_known_of_the_input(given: str, output: str) -> None:
    assert outline("AveragePool", given, kernel_shape=[2, 2]).replace("? - 1", "?") == output  # type: ignore[union-attr]


@pytest.mark.parametrize("op", ["MaxPool", "AveragePool", "LpPool"])
@pytest.mark.parametrize(
    ("x", "attributes", "code"),
    [
        ("f32[1, 3, 2, 2]", {"kernel_shape": [5, 5]}, "window-too-large"),
        ("f32[1, 3, 2, 2]", {"kernel_shape": [2]}, "rank-mismatch"),
        ("f32[3, 2]", {"kernel_shape": [2, 2]}, "rank-mismatch"),
        ("f32[1, 3, 8, 8]", {"kernel_shape": [2, 2], "strides": [2]}, "length-mismatch"),
        ("f32[1, 3, 8, 8]", {"kernel_shape": [2, 2], "pads": [1, 1]}, "length-mismatch"),
        ("f32[1, 3, 8, 8]", {"kernel_shape": [2, 2], "pads": [2, 1, 1, 1]}, "invalid-attribute"),
        ("f32[1, 3, 8, 8]", {"kernel_shape": [2, 2], "pads": [-1, 0, 0, 0]}, "invalid-attribute"),
        ("f32[1, 3, 8, 8]", {"kernel_shape": [2, 0]}, "invalid-attribute"),
        ("f32[1, 3, 8, 8]", {"kernel_shape": [2, 2], "auto_pad": "FULL"}, "invalid-attribute"),
        ("f32[1, 3, 0, 8]", {"kernel_shape": [2, 2], "auto_pad": "SAME_UPPER"}, "too-few-elements"),
        ("f32[1, 3, 8, 8]", {}, "missing-attribute"),
    ],
)
def test_what_pools_refuse(op: str, x: str, attributes: dict[str, Any], code: str) -> None:
    assert fault(op, x, **attributes) == code


def test_a_window_needs_room() -> None:
    assert asks("MaxPool", "f32[1, 3, H]", kernel_shape=[5]) == ["window-too-large: H >= 5"]
    assert asks("MaxPool", "f32[1, 3, H]", kernel_shape=[5], pads=[1, 1]) == ["window-too-large: H >= 3"]
    # Rounded up, one window that lacks less than a step is enough.
    asked = asks("MaxPool", "f32[1, 3, H]", kernel_shape=[5], strides=[3], ceil_mode=1)
    assert asked == ["window-too-large: H >= 3"]
    agrees_with_a_run("MaxPool", "f32[1, 3, H]", kernel_shape=[5], strides=[3], ceil_mode=1, bindings=SIZES)


def test_the_first_lp_pool_may_lack_a_kernel_on_paper_only() -> None:
    assert infer("LpPool", "f32[N, 3, H]", kernel_shape=[2], version=1) == "f32[N, 3, H - 1]"
    assert fault("LpPool", "f32[N, 3, H]", version=1) == "missing-attribute"


@pytest.mark.parametrize(
    ("op", "version"),
    [("GlobalAveragePool", 1), ("GlobalMaxPool", 1), ("GlobalLpPool", 2), ("GlobalAveragePool", 22)],
)
def test_global_pools_leave_one_element_of_each_channel(op: str, version: int) -> None:
    assert infer(op, "f32[N, C, H, W]", version=version) == "f32[N, C, 1, 1]"
    assert infer(op, "f32[N, C, H]", version=version) == "f32[N, C, 1]"
    assert infer(op, "f32[...]", version=version) == "f32[...]"
    assert fault(op, "f32[N, C]", version=version) == "rank-mismatch"
    agrees_with_a_run(op, "f32[N, 3, H, W]", version=version, bindings=SIZES)
