"""onnxruntime's own operators: what is known as less is known of the inputs, and what cannot run.

That shapes are the runtime's is shown in test_microsoft_runs; here are also the operators that it has for
other hardware only, whose documentation says what they give.
"""

from __future__ import annotations

import random
from typing import Any

import onnx
import pytest

from shapeinfer import SparseTensor, Tensor, infer_op, symbol
from shapeinfer.diagnostics.errors import ShapeInferError
from shapeinfer.dims import Size
from shapeinfer.facts import DType, Fact
from shapeinfer.graph import AttributeType
from shapeinfer.ops.signature import Formal, Signature, declared
from shapeinfer.ops.types import fact_of
from tests.each import each
from tests.ops.spec import agrees_with_a_run, fault, infer

MS = "com.microsoft"
HEADS: Any = {"num_heads": 2, "outputs": 1}


def shapes(op: str, *inputs: str, **attributes: Any) -> str | list[str]:
    return infer(op, *inputs, domain=MS, **attributes)


@pytest.mark.parametrize(
    ("op", "inputs", "attributes", "output"),
    [
        ("BiasSplitGelu", ["f16[N, S, 8]", "f16[8]"], {}, "f16[N, S, 4]"),
        ("BiasSplitGelu", ["f16[N, S, 2*D]", "f16[...]"], {}, "f16[N, S, D]"),
        ("BiasAdd", ["f16[N, S, C]", "f16[...]", "f16[...]"], {}, "f16[N, S, C]"),
        ("BiasSoftmax", ["f32[N, S]", "f32[S]"], {"is_inner_broadcast": 0}, "f32[N, S]"),
        ("BiasDropout", ["f32[N, S]", "f32[S]"], {"outputs": 2}, ["f32[N, S]", "bool[N, S]"]),
        ("BitmaskDropout", ["f32[N, 64]"], {"outputs": 2}, ["f32[N, 64]", "u32[2*N]"]),
        ("GroupNorm", ["f16[N, H, W, 8]", "f32[8]", "f32[8]"], {"activation": 1, "groups": 4}, "f16[N, H, W, 8]"),
        (
            "SkipGroupNorm",
            ["f16[N, 8, H, W]", "f32[8]", "f32[8]", "f16[N, 8]"],
            {"activation": 1, "groups": 4, "channels_last": 0, "outputs": 2},
            ["f16[N, 8, H, W]", "f16[N, 8, H, W]"],
        ),
        ("FusedMatMulActivation", ["f32[4, N]", "f32[4, 5]"], {"transA": 1, "activation": "Relu"}, "f32[N, 5]"),
        ("GemmFastGelu", ["f16[N, S, 4]", "f16[4, 5]", "f16[5]"], {}, "f16[N, S, 5]"),
        ("GemmFloat8", ["f8_e4m3fn[N, 4]", "f8_e4m3fn[5, 4]"], {"transB": 1, "dtype": 10}, "f16[N, 5]"),
        ("MatMulBlockQuantizedFp8Weight", ["f16[N, 4]", "f8_e4m3fn[5, 4]", "f32[5, 1]"], {}, "f16[N, 5]"),
        ("MatMulBlockQuantizedFp4Weight", ["f16[N, 4]", "u8[5, 2]", "u8[5, 1]", "f32[]"], {}, "f16[N, 5]"),
        ("MatMulFpQ4", ["f32[N, 32]", "u8[20]", "i64[2]{32, 8}"], {}, "f32[N, 8]"),
        (
            "MatMulNBitsQkv",
            ["f16[N, 32]", "", "f16[32]", *["u8[8, 2, 8]", "f16[8, 2]", ""] * 3],
            {"K": 32, "Nq": 8, "Nkv": 4, "block_size": 16},
            ["f16[N, 8]", "f16[N, 4]", "f16[N, 4]"],
        ),
        (
            "MatMulNBitsMlp",
            ["f16[N, 32]", "", "", *["u8[8, 2, 8]", "f16[8, 2]", ""] * 2],
            {"K": 32, "N": 8, "block_size": 16, "activation": "silu", "outputs": 2},
            ["f16[N, 8]", "f16[N, 32]"],
        ),
        ("MulInteger", ["u8[N, 1]", "", "u8[4]"], {}, "i32[N, 4]"),
        ("ReduceSumInteger", ["u8[N, 4]"], {"axes": [1], "keepdims": 1}, "u32[N, 1]"),
        ("ReduceSumInteger", ["i8[N, 4]"], {"axes": [-1], "keepdims": 0}, "i32[N]"),
        ("QLinearReduceMean", ["u8[N, 4]", "f32[]", "", "f32[]"], {"axes": [1], "keepdims": 0}, "u8[N]"),
        ("DequantizeWithOrder", ["i8[N, 4]", "f32[]"], {"to": 10, "order_input": 1, "order_output": 1}, "f16[N, 4]"),
        ("DequantizeBFP", ["u8[K]", "i64[2]{N, 4}", "i64[2]"], {"bfp_type": 1}, "f32[N, 4]"),
        ("NhwcConv", ["f16[N, 8, W, 4]", "f16[6, 3, 3, 4]"], {}, "f16[N, 6, W - 2, 6]"),
        ("NhwcFusedConv", ["f16[N, 8, W, 4]", "f16[6, 4, 3, 3]"], {}, "f16[N, 6, W - 2, 6]"),
        ("PackedAttention", ["f16[T, 8]", "f16[8, 24]", "f16[24]", "i32[B, S]", "i32[B + 1]"], HEADS, "f16[T, 8]"),
        ("PackedMultiHeadAttention", ["f16[T, 2, 3, 4]", *[""] * 3, "i32[B, S]", "i32[B + 1]"], HEADS, "f16[T, 8]"),
        (
            "PackedMultiHeadAttention",
            ["f16[T, 8]", "f16[T, 8]", "f16[T, 12]", "", "i32[B, S]", "i32[B + 1]"],
            HEADS,
            "f16[T, 12]",
        ),
        ("MultiHeadAttention", ["f16[B, S, 2, 3, 4]"], HEADS, "f16[B, S, 8]"),
        ("MultiHeadAttention", ["f16[B, S, 8]", "f16[B, L, 2, 2, 4]"], HEADS, "f16[B, S, 8]"),
        (
            "DecoderMaskedMultiHeadAttention",
            ["f16[B, 1, 24]", *[""] * 4, "f16[B, 2, P, 4]", "f16[B, 2, P, 4]", "i32[1]"],
            {"num_heads": 2, "outputs": 3},
            ["f16[B, 1, 8]", "f16[B, 2, P, 4]", "f16[B, 2, P, 4]"],
        ),
        (
            "DecoderMaskedSelfAttention",
            ["f16[B, 1, 8]", "f16[8, 24]", "f16[24]", "", "f16[2, B, 2, P, 4]", "", "i32[1]"],
            {"num_heads": 2},
            ["f16[B, 1, 8]", "f16[2, B, 2, P, 4]"],
        ),
        (
            "SparseAttention",
            ["f16[B, S, 64]", "", "", *["f16[B, 2, M, 8]"] * 2, "i32[1, 3]", "i32[1, 2]", "i32[]", "i32[B]"],
            {"num_heads": 4, "kv_num_heads": 2, "sparse_block_size": 16},
            ["f16[B, S, 32]", "f16[B, 2, M, 8]", "f16[B, 2, M, 8]"],
        ),
        (
            "PagedAttention",
            ["f16[T, 64]", "", "", *["f16[K, 16, 2, 8]"] * 2, "i32[B + 1]", "i32[B]", "i32[B, M]"],
            {"num_heads": 4, "kv_num_heads": 2, "outputs": 3},
            ["f16[T, 32]", "f16[K, 16, 2, 8]", "f16[K, 16, 2, 8]"],
        ),
        (
            "RemovePadding",
            ["f16[B, S, 8]", "i32[B]"],
            {},
            ["f16[RemovePadding_0, 8]", "i32[B, S]", "i32[B + 1]", "i32[1]"],
        ),
        ("RestorePadding", ["f16[T, 8]", "i32[B, S]"], {}, "f16[B, S, 8]"),
        ("RelativePositionBias", ["f16[32, 4]", "i64[1]{S}", "i64[1]{S}"], {"max_distance": 8}, "f16[1, 4, S, S]"),
        (
            "GatedRelativePositionBias",
            ["f16[B, S, 8]", "f16[8]", "f16[1, 2, S, S]", "f16[4, 8]", "f16[8]", "f16[1, 2, 1, 1]"],
            HEADS,
            "f16[B, 2, S, S]",
        ),
        (
            "LongformerAttention",
            ["f16[B, S, 8]", "f16[8, 24]", "f16[24]", "f16[B, S]", "f16[8, 24]", "f16[24]", "i32[B, S]"],
            {"num_heads": 2, "window": 2},
            "f16[B, S, 8]",
        ),
        (
            "GatedDeltaNet",
            ["f16[T, 2, 4]", "f16[T, 2, 4]", "f16[T, 6, 5]", "i32[B + 1]"],
            {"update_rule": "linear"},
            "f16[T, 6, 5]",
        ),
        ("TorchEmbedding", ["f16[V, 8]", "i64[B, S]"], {}, "f16[B, S, 8]"),
        ("ComplexMul", ["f16[N, 2]", "f16[1, 2]"], {}, "f16[N, 2]"),
        ("Rfft", ["f32[N, 8]"], {}, "f32[N, 5, 2]"),
        ("Irfft", ["f32[N, 5, 2]"], {"signal_ndim": 1}, "f32[N, 8]"),
        ("IsAllFinite", ["f32[N]", "f32[]"], {}, "bool[...]"),
        (
            "GemmaRotaryEmbedding",
            ["f32[B, S, 8]", *["f16[B, 2, S, 8]"] * 4],
            {},
            ["f16[B, 2, S, 8]", "f16[B, 2, S, 8]"],
        ),
    ],
)
def test_what_is_documented_of_operators_for_other_hardware(
    op: str, inputs: list[str], attributes: dict[str, Any], output: str | list[str]
) -> None:
    assert shapes(op, *inputs, **attributes) == output


