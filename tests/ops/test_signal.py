"""Fourier transforms, and the windows and filters that go with them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.claims import asks
from tests.ops.spec import agrees_with_a_run, fault, infer, outline

SIZES = [{"N": 0, "T": 4}, {"N": 1, "T": 1}, {"N": 2, "T": 7}]


def dft(check: Any, version: int, x: str, *more: str, axis: int = 1, **attributes: Any) -> Any:
    """Call DFT with the axis as an attribute, or from opset 20 on as an input."""
    if version < 20:
        return check("DFT", x, *more, axis=axis, version=version, **attributes)
    length = more or ("",)
    return check("DFT", x, *length, f"i64[]{{{axis}}}", version=version, **attributes)


@pytest.mark.parametrize("version", [17, 20])
@pytest.mark.parametrize(
    ("x", "length", "attributes", "output"),
    [
        ("f32[N, T, 1]", (), {}, "f32[N, T, 2]"),
        ("f32[N, T, 2]", (), {}, "f32[N, T, 2]"),
        ("f32[N, T, 2]", (), {"inverse": 1}, "f32[N, T, 2]"),
        ("f32[N, T, 1]", (), {"onesided": 1}, "f32[N, (T + 2)//2, 2]"),
        ("f32[N, T, 2]", (), {"onesided": 1, "inverse": 1}, "f32[N, 2*T - 2, 1]"),
        ("f32[N, T, 1]", ("i64[]{8}",), {}, "f32[N, 8, 2]"),
        ("f32[N, T, 1]", ("i64[]{8}",), {"onesided": 1}, "f32[N, 5, 2]"),
        ("f32[N, T, 2]", ("i64[]{7}",), {"onesided": 1, "inverse": 1}, "f32[N, 7, 1]"),
    ],
)
def test_the_length_after_a_transform(
    version: int, x: str, length: tuple[str, ...], attributes: dict[str, Any], output: str
) -> None:
    assert dft(infer, version, x, *length, **attributes) == infer("Identity", output)
    dft(agrees_with_a_run, version, x, *length, bindings=SIZES, **attributes)


@pytest.mark.parametrize("version", [17, 20])
@pytest.mark.parametrize(
    ("axis", "output"),
    [
        (0, "f32[2, 5, 6, 2]"),
        (1, "f32[3, 3, 6, 2]"),
        (2, "f32[3, 5, 4, 2]"),
        (-2, "f32[3, 5, 4, 2]"),
        (-4, "f32[2, 5, 6, 2]"),
    ],
)
def test_one_axis_is_transformed(version: int, axis: int, output: str) -> None:
    assert dft(infer, version, "f32[3, 5, 6, 1]", axis=axis, onesided=1) == output


def test_the_default_axis_is_the_first_after_the_batch_then_the_last_of_the_signal() -> None:
    assert infer("DFT", "f32[4, 4, 4, 1]", onesided=1, version=17) == "f32[4, 3, 4, 2]"
    assert infer("DFT", "f32[4, 4, 4, 1]", onesided=1, version=20) == "f32[4, 4, 3, 2]"


@pytest.mark.parametrize(
    ("inputs", "attributes", "output"),
    [
        (("f32[N, T, 1]", "", "i64[]"), {}, "f32[N, T, 2]"),
        (("f32[N, T, 1]", "", "i64[]"), {"onesided": 1}, "f32[?, ?, 2]"),
        (("f32[N, T, 1]", "i64[]"), {}, "f32[N, ?, 2]"),
        (("f32[N, T, 1]", "i64[]{L}"), {}, "f32[N, L, 2]"),
        (("f32[...]",), {}, "f32[...]"),
    ],
)
def test_what_is_known_of_the_output_as_less_is_known_of_the_inputs(
    inputs: tuple[str, ...], attributes: dict[str, Any], output: str
) -> None:
    assert outline("DFT", *inputs, version=20, **attributes) == output


@pytest.mark.parametrize("version", [17, 20])
@pytest.mark.parametrize(
    ("x", "length", "attributes", "code"),
    [
        ("f32[2, 5, 3]", (), {}, "dim-mismatch"),
        ("f32[2, 4, 1]", (), {"onesided": 1, "inverse": 1}, "dim-mismatch"),
        ("f32[5]", (), {"axis": 0}, "rank-mismatch"),
        ("f32[2, 5, 1]", (), {"axis": 2}, "axis-out-of-range"),
        ("f32[2, 5, 1]", (), {"axis": -1}, "axis-out-of-range"),
        ("f32[2, 5, 1]", (), {"axis": 3}, "axis-out-of-range"),
        ("f32[2, 5, 1]", ("i64[]{0}",), {}, "invalid-value"),
        ("f32[2, 5, 1]", ("i64[2]",), {}, "length-mismatch"),
        ("f32[2, 5, 1]", ("i64[0]",), {}, "length-mismatch"),
        ("f32[2, 0, 1]", ("i64[]{4}",), {}, "too-few-elements"),
    ],
)
def test_what_dft_refuses(version: int, x: str, length: tuple[str, ...], attributes: dict[str, Any], code: str) -> None:
    assert dft(fault, version, x, *length, **attributes) == code


@pytest.mark.parametrize("length", ["", "i64[]{4}"])
def test_the_axis_is_one_number(length: str) -> None:
    assert outline("DFT", "f32[2, 5, 1]", length, "i64[]") == ("f32[?, ?, 2]" if length else "f32[2, 5, 2]")
    for axis in ("i64[0]", "i64[2]"):
        assert fault("DFT", "f32[2, 5, 1]", length, axis) == "length-mismatch"
    assert fault("DFT", "f32[2, 5, 1]", "i64[0]", "i64[]") == "length-mismatch"


def test_the_last_axis_is_real_or_complex() -> None:
    assert asks("DFT", "f32[N, 4, P]") == ["dim-mismatch: P == 1 or P == 2"]
    assert asks("DFT", "f32[N, 4, P]", inverse=1, onesided=1) == ["dim-mismatch: P == 2"]


def test_an_empty_axis_is_no_signal_unless_there_are_no_signals() -> None:
    assert asks("DFT", "f32[2, T, 1]", onesided=1) == ["too-few-elements: T >= 1"]
    assert asks("DFT", "f32[N, T, 1]", onesided=1) == ["too-few-elements: T >= 1 or N == 0"]


@pytest.mark.parametrize(
    ("more", "onesided", "output"),
    [
        (("f32[20]",), 1, "f32[N, (T - 10)//10, 11, 2]"),
        (("f32[20]", "i64[]{20}"), 1, "f32[N, (T - 10)//10, 11, 2]"),
        (("", "i64[]{20}"), 1, "f32[N, (T - 10)//10, 11, 2]"),
        (("f32[20]",), 0, "f32[N, (T - 10)//10, 20, 2]"),
    ],
)
def test_frames_of_a_signal(more: tuple[str, ...], onesided: int, output: str) -> None:
    inputs = "f32[N, T, 1]", "i64[]{10}", *more
    assert infer("STFT", *inputs, onesided=onesided) == infer("Identity", output)
    sizes = [{"N": 0, "T": 40}, {"N": 1, "T": 20}, {"N": 2, "T": 107}]
    agrees_with_a_run("STFT", *inputs, onesided=onesided, bindings=sizes)


def test_without_a_length_the_signal_is_one_frame() -> None:
    assert infer("STFT", "f32[N, 100, 1]", "i64[]{10}") == "f32[N, 1, 51, 2]"


@pytest.mark.parametrize(
    ("inputs", "output"),
    [
        (("f32[N, 100, 1]", "i64[]", "f32[20]"), "f32[N, 80//? + 1, 11, 2]"),
        (("f32[N, 100, 1]", "i64[]{10}", "f32[...]"), "f32[?, ?, ?, ?]"),
        (("f32[...]", "i64[]{10}", "f32[20]"), "f32[?, ?, ?, ?]"),
    ],
)
def test_what_is_known_of_frames_as_less_is_known_of_the_inputs(inputs: tuple[str, ...], output: str) -> None:
    assert outline("STFT", *inputs) == output


@pytest.mark.parametrize(
    ("inputs", "code"),
    [
        (("f32[2, 10, 1]", "i64[]{5}", "f32[20]"), "window-too-large"),
        (("f32[2, 100, 1]", "i64[]{5}", "f32[20]", "i64[]{21}"), "dim-mismatch"),
        (("f32[2, 100, 1]", "i64[]{0}", "f32[20]"), "invalid-value"),
        (("f32[100]", "i64[]{5}", "f32[20]"), "rank-mismatch"),
        (("f32[2, 100, 1]", "i64[]{5}", "f32[20, 1]"), "rank-mismatch"),
        (("f32[2, 100, 1]", "i64[]{5}", "f32[0]"), "too-few-elements"),
    ],
)
def test_what_stft_refuses(inputs: tuple[str, ...], code: str) -> None:
    assert fault("STFT", *inputs) == code


@pytest.mark.parametrize("op", ["BlackmanWindow", "HammingWindow", "HannWindow"])
def test_windows_have_the_points_asked_for(op: str) -> None:
    assert infer(op, "i64[]{10}") == "f32[10]"
    assert infer(op, "i64[]{N}", output_datatype=11) == "f64[N]"
    assert outline(op, "i64[]") == "f32[?]"
    assert fault(op, "i64[]{-1}") == "negative-length"
    assert fault(op, "i64[2]") == "length-mismatch"
    assert fault(op, "i64[]{4}", output_datatype=8) == "invalid-attribute"
    agrees_with_a_run(op, "i64[]{N}", bindings=[{"N": 0}, {"N": 1}, {"N": 9}])


def test_the_mel_matrix_goes_from_spectrum_bins_to_mel_bins() -> None:
    edges = "i64[]{8192}", "f32[]{0}", "f32[]{4096}"
    assert infer("MelWeightMatrix", "i64[]{8}", "i64[]{16}", *edges) == "f32[9, 8]"
    assert infer("MelWeightMatrix", "i64[]{N}", "i64[]{16}", *edges, output_datatype=11) == "f64[9, N]"
    assert outline("MelWeightMatrix", "i64[]", "i64[]{16}", *edges) == "f32[9, ?]"
    assert fault("MelWeightMatrix", "i64[]{-8}", "i64[]{16}", *edges) == "negative-length"
    agrees_with_a_run("MelWeightMatrix", "i64[]{N}", "i64[]{16}", *edges, bindings=[{"N": 1}, {"N": 8}])
    for i, several in enumerate(("i64[2]", "f32[0]", "f32[2]")):
        wrong = [several if i == k else edge for k, edge in enumerate(edges)]
        assert fault("MelWeightMatrix", "i64[]{8}", "i64[]{16}", *wrong) == "length-mismatch"
