"""DepthToSpace, SpaceToDepth, MaxUnpool, Col2Im: blocks of pixels taken apart and laid out."""

from __future__ import annotations

import pytest

from tests.ops.claims import asks, foretells_a_run
from tests.ops.spec import agrees_with_a_run, fault, infer


@pytest.mark.parametrize(
    ("op", "given", "output"),
    [
        ("DepthToSpace", "f32[1, 8, 2, 3]", "f32[1, 2, 4, 6]"),
        ("DepthToSpace", "f32[N, 4*C, H, W]", "f32[N, C, 2*H, 2*W]"),
        ("DepthToSpace", "f32[N, C, H, W]", "f32[N, C//4, 2*H, 2*W]"),
        ("SpaceToDepth", "f32[1, 1, 4, 6]", "f32[1, 4, 2, 3]"),
        ("SpaceToDepth", "f32[N, C, 2*H, W]", "f32[N, 4*C, H, W//2]"),
    ],
)
def test_blocks_of_two_by_two(op: str, given: str, output: str) -> None:
    assert infer(op, given, blocksize=2) == output


@pytest.mark.parametrize("op", ["DepthToSpace", "SpaceToDepth"])
def test_what_is_known_without_a_rank(op: str) -> None:
    assert infer(op, "f32[...]", blocksize=2) == f"f32[{', '.join(f'{op}_{i}' for i in range(4))}]"
    assert fault(op, "f32[8, 2, 2]", blocksize=2) == "rank-mismatch"
    assert fault(op, "f32[1, 8, 2, 2]", blocksize=0) == "invalid-attribute"
    assert fault(op, "f32[1, 6, 3, 2]", blocksize=2) == "not-divisible"


def test_blocks_ask_that_lengths_are_divisible() -> None:
    assert asks("DepthToSpace", "f32[N, C, H, W]", blocksize=2) == ["not-divisible: C % 4 == 0"]
    claims = ["not-divisible: H % 2 == 0", "not-divisible: W % 2 == 0"]
    assert asks("SpaceToDepth", "f32[N, C, H, W]", blocksize=2) == claims


@pytest.mark.parametrize("version", [1, 13])
@pytest.mark.parametrize("op", ["DepthToSpace", "SpaceToDepth"])
def test_blocks_agree_with_a_run(op: str, version: int) -> None:
    bindings = [{"C": 0, "H": 1}, {"C": 2, "H": 3}]
    agrees_with_a_run(op, "f32[1, 4*C, 2*H, 4]", blocksize=2, version=version, bindings=bindings)


@pytest.mark.parametrize(
    ("inputs", "attributes", "output"),
    [
        (("f32[1, 1, 2, 2]", "i64[1, 1, 2, 2]"), ([2, 2], [2, 2], [0, 0, 0, 0]), "f32[1, 1, 4, 4]"),
        (("f32[N, C, H, W]", "i64[N, C, H, W]"), ([3, 2], [2, 2], [1, 0, 1, 0]), "f32[N, C, 2*H - 1, 2*W]"),
        (("f32[N, C, H, W]", "i64[...]"), ([2, 2], [1, 1], [0, 0, 0, 0]), "f32[N, C, H + 1, W + 1]"),
        (("f32[...]", "i64[N, C, H]"), ([2], [2], [0, 0]), "f32[N, C, 2*H]"),
        (("f32[...]", "i64[...]"), ([2], [2], [0, 0]), "f32[...]"),
        (("f32[N, C, H]", "i64[N, C, H]", "i64[3]{N, C, L}"), ([2], [2], [0, 0]), "f32[N, C, L]"),
    ],
)
def test_max_unpool(inputs: tuple[str, ...], attributes: tuple[list[int], ...], output: str) -> None:
    kernel, strides, pads = attributes
    assert infer("MaxUnpool", *inputs, kernel_shape=kernel, strides=strides, pads=pads) == output