def test_a_sparse_matrix_times_a_dense_one() -> None:
    (out,) = infer_op("SparseToDenseMatMul", [SparseTensor("f32", ("N", 4)), Tensor("f32", (4, 5))], domain=MS)
    assert out.text == "f32[N, 5]"


@pytest.mark.parametrize(
    ("op", "inputs", "attributes", "output"),
    [
        ("BiasGelu", ["f32[...]", "f32[4]"], {}, "f32[...]"),
        ("BiasGelu", ["?[N, 4]", "f32[...]"], {}, "f32[N, 4]"),
        (
            "SkipLayerNormalization",
            ["f32[N, S, 4]", "f32[...]", "f32[...]"],
            {"outputs": 2},
            ["f32[N, S, 4]", "f32[N, S, 1]"],
        ),
        ("EmbedLayerNormalization", ["i32[N, S]", "", *["f32[...]"] * 2, "", *["f32[...]"] * 2], {}, "f32[N, S, ?]"),
        ("Attention", ["f32[N, S, 6]", "f32[...]"], {"num_heads": 2}, "f32[N, S, 2*?]"),
        (
            "Attention",
            ["f32[...]", "f32[6, 12]"],
            {"num_heads": 2, "outputs": 2},
            ["f32[?, ?, 4]", "f32[2, ?, 2, ?, 2]"],
        ),
        ("MultiHeadAttention", ["f32[N, S, 8]", "f32[...]", "f32[...]"], HEADS, "f32[N, S, 2*?]"),
        ("FusedMatMul", ["f32[...]", "f32[4, 5]"], {}, "f32[...]"),
        ("QGemm", ["u8[...]", "f32[]", "u8[]", "u8[4, 5]", "f32[]", "u8[]"], {}, "f32[?, ?]"),
        ("MatMulNBits", ["f32[...]", "u8[8, 2, 8]", "f32[8, 2]"], {"K": 32, "N": 8, "block_size": 16}, "f32[...]"),
        ("QLinearAdd", ["u8[...]", "f32[]", "", "u8[4]", "f32[]", "", "f32[]"], {}, "u8[...]"),
        ("QuantizeLinear", ["f32[...]", "f32[]"], {}, "u8[...]"),
        ("MurmurHash3", ["str[...]"], {"positive": 0}, "i32[...]"),
        ("ExpandDims", ["f32[N, 3]", "i32[]"], {}, "f32[?, ?, ?]"),
        ("Unique", ["f32[N]"], {}, ["f32[?]", "i64[N]", "i64[?]"]),
        ("Unique", ["f32[1]"], {}, ["f32[1]", "i64[1]", "i64[1]"]),
        ("CropAndResize", ["f32[1, 3, H, W]", "f32[R, 4]", "i32[R]", "i32[2]"], {}, "f32[R, 3, ?, ?]"),
    ],
)
def test_what_is_known_as_less_is_known_of_the_inputs(
    op: str, inputs: list[str], attributes: dict[str, Any], output: str | list[str]
) -> None:
    made = shapes(op, *inputs, **attributes)
    texts = [made] if isinstance(made, str) else made
    blurred = [_blurred(op, text) for text in texts]
    assert (blurred[0] if isinstance(output, str) else blurred) == output


