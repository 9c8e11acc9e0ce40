"""Where fuzzing starts from: the examples, the pages of the codes, the bad models of the tests, and a few IRs."""

from __future__ import annotations

import functools
import random
from collections.abc import Sequence
from pathlib import Path

import onnx

from tests.bad import cases
from tests.ir import layer, net, parameter, result
from tests.test_explain import PAGES, SHOWN

EXAMPLES = Path(__file__).parents[2] / "examples"
SMALL = 1 << 16
"""Larger models than this take too long each to be tried by the thousand."""

IRS = (
    net(parameter("x"), layer("y", "ReLU", "x", out="FP32 -1,8"), result("y")),
    net(
        parameter("x", "?,3,1..64,?", out="FP32 -1,3,-1,-1"),
        parameter("w", "8,3,3,3"),
        layer(
            "c",
            "Convolution",
            "x",
            "w",
            out="FP32 -1,8,-1,-1",
            strides="2,2",
            dilations="1,1",
            pads_begin="1,1",
            pads_end="1,1",
            auto_pad="explicit",
        ),
        layer(
            "p", "MaxPool", "c", out="FP32 -1,8,-1,-1", kernel="2,2", strides="2,2", pads_begin="0,0", pads_end="0,0"
        ),
        result("p"),
    ),
    net(
        parameter("x"),
        parameter("y", "4,8"),
        layer("s", "ShapeOf", "x", out="I64 2", version="opset3", output_type="i64"),
        layer("r", "Reshape", "y", "s", out="FP32 -1,8", special_zero="true"),
        layer("a", "Add", "r", "x", out="FP32 -1,8", auto_broadcast="numpy"),
        layer("j", "Concat", "a", "x", out="FP32 -1,8", axis="0"),
        layer("m", "MatMul", "j", "y", out="FP32 -1,4", transpose_a="false", transpose_b="true"),
        result("m"),
    ),
)
TEXTS = (
    "N",
    "2*seq + 1",
    "(past + seq)//8*8",
    "max(a, b + 1, 3)",
    "ceil(H/2) - floor((W + 2)/3)",
    "broadcast(a, b)",
    "a % 8 == 0 and b >= 3 or a == b",
    "`odd name`**2",
    "-(a - b)*(a + b)",
    "Max(1, Min(a, 4)) <= N < 10",
    "divisible(a, 8)",
)
WORDS = (
    *("floor(", "ceil(", "max(", "min(", "mod(", "broadcast(", "FloorDiv(", "**", "//", " % ", " and ", " or ", "=="),
    *("9223372036854775807", "-9223372036854775808", "<layer id=", "<edge from-layer=", "<port id=", "<dim>-1</dim>"),
    *("Reshape", "Concat", "Loop", "If", "Scan", "Einsum", "Conv", "axis", "axes", "perm", "shape", "ai.onnx.ml"),
)
"""What a blind change of bytes seldom writes."""


@functools.cache
def models() -> tuple[bytes, ...]:
    """Small ONNX models, right ones and wrong ones."""
    found = [p.read_bytes() for p in sorted(EXAMPLES.rglob("*.onnx"))]
    for page in sorted(PAGES.glob("*.md")):
        found += [_stored(text) for _, text in SHOWN.findall(page.read_text(encoding="utf-8"))]
    for theme in sorted(p.stem for p in cases.FOLDER.glob("*.txt")):
        found += [case.model().SerializeToString() for case in cases.read(theme)]
    return tuple(m for m in found if len(m) <= SMALL)


def _stored(text: str) -> bytes:
    return bytes(onnx.parser.parse_model(text).SerializeToString())


def of(target: str) -> Sequence[bytes]:
    """Return what a target starts from."""
    if target in ("engine", "calls", "fold"):
        return [random.Random(i).randbytes(128) for i in range(200)]
    if target == "onnxtxt":
        return [onnx.printer.to_text(onnx.ModelProto.FromString(model)).encode() for model in models()]
    return {"onnx": models(), "ir": IRS, "text": [t.encode() for t in TEXTS]}[target]
