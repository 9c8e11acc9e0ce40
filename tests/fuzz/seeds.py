"""Where fuzzing starts from: the examples, the pages of the codes, the bad models of the tests, and a few IRs."""

from __future__ import annotations

import functools
import json
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
CONFIG = """
select = ["not-broadcastable"]
ignore = ["unused-node"]
severity = {label-conflict = "off"}
exclude = ["**/old/*.onnx", "!keep.onnx"]
fail-on = "warning"
max-seconds = 1.5
[[models]]
path = ["bert*.onnx", "m/[ab]?.onnx"]
bind = {batch = 1}
range = {seq = "1..8"}
shapes = {x = [1, 3]}
assume = ["seq % 8 == 0"]
contract = ["a1 == b1"]
"""
BASELINE = """{"version": 1, "models": {"m.onnx": [
{"code": "unused-node", "message": "m", "count": 2, "fingerprint": "0a"}]}}"""
FORMULAS = """operators = [
"my::Op(x[N, K], w: f32[M, K], bias?[M]) -> [N, M] where K % 32 == 0 and N >= 1",
"a.b::F(x[..., N]) -> f32[..., 2*N], y[max(N, 3)]"]"""
_HERE = {"textDocument": {"uri": "file:///net.onnxtxt"}, "position": {"line": 1, "character": 6}}
_TYPED = {"range": {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 3}}, "text": "é = Op ("}
_SAID = (
    *(("textDocument/hover", _HERE), ("textDocument/completion", _HERE), ("textDocument/definition", _HERE)),
    ("textDocument/rename", {**_HERE, "newName": "z"}),
    ("textDocument/references", {**_HERE, "context": {"includeDeclaration": True}}),
    ("textDocument/inlayHint", {**_HERE, "range": _TYPED["range"]}),
    ("textDocument/codeAction", {**_HERE, "range": _TYPED["range"], "context": {"diagnostics": []}}),
    ("textDocument/semanticTokens/full", _HERE),
    (
        "textDocument/didChange",
        {"textDocument": {"uri": "file:///net.onnxtxt", "version": 2}, "contentChanges": [_TYPED]},
    ),
    ("workspace/executeCommand", {"command": "shapeinfer.checkModel", "arguments": ["file:///no.onnx"]}),
    ("$/cancelRequest", {"id": 1}),
)
GIVEN = {
    "conditions": TEXTS,
    "globs": ("*.onnx\nm/a.onnx", "**/a/*b?\n!c\n/a/x/bb", "[!a-c]*\n\\*\nd", "a/**/b\na/x/y/b"),
    "config": (CONFIG,),
    "baseline": (BASELINE,),
    "expected": ("a1 == b1\na2 % 8 == 0", "a1 >= 3 or b2 == 1\nd1 == d2", "2*a1 <= b1 + 1"),
    "formulas": (FORMULAS,),
    "query": ("x[0]\nx\ny z", "2*x + 1\nx", "`a b`\na b"),
    "names": ("a\nb c\n::set-output", "x\n\x1b[31m\n<b>&amp;"),
    "messages": [json.dumps({"jsonrpc": "2.0", "id": i, "method": m, "params": p}) for i, (m, p) in enumerate(_SAID)],
}
"""Texts for the readers of what is no model."""
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
    if target in GIVEN:
        return [text.encode() for text in GIVEN[target]]
    return {"onnx": models(), "ir": IRS, "text": [t.encode() for t in TEXTS]}[target]