def _blurred(op: str, text: str) -> str:
    for i in range(9):
        text = text.replace(f"{op}_{i}", "?")
    return text


GQA: Any = {"num_heads": 4, "kv_num_heads": 2}
QUERY = ["f32[B, S, 32]", "f32[B, S, 16]", "f32[B, S, 16]"]


@pytest.mark.parametrize(
    ("op", "inputs", "attributes", "code"),
    [
        ("BiasGelu", ["f32[N, 4]", "f32[3]"], {}, "dim-mismatch"),
        ("BiasGelu", ["f32[N, 4]", "f32[1, 4]"], {}, "rank-mismatch"),
        ("BiasGelu", ["f32[N, 4]", "f16[4]"], {}, "element-type-mismatch"),
        ("BiasGelu", ["i64[N, 4]", "i64[4]"], {}, "element-type-not-allowed"),
        ("BiasGelu", ["f32[N, 4]"], {}, "missing-input"),
        ("BiasSplitGelu", ["f32[N, S, 7]", "f32[7]"], {}, "not-divisible"),
        ("SkipLayerNormalization", ["f32[2, 3, 4]", "f32[2, 1, 4]", "f32[4]"], {}, "dim-mismatch"),
        ("SkipLayerNormalization", ["f32[2, 3, 4]", "f32[4]", "f32[4]"], {}, "rank-mismatch"),
        ("SkipLayerNormalization", ["f32[2, 3, 4]", "f32[2, 3, 4]", "f32[1]"], {}, "dim-mismatch"),
        (
            "EmbedLayerNormalization",
            ["i32[2, 3]", "", "f32[7, 4]", "f32[9, 5]", "", "f32[4]", "f32[4]"],
            {},
            "dim-mismatch",
        ),
        (
            "EmbedLayerNormalization",
            ["i32[2, 10]", "", "f32[7, 4]", "f32[9, 4]", "", "f32[4]", "f32[4]"],
            {},
            "index-out-of-range",
        ),
        ("Attention", ["f32[2, 3, 6]", "f32[5, 12]", "f32[12]"], {"num_heads": 2}, "dim-mismatch"),
        ("Attention", ["f32[2, 3, 6]", "f32[6, 12]", "f32[11]"], {"num_heads": 2}, "dim-mismatch"),
        ("Attention", ["f32[2, 3, 6]", "f32[6, 13]", "f32[13]"], {"num_heads": 2}, "not-divisible"),
        ("Attention", ["f32[2, 3, 6]", "f32[6, 12]", "f32[12]"], {"num_heads": 3}, "not-divisible"),
        ("Attention", ["f32[2, 3, 6]", "f32[6, 12]", "f32[12]"], {"num_heads": 0}, "invalid-attribute"),
        ("Attention", ["f32[3, 6]", "f32[6, 12]", "f32[12]"], {"num_heads": 2}, "rank-mismatch"),
        ("Attention", ["f32[2, 3, 6]", "f32[6, 12]", "f32[12]", "i32[2, 7]"], {"num_heads": 2}, "dim-mismatch"),
        ("Attention", ["f32[2, 3, 6]", "f32[6, 12]", "f32[12]"], {}, "missing-attribute"),
        ("MultiHeadAttention", ["f32[2, 3, 24]"], HEADS, "missing-input"),
        ("MultiHeadAttention", ["f32[2, 3, 8]", "f32[2, 5, 6]", "f32[2, 5, 8]"], HEADS, "dim-mismatch"),
        ("MultiHeadAttention", ["f32[2, 3, 8]", "f32[2, 5, 8]", "f32[2, 4, 8]"], HEADS, "dim-mismatch"),
        ("DecoderMaskedMultiHeadAttention", ["f32[2, 3, 8]"], HEADS, "dim-mismatch"),
        ("GroupQueryAttention", [*QUERY, "", "", "i32[B + 1]", "i32[]"], GQA, "dim-mismatch"),
        (
            "GroupQueryAttention",
            ["f32[B, S, 32]", "f32[B, S, 24]", "f32[B, S, 24]", "", "", "i32[B]", "i32[]"],
            GQA,
            "dim-mismatch",
        ),
        ("FusedMatMul", ["f32[2, 3]", "f32[4, 5]"], {}, "inner-dim-mismatch"),
        ("FusedMatMul", ["f32[3, 4]", "f32[4, 2]"], {"transBatchA": 1}, "rank-mismatch"),
        ("DynamicQuantizeMatMul", ["f32[2, 3]", "u8[3, 4]", "f32[]", "", "f32[3]"], {}, "dim-mismatch"),
        (
            "MatMulNBits",
            ["f32[2, 33]", "u8[8, 2, 8]", "f32[8, 2]"],
            {"K": 32, "N": 8, "block_size": 16},
            "inner-dim-mismatch",
        ),
        ("QLinearAdd", ["u8[2]", "f32[]", "", "u8[3]", "f32[]", "", "f32[]"], {}, "not-broadcastable"),
        ("QLinearConcat", ["f32[]", "u8[]", "u8[2]", "f32[]"], {"axis": 0}, "missing-input"),
        (
            "QLinearConcat",
            ["f32[]", "u8[]", "u8[2, 3]", "f32[]", "u8[]", "u8[3, 3]", "f32[]", "u8[]"],
            {"axis": 1},
            "dim-mismatch",
        ),
        (
            "QLinearConv",
            ["u8[1, 2, 5, 5]", "f32[]", "u8[]", "u8[4, 3, 3, 3]", *["f32[]", "u8[]"] * 2],
            {},
            "channel-mismatch",
        ),
        ("NhwcMaxPool", ["u8[1, 2, 2, 3]"], {"kernel_shape": [3, 3]}, "window-too-large"),
        ("UnfoldTensor", ["f32[7]"], {"size": 8}, "window-too-large"),
        ("UnfoldTensor", ["f32[7]"], {"size": 0}, "invalid-attribute"),
        ("ExpandDims", ["f32[7]", "i32[]{3}"], {}, "axis-out-of-range"),
        ("Unique", ["f32[2, 3]"], {}, "rank-mismatch"),
        ("Inverse", ["f32[2, 3]"], {}, "dim-mismatch"),
        ("CDist", ["f32[3, 4]", "f32[5, 3]"], {}, "inner-dim-mismatch"),
        ("GridSample", ["f32[2, 3, 8, 9]", "f32[1, 5, 6, 2]"], {}, "dim-mismatch"),
        ("CropAndResize", ["f32[1, 3, 8, 9]", "f32[5, 4]", "i32[4]", "i32[2]"], {}, "dim-mismatch"),
        ("GroupNorm", ["f32[1, 4, 4, 9]", "f32[9]", "f32[9]"], {"activation": 0, "groups": 2}, "not-divisible"),
        ("Gelu", ["f32[2]"], {"alpha": 1.0}, "unknown-attribute"),
    ],
)
def test_what_cannot_run(op: str, inputs: list[str], attributes: dict[str, Any], code: str) -> None:
    assert fault(op, *inputs, domain=MS, **attributes) == code


