"""onnxruntime-extensions' tokenizers and operators on text, against its library where that is installed."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest

from shapeinfer import infer_op
from shapeinfer.dims import Dim
from shapeinfer.facts import Tensor, dtype_of
from shapeinfer.ops.signature import declared
from tests.ops.spec import array_of, fact, fault, outline

DOMAIN = "ai.onnx.contrib"
BYTES = {"vocab": '{"a":0,"b":1,"\u0120b":2}', "merges": "#version: 0.2\n\u0120 b"}
Case = tuple[str, list[str], dict[str, Any], list[str]]
RUN: list[Case] = [
    ("StringUpper", ["str[2, 3]"], {}, ["str[2, 3]"]),
    ("StringLower", ["str[2, 3]"], {}, ["str[2, 3]"]),
    ("StringStrip", ["str[2, 3]"], {}, ["str[2, 3]"]),
    ("StringLength", ["str[2, 3]"], {}, ["i64[2, 3]"]),
    ("StringMapping", ["str[2, 3]"], {"map": "a\tb"}, ["str[2, 3]"]),
    ("StringConcat", ["str[2, 3]", "str[2, 3]"], {}, ["str[2, 3]"]),
    ("StringRegexReplace", ["str[2, 3]", "str[1]", "str[1]"], {}, ["str[2, 3]"]),
    ("StringECMARegexReplace", ["str[2, 3]", "str[1]", "str[1]"], {}, ["str[2, 3]"]),
    ("StringToHashBucket", ["str[3]", "i64[1]{7}"], {}, ["i64[3]"]),
    ("StringToHashBucketFast", ["str[3]", "i64[1]{7}"], {}, ["i64[3]"]),
    ("StringJoin", ["str[2, 3]", "str[1]", "i64[1]{0}"], {}, ["str[3]"]),
    ("StringJoin", ["str[2, 3]", "str[1]", "i64[1]{1}"], {}, ["str[2]"]),
    ("StringSplit", ["str[3]", "str[1]{;}", "bool[1]{True}"], {}, ["i64[?, 2]", "str[?]", "i64[2]"]),
    ("StringRegexSplitWithOffsets", ["str[3]", "str[1]", "str[1]"], {}, ["str[?]", "i64[?]", "i64[?]", "i64[4]"]),
    ("StringECMARegexSplitWithOffsets", ["str[3]", "str[1]", "str[1]"], {}, ["str[?]", "i64[?]", "i64[?]", "i64[4]"]),
    ("StringToVector", ["str[3]"], {"map": "a\t1 2", "unk": "0 0"}, ["i64[3, ?]"]),
    ("VectorToString", ["i64[2, 2]"], {"map": "a\t1 1", "unk": "b"}, ["str[...]"]),
    ("MaskedFill", ["str[2]", "bool[2]{True, False}"], {}, ["str[?]"]),
    ("BasicTokenizer", ["str[1]"], {}, ["str[?]"]),
    ("GPT2Tokenizer", ["str[2]"], BYTES, ["i64[2, ?]", "i64[2, ?]"]),
    ("SegmentSum", ["f32[4, 3]", "i64[4]{0, 0, 1, 2}"], {}, ["f32[?, 3]"]),
    ("SegmentExtraction", ["i64[1, 4]{1, 1, 0, 2}"], {}, ["i64[?, 2]", "i64[?]"]),
    ("RaggedTensorToSparse", ["i64[3]{0, 2, 3}"], {}, ["i64[?, 2]", "i64[2]"]),
    ("MergeSignalSegments", ["i64[2, 2]{0, 10, 12, 20}", "i64[1]{5}"], {}, ["i64[?, 2]"]),
    (
        "SplitSignalSegments",
        ["f32[1, 16000]", "i64[1]{16000}", "i64[1]{25}", "i64[1]{10}", "f32[1]"],
        {},
        ["i64[?, 2]"],
    ),
    ("StftNorm", ["f32[1, 400]", "i64[]{100}", "i64[]{50}", "f32[100]", "i64[]{100}"], {}, ["f32[1, ?, ?]"]),
    ("NegPos", ["f32[2, 3]"], {}, ["f32[2, 3]", "f32[2, 3]"]),
    ("ArgSort", ["f32[2, 3]", "i64[]{1}"], {}, ["i64[2, 3]"]),
]
DOCUMENTED: list[Case] = [
    ("StringUpper", ["str[N, 3]"], {}, ["str[N, 3]"]),
    ("StringJoin", ["str[N, 3]", "str[1]", "i64[1]"], {}, ["str[?]"]),
    ("StringToVector", ["str[N]"], {"map": ""}, ["i64[N, ?]"]),
    ("BpeDecoder", ["i64[N, T]"], {}, ["str[...]"]),
    ("CLIPTokenizer", ["str[N]"], BYTES, ["i64[N, ?]", "i64[N, ?]", "i64[N, ?, 2]"]),
    ("RobertaTokenizer", ["str[N]"], BYTES, ["i64[N, ?]", "i64[N, ?]", "i64[N, ?, 2]"]),
    ("SpmTokenizer", ["str[N]"], {}, ["i64[N, ?]", "i64[N, ?]", "i64[N, ?, 2]"]),
    ("HfJsonTokenizer", ["str[N]"], {}, ["i64[N, ?]"]),
    ("TrieTokenizer", ["str[N]"], {}, ["i64[N, ?]"]),
    ("TrieDetokenizer", ["i64[N, T]"], {}, ["str[N]"]),
    ("BertTokenizer", ["str[1]"], {"vocab_file": "a"}, ["i64[?]", "i64[?]", "i64[?]", "i64[?, 2]"]),
    ("BertTokenizerDecoder", ["i64[N]", "i64[M, 2]"], {}, ["str[?]"]),
    ("BlingFireSentenceBreaker", ["str[1]"], {}, ["str[?]"]),
    ("SentencepieceDecoder", ["i64[N]"], {}, ["str[?]"]),
    (
        "SentencepieceTokenizer",
        ["str[N]", "i64[1]", "f32[1]", "bool[1]", "bool[1]", "bool[1]"],
        {"model": "x"},
        ["i32[?]", "i64[?]"],
    ),
    ("AudioDecoder", ["u8[1, N]"], {}, ["f32[1, ?]"]),
]


@pytest.mark.parametrize(("op", "inputs", "attributes", "outputs"), RUN + DOCUMENTED)
def test_what_is_documented(op: str, inputs: list[str], attributes: dict[str, Any], outputs: list[str]) -> None:
    made = outline(op, *inputs, domain=DOMAIN, outputs=len(outputs), **attributes)
    assert ([made] if isinstance(made, str) else made) == outputs


def test_every_operator_has_a_case() -> None:
    assert {s.name for s in declared() if s.domain == DOMAIN} == {op for op, *_ in RUN + DOCUMENTED}


def test_what_cannot_run() -> None:
    assert fault("StringConcat", "str[2]", "str[3]", domain=DOMAIN) == "dim-mismatch"
    assert fault("StringConcat", "str[2]", "str[2, 1]", domain=DOMAIN) == "rank-mismatch"
    assert fault("StringLength", "i64[2]", domain=DOMAIN) == "element-type-not-allowed"
    assert fault("SegmentSum", "f32[4, 3]", "i64[3]", domain=DOMAIN) == "dim-mismatch"
    assert fault("StringJoin", "str[2]", "str[1]", "i64[1]{3}", domain=DOMAIN) == "axis-out-of-range"
    assert fault("GPT2Tokenizer", "str[2, 3]", domain=DOMAIN) == "rank-mismatch"


@pytest.mark.parametrize(("op", "inputs", "attributes", "outputs"), RUN)
def test_the_library_gives_these_shapes(
    op: str, inputs: list[str], attributes: dict[str, Any], outputs: list[str]
) -> None:
    library = pytest.importorskip("onnxruntime_extensions").get_library_path()
    facts = [fact(text) for text in inputs]
    arrays = {f"i{k}": array_of(f, {}) for k, f in enumerate(facts) if f is not None}
    given = [
        onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
        for name, a in arrays.items()
    ]
    names = [f"o{k}" for k in range(len(outputs))]
    node = onnx.helper.make_node(op, list(arrays), names, domain=DOMAIN, **attributes)
    graph = onnx.helper.make_graph([node], "g", given, [onnx.ValueInfoProto(name=n) for n in names])
    imports = [onnx.helper.make_opsetid("", 18), onnx.helper.make_opsetid(DOMAIN, 1)]
    model = onnx.helper.make_model(graph, opset_imports=imports, ir_version=9)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.register_custom_ops_library(library)
    real = onnxruntime.InferenceSession(model.SerializeToString(), options).run(None, arrays)
    made = infer_op(op, facts, attributes, domain=DOMAIN, outputs=len(outputs))
    for inferred, array in zip(made, real, strict=True):
        assert isinstance(inferred, Tensor)
        assert inferred.dtype is dtype_of(np.asarray(array).dtype)
        for size, length in zip(inferred.shape or (), array.shape):
            assert isinstance(size, Dim) or size == length
        assert inferred.shape is None or len(inferred.shape) == array.ndim
