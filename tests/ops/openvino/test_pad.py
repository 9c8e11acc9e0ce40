"""Pad makes axes longer or shorter at their ends."""

from __future__ import annotations

import pytest

from tests.ops.openvino.spec import agrees_with_openvino, fault, infer, outline


@pytest.mark.parametrize("version", [1, 12])
@pytest.mark.parametrize(
    ("data", "begin", "end", "mode", "output"),
    [
        ("f32[1, 3, 32, 40]", "i64[4]{0, 5, 2, 1}", "i64[4]{1, 0, 3, 7}", "constant", "f32[2, 8, 37, 48]"),
        ("f32[2, 3, 32, 40]", "i64[4]{0, -2, -8, 1}", "i64[4]{-1, 4, -6, 7}", "constant", "f32[1, 5, 18, 48]"),
        ("f32[N, 4]", "i64[2]{1, 3}", "i32[2]{0, 0}", "reflect", "f32[N + 1, 7]"),
        ("f32[N, 4]", "i64[2]{0, 4}", "i64[2]{0, 4}", "symmetric", "f32[N, 12]"),
        ("f32[N, 4]", "i64[2]{0, -9}", "i64[2]{0, 0}", "constant", "f32[N, 0]"),
        ("f32[N, 4]", "i64[2]", "i64[2]{0, 0}", "constant", "f32[?, ?]"),
        ("f32[...]", "i64[2]{0, 1}", "i64[2]{0, 0}", "constant", "f32[?, ?]"),
        ("f32[...]", "i64[K]", "i64[K]", "constant", "f32[...]"),
    ],
)
def test_pad(version: int, data: str, begin: str, end: str, mode: str, output: str) -> None:
    assert outline("Pad", data, begin, end, pad_mode=mode, version=version) == output


def test_entries_are_put_around() -> None:
    ends = ("i64[1]{1}", "i64[1]{2}")
    assert infer("Pad", "i64[1]{N}", *ends, pad_mode="constant") == "i64[4]{0, N, 0, 0}"
    assert infer("Pad", "i64[1]{N}", *ends, "i64[]{7}", pad_mode="constant") == "i64[4]{7, N, 7, 7}"


@pytest.mark.parametrize(
    ("inputs", "mode", "code"),
    [
        (("f32[4, 5]", "i64[1]{1}", "i64[2]{0, 3}"), "constant", "length-mismatch"),
        (("f32[4, 5]", "i64[]{1}", "i64[]{0}"), "constant", "rank-mismatch"),
        (("f32[4, 5]", "i64[2]{1, 2}", "i64[2]{0, 3}", "f32[1]"), "constant", "rank-mismatch"),
        (("f32[4, 5]", "i64[2]{1, 2}", "i64[2]{0, 3}", "f16[]"), "constant", "element-type-mismatch"),
        (("f32[4, 5]", "i64[2]{1, 2}", "i64[2]{0, 3}"), "wrap", "invalid-attribute"),
        (("f32[4, 5]", "i64[2]{4, 2}", "i64[2]{0, 3}"), "reflect", "too-few-elements"),
        (("f32[4, 5]", "i64[2]{5, 2}", "i64[2]{0, 3}"), "symmetric", "too-few-elements"),
        (("f32[0, 5]", "i64[2]{5, 2}", "i64[2]{0, 3}"), "edge", "too-few-elements"),
    ],
)
def test_what_cannot_be_padded(inputs: tuple[str, ...], mode: str, code: str) -> None:
    assert fault("Pad", *inputs, pad_mode=mode) == code


@pytest.mark.parametrize("version", [1, 12])
def test_pad_agrees_with_openvino(version: int) -> None:
    sizes = [{"N": 1}, {"N": 4}]
    for mode in ("constant", "edge"):
        ends = ("i64[2]{1, -1}", "i64[2]{2, 0}")
        agrees_with_openvino("Pad", "f32[N, 3]", *ends, version=version, pad_mode=mode, bindings=sizes)
    ends = ("i64[2]{0, 2}", "i64[2]{0, 1}")
    for mode in ("reflect", "symmetric"):
        agrees_with_openvino("Pad", "f32[N, 3]", *ends, version=version, pad_mode=mode, bindings=sizes)