def test_blocks_of_channels() -> None:
    blocks = "com.microsoft.nchwc"
    assert infer("ReorderInput", "f32[N, 3, H, W]", domain=blocks) == "f32[N, ReorderInput_0, H, W]"
    assert infer("ReorderInput", "f32[N, H, W, 3]", domain=blocks, channels_last=1) == "f32[N, ReorderInput_0, H, W]"
    assert infer("ReorderInput", "f32[N, 32, H, W]", domain=blocks) == "f32[N, 32, H, W]"
    assert infer("ReorderInput", "f32[N, H, W, 8]", domain=blocks, channels_last=1) == "f32[N, ReorderInput_0, H, W]"
    assert infer("ReorderOutput", "f32[...]", domain=blocks, channels=3).startswith("f32[ReorderOutput_0,")  # type: ignore[union-attr]
    assert fault("ReorderOutput", "f32[2, 3]", domain=blocks, channels=3) == "rank-mismatch"
    assert fault("Upsample", "f32[1, 16, 4, 4]", domain=blocks, scales=[2, 2]) == "length-mismatch"


@pytest.mark.parametrize("op", ["Affine", "ImageScaler", "ParametricSoftplus", "Scale", "ScaledTanh"])
def test_operators_that_onnx_dropped_keep_the_shape(op: str) -> None:
    assert infer(op, "f32[N, 3]", version=1) == "f32[N, 3]"
    assert fault(op, "f32[N, 3]", version=10) == "deprecated-operator"


