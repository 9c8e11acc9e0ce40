"""Fourier transforms along some axes, or of frames of a signal."""

from __future__ import annotations

from typing import Any

import pytest

from shapeinfer import infer_op
from shapeinfer.facts import OPENVINO
from tests.ops.openvino.spec import agrees_with_openvino, fault, infer, outline
from tests.ops.spec import fact

SIZES = [{"N": 1, "L": 2, "K": 4}, {"N": 0, "L": 9, "K": 1}, {"N": 3, "L": 1, "K": 7}]


@pytest.mark.parametrize(
    ("op", "version", "inputs", "output"),
    [
        ("DFT", 7, ("f32[N, L, 8, 2]", "i64[2]{1, 2}"), "f32[N, L, 8, 2]"),
        ("DFT", 7, ("f32[N, L, 8, 2]", "i64[2]{-1, -2}", "i64[2]{5, -1}"), "f32[N, L, 5, 2]"),
        ("IDFT", 7, ("f32[N, L, 8, 2]", "i32[1]{-1}", "i64[1]{K}"), "f32[N, L, K, 2]"),
        ("IDFT", 7, ("f32[N, 2]", "i64[0]{}"), "f32[N, 2]"),
        ("RDFT", 9, ("f32[N, 8, L]", "i64[2]{1, 2}"), "f32[N, 8, L//2 + 1, 2]"),
        ("RDFT", 9, ("f32[N, 8, L]", "i64[2]{2, -2}", "i64[2]{-1, 5}"), "f32[N, 3, L, 2]"),
        ("RDFT", 9, ("f32[L]", "i64[1]{0}"), "f32[L//2 + 1, 2]"),
        ("IRDFT", 9, ("f32[N, 8, L, 2]", "i64[2]{1, 2}"), "f32[N, 8, 2*L - 2]"),
        ("IRDFT", 9, ("f32[N, 8, L, 2]", "i64[2]{1, -1}", "i64[2]{4, -1}"), "f32[N, 4, 2*L - 2]"),
        ("IRDFT", 9, ("f32[N, 8, L, 2]", "i64[2]{1, 2}", "i64[2]{-1, K}"), "f32[N, 8, K]"),
    ],
)
def test_transforms_along_axes(op: str, version: int, inputs: tuple[str, ...], output: str) -> None:
    assert infer(op, *inputs, version=version) == output
    agrees_with_openvino(op, *inputs, version=version, bindings=SIZES)


def test_what_is_known_without_the_axes() -> None:
    assert infer("DFT", "f32[N, L, 2]", "i64[1]", version=7) == "f32[N, L, 2]"
    assert outline("DFT", "f32[N, L, 2]", "i64[1]", "i64[1]{5}", version=7) == "f32[?, ?, 2]"
    assert outline("DFT", "f32[N, L, 2]", "i64[1]{0}", "i64[1]", version=7) == "f32[?, L, 2]"
    assert outline("RDFT", "f32[N, L]", "i64[1]", version=9) == "f32[?, ?, 2]"
    assert outline("IRDFT", "f32[N, L, 2]", "i64[1]", version=9) == "f32[?, ?]"
    assert infer("IRDFT", "f32[...]", "i64[1]{0}", version=9) == "f32[...]"


@pytest.mark.parametrize(
    ("op", "inputs", "code"),
    [
        ("DFT", ("f32[2, 8, 3]", "i64[1]{0}"), "dim-mismatch"),
        ("DFT", ("f32[2]", "i64[0]"), "rank-mismatch"),
        ("DFT", ("f32[2, 8, 2]", "i64[1]{2}"), "axis-out-of-range"),
        ("DFT", ("f32[2, 8, 2]", "i64[2]{1, -1}"), "duplicate-axis"),
        ("DFT", ("f32[2, 8, 2]", "i64[2]{0, 1}", "i64[1]{4}"), "length-mismatch"),
        ("DFT", ("f32[2, 8, 2]", "i64[1]{0}", "i64[1]{-2}"), "negative-length"),
        ("DFT", ("i32[2, 8, 2]", "i64[1]{0}"), "element-type-not-allowed"),
        ("RDFT", ("f32[2, 0]", "i64[1]{1}"), "too-few-elements"),
        ("RDFT", ("f32[2, 8]", "i64[0]{}"), "too-few-elements"),
        ("IRDFT", ("f32[2, 0, 2]", "i64[1]{1}"), "too-few-elements"),
    ],
)
def test_what_cannot_be_transformed(op: str, inputs: tuple[str, ...], code: str) -> None:
    assert fault(op, *inputs, version=9) == code


