"""Pad, CenterCropPad: an axis of d becomes d + before + after, or what is asked for."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.claims import asks, foretells_a_run
from tests.ops.spec import agrees_with_a_run, fault, infer


@pytest.mark.parametrize(
    ("inputs", "output"),
    [
        (("f32[3, 2]", "i64[4]{0, 2, 0, 0}"), "f32[3, 4]"),
        (("f32[N, 3]", "i64[4]{1, 0, 2, 5}"), "f32[N + 3, 8]"),
        (("f32[N, 3]", "i64[4]{-1, 0, 0, -2}"), "f32[N - 1, 1]"),
        (("f32[N, 3]", "i64[4]{0, 0, M - N, 0}"), "f32[M, 3]"),
        (("f32[N, 3]", "i64[4]{0, ?, 1, 2}"), "f32[N + 1, Pad_0]"),
        (("f32[N, 3]", "i64[4]"), "f32[Pad_0, Pad_1]"),
        (("f32[N, 3]", "i64[...]"), "f32[Pad_0, Pad_1]"),
        (("f32[...]", "i64[4]{0, 2, 0, 0}"), "f32[Pad_0, Pad_1]"),
        (("f32[...]", "i64[...]"), "f32[...]"),
        (("f32[N, 3]", "i64[2]{1, 2}", "", "i64[1]{-1}"), "f32[N, 6]"),
        (("f32[N, 3]", "i64[2]", "", "i64[1]{1}"), "f32[N, Pad_0]"),
        (("f32[N, 3]", "i64[2]{1, 2}", "", "i64[1]"), "f32[Pad_0, Pad_1]"),
        (("f32[N, 3]", "i64[0]{}", "", "i64[0]{}"), "f32[N, 3]"),
        (("?[2]", "i64[2]{1, 1}"), "?[4]"),
    ],
)
def test_pads_are_an_input(inputs: tuple[str, ...], output: str) -> None:
    assert infer("Pad", *inputs) == output


def test_pads_were_an_attribute_before_opset_11() -> None:
    assert infer("Pad", "f32[N, 3]", version=1, paddings=[0, 1, 2, 3]) == "f32[N + 2, 7]"
    assert infer("Pad", "f32[N, 3]", version=2, pads=[0, 1, 2, 3]) == "f32[N + 2, 7]"
    assert fault("Pad", "f32[N, 3]", version=2, pads=[0, 1, 2]) == "length-mismatch"


@pytest.mark.parametrize(
    ("data", "pads", "mode", "claims"),
    [
        ("f32[N]", "i64[2]{-2, 1}", "constant", ["negative-length: N - 1 >= 0"]),
        ("f32[N]", "i64[2]{2, 1}", "constant", []),
        ("f32[N]", "i64[2]{2, 1}", "edge", ["too-few-elements: N >= 1"]),
        ("f32[N]", "i64[2]{0, 0}", "edge", []),
        ("f32[N]", "i64[2]{2, 0}", "reflect", ["too-few-elements: N >= 3"]),
        ("f32[N]", "i64[k]", "constant", ["length-mismatch: k == 2"]),
        ("f32[N]", "i64[2]{-1, 2}", "edge", ["too-few-elements: N == 0 or N >= 2"]),
        ("f32[N, 3]", "i64[4]{-1, 0, 2, 0}", "reflect", ["too-few-elements: N == 0 or N >= 4"]),
    ],
)
def test_pads_ask_for_room(data: str, pads: str, mode: str, claims: list[str]) -> None:
    assert asks("Pad", data, pads, mode=mode) == claims


@pytest.mark.parametrize(
    ("inputs", "mode", "code"),
    [
        (("f32[3, 5]", "i64[3]{1, 1, 1}"), "constant", "length-mismatch"),
        (("f32[3, 5]", "i64[4]{-2, 0, -2, 0}"), "constant", "negative-length"),
        (("f32[3, 5]", "i64[4]{1, 1, 1, 1}", "", "i64[1]{0}"), "constant", "length-mismatch"),
        (("f32[3, 5]", "i64[2]{1, 1}", "", "i64[1]{2}"), "constant", "axis-out-of-range"),
        (("f32[3, 5]", "i64[2]{1, 1}", "", "i64[]{1}"), "constant", "rank-mismatch"),
        (("f32[0, 5]", "i64[4]{1, 0, 0, 0}"), "edge", "too-few-elements"),
        (("f32[2, 5]", "i64[4]{2, 0, 0, 0}"), "reflect", "too-few-elements"),
    ],
)
def test_faults_of_pad(inputs: tuple[str, ...], mode: str, code: str) -> None:
    assert fault("Pad", *inputs, mode=mode) == code


@pytest.mark.parametrize(
    ("inputs", "output"),
    [
        (("i64[2]{N, 4}", "i64[2]{1, 0}", "i64[]{1}"), "i64[3]{1, N, 4}"),
        (("i64[2]{N, 4}", "i64[2]{0, 1}"), "i64[3]{N, 4, 0}"),
        (("i64[2]{N, 4}", "i64[2]{0, 1}", "i64[]"), "i64[3]{N, 4, ?}"),
        (("i64[2]{N, 4}", "i64[2]{-1, 0}"), "i64[1]{4}"),
        (("i64[2]{N, 4}", "i64[2]{1, 0}", "", "i64[1]{-1}"), "i64[3]{0, N, 4}"),
        (("i64[2, 2]{N, 4, 5, 6}", "i64[2]{-1, 1}", "", "i64[1]{0}"), "i64[2, 2]{5, 6, 0, 0}"),
    ],
)
def test_entries_are_padded_with_the_constant(inputs: tuple[str, ...], output: str) -> None:
    assert infer("Pad", *inputs) == output
    agrees_with_a_run("Pad", *inputs, bindings=[{"N": 7}])


@pytest.mark.parametrize(("mode", "output"), [("edge", "N, N, 4, 5, 5"), ("reflect", "4, N, 4, 5, 4")])
def test_entries_are_repeated(mode: str, output: str) -> None:
    call = ("i64[3]{N, 4, 5}", "i64[2]{1, 1}")
    assert infer("Pad", *call, mode=mode) == f"i64[5]{{{output}}}"
    agrees_with_a_run("Pad", *call, mode=mode, bindings=[{"N": 7}])


@pytest.mark.parametrize("version", [11, 18, 21])
def test_negative_pads_leave_what_is_repeated(version: int) -> None:
    bindings = [{"N": n} for n in range(6)]
    foretells_a_run("Pad", "f32[N, 3]", "i64[4]{-1, 0, 2, 0}", mode="edge", version=version, bindings=bindings[1:])
    foretells_a_run("Pad", "f32[N]", "i64[2]{2, -1}", mode="reflect", version=version, bindings=bindings[1:])
    foretells_a_run("Pad", "f32[N, 3]", "i64[4]{0, 0, -1, 0}", mode="edge", version=version, bindings=bindings[1:])
    agrees_with_a_run("Pad", "f32[0, 3]", "i64[4]{-1, 0, 1, 0}", mode="edge", version=version, bindings=[{}])


@pytest.mark.parametrize("version", [11, 13, 18, 21])
def test_pad_agrees_with_a_run(version: int) -> None:
    bindings = [{"N": n, "k": k} for n in (1, 4) for k in (0, 3)]
    agrees_with_a_run("Pad", "f32[N, 3]", "i64[4]{k, -1, 2, 0}", version=version, bindings=bindings)
    agrees_with_a_run("Pad", "f32[N, 3]", "i64[4]{0, 0, 2, 1}", mode="edge", version=version, bindings=bindings)


def test_pads_of_an_attribute_agree_with_a_run() -> None:
    agrees_with_a_run("Pad", "f32[N, 3]", version=2, pads=[0, 1, 2, 3], bindings=[{"N": 1}, {"N": 4}])


@pytest.mark.parametrize(
    ("inputs", "axes", "output"),
    [
        (("f32[20, 10, 3]", "i64[3]{10, 7, 3}"), None, "f32[10, 7, 3]"),
        (("f32[N, 10, 3]", "i64[2]{H, 9}"), [1, -1], "f32[N, H, 9]"),
        (("f32[N, 10, 3]", "i64[1]"), [1], "f32[N, CenterCropPad_0, 3]"),
        (("f32[N, 10, 3]", "i64[...]"), [1], "f32[N, CenterCropPad_0, 3]"),
        (("f32[...]", "i64[1]{4}"), [1], "f32[...]"),
    ],
)
def test_center_crop_pad_gives_the_lengths_asked_for(
    inputs: tuple[str, ...], axes: list[int] | None, output: str
) -> None:
    attributes: dict[str, Any] = {} if axes is None else {"axes": axes}
    assert infer("CenterCropPad", *inputs, **attributes) == output


@pytest.mark.parametrize(
    ("inputs", "axes", "code"),
    [
        (("f32[4, 5]", "i64[2]{2, 2}"), [1], "length-mismatch"),
        (("f32[4, 5]", "i64[1]{2}"), [2], "axis-out-of-range"),
        (("f32[4, 5]", "i64[2]{2, 2}"), [1, -1], "duplicate-axis"),
        (("f32[4, 5]", "i64[1]{-1}"), [1], "negative-length"),
    ],
)
def test_faults_of_center_crop_pad(inputs: tuple[str, ...], axes: list[int], code: str) -> None:
    assert fault("CenterCropPad", *inputs, axes=axes) == code


def test_center_crop_pad_agrees_with_a_run() -> None:
    bindings = [{"N": 2, "H": 3}, {"N": 7, "H": 1}]
    agrees_with_a_run("CenterCropPad", "f32[N, 4]", "i64[2]{H, 6}", bindings=bindings)
