"""The operators of recent decoders: what onnxruntime gives and refuses, and what is documented for other hardware."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import onnx
import onnxruntime
import pytest

from tests.ops.claims import asks
from tests.ops.spec import agrees_with_a_run, array_of, fact, fault, infer

MS = "com.microsoft"
CONV, VARLEN, LINEAR, DELTA = "CausalConvWithState", "VarlenCausalConvWithState", "LinearAttention", "GatedDeltaNet"
GQA, ROUTER, PACKED = "GroupQueryAttention", "MoEGroupRouter", "PackedSparseAttentionIndexer"
INDEXER, MERGE, SPARSE = "SparseAttentionIndexer", f"{PACKED}Merge", "DynamicSparseAttention"
PAGED, ROTARY = "PagedAttention", "RMSNormRotary"
TWO: dict[str, Any] = {"q_num_heads": 2, "kv_num_heads": 2, "outputs": 2}
GROUPS: dict[str, Any] = {"num_heads": 4, "kv_num_heads": 2}
NS = [{"N": 1, "S": 1}, {"N": 2, "S": 3}]


RUNS: list[tuple[str, list[str], dict[str, Any], list[dict[str, int]]]] = [
    (CONV, ["f32[N, 4, S]", "f32[4, 1, 3]"], {"outputs": 2}, [*NS, {"N": 0, "S": 2}, {"N": 2, "S": 0}]),
    (CONV, ["f32[N, 4, S]", "f32[4, 1, 3]", "f32[4]", "f32[N, 4, 4]"], {"outputs": 2, "dilation": 2}, NS),
    (CONV, ["f32[N, S, 4]", "f32[4, 1, 3]", "", "f32[N, 2, 4]"], {"outputs": 2, "channels_last": 1}, NS),
    (CONV, ["f32[N, S, 2, 3]", "f32[6, 1, 3]"], {"outputs": 2, "channels_last": 1}, NS),
    (
        VARLEN,
        ["f32[S, 4]", "f32[4, 1, 3]", "i32[3]{0, 1, S}", "", "f32[2, 4, 2]"],
        {"outputs": 2},
        [{"S": 2}, {"S": 5}],
    ),
    (
        VARLEN,
        ["f32[S, 4]", "f32[4, 1, 3]", "i32[3]{0, 1, S}", "", "f32[2, 4, 2]", "i32[2]"],
        {"outputs": 3, "state_update_capacity": 3},
        [{"S": 2}, {"S": 5}],
    ),
    (LINEAR, ["f32[N, S, 8]", "f32[N, S, 8]", "f32[N, S, 10]"], {**TWO, "update_rule": "linear"}, NS),
    (
        LINEAR,
        ["f32[N, S, 8]", "f32[N, S, 4]", "f32[N, S, 16]"],
        {**TWO, "kv_num_heads": 4, "update_rule": "linear"},
        NS,
    ),
    (LINEAR, [*["f32[N, S, 8]"] * 3, "f32[N, 2, 4, 4]", "f32[N, S, 8]", "f32[N, S, 1]"], TWO, NS),
    ("LinearAttentionGate", ["f32[N, S, 4]", "f32[4]", "f32[4]", "f32[N, S, 4]"], {"outputs": 2}, NS),
    ("LinearAttentionGate", ["f32[N, 4]", "f32[4]", "f32[4]"], {}, [{"N": 3}]),
    ("EngramGate", [*["f32[N, S, 2, 5]"] * 2, "f32[N, S, 5]", *["f32[2, 5]"] * 3], {"outputs": 2}, NS),
    (
        DELTA,
        ["f32[S, 2, 4]", "f32[S, 2, 4]", "f32[S, 4, 5]", "i32[3]{0, 1, S}", "f32[S, 4]", "f32[S, 4]"],
        {"outputs": 2},
        [{"S": 2}, {"S": 5}],
    ),
    (
        DELTA,
        [*["f32[N, S, 2, 4]"] * 2, "f32[N, S, 4, 5]", "", "f32[N, S, 4, 4]", "f32[N, S, 4]", *[""] * 3, "i32[N]"],
        {"outputs": 3, "state_update_capacity": 3},
        NS,
    ),
    (DELTA, ["f32[N, S, 36]", *[""] * 5, "f32[N, 4, 5, 4]"], {"outputs": 2, "update_rule": "linear"}, NS),
    (
        GQA,
        [
            "f32[N, S, 32]",
            *["f32[N, S, 16]"] * 2,
            *["f32[N, 2, 5, 8]"] * 2,
            "i32[2]{2, 2}",
            "i32[]{8}",
            *[""] * 9,
            "i32[2]{3, 3}",
        ],
        {**GROUPS, "outputs": 3},
        [{"N": 2, "S": 3}],
    ),
    ("GatedAdd", ["f32[N, S, 4]", "f32[N, S, 4]", "f32[N, S, 1]"], {}, NS),
    ("GatedRMSNorm", ["f32[N, S, 8]", "f32[4]", "f32[N, S, 8]"], {}, NS),
    ("GatherPacked", ["u8[3, 36]", "i64[N, S]"], {"K": 64, "packed_type": 2, "output_dtype": 1}, NS),
    (ROUTER, ["f32[N, S, 8]", "f32[8]"], {"top_k": 2}, NS),
    ("MoE", ["f32[N, S, 4]", "f32[N*S, 3]", "f32[3, 8, 4]", "f32[3, 8]", "f32[3, 4, 8]", "f32[3, 4]"], {}, NS),
    ("MoE", ["f32[N, 4]", "f32[N, 3]", "f32[3, 4, 8]", "", "f32[3, 8, 4]"], {}, [{"N": 2}]),
]


@pytest.mark.parametrize(("op", "inputs", "attributes", "sizes"), RUNS)
def test_the_runtime_gives_the_shapes(
    op: str, inputs: list[str], attributes: dict[str, Any], sizes: Sequence[dict[str, int]]
) -> None:
    agrees_with_a_run(op, *inputs, domain=MS, bindings=sizes, **attributes)


CONVOLVED = ["f32[2, 4, 5]", "f32[4, 1, 3]"]
SEQUENCES = ["f32[5, 4]", "f32[4, 1, 3]", "i32[3]{0, 2, 5}", "", "f32[2, 4, 2]"]
WIDE = ["f32[2, 3, 8]", "f32[2, 3, 8]", "f32[2, 3, 8]"]
HEADS = ["f32[6, 2, 4]", "f32[6, 2, 4]", "f32[6, 4, 5]", "", "f32[6, 4]", "f32[6, 4]", "f32[2, 4, 5, 4]"]
QUERY = ["f32[2, 3, 32]", "f32[2, 3, 16]", "f32[2, 3, 16]", "", "", "i32[2]{2, 2}", "i32[]{3}"]
GATE = ["f32[2, 3, 4, 5]", "f32[2, 3, 4, 5]", "f32[2, 3, 5]", "f32[4, 5]", "f32[4, 5]"]
EXPERTS = ["f32[6, 4]", "f32[6, 3]", "f32[3, 8, 4]", "", "f32[3, 4, 8]"]


INDEXED = ["f32[2, 3, 24]", "f32[2, 3, 8]", *["f32[8]"] * 2, *["f32[9, 4]"] * 2, "", "f32[2, 5, 8]"]
QSA: dict[str, Any] = {"policy_mode": "qsa", "compress_ratio": 4, "token_budget": 8, "outputs": 2}
APPEND: dict[str, Any] = {"policy_mode": "append_range", "max_output_entries": 9, "outputs": 3}
PAGES = [*["f16[9, 16, 2, 8]"] * 2, "i32[3]", "i32[2]", "i32[2, 4]"]
SELECTED = [*[""] * 4, "i32[6, 5]", "i32[6]", "i32[2]", "i32[1]"]


def changed(inputs: list[str], at: int, to: str) -> list[str]:
    """Inputs with one of them replaced, those before it omitted if there are fewer."""
    return [*[*inputs, *[""] * (at - len(inputs))][:at], to, *inputs[at + 1 :]]


REFUSED: list[tuple[str, list[str], dict[str, Any], str]] = [
    (CONV, changed(CONVOLVED, 1, "f32[5, 1, 3]"), {}, "dim-mismatch"),
    (CONV, changed(CONVOLVED, 1, "f32[4, 2, 3]"), {}, "dim-mismatch"),
    (CONV, changed(CONVOLVED, 1, "f32[4, 1, 0]"), {}, "too-few-elements"),
    (CONV, changed(CONVOLVED, 2, "f32[5]"), {}, "dim-mismatch"),
    (CONV, changed(CONVOLVED, 3, "f32[2, 4, 3]"), {}, "dim-mismatch"),
    (CONV, changed(CONVOLVED, 0, "f32[2, 4, 5, 1]"), {}, "rank-mismatch"),
    (CONV, CONVOLVED, {"state_window": 9}, "invalid-attribute"),
    (CONV, CONVOLVED, {"dilation": 0}, "invalid-attribute"),
    (CONV, CONVOLVED, {"activation": "relu"}, "invalid-attribute"),
    (CONV, ["f32[2, 4, 5, 6]", "f32[4, 1, 3, 3]"], {"ndim": 2, "channels_last": 1}, "conflicting-arguments"),
    (CONV, CONVOLVED, {"state_length": 4}, "conflicting-arguments"),
    (CONV, ["f32[2, 5, 6]", "f32[6, 1, 3]"], {"channels_last": 1, "state_length": 1}, "too-few-elements"),
    (CONV, ["f32[2, 5, 6]", "f32[4, 1, 3]"], {"channels_last": 1, "input_channels": 5}, "dim-mismatch"),
    (
        CONV,
        ["f32[2, 5, 6]", "f32[4, 1, 3]"],
        {"channels_last": 1, "input_channels": 4, "input_channel_offset": 3},
        "too-few-elements",
    ),
    (VARLEN, changed(SEQUENCES, 0, "f32[1, 4]"), {}, "too-few-elements"),
    (VARLEN, changed(SEQUENCES, 2, "i32[1]{0}"), {}, "too-few-elements"),
    (VARLEN, changed(SEQUENCES, 3, "f32[3]"), {}, "dim-mismatch"),
    (VARLEN, changed(SEQUENCES, 4, "f32[2, 4, 3]"), {}, "dim-mismatch"),
    (VARLEN, changed(SEQUENCES, 5, "i32[2]"), {}, "conflicting-arguments"),
    (VARLEN, SEQUENCES, {"state_update_capacity": 2}, "missing-input"),
    (VARLEN, changed(SEQUENCES, 5, "i32[3]"), {"state_update_capacity": 2}, "dim-mismatch"),
    (VARLEN, changed(SEQUENCES, 6, "f32[5, 2, 4]"), {}, "missing-input"),
    (LINEAR, WIDE, TWO, "missing-input"),
    (LINEAR, [*WIDE, "", "f32[2, 3, 4]", "f32[2, 3, 1]"], TWO, "dim-mismatch"),
    (LINEAR, [*WIDE, "", "f32[2, 3, 8]", "f32[2, 3, 3]"], TWO, "dim-mismatch"),
    (LINEAR, [*WIDE, "", "f32[1, 3, 8]", "f32[2, 3, 1]"], TWO, "dim-mismatch"),
    (LINEAR, changed(WIDE, 1, "f32[2, 3, 12]"), {**TWO, "update_rule": "linear"}, "not-divisible"),
    (LINEAR, changed(WIDE, 3, "f32[2, 2, 4, 5]"), {**TWO, "update_rule": "linear"}, "dim-mismatch"),
    (LINEAR, WIDE, {**TWO, "update_rule": "none"}, "invalid-attribute"),
    (LINEAR, changed(WIDE, 0, "f32[2, 3, 12]"), {**TWO, "q_num_heads": 3, "update_rule": "linear"}, "not-divisible"),
    ("LinearAttentionGate", ["f32[2, 3, 4]", "f32[4]", "f32[4]"], {"outputs": 2}, "missing-input"),
    ("LinearAttentionGate", ["f32[2, 3, 4]", "f32[3]", "f32[4]"], {}, "dim-mismatch"),
    ("LinearAttentionGate", ["f32[2, 3, 4]", "f32[4]", "f32[4]", "f32[2, 4, 4]"], {"outputs": 2}, "dim-mismatch"),
    ("EngramGate", GATE, {"outputs": 2}, "missing-input"),
    ("EngramGate", changed(GATE, 1, "f32[2, 3, 4, 6]"), {}, "dim-mismatch"),
    ("EngramGate", changed(GATE, 3, "f32[20]"), {}, "rank-mismatch"),
    ("EngramGate", changed(GATE, 4, "f32[3, 5]"), {}, "dim-mismatch"),
    (DELTA, changed(HEADS, 4, ""), {}, "missing-input"),
    (DELTA, HEADS, {"update_rule": "linear"}, "conflicting-arguments"),
    (DELTA, changed(HEADS, 1, "f32[6, 4, 4]"), {}, "dim-mismatch"),
    (DELTA, changed(changed(HEADS, 0, "f32[6, 3, 4]"), 1, "f32[6, 3, 4]"), {}, "not-divisible"),
    (DELTA, changed(HEADS, 4, "f32[6, 4, 5]"), {}, "dim-mismatch"),
    (DELTA, changed(HEADS, 5, "f32[6, 2]"), {}, "dim-mismatch"),
    (DELTA, changed(HEADS, 6, ""), {}, "missing-input"),
    (DELTA, changed(HEADS, 6, "f32[4, 4, 5, 4]"), {}, "not-divisible"),
    (DELTA, changed(HEADS, 3, "i32[4]{0, 2, 4, 6}"), {}, "dim-mismatch"),
    (DELTA, HEADS, {"gate_activation": "softplus"}, "missing-input"),
    (DELTA, [*HEADS, "f32[4]", "f32[3]"], {"gate_activation": "softplus"}, "dim-mismatch"),
    (DELTA, [*HEADS, "f32[4]", "f32[16]"], {"gate_activation": "kda"}, "dim-mismatch"),
    (DELTA, [*HEADS, "f32[4]", "f32[4]"], {"gate_activation": "kda", "gate_lower_bound": 1.0}, "invalid-attribute"),
    (DELTA, changed(HEADS, 10, "i32[2]"), {}, "dim-mismatch"),
    (DELTA, ["f32[6, 35]", *[""] * 5, "f32[2, 4, 5, 4]"], {"update_rule": "linear"}, "not-divisible"),
    (DELTA, ["f32[6, 36]"], {"update_rule": "linear"}, "missing-input"),
    (GQA, changed(QUERY, 2, ""), GROUPS, "missing-input"),
    (GQA, changed(QUERY, 3, "f32[2, 2, 5, 8]"), GROUPS, "missing-input"),
    (GQA, [*QUERY[:3], *["f32[2, 2, 5, 8]"] * 2, "i32[2]{7, 7}", "i32[]{8}"], GROUPS, "conflicting-arguments"),
    (GQA, QUERY, {**GROUPS, "kv_num_heads": 3}, "not-divisible"),
    (GQA, QUERY, {**GROUPS, "do_rotary": 1}, "missing-input"),
    (GQA, QUERY, {**GROUPS, "causal": 0, "local_window_size": 2}, "conflicting-arguments"),
    (GQA, QUERY, {**GROUPS, "k_quant_type": "FOO"}, "invalid-attribute"),
    (GQA, QUERY, {**GROUPS, "qk_output": 1}, "conflicting-arguments"),
    (GQA, changed(QUERY, 6, "i32[2]{3, 3}"), GROUPS, "dim-mismatch"),
    (GQA, changed(QUERY, 6, "i32[]{2}"), GROUPS, "too-few-elements"),
    (GQA, changed(QUERY, 10, "f32[3, 1, 3, 3]"), GROUPS, "dim-mismatch"),
    (GQA, changed(QUERY, 10, "f32[1, 1, 3, 4]"), GROUPS, "dim-mismatch"),
    (GQA, changed(QUERY, 11, "f32[3]"), GROUPS, "dim-mismatch"),
    (GQA, changed(QUERY, 16, "i32[2]"), GROUPS, "missing-input"),
    (GQA, ["f32[2, 3, 20]", *["f32[2, 3, 10]"] * 2, *QUERY[3:]], GROUPS, "not-divisible"),
    (GQA, QUERY, {**GROUPS, "local_window_size": 2, "sliding_window_cache": 1}, "missing-input"),
    ("GatedAdd", ["f32[2, 3, 4]", "f32[2, 3, 4]", "f32[2, 1, 1]"], {}, "dim-mismatch"),
    ("GatedAdd", ["f32[]", "f32[]", "f32[]"], {}, "rank-mismatch"),
    ("GatedRMSNorm", ["f32[2, 6]", "f32[4]", "f32[2, 6]"], {}, "not-divisible"),
    ("GatherPacked", ["u8[3, 35]", "i64[2]"], {"K": 64, "packed_type": 2, "output_dtype": 1}, "dim-mismatch"),
    ("GatherPacked", ["u8[3, 36]", "i64[2]"], {"K": 60, "packed_type": 2, "output_dtype": 1}, "not-divisible"),
    ("GatherPacked", ["u8[3, 36]", "i64[2]"], {"K": 64, "packed_type": 2, "output_dtype": 7}, "invalid-attribute"),
    (ROUTER, ["f32[8]", "f32[8]"], {"top_k": 2}, "rank-mismatch"),
    (ROUTER, ["f32[6, 8]", "f32[7]"], {"top_k": 2}, "dim-mismatch"),
    (ROUTER, ["f32[6, 8]", "f32[8]"], {"top_k": 9}, "too-few-elements"),
    (ROUTER, ["f32[6, 8]", "f32[8]"], {"top_k": 2, "n_group": 3}, "not-divisible"),
    (ROUTER, ["f32[6, 8]", "f32[8]"], {"top_k": 2, "outputs": 2}, "missing-node-output"),
    (ROUTER, ["f32[6, 256]", "f32[8]", "f32[8, 256]"], {"top_k": 2}, "conflicting-arguments"),
    ("MoE", changed(EXPERTS, 1, "f32[5, 3]"), {}, "dim-mismatch"),
    ("MoE", changed(EXPERTS, 2, "f32[2, 8, 4]"), {}, "dim-mismatch"),
    ("MoE", changed(EXPERTS, 3, "f32[3, 7]"), {}, "dim-mismatch"),
    ("MoE", EXPERTS, {"k": 4}, "too-few-elements"),
    ("MoE", EXPERTS, {"activation_type": "swiglu", "swiglu_fusion": 1}, "dim-mismatch"),
    ("SwiGLU", ["f32[2, 7]"], {}, "not-divisible"),
    ("SwiGLU", ["f32[]"], {}, "rank-mismatch"),
    (ROTARY, ["f16[2, 3, 4, 8]", "f32[6]", "i64[1]", *["f32[9, 2]"] * 2], {"rotary_embedding_dim": 4}, "dim-mismatch"),
    ("ConvStateReplay", ["f32[9]", "f32[9]", "f32[7]", "i64[9]"], {}, "dim-mismatch"),
    ("GatedDeltaNetStateReplay", ["f32[9]", "f32[9, 1]", "f32[7]", "i64[11]"], {}, "rank-mismatch"),
    ("RouterGateUpProj", ["f16[3, 8]", "f16[8, 13]"], {"router_size": 4, "outputs": 2}, "not-divisible"),
    (INDEXER, INDEXED, {**QSA, "token_budget": 7}, "not-divisible"),
    (INDEXER, INDEXED, {**QSA, "token_budget": 2**31}, "invalid-attribute"),
    (INDEXER, INDEXED, {**QSA, "token_budget": 2**31 - 2, "compress_ratio": 3}, "invalid-attribute"),
    (INDEXER, INDEXED, {"policy_mode": "qsa", "compress_ratio": 4, "outputs": 2}, "missing-attribute"),
    (INDEXER, INDEXED, {"policy_mode": "csa", "compress_ratio": 4, "index_topk": 2, "outputs": 2}, "missing-input"),
    (INDEXER, changed(INDEXED, 0, "f32[2, 3, 23]"), QSA, "not-divisible"),
    (MERGE, ["i32[4, 5]", "i32[3]", *["i32[6]"] * 3], APPEND, "dim-mismatch"),
    (MERGE, ["i32[4, 5]", "i32[4]", *["i32[6]"] * 2], APPEND, "missing-input"),
    (PAGED, ["f16[6, 30]", "", "", *PAGES], {**GROUPS, "outputs": 3}, "not-divisible"),
    (PAGED, ["f16[6, 64]", "", "", *PAGES], {**GROUPS, "outputs": 2}, "missing-node-output"),
    (PAGED, ["f16[6, 64]", "", "", *PAGES], {**GROUPS, "kv_cache_layout": "X"}, "invalid-attribute"),
    (SPARSE, ["f16[2, 3, 30]", "", "", *SELECTED], GROUPS, "not-divisible"),
    (SPARSE, ["f16[2, 3, 64]", "", "", *SELECTED], {**GROUPS, "kv_num_heads": 3}, "not-divisible"),
]


@pytest.mark.parametrize(("op", "inputs", "attributes", "code"), REFUSED)
def test_what_the_runtime_refuses_is_refused(op: str, inputs: list[str], attributes: dict[str, Any], code: str) -> None:
    rest = {name: value for name, value in attributes.items() if name != "outputs"}
    outputs = attributes.get("outputs", 2 if op in (CONV, VARLEN) else 3 if op == GQA else 1)
    assert fault(op, *inputs, domain=MS, outputs=outputs, **rest) == code
    assert is_refused(op, inputs, outputs, rest)


def is_refused(op: str, inputs: list[str], outputs: int, attributes: dict[str, Any]) -> bool:
    """Whether onnxruntime refuses the call, when it infers shapes or runs its kernel, if there is one."""
    facts = [fact(text) for text in inputs]
    names = [f"i{k}" if f is not None else "" for k, f in enumerate(facts)]
    arrays = {name: array_of(f, {}) for name, f in zip(names, facts) if f is not None}
    given = [
        onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
        for name, a in arrays.items()
    ]
    made = [f"o{k}" for k in range(outputs)]
    node = onnx.helper.make_node(op, names, made, domain=MS, **attributes)
    graph = onnx.helper.make_graph([node], "g", given, [onnx.ValueInfoProto(name=m) for m in made])
    imports = [onnx.helper.make_opsetid("", 21), onnx.helper.make_opsetid(MS, 1)]
    model = onnx.helper.make_model(graph, opset_imports=imports, ir_version=10)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    try:
        onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"]).run(None, arrays)
    except Exception as error:  # noqa: BLE001 - it raises one class for each of its codes
        return "NOT_IMPLEMENTED" not in str(error)
    return False


COMPRESSED = ["bf16[B, S, 24]", "bf16[B, S, 16]", *["bf16[8]"] * 2, *["bf16[9, 4]"] * 2, "", "bf16[B, P, 8]"]
COMPRESSED += ["bf16[B, S, 16]", "bf16[4, 16]", "bf16[B, S, 3]", "i64[B, S]"]
CSA: dict[str, Any] = {"policy_mode": "csa", "compress_ratio": 4, "index_topk": 2}
MAMBA = ["bf16[R, 514]", "bf16[K, 384, 3]", "f32[K, 2, 128, 64]", "bf16[384, 4]", "bf16[384]", *["f32[2]"] * 3]
MAMBA += ["f32[128]", "i32[1]"]
STATES = ["i32[B + 1]", "i32[B]", *[""] * 4, "f32[B, 9, 8]", "bf16[B, 7, 8]", "", "i32[B, 2]"]


@pytest.mark.parametrize(
    ("op", "inputs", "attributes", "outputs"),
    [
        (INDEXER, [*COMPRESSED, "", "bf16[2, B, 6, 16]"], CSA, ["i32[B, S, 2]", "bf16[B, (S + 2)//4 + P, 8]"]),
        (INDEXER, [*COMPRESSED, "i32[1]", "bf16[2, B, 6, 16]"], CSA, ["i32[B, S, 2]", "bf16[B, P, 8]"]),
        (INDEXER, INDEXED, {**QSA}, ["i32[2, 3, 11]", "f32[2, 8, 8]"]),
        (
            PACKED,
            ["bf16[T, 24]", "bf16[T, 8]", *["bf16[8]"] * 2, *["bf16[9, 4]"] * 2, *STATES],
            {**QSA, "state_capacity": 9},
            ["i32[T, 11]", "i32[T]", "f32[B, 9, 8]", "bf16[B, 7, 8]", "bf16[B, 7, 8]", "i32[B, 2]"],
        ),
        (MERGE, ["i32[R, 5]", "i32[R]", *["i32[Q]"] * 3], {**APPEND}, ["i32[Q, 9]", "i32[Q]", "i32[Q]"]),
        (
            SPARSE,
            ["f16[B, S, 64]", *[""] * 6, "i32[B*S, K]", "i32[B*S]", "i32[B]", "i32[]"],
            {**GROUPS, "output_bf16": 1},
            ["bf16[B, S, 32]"],
        ),
        (
            PAGED,
            ["f16[T, 64]", "f16[T, 16]", "", "f16[K, 16, 1, 16]", "", "i32[B + 1]", "i32[B]", "i32[B, M]"],
            {"num_heads": 4, "kv_num_heads": 1, "kv_cache_layout": "LATENT", "v_head_size": 8, "scale": 0.5},
            ["f16[T, 32]"],
        ),
        ("SwiGLU", ["f16[N, 2*D]"], {}, ["f16[N, D]"]),
        ("SwiGLU", ["f16[N, D]", "f16[N, D]"], {}, ["f16[N, D]"]),
        ("RouterGateUpProj", ["f16[N, 8]", "f16[8, 14]"], {"router_size": 4}, ["f16[N, 4]", "f16[N, 5]"]),
        (
            "HyperConnectionLowRankMix",
            ["f16[N, 4*H]", "f16[4*H]", "f16[4*H, R]", "f16[R, 4*H]", "f16[4*H, 4]"],
            {"num_branches": 4, "outputs": 3},
            ["f16[N, H]", "f16[N, 4]", "f16[N, 4*H]"],
        ),
        (
            ROTARY,
            ["f16[B, S, 4, 8]", "f32[6]", "i64[B, S]", *["f32[9, 2]"] * 2],
            {"rotary_embedding_dim": 4, "input_width": 6, "flatten_batch": 1, "outputs": 2},
            ["bf16[1, B*S, 24]", "f32[B, S, 4, 6]"],
        ),
        (
            "Mamba2Verify",
            MAMBA,
            {"heads": 2, "n_groups": 1, "outputs": 5},
            ["bf16[R, 128]", "bf16[K, 384, 3]", "f32[K, 2, 128, 64]", "bf16[R, 384]", "f32[R, 128]"],
        ),
        (
            "SpeculativePrefixCommit",
            ["i64[B, 8]", "i64[B, 8]", "i32[1]", "i64[B, 16]", "i64[B, 2]", "i64[B, 16]", "i64[2]"],
            {},
            ["i32[B]", "i64[B, 16]", "i64[B, 2]"],
        ),
        ("ConvStateReplay", ["f16[A]", "f16[C]", "f16[D]", "i64[8]"], {}, ["f16[D]"]),
        ("GatedDeltaNetStateReplay", ["f32[A]", "f32[C]", "f32[D]", "i64[11]"], {}, ["f32[D]"]),
        ("MatMulPacked", ["bf16[N, S, 256]", "u8[7, 144]"], {"K": 256, "N": 7, "packed_type": 2}, ["bf16[N, S, 7]"]),
        (
            "MatMulNBitsQLoRA",
            ["f32[N, 64]", "u8[16, 2, 16]", "f32[16, 2]", "u8[R, 2, 32]", "f32[R, 2]", "u8[16, 0, 32]", "f32[16, L]"],
            {"K": 64, "N": 16},
            ["f32[N, 16]"],
        ),
        (
            "MoEPacked",
            ["f16[B, S, 32]", "f32[B*S, 3]", *["u8[3, 64, 18]"] * 2, "u8[3, 32, 36]"],
            {"gate_type": 2, "up_type": 2, "down_type": 2, "k": 2},
            ["f16[B, S, 32]"],
        ),
        (
            ROUTER,
            ["f16[T, 256]", "f32[8]", "f16[8, 256]"],
            {"top_k": 2, "outputs": 3},
            ["f16[T, 8]", "f32[T, 8]", "f32[T, 8]"],
        ),
        (
            CONV,
            ["f16[B, S, 6]", "f16[4, 1, 3]"],
            {"channels_last": 1, "input_channels": 4, "state_length": 5, "state_channels_last": 0, "outputs": 2},
            ["f16[B, S, 4]", "f16[B, 4, 5]"],
        ),
        (
            CONV,
            ["f16[B, 4, S]", "f16[4, 1, 3]"],
            {"state_window": 2, "outputs": 2},
            ["f16[B, 4, S]", "f16[2, B, 4, 2]"],
        ),
    ],
)
def test_what_is_documented_of_operators_for_other_hardware(
    op: str, inputs: list[str], attributes: dict[str, Any], outputs: list[str]
) -> None:
    made = infer(op, *inputs, domain=MS, **attributes | {"outputs": len(outputs)})
    assert ([made] if isinstance(made, str) else made) == outputs


@pytest.mark.parametrize("steps", [1, 2, 3, 6])
@pytest.mark.parametrize("waiting", [0, 3, 4, 7])
def test_complete_blocks_become_entries_and_the_last_of_them_stays(waiting: int, steps: int) -> None:
    inputs = [text.replace("B", "2").replace("S", str(steps)).replace("P", "5") for text in COMPRESSED]
    inputs += ["", f"bf16[2, 2, {waiting}, 16]"]
    made = infer(INDEXER, *inputs, domain=MS, outputs=3, **CSA)
    entries = (waiting % 4 + steps) // 4
    kept = (waiting % 4 + steps) % 4 + (4 if waiting + steps >= 4 else 0)
    assert made == [f"i32[2, {steps}, 2]", f"bf16[2, {5 + entries}, 8]", f"bf16[2, 2, {kept}, 16]"]


def test_several_positions_follow_the_past_of_one_sequence_only() -> None:
    """A prompt has no past, whatever the buffer of it holds."""
    past = ["f32[N, S, 32]", *["f32[N, S, 16]"] * 2, *["f32[N, 2, P, 8]"] * 2, "i32[N]", "i32[]{T}"]
    at = [a for a in asks(GQA, *past, domain=MS, **GROUPS) if "conflicting" in a]
    assert at == ["conflicting-arguments: S == 1 or S == T or N == 1 and S >= 2"]
    runs = {"N": 1, "S": 3, "T": 7}, {"N": 2, "S": 1, "T": 5}, {"N": 2, "S": 3, "T": 3}
    numbers = [[text.replace("P", "4").replace("T", str(b["T"])) for text in past] for b in runs]
    for inputs, binding in zip(numbers, runs):
        sizes = {name: binding[name] for name in ("N", "S")}
        inputs[5] = f"i32[{binding['N']}]{{{', '.join([str(binding['T'] - 1)] * binding['N'])}}}"
        agrees_with_a_run(GQA, *inputs, domain=MS, outputs=3, bindings=[sizes], **GROUPS)