def test_what_else_onnx_dropped() -> None:
    sizes = [{"N": 1, "H": 8}, {"N": 2, "H": 6}]
    agrees_with_a_run("Crop", "f32[N, 2, H, 9]", version=9, bindings=sizes, border=[1, 2, 3, 4])
    agrees_with_a_run("Crop", "f32[N, 2, H, 9]", version=9, bindings=sizes, border=[1, 2, 3, 4], scale=[3, 4])
    agrees_with_a_run("DynamicSlice", "f32[8, H]", "i64[1]{1}", "i64[1]{3}", version=9, bindings=[{"H": 3}])
    assert fault("Crop", "f32[N, 2, 5, 9]", version=9, border=[1, 2, 3, 4]) == "too-few-elements"
    assert fault("Crop", "f32[N, 2, 5, 9]", version=9, border=[1, 2]) == "length-mismatch"
    assert fault("Crop", "f32[2, 5, 9]", version=9, border=[1, 2, 3, 4]) == "rank-mismatch"
    assert infer("GivenTensorFill", "f32[N]", version=9, extra_shape=[3]) == "f32[N, 3]"
    assert infer("GRUUnit", "f32[N, 3]", "f32[N, 9]", "f32[N]", "f32[1]", version=9) == "f32[N, 3]"