@pytest.mark.parametrize(
    ("inputs", "kernel", "code"),
    [
        (("f32[1, 1, 2, 2]", "i64[1, 1, 2, 3]"), [2, 2], "dim-mismatch"),
        (("f32[1, 1, 2, 2]", "i64[1, 2, 2]"), [2, 2], "rank-mismatch"),
        (("f32[1, 1, 2, 2]", "i64[1, 1, 2, 2]"), [2], "length-mismatch"),
        (("f32[1, 1, 2]", "i64[1, 1, 2]", "i64[2]{4, 4}"), [2], "length-mismatch"),
        (("f32[1, 1]", "i64[1, 1]"), [2], "rank-mismatch"),
    ],
)
def test_faults_of_max_unpool(inputs: tuple[str, ...], kernel: list[int], code: str) -> None:
    assert fault("MaxUnpool", *inputs, kernel_shape=kernel) == code


@pytest.mark.parametrize("version", [9, 11])
def test_max_unpool_agrees_with_a_run(version: int) -> None:
    inputs = "f32[1, 1, H, 2]", "i64[1, 1, H, 2]"
    bindings = [{"H": 1}, {"H": 3}]
    agrees_with_a_run("MaxUnpool", *inputs, kernel_shape=[2, 2], strides=[2, 2], version=version, bindings=bindings)


@pytest.mark.parametrize(
    ("inputs", "output"),
    [
        (("f32[1, 5, 5]", "i64[2]{5, 5}", "i64[2]{1, 5}"), "f32[1, 1, 5, 5]"),
        (("f32[N, 10, L]", "i64[2]{5, 5}", "i64[2]{1, 5}"), "f32[N, 2, 5, 5]"),
        (("f32[N, C, L]", "i64[2]{5, 5}", "i64[2]{1, 5}"), "f32[N, C//5, 5, 5]"),
        (("f32[N, C, L]", "i64[2]{5, 5}", "i64[2]"), "f32[N, Col2Im_2, 5, 5]"),
        (("f32[...]", "i64[2]{5, 5}", "i64[...]"), "f32[Col2Im_2, Col2Im_5, 5, 5]"),
        (("f32[N, C, L]", "i64[k]", "i64[k]"), "f32[...]"),
    ],
)
def test_col2im(inputs: tuple[str, ...], output: str) -> None:
    assert infer("Col2Im", *inputs) == output


def test_columns_must_be_the_blocks_of_the_image() -> None:
    claims = ["dim-mismatch: L == 5", "not-divisible: C % 5 == 0"]
    assert asks("Col2Im", "f32[N, C, L]", "i64[2]{5, 5}", "i64[2]{1, 5}") == claims
    assert fault("Col2Im", "f32[1, 5, 6]", "i64[2]{5, 5}", "i64[2]{1, 5}") == "dim-mismatch"
    assert fault("Col2Im", "f32[1, 9, 5]", "i64[2]{5, 5}", "i64[2]{1, 5}") == "not-divisible"
    assert fault("Col2Im", "f32[5, 5]", "i64[2]{5, 5}", "i64[2]{1, 5}") == "rank-mismatch"
    assert fault("Col2Im", "f32[1, 5, 5]", "i64[3]{5, 5, 5}", "i64[2]{1, 5}") == "length-mismatch"


def test_images_and_blocks_have_pixels() -> None:
    call = ("f32[1, 2*B, 3*H - 3*B + 3]", "i64[2]{H, 4}", "i64[2]{B, 2}")
    found = asks("Col2Im", "f32[1, 4, L]", *call[1:])
    assert {"invalid-value: B >= 1", "invalid-value: H >= 1"} <= {*found}
    assert fault("Col2Im", "f32[1, 4, 0]", "i64[2]{0, 4}", "i64[2]{1, 2}") == "invalid-value"
    sizes = [{"H": h, "B": b} for h in range(4) for b in range(h + 1)]
    foretells_a_run("Col2Im", *call, bindings=sizes)


def test_col2im_agrees_with_a_run() -> None:
    bindings = [{"N": 1, "C": 1}, {"N": 2, "C": 3}]
    agrees_with_a_run("Col2Im", "f32[N, 5*C, 5]", "i64[2]{5, 5}", "i64[2]{1, 5}", bindings=bindings)
