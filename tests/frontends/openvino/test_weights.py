"""Of the .bin only small constants are read, and never a byte outside."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shapeinfer import Tensor, check
from tests.frontends.openvino.test_model import found
from tests.ir import Layer, layer, net, parameter, result, saved


def constant(name: str, element_type: str, shape: str, size: int, offset: int = 0) -> Layer:
    return layer(name, "Const", out="UNSPECIFIED", element_type=element_type, shape=shape, offset=offset, size=size)


@pytest.mark.parametrize(
    ("element_type", "array", "text"),
    [
        ("i64", np.array([1, -2], "<i8"), "i64[2]{1, -2}"),
        ("i32", np.array([7], "<i4"), "i32[1]{7}"),
        ("u8", np.array([255], "u1"), "u8[1]{255}"),
        ("boolean", np.array([1, 0], "u1"), "bool[2]{True, False}"),
        ("f32", np.array([0.5], "<f4"), "f32[1]{0.5}"),
        ("f16", np.array([0.5], "<f2"), "f16[1]{0.5}"),
        ("bf16", np.array([0x3F00], "<u2"), "bf16[1]{0.5}"),
        ("f64", np.array([0.5], "<f8"), "f64[1]{0.5}"),
    ],
)
def test_small_constants_are_read(tmp_path: Path, element_type: str, array: np.ndarray[Any, Any], text: str) -> None:
    data = array.tobytes()
    model = net(constant("c", element_type, str(array.size), len(data), offset=3), result("c"))
    report = check(saved(tmp_path, model, b"\0\0\0" + data))
    assert found(report) == []
    read = report.values["c:0"]
    assert isinstance(read, Tensor)
    assert read.spelled == text


@pytest.mark.parametrize(
    ("element_type", "shape", "size"), [("i4", "3", 2), ("u1", "9", 2), ("nf4", "2", 1), ("string", "1", 5)]
)
def test_what_is_packed_keeps_its_shape(tmp_path: Path, element_type: str, shape: str, size: int) -> None:
    report = check(saved(tmp_path, net(constant("c", element_type, shape, size), result("c")), bytes(8)))
    assert found(report) == []
    assert report.values["c:0"].shape == (int(shape),)


@pytest.mark.parametrize(
    ("constant", "said"),
    [
        (constant("c", "i64", "2", 16, offset=1), "bytes 1 to 17 of model.bin, which has but 16"),
        (constant("c", "i64", "2", 16, offset=-8), "bytes -8 to 8 of model.bin"),
        (constant("c", "i64", "2", 16, offset=2**70), "which has but 16"),
        (constant("c", "i64", "2", 8), "i64 of shape [2] takes 16 bytes, the constant has 8"),
        (constant("c", "i64", "99999999,99999999", 8), "takes 79999998400000008 bytes"),
    ],
)
def test_what_lies_outside_is_an_error(tmp_path: Path, constant: Layer, said: str) -> None:
    report = check(saved(tmp_path, net(constant, result("c")), bytes(16)))
    assert found(report) == ["weights-out-of-range @ 3"]
    assert said in report.errors[0].message


@pytest.mark.parametrize("missing", ["offset", "size"])
def test_a_constant_says_where_it_lies(tmp_path: Path, missing: str) -> None:
    model = net(constant("c", "i64", "2", 16), result("c")).replace(missing.encode(), b"elsewhere")
    assert found(check(saved(tmp_path, model, bytes(16)))) == ["malformed-layer @ 3"]


def test_an_unknown_element_type_is_said(tmp_path: Path) -> None:
    report = check(saved(tmp_path, net(constant("c", "i65", "2", 16), result("c")), bytes(16)))
    assert found(report) == ["malformed-layer @ 3"]


TARGET = net(
    parameter("x", "1,8"),
    constant("c", "i64", "2", 16),
    layer("y", "Broadcast", "x", "c", out="FP32 -1,-1", version="opset3", mode="numpy"),
    result("y"),
)


def test_constants_steer_shapes(tmp_path: Path) -> None:
    path = saved(tmp_path, TARGET, np.array([5, 8], "<i8").tobytes())
    assert check(path).values["y:0"].text == "f32[5, 8]"


@pytest.mark.parametrize(
    ("weights", "said"), [(None, "model.bin is missing"), (b"version https://git-lfs", "Git LFS pointer")]
)
def test_without_the_file_constants_are_unknown_and_not_zero(tmp_path: Path, weights: bytes | None, said: str) -> None:
    report = check(saved(tmp_path, TARGET, weights))
    assert found(report) == ["missing-weights @ -"]
    assert said in report.diagnostics[0].message
    assert report.values["y:0"].text == "f32[Broadcast_0, 8]"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    path = saved(tmp_path, TARGET, None)
    os.mkfifo(path.with_suffix(".bin"))
    report = check(path)
    assert report.diagnostics[0].message.startswith("model.bin cannot be read: it is no regular file")


def test_a_model_without_constants_needs_no_file() -> None:
    assert found(check(net(parameter("x"), result("x")))) == []