def test_plugins_of_tensorrt() -> None:
    options: dict[str, Any] = {"background_class": -1, "box_coding": 0, "iou_threshold": 0.5, "plugin_version": "1"}
    options |= {"score_activation": 0, "score_threshold": 0.25}
    found = ["i32[B, 1]", "f32[B, 10, 4]", "f32[B, 10]", "i32[B, 10]"]
    assert infer("EfficientNMS_TRT", "f32[B, N, 4]", "f32[B, N, 3]", **options, max_output_boxes=10) == found
    wrong = fault("EfficientNMS_TRT", "f32[B, N, 4]", "f32[B, N, 3]", **options, max_output_boxes=0)
    assert wrong == "invalid-attribute"
    maps = ["f32[B, C, H, W]"] * 4
    regions = infer("PyramidROIAlign_TRT", "f32[B, R, 4]", *maps, plugin_version="1", pooled_size=7)
    assert regions == "f32[B, R, C, 7, 7]"
    scores = ["f32[B, S, S]", "f32[B, S, P]", "f32[B, S, P]"]
    assert infer("DisentangledAttention_TRT", *scores, factor=0.1, span=4) == "f32[B, S, S]"


def test_a_copy_to_another_device_is_the_same_value() -> None:
    assert infer("MemcpyFromHost", "i64[2]{N, 3}") == "i64[2]{N, 3}"
    assert infer("MemcpyToHost", "seq(f32[N])") == "seq(f32[N])"


