"""onnxruntime's own operators, inferred once from symbols, against its runs under several sizes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.spec import agrees_with_a_run

MS = "com.microsoft"
SCALE, ZERO = "f32[]{0.5}", "u8[]{0}"
N = [{"N": 0}, {"N": 1}, {"N": 3}]
"""Sizes of a batch that may be empty."""
NS = [{"N": 1, "S": 1}, {"N": 2, "S": 3}]
NSM = [{"N": 2, "S": 3, "M": 5}, {"N": 1, "S": 1, "M": 1}]


def quantized(*operands: str, out: bool = True) -> list[str]:
    """Each operand with a scale and a zero point, and those of the output."""
    return [p for x in operands for p in (x, SCALE, ZERO)] + ([SCALE, ZERO] if out else [])


Case = tuple[str, list[str], dict[str, Any], list[dict[str, int]]]
CASES: list[Case] = [
    ("Gelu", ["f32[N, 3]"], {}, N),
    ("QuickGelu", ["f32[N, 3]"], {}, N),
    ("ScaledSiLU", ["f32[N, 3]"], {}, N),
    ("BiasGelu", ["f32[N, S, 4]", "f32[4]"], {}, NS),
    ("FastGelu", ["f32[N, S, 4]", "f32[4]"], {}, NS),
    ("FastGelu", ["f32[N, S]"], {}, NS),
    ("SkipLayerNormalization", ["f32[N, S, 4]", "f32[N, S, 4]", "f32[4]", "f32[4]"], {"outputs": 4}, NS),
    ("SkipLayerNormalization", ["f32[N, S, 4]", "f32[1, S, 4]", "f32[4]", "", "f32[4]"], {"outputs": 4}, NS),
    ("SkipLayerNormalization", ["f32[N, S, 4]", "f32[S, 4]", "f32[4]"], {}, NS),
    ("SkipSimplifiedLayerNormalization", ["f32[N, S, 4]", "f32[N, S, 4]", "f32[4]"], {"outputs": 4}, NS),
    ("SkipSimplifiedLayerNormalization", ["f32[N, 4]", "f32[N, 4]", "f32[4]"], {"outputs": 4}, N),
    (
        "EmbedLayerNormalization",
        ["i32[N, S]", "i32[N, S]", "f32[7, 4]", "f32[9, 4]", "f32[2, 4]", "f32[4]", "f32[4]", "i32[N, S]"],
        {"outputs": 3},
        NS,
    ),
    (
        "EmbedLayerNormalization",
        ["i32[N, S]", "", "f32[7, 4]", "f32[9, 4]", "", "f32[4]", "f32[4]", "", "i32[1, S]"],
        {"outputs": 3},
        NS,
    ),
    ("Inverse", ["f32[N, 3, 3]"], {}, N[1:]),
    ("SampleOp", ["f32[N, 3]"], {}, N),
    (
        "BifurcationDetector",
        ["i64[5]{1, 2, 3, 4, 5}", "i64[4]{1, 2, 3, 4}", "i64[]{1}"],
        {"outputs": 2},
        [{}],
    ),
    ("FusedMatMul", ["f32[N, 4, S]", "f32[M, 4]"], {"transA": 1, "transB": 1}, NSM),
    ("FusedMatMul", ["f32[4]", "f32[M, 4]"], {"transA": 1, "transB": 1}, NSM),
    ("FusedMatMul", ["f32[S, N, 4]", "f32[N, 4, M]"], {"transBatchA": 1}, NSM),
    ("FusedMatMul", ["f32[S, N, 2, 4]", "f32[M, N, 2, 4]"], {"transBatchA": 1, "transBatchB": 1, "transB": 1}, NSM),
    ("TransposeMatMul", ["f32[4, N]", "f32[4, S]"], {"transA": 1}, NS),
    ("FusedGemm", ["f32[4, N]", "f32[4, S]", "f32[S]"], {"transA": 1, "activation": "Relu"}, NS),
    ("MatMulInteger16", ["i16[N, 4]", "i16[4, 3]"], {}, N[1:]),
    ("MatMulIntegerToFloat", ["u8[N, S, 4]", "u8[4, 3]", SCALE, SCALE, ZERO, ZERO, "f32[3]"], {}, NS),
    ("DynamicQuantizeMatMul", ["f32[N, S, 4]", "u8[4, 3]", SCALE, ZERO, "f32[3]"], {}, NS),
    ("DynamicQuantizeMatMul", ["f32[4]", "u8[4, S]", SCALE], {}, NS),
    ("QGemm", ["u8[N, 4]", SCALE, ZERO, "u8[4, S]", SCALE, ZERO, "", SCALE, ZERO], {}, NS),
    ("QGemm", ["u8[4, N]", SCALE, ZERO, "u8[S, 4]", SCALE, ZERO, "i32[S]"], {"transA": 1, "transB": 1}, NS),
    (
        "MatMulNBits",
        ["f32[N, S, 32]", "u8[8, 2, 8]", "f32[8, 2]"],
        {"K": 32, "N": 8, "block_size": 16, "bits": 4},
        [{"N": 0, "S": 1}, *NS],
    ),
    ("MatMulBnb4", ["f32[N, 32]", "u8[128]", "f32[16]"], {"K": 32, "N": 8, "block_size": 16, "quant_type": 0}, N[1:]),
    (
        "MatMulBnb4",
        ["f32[N, 8]", "u8[128]", "f32[16]"],
        {"K": 32, "N": 8, "block_size": 16, "quant_type": 0, "transB": 0},
        N[1:],
    ),
    (
        "GatherBlockQuantized",
        ["u8[6, 16]", "i64[N, S]", "f32[6, 2]"],
        {"block_size": 16, "quantize_axis": 1},
        [{"N": 0, "S": 1}, *NS],
    ),
    (
        "GatherBlockQuantized",
        ["u8[6, 32]", "i64[N]", "f32[6, 2]"],
        {"block_size": 16, "quantize_axis": -1, "bits": 8},
        N,
    ),
    ("QLinearAdd", quantized("u8[N, 1]", "u8[S]"), {}, NS),
    ("QLinearMul", quantized("u8[N, S]", "u8[S]"), {}, [{"N": 0, "S": 3}, *NS]),
    ("QLinearSigmoid", quantized("u8[N, S]"), {}, NS),
    ("QLinearLeakyRelu", quantized("u8[N, S]"), {}, NS),
    ("QLinearSoftmax", quantized("u8[N, S]"), {"opset": 13}, NS),
    ("QLinearSoftmax", quantized("u8[N, S]"), {"opset": 12, "axis": 1}, NS),
    ("QLinearWhere", ["bool[N, 1]", *quantized("u8[S]", "u8[1, 1]")], {}, NS),
    ("QLinearConcat", [SCALE, ZERO, *quantized("u8[N, S]", "u8[N, 4]", out=False)], {"axis": 1}, NS),
    ("QLinearConcat", [SCALE, ZERO, *quantized("u8[N, S]", "u8[M, S]", out=False)], {"axis": -2}, NSM),
    ("QLinearGlobalAveragePool", quantized("u8[N, 3, S, 5]"), {}, NS),
    ("QLinearGlobalAveragePool", quantized("u8[N, S, 5, 3]"), {"channels_last": 1}, NS),
    ("QLinearAveragePool", quantized("u8[N, 3, S, 6]"), {"kernel_shape": [2, 3]}, [{"N": 1, "S": 2}, {"N": 2, "S": 7}]),
    (
        "QLinearAveragePool",
        quantized("u8[N, S, 6, 3]"),
        {"kernel_shape": [2, 3], "strides": [2, 2], "pads": [1, 1, 0, 1], "ceil_mode": 1, "channels_last": 1},
        [{"N": 1, "S": 2}, {"N": 2, "S": 7}],
    ),
    ("QLinearConv", quantized("u8[N, 2, S, 6]", "u8[4, 2, 3, 3]"), {}, [{"N": 1, "S": 3}, {"N": 2, "S": 7}]),
    (
        "QLinearConv",
        quantized("u8[N, S, 6, 2]", "u8[4, 2, 3, 3]"),
        {"channels_last": 1},
        [{"N": 1, "S": 3}, {"N": 2, "S": 7}],
    ),
    (
        "NhwcMaxPool",
        ["u8[N, S, 6, 3]"],
        {"kernel_shape": [2, 2], "strides": [2, 2]},
        [{"N": 1, "S": 2}, {"N": 2, "S": 7}],
    ),
    ("FusedConv", ["f32[N, 2, S, 6]", "f32[4, 2, 3, 3]"], {"activation": "Relu"}, [{"N": 1, "S": 3}, {"N": 2, "S": 7}]),
    (
        "FusedConv",
        ["f32[N, 2, S, 6]", "f32[4, 2, 3, 3]", "f32[4]", "f32[N, 4, S - 2, 4]"],
        {"activation": "Relu"},
        [{"N": 1, "S": 3}, {"N": 2, "S": 7}],
    ),
    (
        "MaxpoolWithMask",
        ["f32[N, 2, S, 6]", "i32[N, 2, S, 6]"],
        {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]},
        [{"N": 1, "S": 3}, {"N": 2, "S": 7}],
    ),
    (
        "ConvTransposeWithDynamicPads",
        ["f32[N, 2, S, 6]", "f32[2, 4, 3, 3]", "i64[4]{1, 1, 0, 0}"],
        {"strides": [2, 2], "output_padding": [1, 1]},
        [{"N": 1, "S": 3}, {"N": 2, "S": 7}],
    ),
    ("QuantizeLinear", ["f32[N, 3]", SCALE], {}, N),
    ("QuantizeLinear", ["f32[N, 3]", "f32[3]", "i8[3]"], {"axis": 1}, N),
    ("DequantizeLinear", ["u8[N, 3]", "f32[3]"], {"axis": 1}, N),
    (
        "QEmbedLayerNormalization",
        ["i32[N, S]", "i32[N, S]", "u8[7, 4]", "u8[9, 4]", "u8[2, 4]", "u8[4]", "u8[4]", "", *[SCALE] * 5, *[ZERO] * 5],
        {"outputs": 2},
        NS,
    ),
    (
        "DynamicQuantizeLSTM",
        ["f32[S, N, 3]", "i8[2, 3, 16]", "i8[2, 4, 16]", *[""] * 5, "f32[2]", "i8[2]", "f32[2]", "i8[2]"],
        {"hidden_size": 4, "direction": "bidirectional", "outputs": 3},
        NS,
    ),
    (
        "AttnLSTM",
        [
            *["f32[S, N, 3]", "f32[1, 16, 5]", "f32[1, 16, 4]", *[""] * 5],
            *["f32[1, 4, 6]", "f32[1, 2, 6]", "f32[1, 6]", "f32[N, 7, 2]", "i32[N]"],
        ],
        {"hidden_size": 4, "outputs": 3},
        NS,
    ),
    ("Trilu", ["f32[N, S, 4]"], {}, NS),
    ("GatherND", ["f32[3, S]", "i64[N, 1]"], {}, NS),
    ("Pad", ["f32[N, S]", "i64[4]{1, 0, 0, 2}"], {}, NS),
    ("Pad", ["f32[N, S]", "i64[1, 4]{1, 0, 0, 2}", SCALE], {}, NS),
    ("Range", ["i64[]{0}", "i64[]{N}"], {}, N),
    ("Range", ["i64[1]{0}", "i64[1]{N}", "i64[1]{2}"], {}, N),
    ("ExpandDims", ["f32[N, S]", "i32[]{1}"], {}, NS),
    ("ExpandDims", ["f32[N, S]", "i32[]{-1}"], {}, NS),
    ("UnfoldTensor", ["f32[N, S]"], {"size": 3, "step": 2}, [{"N": 1, "S": 3}, {"N": 2, "S": 8}]),
    ("UnfoldTensor", ["f32[S, N]"], {"size": 3, "dim": 0}, [{"N": 0, "S": 3}, {"N": 2, "S": 8}]),
    ("MurmurHash3", ["i32[N, S]"], {}, NS),
    ("MurmurHash3", ["i64[N, S]"], {"positive": 0}, NS),
    ("MurmurHash3", ["i64[N, S]"], {"positive": 2}, NS),
    ("NGramRepeatBlock", ["i64[N, S]", "f32[N, 5]"], {"ngram_size": 2}, NS),
    ("CDist", ["f32[N, 4]", "f32[S, 4]"], {}, NS),
    ("CropAndResize", ["f32[2, 3, S, 9]", "f32[N, 4]", "i32[N]", "i32[2]{4, 6}"], {}, [{"N": 0, "S": 3}, *NS]),
    ("GridSample", ["f32[N, 3, S, 9]", "f32[N, 5, M, 2]"], {}, NSM),
    ("MoE", ["f32[N, 8]", "f32[N, 4]", "f32[4, 16, 8]", "", "f32[4, 8, 16]"], {"k": 2}, N[1:]),
    ("MoE", ["f32[N, S, 8]", "f32[N*S, 4]", "f32[4, 16, 8]", "", "f32[4, 8, 16]"], {"k": 2}, NS),
    ("GatedAdd", ["f32[N, S, 4]", "f32[N, S, 4]", "f32[N, S, 1]"], {}, NS),
    ("GatedRMSNorm", ["f32[N, S, 8]", "f32[4]", "f32[N, S, 8]"], {}, NS),
    ("BranchwiseRMSNorm", ["f32[N, S, 4]"], {}, NS),
    ("HyperConnectionPreMix", ["f32[N, S, 4, 8]", "f32[N, S, 4]"], {}, NS),
    ("HyperConnectionPreMix", ["f32[N, S, 32]", "f32[N, S, 4]"], {"num_branches": 4}, NS),
    ("HyperConnectionPostMix", ["f32[N, 4, 8]", "f32[N, 8]", "f32[N, 4]"], {}, N[1:]),
    ("EngramGate", ["f32[N, S, 4, 8]", "f32[N, S, 4, 8]", "f32[N, S, 8]", "f32[4, 8]", "f32[4, 8]"], {}, NS),
    ("LinearAttentionGate", ["f32[N, S, 4]", "f32[4]", "f32[4]", "f32[N, S, 4]"], {"outputs": 2}, NS),
    (
        "LinearAttention",
        ["f32[N, S, 8]", "f32[N, S, 16]", "f32[N, S, 24]", "", "f32[N, S, 4]", "f32[N, S, 4]"],
        {"q_num_heads": 2, "kv_num_heads": 4, "outputs": 2},
        NS,
    ),
    ("CausalConvWithState", ["f32[N, 4, S]", "f32[4, 1, 3]"], {"dilation": 2, "outputs": 2}, NS),
    ("CausalConvWithState", ["f32[N, S, 2, 2]", "f32[4, 1, 3]"], {"channels_last": 1, "outputs": 2}, NS),
    (
        "NGramHashMapping",
        ["i64[N, S]", "i64[3]", "i64[4]"],
        {"max_ngram_size": 3, "n_head_per_ngram": 2, "pad_id": 0, "outputs": 2},
        NS,
    ),
    ("RotaryEmbedding", ["f32[N, S, 8]", "i64[N, S]", "f32[9, 2]", "f32[9, 2]"], {"num_heads": 2}, NS),
    ("RotaryEmbedding", ["f32[N, 2, S, 4]", "i64[N, S]", "f32[9, 2]", "f32[9, 2]"], {}, NS),
    (
        "MRotaryEmbedding",
        ["f32[N, S, 8]", "i64[3, N, S]", "f32[9, 2]", "f32[9, 2]"],
        {"num_heads": 2, "mrope_section": [1, 1, 0]},
        NS,
    ),
]
PAST = [{"N": 2, "S": 3, "P": 0}, {"N": 1, "S": 1, "P": 4}, {"N": 2, "S": 2, "P": 5}]
ONE_BATCH = [{"S": 3, "P": 0, "T": 3}, {"S": 1, "P": 4, "T": 5}, {"S": 2, "P": 6, "T": 5}]
ATTENTION: list[Case] = [
    ("Attention", ["f32[N, S, 6]", "f32[6, 12]", "f32[12]"], {"num_heads": 2, "outputs": 2}, [{"N": 0, "S": 2}, *NS]),
    (
        "Attention",
        ["f32[N, S, 6]", "f32[6, 12]", "f32[12]", "", "f32[2, N, 2, P, 2]"],
        {"num_heads": 2, "outputs": 2},
        PAST,
    ),
    ("Attention", ["f32[N, S, 6]", "f32[6, 12]", "f32[12]", "i32[N, S]"], {"num_heads": 2}, NS),
    ("Attention", ["f32[N, S, 6]", "f32[6, 12]", "f32[12]", "i32[N, 1]"], {"num_heads": 2}, NS),
    (
        "Attention",
        ["f32[N, S, 6]", "f32[6, 16]", "f32[16]"],
        {"num_heads": 2, "qkv_hidden_sizes": [4, 4, 8], "outputs": 2},
        NS,
    ),
    (
        "QAttention",
        ["u8[N, S, 6]", "u8[6, 12]", "f32[12]", SCALE, SCALE, "", ZERO, ZERO, "f32[2, N, 2, P, 2]"],
        {"num_heads": 2, "outputs": 2},
        PAST,
    ),
    ("MultiHeadAttention", ["f32[N, S, 8]", "f32[N, M, 8]", "f32[N, M, 12]"], {"num_heads": 2, "outputs": 3}, NSM),
    ("MultiHeadAttention", ["f32[N, S, 8]", "f32[N, 2, M, 4]", "f32[N, 2, M, 4]"], {"num_heads": 2}, NSM),
    (
        "MultiHeadAttention",
        ["f32[N, S, 8]", "f32[N, S, 8]", "f32[N, S, 8]", "f32[24]", "", "", "f32[N, 2, P, 4]", "f32[N, 2, P, 4]"],
        {"num_heads": 2, "outputs": 3},
        PAST,
    ),
    (
        "MultiHeadAttention",
        ["f32[N, S, 8]", "f32[N, M, 8]", "f32[N, M, 8]", "", "i32[N, M]", "f32[1, 1, S, M]"],
        {"num_heads": 2},
        NSM,
    ),
    (
        "MultiHeadAttention",
        [
            *["f32[N, 1, 8]", "f32[N, 1, 8]", "f32[N, 1, 8]", "", "", ""],
            *["f32[N, 2, P, 4]", "f32[N, 2, P, 4]", "i32[1]{3}"],
        ],
        {"num_heads": 2, "outputs": 3},
        [{"N": 2, "P": 6}, {"N": 1, "P": 4}],
    ),
    (
        "DecoderMaskedMultiHeadAttention",
        [
            *["f32[N, 1, 8]", "f32[N, 1, 8]", "f32[N, 1, 8]", "", ""],
            *["f32[N, 2, P, 4]", "f32[N, 2, P, 4]", "i32[1]{3}", "i32[1]{1}"],
        ],
        {"num_heads": 2, "outputs": 3, "past_present_share_buffer": 1},
        [{"N": 2, "P": 6}, {"N": 1, "P": 4}],
    ),
    (
        "GroupQueryAttention",
        [
            *["f32[1, S, 32]", "f32[1, S, 16]", "f32[1, S, 16]", "f32[1, 2, P, 8]", "f32[1, 2, P, 8]"],
            *["i32[1]{T - 1}", "i32[]{T}"],
        ],
        {"num_heads": 4, "kv_num_heads": 2, "outputs": 3},
        ONE_BATCH,
    ),
    (
        "GroupQueryAttention",
        ["f32[1, S, 64]", "", "", "", "", "i32[1, 1]{S - 1}", "i32[]{S}"],
        {"num_heads": 4, "kv_num_heads": 2, "outputs": 3},
        [{"S": 1}, {"S": 3}],
    ),
    (
        "GroupQueryAttention",
        [
            *["f32[1, S, 32]", "f32[1, S, 16]", "f32[1, S, 16]", "f32[1, 2, P, 8]", "f32[1, 2, P, 8]"],
            *["i32[1]{T - 1}", "i32[1]{T}"],
        ],
        {"num_heads": 4, "kv_num_heads": 2, "qk_output": 1, "outputs": 4},
        ONE_BATCH,
    ),
    (
        "GroupQueryAttention",
        [
            *["f32[1, 1, 32]", "f32[1, 1, 16]", "f32[1, 1, 16]", "f32[1, 2, P, 8]", "f32[1, 2, P, 8]"],
            *["i32[1]{T - 1}", "i32[1]{T}"],
        ],
        {"num_heads": 4, "kv_num_heads": 2, "sliding_window_cache": 1, "local_window_size": 4, "outputs": 3},
        [{"P": 4, "T": 9}, {"P": 4, "T": 2}],
    ),
]


def _name(case: Any) -> str:
    return case if isinstance(case, str) else ""


@pytest.mark.parametrize(("op", "inputs", "attributes", "bindings"), CASES + ATTENTION, ids=_name)
def test_it_agrees_with_a_run(
    op: str, inputs: list[str], attributes: dict[str, Any], bindings: list[dict[str, int]]
) -> None:
    agrees_with_a_run(op, *inputs, domain=MS, bindings=bindings, **attributes)


BLOCKS: list[Case] = [
    ("Conv", ["f32[N, 16, S, 5]", "f32[32, 16, 3, 3]"], {}, [{"N": 1, "S": 3}, {"N": 2, "S": 7}]),
    ("MaxPool", ["f32[N, 16, S, 5]"], {"kernel_shape": [2, 2]}, [{"N": 1, "S": 3}, {"N": 2, "S": 7}]),
    ("AveragePool", ["f32[N, 16, S, 5]"], {"kernel_shape": [2, 2], "strides": [2, 2]}, [{"N": 1, "S": 3}]),
    ("GlobalMaxPool", ["f32[N, 16, S, 5]"], {}, NS),
    ("GlobalAveragePool", ["f32[N, 16, S, 5]"], {}, NS),
    ("ReorderOutput", ["f32[N, 16, S, 5]"], {"channels": 12}, NS),
    ("ReorderOutput", ["f32[N, 16, S, 5]"], {"channels": 12, "channels_last": 1}, NS),
    ("Upsample", ["f32[N, 16, S, 5]"], {"scales": [1, 1, 2, 3]}, NS),
]


@pytest.mark.parametrize(("op", "inputs", "attributes", "bindings"), BLOCKS, ids=_name)
def test_blocks_of_channels_agree_with_a_run(
    op: str, inputs: list[str], attributes: dict[str, Any], bindings: list[dict[str, int]]
) -> None:
    agrees_with_a_run(op, *inputs, domain="com.microsoft.nchwc", bindings=bindings, **attributes)
