"""Normalizations and Dropout, which keep the shape."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.claims import asks
from tests.ops.spec import agrees_with_a_run, fault, infer, outline

SIZES = [{"N": 0, "H": 3}, {"N": 1, "H": 1}, {"N": 4, "H": 5}]
FOUR = ("f32[3]",) * 4


@pytest.mark.parametrize("version", [7, 9, 14, 15])
def test_batch_normalization_keeps_the_shape(version: int) -> None:
    assert infer("BatchNormalization", "f32[N, 3, H]", *FOUR, version=version) == "f32[N, 3, H]"
    assert infer("BatchNormalization", "f32[...]", *FOUR, version=version) == "f32[...]"
    assert infer("BatchNormalization", "f32[N, 3]", "f32[...]", *FOUR[1:], version=version) == "f32[N, 3]"
    agrees_with_a_run("BatchNormalization", "f32[N, 3, H]", *FOUR, version=version, bindings=SIZES)


@pytest.mark.parametrize("version", [1, 6, 7, 9, 14, 15])
@pytest.mark.parametrize("wrong", range(4))
def test_each_parameter_has_an_entry_for_each_channel(version: int, wrong: int) -> None:
    more: dict[str, Any] = {"consumed_inputs": [0, 0, 0, 1, 1]} if version == 1 else {}
    given = [*FOUR]
    given[wrong] = "f32[4]"
    assert fault("BatchNormalization", "f32[N, 3, H]", *given, version=version, **more) == "dim-mismatch"
    given[wrong] = "f32[1, 3]"
    assert fault("BatchNormalization", "f32[N, 3, H]", *given, version=version, **more) == "rank-mismatch"


def test_a_tensor_of_one_axis_has_one_channel() -> None:
    assert infer("BatchNormalization", "f32[N]", *("f32[1]",) * 4) == "f32[N]"
    assert fault("BatchNormalization", "f32[]", *FOUR) == "rank-mismatch"


def test_channels_are_learned_from_the_parameters() -> None:
    assert asks("BatchNormalization", "f32[N, C, 4]", *FOUR) == ["dim-mismatch: C == 3"]


@pytest.mark.parametrize("version", [14, 15])
def test_training_also_gives_the_running_statistics(version: int) -> None:
    given: dict[str, Any] = {"version": version, "training_mode": 1, "outputs": 3}
    assert infer("BatchNormalization", "f32[N, C, H]", *FOUR, **given) == ["f32[N, C, H]", "f32[3]", "f32[3]"]
    assert outline("BatchNormalization", "f32[...]", *("f32[...]",) * 4, **given) == ["f32[...]", "f32[?]", "f32[?]"]
    agrees_with_a_run("BatchNormalization", "f32[N, 3, H]", *FOUR, bindings=SIZES[1:], **given)
    assert fault("BatchNormalization", "f32[N, 3]", *FOUR, version=version, outputs=3) == "too-many-outputs"
    given["outputs"] = 1
    assert fault("BatchNormalization", "f32[N, 3]", *FOUR, **given) == "missing-node-output"


def test_statistics_have_a_type_of_their_own() -> None:
    made = infer("BatchNormalization", "f16[N, 3]", "f16[3]", "f16[3]", "f32[3]", "f32[3]", training_mode=1, outputs=3)
    assert made == ["f16[N, 3]", "f32[3]", "f32[3]"]


@pytest.mark.parametrize("version", [6, 7, 9])
def test_five_outputs_before_opset_14(version: int) -> None:
    made = infer("BatchNormalization", "f32[N, 3, H]", *FOUR, version=version, outputs=5)
    assert made == ["f32[N, 3, H]", *["f32[3]"] * 4]


@pytest.mark.parametrize("version", [6, 7])
def test_without_spatial_each_element_of_an_instance_has_its_parameters(version: int) -> None:
    given: dict[str, Any] = {"spatial": 0, "version": version}
    assert infer("BatchNormalization", "f32[N, 3, 5]", *("f32[3, 5]",) * 4, **given) == "f32[N, 3, 5]"
    assert fault("BatchNormalization", "f32[N, 3, 5]", *FOUR, **given) == "rank-mismatch"
    assert fault("BatchNormalization", "f32[N, 3, 5]", *("f32[3, 4]",) * 4, **given) == "dim-mismatch"


@pytest.mark.parametrize("version", [1, 6, 22])
def test_instance_normalization(version: int) -> None:
    parameters = "f32[3]", "f32[3]"
    assert infer("InstanceNormalization", "f32[N, 3, H]", *parameters, version=version) == "f32[N, 3, H]"
    assert infer("InstanceNormalization", "f32[...]", *parameters, version=version) == "f32[...]"
    assert fault("InstanceNormalization", "f32[N, 3]", *parameters, version=version) == "rank-mismatch"
    assert fault("InstanceNormalization", "f32[N, 3, H]", "f32[3]", "f32[4]", version=version) == "dim-mismatch"


def test_instance_normalization_agrees_with_a_run() -> None:
    agrees_with_a_run("InstanceNormalization", "f32[N, 3, H]", "f32[3]", "f32[3]", version=6, bindings=SIZES)


def test_group_normalization_has_parameters_for_each_channel() -> None:
    x = "f32[N, 6, H]"
    assert infer("GroupNormalization", x, "f32[6]", "f32[6]", num_groups=2) == x
    assert fault("GroupNormalization", x, "f32[2]", "f32[2]", num_groups=2) == "dim-mismatch"
    assert fault("GroupNormalization", x, "f32[6]", "f32[6]", num_groups=4) == "not-divisible"
    assert fault("GroupNormalization", x, "f32[6]", "f32[6]", num_groups=0) == "invalid-attribute"
    assert asks("GroupNormalization", "f32[N, C, H]", "f32[C]", "f32[C]", num_groups=4) == ["not-divisible: C % 4 == 0"]
    agrees_with_a_run("GroupNormalization", x, "f32[6]", "f32[6]", num_groups=2, version=21, bindings=SIZES[1:])


@pytest.mark.parametrize(
    ("axis", "statistics"),
    [(-1, "f32[N, 3, H, 1]"), (3, "f32[N, 3, H, 1]"), (2, "f32[N, 3, 1, 1]"), (1, "f32[N, 1, 1, 1]")],
)
def test_layer_normalization_also_gives_mean_and_deviation(axis: int, statistics: str) -> None:
    made = infer("LayerNormalization", "f16[N, 3, H, 5]", "f16[5]", axis=axis, outputs=3)
    assert made == ["f16[N, 3, H, 5]", statistics, statistics]
    bindings = SIZES if axis in (-1, 3) else SIZES[1:]
    agrees_with_a_run("LayerNormalization", "f32[N, 3, H, 5]", "f32[5]", axis=axis, outputs=3, bindings=bindings)


def test_the_statistics_are_typed_as_they_are_stashed() -> None:
    assert infer("LayerNormalization", "bf16[2, 4]", "bf16[4]", stash_type=16, outputs=2) == [
        "bf16[2, 4]",
        "bf16[2, 1]",
    ]
    assert infer("LayerNormalization", "f64[2, 4]", "f64[4]", outputs=2) == ["f64[2, 4]", "f32[2, 1]"]


@pytest.mark.parametrize("op", ["LayerNormalization", "RMSNormalization"])
@pytest.mark.parametrize("scale", ["f32[5]", "f32[1]", "f32[4, 5]", "f32[4, 1]", "f32[]", "f32[2, 1, 5]", "f32[...]"])
def test_scales_are_broadcast_onto_the_input(op: str, scale: str) -> None:
    assert infer(op, "f32[2, 4, 5]", scale) == "f32[2, 4, 5]"


@pytest.mark.parametrize("op", ["LayerNormalization", "RMSNormalization"])
@pytest.mark.parametrize(
    ("x", "scale", "attributes", "code"),
    [
        ("f32[2, 4, 5]", "f32[4]", {}, "not-broadcastable"),
        ("f32[2, 4, 5]", "f32[1, 1, 1, 5]", {}, "rank-mismatch"),
        ("f32[2, 4, 5]", "f32[5]", {"axis": 3}, "axis-out-of-range"),
        ("f32[2, 4, 5]", "f32[5]", {"axis": -4}, "axis-out-of-range"),
        ("f32[]", "f32[]", {}, "axis-out-of-range"),
        ("f32[2, 0]", "f32[0]", {}, "too-few-elements"),
    ],
)
def test_what_they_refuse(op: str, x: str, scale: str, attributes: dict[str, Any], code: str) -> None:
    assert fault(op, x, scale, **attributes) == code


def test_a_bias_is_broadcast_too() -> None:
    assert fault("LayerNormalization", "f32[2, 5]", "f32[5]", "f32[2]") == "not-broadcastable"


def test_the_hidden_size_is_learned_from_the_scale() -> None:
    asked = asks("LayerNormalization", "f32[N, D]", "f32[64]")
    assert asked == ["not-broadcastable: D == 64", "too-few-elements: D >= 1"]


def test_rms_normalization_is_typed_as_its_scale() -> None:
    assert infer("RMSNormalization", "f16[N, 3, 4]", "f32[4]") == "f32[N, 3, 4]"
    assert infer("RMSNormalization", "f32[...]", "f32[4]") == "f32[...]"


@pytest.mark.parametrize("version", [1, 13])
def test_local_response_normalization(version: int) -> None:
    assert infer("LRN", "f32[N, 3, H, 4]", size=3, version=version) == "f32[N, 3, H, 4]"
    assert fault("LRN", "f32[N, 3, H, 4]", size=2, version=version) == "invalid-attribute"
    assert fault("LRN", "f32[N, 3, H, 4]", version=version) == "missing-attribute"
    agrees_with_a_run("LRN", "f32[N, 3, H, 4]", size=3, version=version, bindings=SIZES)


@pytest.mark.parametrize("version", [9, 13])
def test_mean_variance_normalization(version: int) -> None:
    assert infer("MeanVarianceNormalization", "f32[N, 3, H, 4]", version=version) == "f32[N, 3, H, 4]"
    assert infer("MeanVarianceNormalization", "f32[...]", version=version) == "f32[...]"
    assert fault("MeanVarianceNormalization", "i64[2, 3]", version=version) == "element-type-not-allowed"
    agrees_with_a_run("MeanVarianceNormalization", "f32[N, 3, H, 4]", version=version, bindings=SIZES[1:])


@pytest.mark.parametrize(
    ("version", "mask"), [(1, "f16"), (6, "f16"), (7, "f16"), (10, "bool"), (12, "bool"), (13, "bool"), (22, "bool")]
)
def test_the_mask_of_dropout(version: int, mask: str) -> None:
    assert infer("Dropout", "f16[N, 3]", version=version, outputs=2) == ["f16[N, 3]", f"{mask}[N, 3]"]
    assert infer("Dropout", "f16[...]", version=version, outputs=2) == ["f16[...]", f"{mask}[...]"]


@pytest.mark.parametrize("version", [10, 12, 13])
def test_dropout_agrees_with_a_run(version: int) -> None:
    agrees_with_a_run("Dropout", "f32[N, 3, H]", version=version, outputs=2, bindings=SIZES)


@pytest.mark.parametrize("version", [12, 13, 22])
def test_what_steers_dropout_is_scalar(version: int) -> None:
    assert infer("Dropout", "f32[N]", "f32[]", "bool[]", version=version) == "f32[N]"
    assert fault("Dropout", "f32[N]", "f32[1]", version=version) == "rank-mismatch"
    assert fault("Dropout", "f32[N]", "", "bool[1]", version=version) == "rank-mismatch"


@pytest.mark.parametrize(
    ("op", "version", "parameters", "given"),
    [
        *(("BatchNormalization", version, 4, {}) for version in (7, 9, 14, 15)),
        ("BatchNormalization", 6, 4, {"spatial": 1}),
        ("InstanceNormalization", 6, 2, {}),
        ("InstanceNormalization", 22, 2, {}),
        ("GroupNormalization", 18, 2, {"num_groups": 1}),
        ("GroupNormalization", 21, 2, {"num_groups": 1}),
    ],
)
def test_known_entries_are_not_those_of_the_normalized_tensor(
    op: str, version: int, parameters: int, given: dict[str, Any]
) -> None:
    assert infer(op, "f32[1, 1, 2]{1, 2}", *("f32[1]",) * parameters, version=version, **given) == "f32[1, 1, 2]"