OWN = [s for s in declared() if s.domain.startswith("com.microsoft")]
RANKS: list[tuple[Size, ...] | None] = [None, (), (3,), (4, 6), (2, 3, 8), (2, 3, 8, 8), (2, 2, 3, 4, 8)]


@each(OWN, name=lambda own: str(own.name))
def test_no_input_breaks_a_rule(own: Signature) -> None:
    chance = random.Random(own.name)
    for _ in range(12):
        inputs = [_any_fact(own, formal, chance) for formal in own.inputs for _ in range(_count(formal))]
        attributes = {n: _any_value(a.type, chance) for n, a in own.attributes.items() if a.required}
        assert _code(own, inputs, attributes) != "internal-error"


def _count(formal: Formal) -> int:
    return 2 if formal.kind == "variadic" else 1


def _code(own: Signature, inputs: list[Fact | None], attributes: dict[str, Any]) -> str:
    try:
        infer_op(own.name, inputs, attributes, domain=own.domain, outputs=min(own.max_output, 3))
    except ShapeInferError as error:
        return error.code
    return ""


def _any_fact(own: Signature, formal: Formal, chance: random.Random) -> Fact | None:
    if formal.kind == "optional" and chance.random() < 0.5:
        return None
    kind = fact_of(min(own.allowed(formal)))
    shape = chance.choice(RANKS)
    if shape is not None and chance.random() < 0.3:
        shape = tuple(symbol(f"d{i}") if chance.random() < 0.5 else d for i, d in enumerate(shape))
    if isinstance(kind, SparseTensor):
        return SparseTensor(kind.dtype, shape)
    dtype = kind.dtype if isinstance(kind, Tensor) else DType.UNDEFINED
    return Tensor(dtype, shape)


def _any_value(kind: AttributeType, chance: random.Random) -> Any:
    values: dict[AttributeType, list[Any]] = {
        AttributeType.INT: [-1, 0, 1, 2],
        AttributeType.INTS: [[1], [1, 2], [0, 0]],
        AttributeType.STRING: ["", "qsa"],
        AttributeType.FLOAT: [0.5],
        AttributeType.GRAPH: [onnx.helper.make_graph([], "body", [], [])],
    }
    return chance.choice(values[kind])
