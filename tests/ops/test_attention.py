"""Attention: queries meet keys, by head or with all heads in the last axis."""

from __future__ import annotations

from typing import Any

import pytest

from shapeinfer.frontends.onnx.attributes import read_attributes
from shapeinfer.graph import Call
from shapeinfer.ops.call import infer_call
from tests.ops.claims import asks
from tests.ops.spec import agrees_with_a_run, fact, fault, infer

VERSIONS = [23, 24, 25]
BY_HEAD = ["f32[B, 8, S, 64]", "f32[B, 2, T, 64]", "f32[B, 2, T, 32]"]
PACKED = ["f32[B, S, 512]", "f32[B, T, 128]", "f32[B, T, 64]"]
PAST = ["f32[B, 2, P, 64]", "f32[B, 2, P, 32]"]
HEADS: dict[str, Any] = {"q_num_heads": 8, "kv_num_heads": 2}


@pytest.mark.parametrize("version", VERSIONS)
def test_heads_have_an_axis_of_their_own(version: int) -> None:
    assert infer("Attention", *BY_HEAD, version=version) == "f32[B, 8, S, 32]"
    assert infer("Attention", *BY_HEAD, version=version, outputs=4) == [
        "f32[B, 8, S, 32]",
        "f32[B, 2, T, 64]",
        "f32[B, 2, T, 32]",
        "f32[B, 8, S, T]",
    ]


@pytest.mark.parametrize("version", VERSIONS)
def test_heads_are_packed_into_the_last_axis(version: int) -> None:
    assert infer("Attention", *PACKED, version=version, outputs=4, **HEADS) == [
        "f32[B, S, 256]",
        "f32[B, 2, T, 64]",
        "f32[B, 2, T, 32]",
        "f32[B, 8, S, T]",
    ]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("inputs", "attributes"), [(BY_HEAD, {}), (PACKED, HEADS)])
def test_the_present_follows_the_past(version: int, inputs: list[str], attributes: dict[str, Any]) -> None:
    made = infer("Attention", *inputs, "", *PAST, version=version, outputs=4, **attributes)
    assert made[1:] == ["f32[B, 2, P + T, 64]", "f32[B, 2, P + T, 32]", "f32[B, 8, S, P + T]"]


def test_an_empty_past_is_a_past() -> None:
    made = infer("Attention", *BY_HEAD, "", "f32[B, 2, 0, 64]", "f32[B, 2, 0, 32]", outputs=3)
    assert made[:2] == ["f32[B, 8, S, 32]", "f32[B, 2, T, 64]"]


@pytest.mark.parametrize(
    ("inputs", "out"),
    [
        (["f32[...]", "f32[...]", "f32[...]"], ["f32[...]", "f32[Attention_0, Attention_1, Attention_2, Attention_3]"]),
        (
            ["f32[...]", "f32[B, 2, T, 64]", "f32[...]"],
            ["f32[B, Attention_1, Attention_2, Attention_0]", "f32[B, 2, T, 64]"],
        ),
        (["?[B, 8, S, 64]", "?[B, 2, T, 64]", "?[B, 2, T, 32]"], ["?[B, 8, S, 32]", "?[B, 2, T, 64]"]),
    ],
)
def test_what_is_known_as_less_is_known_of_the_inputs(inputs: list[str], out: list[str]) -> None:
    made = infer("Attention", *inputs, outputs=2, version=24)
    assert isinstance(made, list)
    assert [_renumbered(m) for m in made] == [_renumbered(o) for o in out]


def _renumbered(text: str) -> str:
    """Forget which number a made-up symbol bears."""
    return "".join(c for c in text if not c.isdigit()) if "Attention_" in text else text


@pytest.mark.parametrize(
    ("mask", "since"),
    [
        ("f32[S, T]", 23),
        ("f32[1, T]", 23),
        ("f32[S, 1]", 23),
        ("bool[8, S, T]", 23),
        ("bool[B, 1, S, T]", 23),
        ("f32[T]", 23),
        ("f32[...]", 23),
    ],
)
@pytest.mark.parametrize("version", VERSIONS)
def test_a_mask_broadcasts_onto_the_scores(version: int, mask: str, since: int) -> None:
    assert infer("Attention", *BY_HEAD, mask, version=version) == "f32[B, 8, S, 32]"


