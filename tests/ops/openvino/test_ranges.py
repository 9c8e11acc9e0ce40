"""Range counts, and Eye gives matrices with ones on a diagonal."""

from __future__ import annotations

import pytest

from tests.ops.openvino.spec import agrees_with_openvino, fault, infer, outline


@pytest.mark.parametrize(
    ("start", "stop", "step", "output"),
    [
        ("i32[]{2}", "i32[]{23}", "i32[]{3}", "i32[7]{2, 5, 8, 11, 14, 17, 20}"),
        ("i32[]{3}", "i32[]{0}", "i32[]{-2}", "i32[2]{3, 1}"),
        ("i64[]{0}", "i64[]{N}", "i64[]{1}", "i64[N]"),
        ("i64[]{0}", "i64[]{-5}", "i64[]{2}", "i64[0]"),
        ("f32[]{1.0}", "f32[]{2.5}", "f32[]{0.5}", "f32[3]{1.0, 1.5, 2.0}"),
        ("i64[]", "i64[]{5}", "i64[]{1}", "i64[?]"),
    ],
)
def test_the_first_range_counts_in_its_own_type(start: str, stop: str, step: str, output: str) -> None:
    assert outline("Range", start, stop, step, version=1) == output


@pytest.mark.parametrize(
    ("start", "stop", "step", "output_type", "output"),
    [
        ("i64[]{0}", "i64[]{N}", "i64[]{1}", "i64", "i64[N]"),
        ("i64[]{0}", "i64[]{N}", "i64[]{1}", "f32", "f32[N]"),
        ("f32[]{0.5}", "f32[]{3.9}", "f32[]{1.0}", "i64", "i64[3]{0, 1, 2}"),
        ("f32[]{0.5}", "i64[]{3}", "i64[]{1}", "f32", "f32[3]{0.5, 1.5, 2.5}"),
        ("f32[...]", "i64[]{3}", "i64[]{1}", "f32", "f32[?]"),
    ],
)
def test_numbers_take_the_type_of_the_output_first(
    start: str, stop: str, step: str, output_type: str, output: str
) -> None:
    assert outline("Range", start, stop, step, version=4, output_type=output_type) == output


def test_what_cannot_be_counted() -> None:
    assert fault("Range", "i64[]{0}", "i64[]{5}", "i64[]{0}", version=4, output_type="i64") == "invalid-value"
    assert fault("Range", "i64[1]{0}", "i64[]{5}", "i64[]{1}", version=4, output_type="i64") == "rank-mismatch"
    assert fault("Range", "i64[]{0}", "i64[]{5}", "i64[]{1}", version=4) == "missing-attribute"
    assert fault("Range", "i64[]{0}", "i64[]{5}", "i64[]{1}", version=4, output_type="string") == "invalid-attribute"
    assert fault("Range", "i64[]{0}", "f32[]{5.0}", "i64[]{1}", version=1) == "element-type-mismatch"


def test_range_agrees_with_openvino() -> None:
    for start, stop, step in ((0, 5, 2), (5, 0, -1), (0, 0, 1), (3, 1, 1)):
        ints = [f"i64[]{{{x}}}" for x in (start, stop, step)]
        agrees_with_openvino("Range", *ints, version=1, bindings=[{}])
        agrees_with_openvino("Range", *ints, version=4, output_type="i32", bindings=[{}])
    for first, last, by in ((0.0, 1.0, 0.1), (-0.5, 3.2, 1.5), (1.0, 0.0, -0.3), (0.0, 0.7, 0.1)):
        floats = [f"f32[]{{{x}}}" for x in (first, last, by)]
        agrees_with_openvino("Range", *floats, version=1, bindings=[{}])
        agrees_with_openvino("Range", *floats, version=4, output_type="f16", bindings=[{}])
    floats = [f"f32[]{{{x}}}" for x in (-0.5, 3.9, 1.5)]
    agrees_with_openvino("Range", *floats, version=4, output_type="i64", bindings=[{}])


@pytest.mark.parametrize(
    ("inputs", "output"),
    [
        (("i64[]{2}", "i64[]{N}", "i64[]{0}"), "f32[2, N]"),
        (("i32[1]{2}", "i32[1]{3}", "i32[]{0}", "i32[2]{4, N}"), "f32[4, N, 2, 3]"),
        (("i64[]", "i64[]{3}", "i64[]"), "f32[?, 3]"),
        (("i64[]{2}", "i64[]{3}", "i64[]{0}", "i64[K]"), "f32[...]"),
        (("i64[]{2}", "i64[]{2}", "i64[]{1}"), "f32[2, 2]{0.0, 1.0, 0.0, 0.0}"),
    ],
)
def test_eye(inputs: tuple[str, ...], output: str) -> None:
    assert outline("Eye", *inputs, version=9, output_type="f32") == output


def test_what_is_no_matrix() -> None:
    wrong = ("i64[]{-2}", "i64[]{3}", "i64[]{0}")
    assert fault("Eye", *wrong, version=9, output_type="f32") == "negative-length"
    assert fault("Eye", "i64[2]", "i64[]{3}", "i64[]{0}", version=9, output_type="f32") == "length-mismatch"
    assert infer("Eye", "i64[]{0}", "i64[]{1}", "i64[]{0}", version=9, output_type="i8") == "i8[0, 1]"


def test_eye_agrees_with_openvino() -> None:
    for inputs in (("i64[]{2}", "i64[1]{0}", "i64[]{0}"), ("i64[]{2}", "i64[]{3}", "i64[]{0}", "i64[2]{0, 1}")):
        agrees_with_openvino("Eye", *inputs, version=9, output_type="f16", bindings=[{}])