FRAMES = ("f32[12]", "i64[]{16}", "i64[]{8}")
LONG = [{"N": 0, "L": 16}, {"N": 2, "L": 48}]


@pytest.mark.parametrize(
    ("signal", "transposed", "output"),
    [
        ("f32[N, L]", False, "f32[N, (L - 8)//8, 9, 2]"),
        ("f32[N, L]", True, "f32[N, 9, (L - 8)//8, 2]"),
        ("f32[L]", True, "f32[9, (L - 8)//8, 2]"),
    ],
)
def test_frames_of_a_signal(signal: str, transposed: bool, output: str) -> None:
    assert infer("STFT", signal, *FRAMES, version=15, transpose_frames=transposed) == infer("Abs", output)
    agrees_with_openvino("STFT", signal, *FRAMES, version=15, bindings=LONG, transpose_frames=transposed)


@pytest.mark.parametrize(
    ("data", "more", "center", "output"),
    [
        ("f32[N, 9, L, 2]", (), False, "f32[N, 8*L + 8]"),
        ("f32[N, 9, L, 2]", (), True, "f32[N, 8*L - 8]"),
        ("f32[9, L, 2]", ("i64[1]{40}",), True, "f32[40]"),
    ],
)
def test_a_signal_put_together_of_its_frames(data: str, more: tuple[str, ...], center: bool, output: str) -> None:
    given: dict[str, Any] = {"center": center, "normalized": False}
    assert infer("ISTFT", data, *FRAMES, *more, version=16, **given) == output
    agrees_with_openvino("ISTFT", data, *FRAMES, *more, version=16, bindings=[{"N": 0, "L": 1}, *LONG], **given)


def test_centered_frames_of_odd_length_are_what_openvino_makes_of_them() -> None:
    inputs = ("f32[9, 5, 2]", "f32[12]", "i64[]{17}", "i64[]{8}")
    given: dict[str, Any] = {"center": True, "normalized": False}
    assert outline("ISTFT", *inputs, version=16, **given) == "f32[?]"
    facts = [fact(i) for i in inputs]
    (made,) = infer_op("ISTFT", facts, given, dialect=OPENVINO, version=16, profile="openvino")
    assert made.text == "f32[33]"


@pytest.mark.parametrize(
    ("signal", "frames", "code"),
    [
        ("f32[2, 8]", ("f32[16]", "i64[]{16}", "i64[]{8}"), "window-too-large"),
        ("f32[2, 48]", ("f32[17]", "i64[]{16}", "i64[]{8}"), "window-too-large"),
        ("f32[2, 48]", ("f32[0]", "i64[]{16}", "i64[]{8}"), "too-few-elements"),
        ("f32[2, 48]", ("f32[16]", "i64[]{16}", "i64[]{0}"), "invalid-value"),
        ("f32[2, 48]", ("f32[16]", "i64[1]{16}", "i64[]{8}"), "rank-mismatch"),
        ("f32[3, 2, 48]", ("f32[16]", "i64[]{16}", "i64[]{8}"), "rank-mismatch"),
    ],
)
def test_frames_that_do_not_fit(signal: str, frames: tuple[str, ...], code: str) -> None:
    given: dict[str, Any] = {"transpose_frames": False}
    assert fault("STFT", signal, *frames, version=15, **given) == code


def test_the_frames_tell_how_many_bins_there_are() -> None:
    given: dict[str, Any] = {"center": False, "normalized": False}
    assert fault("ISTFT", "f32[8, 5, 2]", *FRAMES, version=16, **given) == "dim-mismatch"
    assert fault("ISTFT", "f32[9, 2]", *FRAMES, version=16, **given) == "rank-mismatch"
    assert fault("ISTFT", "f32[9, 0, 2]", *FRAMES, version=16, **given) == "too-few-elements"