def test_a_mask_may_be_short_of_keys_from_opset_24() -> None:
    call = ("Attention", "f32[B, 8, 3, 64]", "f32[B, 8, 5, 64]", "f32[B, 8, 5, 64]")
    assert fault(*call, "bool[3, 4]", version=23) == "not-broadcastable"
    assert infer(*call, "bool[3, 4]", version=24) == "f32[B, 8, 3, 64]"
    assert fault(*call, "bool[3, 6]", version=24) == "not-broadcastable"


@pytest.mark.parametrize(
    ("port", "given", "code"),
    [
        (0, "f32[2, 6, 3, 64]", "not-divisible"),
        (0, "f32[2, 3, 512]", "rank-mismatch"),
        (1, "f32[1, 4, 5, 64]", "dim-mismatch"),
        (1, "f32[2, 4, 5, 63]", "dim-mismatch"),
        (1, "f32[2, 4, 6, 64]", "dim-mismatch"),
        (2, "f32[2, 2, 5, 32]", "dim-mismatch"),
        (3, "f32[4, 5]", "not-broadcastable"),
        (3, "f32[1, 2, 8, 3, 5]", "rank-mismatch"),
        (4, "f32[2, 4, 7, 63]", "dim-mismatch"),
        (4, "", "missing-input"),
        (5, "f32[2, 4, 6, 32]", "dim-mismatch"),
    ],
)
def test_an_operand_that_does_not_fit_the_others(port: int, given: str, code: str) -> None:
    inputs = ["f32[2, 8, 3, 64]", "f32[2, 4, 5, 64]", "f32[2, 4, 5, 32]", "f32[3, 12]"]
    inputs += ["f32[2, 4, 7, 64]", "f32[2, 4, 7, 32]"]
    assert infer("Attention", *inputs) == "f32[2, 8, 3, 32]"
    inputs[port] = given
    assert fault("Attention", *inputs) == code


@pytest.mark.parametrize(
    ("inputs", "attributes", "code"),
    [
        (PACKED, {}, "missing-attribute"),
        (PACKED, {"q_num_heads": 8}, "missing-attribute"),
        (PACKED, {"q_num_heads": 8, "kv_num_heads": 0}, "invalid-attribute"),
        (PACKED, {"q_num_heads": 7, "kv_num_heads": 7}, "not-divisible"),
        (PACKED, {"q_num_heads": 8, "kv_num_heads": 4}, "dim-mismatch"),
        (PACKED, {"q_num_heads": 8, "kv_num_heads": 3}, "not-divisible"),
    ],
)
def test_heads_that_do_not_fit(inputs: list[str], attributes: dict[str, Any], code: str) -> None:
    assert fault("Attention", *inputs, **attributes) == code


def test_what_symbols_need() -> None:
    assert asks("Attention", "f32[B, 8, S, 64]", "f32[B, G, S, D]", "f32[B, G, S, D]", version=23) == [
        "dim-mismatch: D == 64",
        "not-divisible: 8 % G == 0",
    ]
    assert asks("Attention", *BY_HEAD, "f32[S, M]", version=23) == ["not-broadcastable: M == T or M == 1"]
    assert asks("Attention", *BY_HEAD, "f32[S, M]", version=24) == ["not-broadcastable: M <= T or M == 1"]
    assert asks("Attention", "f32[B, S, E]", *PACKED[1:], version=23, **HEADS) == [
        "dim-mismatch: E//8 == 64",
        "not-divisible: E % 8 == 0",
    ]


def test_lengths_without_padding_are_one_for_each_sample() -> None:
    call = ("Attention", "f32[2, 8, 3, 64]", "f32[2, 8, 5, 64]", "f32[2, 8, 5, 64]", "", "", "")
    assert infer(*call, "i64[2]") == "f32[2, 8, 3, 64]"
    assert fault(*call, "i64[3]") == "dim-mismatch"


CACHED = ["f32[2, 8, 3, 64]", "f32[2, 8, 5, 64]", "f32[2, 8, 5, 64]", ""]
CACHE = ["f32[2, 8, 7, 64]", "f32[2, 8, 7, 64]"]


