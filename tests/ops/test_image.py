"""RoiAlign, MaxRoiPool, GridSample, AffineGrid, ImageDecoder: regions and samples of images."""

from __future__ import annotations

import pytest

from tests.ops.claims import asks
from tests.ops.spec import agrees_with_a_run, fault, infer

X, ROIS = "f32[N, C, H, W]", "f32[R, 4]"


@pytest.mark.parametrize("version", [10, 16, 22])
def test_roi_align_gives_one_size_for_each_region(version: int) -> None:
    made = infer("RoiAlign", X, ROIS, "i64[R]", output_height=7, output_width=5, version=version)
    assert made == "f32[R, C, 7, 5]"


@pytest.mark.parametrize(
    ("inputs", "output"),
    [
        (("f32[...]", ROIS, "i64[R]"), "f32[R, RoiAlign_0, 1, 1]"),
        ((X, "f32[...]", "i64[3]"), "f32[3, C, 1, 1]"),
        ((X, "f32[...]", "i64[...]"), "f32[RoiAlign_0, C, 1, 1]"),
    ],
)
def test_regions_as_less_is_known(inputs: tuple[str, ...], output: str) -> None:
    assert infer("RoiAlign", *inputs) == output


@pytest.mark.parametrize(
    ("inputs", "code"),
    [
        (("f32[1, 3, 5, 5]", "f32[2, 4]", "i64[3]"), "dim-mismatch"),
        (("f32[1, 3, 5, 5]", "f32[2, 5]", "i64[2]"), "dim-mismatch"),
        (("f32[3, 5, 5]", "f32[2, 4]", "i64[2]"), "rank-mismatch"),
    ],
)
def test_faults_of_roi_align(inputs: tuple[str, ...], code: str) -> None:
    assert fault("RoiAlign", *inputs) == code
    assert fault("RoiAlign", X, ROIS, "i64[R]", sampling_ratio=-1) == "invalid-attribute"


def test_roi_align_agrees_with_a_run() -> None:
    bindings = [{"R": 0}, {"R": 3}]
    agrees_with_a_run("RoiAlign", "f32[2, 3, 5, 5]", ROIS, "i64[R]", output_height=2, bindings=bindings)


def test_max_roi_pool() -> None:
    assert infer("MaxRoiPool", X, "f32[R, 5]", pooled_shape=[2, 3]) == "f32[R, C, 2, 3]"
    assert infer("MaxRoiPool", "f32[...]", "f32[...]", pooled_shape=[2, 3]) == "f32[MaxRoiPool_0, MaxRoiPool_1, 2, 3]"
    assert fault("MaxRoiPool", X, "f32[R, 4]", pooled_shape=[2, 3]) == "dim-mismatch"
    assert fault("MaxRoiPool", X, "f32[R, 5]", pooled_shape=[2]) == "invalid-attribute"


@pytest.mark.parametrize(
    ("inputs", "output"),
    [
        ((X, "f32[N, A, B, 2]"), "f32[N, C, A, B]"),
        (("f32[1, C, D, H, W]", "f32[N, 2, 3, 4, 3]"), "f32[1, C, 2, 3, 4]"),
        ((X, "f32[...]"), "f32[N, C, GridSample_0, GridSample_1]"),
        (("f32[...]", "f32[N, A, B, 2]"), "f32[N, GridSample_0, A, B]"),
        (("f32[...]", "f32[...]"), "f32[...]"),
    ],
)
def test_grid_sample_has_the_points_of_the_grid(inputs: tuple[str, ...], output: str) -> None:
    assert infer("GridSample", *inputs) == output


@pytest.mark.parametrize(
    ("inputs", "version", "code"),
    [
        (("f32[1, 3, 5, 5]", "f32[2, 2, 3, 2]"), 20, "dim-mismatch"),
        (("f32[1, 3, 5, 5]", "f32[1, 2, 3, 3]"), 20, "dim-mismatch"),
        (("f32[1, 3, 5, 5]", "f32[1, 3, 2]"), 20, "rank-mismatch"),
        (("f32[1, 3, 5, 5, 5]", "f32[1, 2, 3, 4, 3]"), 16, "rank-mismatch"),
        (("f32[1, 3]", "f32[1, 0]"), 20, "rank-mismatch"),
    ],
)
def test_faults_of_grid_sample(inputs: tuple[str, ...], version: int, code: str) -> None:
    assert fault("GridSample", *inputs, version=version) == code


@pytest.mark.parametrize("version", [16, 20])
def test_grid_sample_agrees_with_a_run(version: int) -> None:
    bindings = [{"N": 1, "A": 1, "H": 2}, {"N": 2, "A": 3, "H": 4}]
    agrees_with_a_run("GridSample", "f32[N, 3, H, 5]", "f32[N, A, 2, 2]", version=version, bindings=bindings)


@pytest.mark.parametrize(
    ("inputs", "output"),
    [
        (("f32[N, 2, 3]", "i64[4]{N, C, H, W}"), "f32[N, H, W, 2]"),
        (("f32[N, 3, 4]", "i64[5]{2, C, D, H, W}"), "f32[2, D, H, W, 3]"),
        (("f32[N, 2, 3]", "i64[...]"), "f32[N, AffineGrid_2, AffineGrid_3, 2]"),
        (("f32[...]", "i64[4]{N, C, H, W}"), "f32[N, H, W, 2]"),
        (("f32[N, K, L]", "i64[k]"), "f32[...]"),
    ],
)
def test_affine_grid_has_a_point_for_each_pixel(inputs: tuple[str, ...], output: str) -> None:
    assert infer("AffineGrid", *inputs) == output


def test_affine_grid_needs_pixels() -> None:
    claims = ["too-few-elements: H >= 1", "too-few-elements: W >= 1"]
    assert asks("AffineGrid", "f32[N, 2, 3]", "i64[4]{N, C, H, W}") == claims


@pytest.mark.parametrize(
    ("inputs", "code"),
    [
        (("f32[2, 2, 3]", "i64[4]{1, 3, 4, 5}"), "dim-mismatch"),
        (("f32[2, 3, 4]", "i64[4]{2, 3, 4, 5}"), "dim-mismatch"),
        (("f32[2, 2, 3]", "i64[3]{2, 3, 4}"), "length-mismatch"),
        (("f32[2, 2, 3]", "i64[4]{2, 3, 0, 5}"), "too-few-elements"),
        (("f32[2, 3]", "i64[4]{2, 3, 4, 5}"), "rank-mismatch"),
    ],
)
def test_faults_of_affine_grid(inputs: tuple[str, ...], code: str) -> None:
    assert fault("AffineGrid", *inputs) == code


def test_affine_grid_agrees_with_a_run() -> None:
    bindings = [{"N": 1, "H": 1}, {"N": 2, "H": 4}]
    agrees_with_a_run("AffineGrid", "f32[N, 2, 3]", "i64[4]{N, 3, H, 5}", bindings=bindings)


@pytest.mark.parametrize(("pixel_format", "channels"), [("RGB", 3), ("BGR", 3), ("Grayscale", 1)])
def test_an_image_has_channels_last(pixel_format: str, channels: int) -> None:
    made = infer("ImageDecoder", "u8[K]", pixel_format=pixel_format)
    assert made == f"u8[ImageDecoder_0, ImageDecoder_1, {channels}]"


def test_faults_of_image_decoder() -> None:
    assert fault("ImageDecoder", "u8[K]", pixel_format="CMYK") == "invalid-attribute"
    assert fault("ImageDecoder", "u8[K, 1]") == "rank-mismatch"