@pytest.mark.parametrize(
    ("inputs", "outputs", "attributes", "code"),
    [
        (CACHED, 1, {"q_num_heads": 8, "kv_num_heads": 8}, "conflicting-arguments"),
        (CACHED, 1, {"kv_num_heads": 8}, "conflicting-arguments"),
        (CACHED, 1, {"left_window_size": -2}, "invalid-attribute"),
        (CACHED, 1, {"right_window_size": -2}, "invalid-attribute"),
        ([*CACHED, *CACHE], 2, {}, "conflicting-arguments"),
        ([*CACHED, *CACHE, "i64[2]"], 1, {}, "conflicting-arguments"),
        ([*CACHED, "", "", "i64[2]"], 3, {}, "conflicting-arguments"),
    ],
)
def test_what_opset_25_excludes(inputs: list[str], outputs: int, attributes: dict[str, Any], code: str) -> None:
    assert fault("Attention", *inputs, version=25, outputs=outputs, **attributes) == code
    if "_window_size" not in str(attributes):
        assert infer("Attention", *inputs, version=24, outputs=outputs, **attributes)
    windows: dict[str, Any] = {"left_window_size": -1, "right_window_size": 0}
    assert infer("Attention", *CACHED, *CACHE, version=25, outputs=3, **windows)


def test_one_present_output_alone_is_refused_wherever_the_gap_is() -> None:
    inputs = [fact(i) for i in (*CACHED, *CACHE)]
    for named in ((True, True), (True, True, False), (True, False, True)):
        outcome = infer_call(Call("Attention", "", 25, read_attributes([]), named), inputs)
        assert [f.code.name for f in outcome.findings] == ["conflicting-arguments"]


SIZES = [{"B": 1, "S": 1, "T": 1, "P": 0}, {"B": 2, "S": 3, "T": 5, "P": 4}]


@pytest.mark.parametrize(("inputs", "attributes"), [(BY_HEAD, {}), (PACKED, HEADS)])
def test_it_agrees_with_a_run(inputs: list[str], attributes: dict[str, Any]) -> None:
    run: dict[str, Any] = {"bindings": SIZES, "version": 23, "outputs": 4}
    agrees_with_a_run("Attention", *inputs, "f32[S, T]", **run, **attributes)
    agrees_with_a_run("Attention", *inputs, "", *PAST, **run, **attributes)


# Its kin


def test_flexible_attention_takes_heads_on_an_axis() -> None:
    preview: dict[str, Any] = {"domain": "ai.onnx.preview"}
    assert infer("FlexAttention", *BY_HEAD, **preview) == "f32[B, 8, S, 32]"
    assert infer("FlexAttention", BY_HEAD[0], "f32[...]", BY_HEAD[2], **preview) == "f32[B, 8, S, 32]"
    assert fault("FlexAttention", *PACKED, **preview) == "rank-mismatch"


def test_linear_attention_carries_a_state() -> None:
    inputs = ["f32[B, S, 512]", "f32[B, S, 128]", "f32[B, S, 64]"]
    made = ["f32[B, S, 256]", "f32[B, 2, 64, 32]"]
    plain: dict[str, Any] = {**HEADS, "update_rule": "linear"}
    assert infer("LinearAttention", *inputs, **plain) == made
    assert infer("LinearAttention", *inputs, "f32[B, 2, 64, 32]", "f32[B, S, 2]", "f32[B, S, 1]", **HEADS) == made
    assert infer("LinearAttention", *inputs, "f16[B, 2, 64, 32]", **plain)[1] == "f16[B, 2, 64, 32]"
    assert fault("LinearAttention", *inputs, **HEADS) == "missing-input", "the usual rule needs decay and beta"
    assert fault("LinearAttention", *inputs, "f32[B, 2, 32, 32]", **plain) == "dim-mismatch"
    assert fault("LinearAttention", *inputs, **(plain | {"q_num_heads": 7, "kv_num_heads": 7})) == "not-divisible"
    assert fault("LinearAttention", *inputs) == "missing-attribute"


@pytest.mark.parametrize(
    ("rule", "decay", "beta", "code"),
    [
        ("linear", "f32[B, S, 2]", "", "conflicting-arguments"),
        ("linear", "", "f32[B, S, 2]", "conflicting-arguments"),
        ("gated", "f32[B, S, 2]", "f32[B, S, 2]", "conflicting-arguments"),
        ("delta", "f32[B, S, 2]", "f32[B, S, 2]", "conflicting-arguments"),
        ("gated", "f32[B, S, 1]", "", "dim-mismatch"),
        ("gated", "f32[B, S, 7]", "", "dim-mismatch"),
        ("delta", "", "f32[B, S, 128]", "dim-mismatch"),
        ("gated", "f32[B, S, 2]", "", ""),
        ("gated", "f32[B, S, 128]", "", ""),
        ("delta", "", "f32[B, S, 2]", ""),
        ("delta", "", "f32[B, S, 1]", ""),
    ],
)
def test_a_rule_of_linear_attention_takes_its_own_gates(rule: str, decay: str, beta: str, code: str) -> None:
    inputs = "f32[B, S, 128]", "f32[B, S, 128]", "f32[B, S, 64]", "", decay, beta
    call: Any = {"q_num_heads": 2, "kv_num_heads": 2, "update_rule": rule}
    if code:
        assert fault("LinearAttention", *inputs, **call) == code
    else:
        assert infer("LinearAttention", *inputs, **call) == ["f32[B, S, 64]", "f32[B, 2, 64, 32]"]


# Rotary embeddings


@pytest.mark.parametrize(
    ("inputs", "attributes"),
    [
        (["f32[B, 8, S, 64]", "f32[1024, 32]", "f32[1024, 32]", "i64[B, S]"], {}),
        (["f32[B, 8, S, 64]", "f32[B, S, 32]", "f32[B, S, 32]"], {}),
        (["f32[B, 8, S, 64]", "f32[1024, 8]", "f32[1024, 8]", "i64[B, S]"], {"rotary_embedding_dim": 16}),
        (["f32[B, S, 512]", "f32[1024, 32]", "f32[1024, 32]", "i64[B, S]"], {"num_heads": 8}),
        (["f32[B, 8, S, D]", "f32[...]", "f32[1024, 32]", "i64[...]"], {}),
        (["f32[...]", "f32[1024, 32]", "f32[1024, 32]", "i64[B, S]"], {}),
    ],
)
def test_rotation_keeps_the_shape(inputs: list[str], attributes: dict[str, Any]) -> None:
    assert infer("RotaryEmbedding", *inputs, **attributes) == inputs[0]


@pytest.mark.parametrize(
    ("inputs", "attributes", "code"),
    [
        (["f32[2, 8, 3, 64]", "f32[9, 31]", "f32[9, 31]", "i64[2, 3]"], {}, "dim-mismatch"),
        (["f32[2, 8, 3, 64]", "f32[9, 32]", "f32[8, 32]", "i64[2, 3]"], {}, "dim-mismatch"),
        (["f32[2, 8, 3, 64]", "f32[9, 32]", "f32[9, 32]", "i64[1, 3]"], {}, "dim-mismatch"),
        (["f32[2, 8, 3, 64]", "f32[9, 32]", "f32[9, 32]"], {}, "rank-mismatch"),
        (["f32[2, 8, 3, 64]", "f32[2, 3, 32]", "f32[2, 3, 32]", "i64[2, 3]"], {}, "rank-mismatch"),
        (["f32[2, 8, 3, 63]", "f32[9, 32]", "f32[9, 32]", "i64[2, 3]"], {}, "not-divisible"),
        (["f32[2, 3, 512]", "f32[9, 32]", "f32[9, 32]", "i64[2, 3]"], {}, "missing-attribute"),
        (["f32[2, 3, 512]", "f32[9, 32]", "f32[9, 32]", "i64[2, 3]"], {"num_heads": 7}, "not-divisible"),
        (["f32[2, 3]", "f32[9, 32]", "f32[9, 32]", "i64[2, 3]"], {}, "rank-mismatch"),
    ],
)
def test_what_cannot_be_rotated(inputs: list[str], attributes: dict[str, Any], code: str) -> None:
    assert fault("RotaryEmbedding", *inputs, **attributes) == code


def test_rotation_agrees_with_a_run() -> None:
    caches = ["f32[9, 4]", "f32[9, 4]", "i64[B, S]"]
    agrees_with_a_run("RotaryEmbedding", "f32[B, 2, S, 8]", *caches, bindings=SIZES, version=23)
    agrees_with_a_run("RotaryEmbedding", "f32[B, S, 16]", *caches, bindings=SIZES, version=23, num_heads=2)
