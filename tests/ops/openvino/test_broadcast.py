"""Broadcast repeats entries up to a given shape, which its mode lays the tensor along."""

from __future__ import annotations

from typing import Any

import pytest

from shapeinfer import Tensor
from shapeinfer.diagnostics.codes import Severity
from shapeinfer.facts import Profile
from shapeinfer.graph import Call
from shapeinfer.ops.attributes import of_values
from shapeinfer.ops.call import infer_call
from tests.ops.openvino.spec import agrees_with_openvino, fault, infer, outline
from tests.ops.spec import fact


@pytest.mark.parametrize("version", [1, 3])
@pytest.mark.parametrize(
    ("data", "target", "output"),
    [
        ("f32[16, 1, 1]", "i64[4]{1, 16, 50, 50}", "f32[1, 16, 50, 50]"),
        ("f32[N]", "i64[2]{M, N}", "f32[M, N]"),
        ("f32[]", "i64[0]{}", "f32[]"),
        ("f32[1]", "i64[2]{0, 3}", "f32[0, 3]"),
        ("f32[...]", "i64[2]{2, 3}", "f32[2, 3]"),
        ("f32[2]", "i64[3]", "f32[?, ?, 2]"),
        ("f32[N]", "i64[3]", "f32[?, ?, ?]"),
        ("f32[2]", "i64[K]", "f32[...]"),
    ],
)
def test_numpy_gives_the_target(version: int, data: str, target: str, output: str) -> None:
    assert outline("Broadcast", data, target, version=version) == output


@pytest.mark.parametrize("mode", ["explicit", "none"])
@pytest.mark.parametrize(
    ("data", "target", "axes", "output"),
    [
        ("f32[16]", "i64[4]{1, 16, 50, 50}", "i64[1]{1}", "f32[1, 16, 50, 50]"),
        ("f32[50, 50]", "i64[4]{1, 50, 50, 16}", "i64[2]{1, 2}", "f32[1, 50, 50, 16]"),
        ("f32[1, N]", "i64[3]{2, N, 3}", "i32[2]{0, 1}", "f32[2, N, 3]"),
        ("f32[2, 3]", "i64[2]{2, 3}", "i64[...]", "f32[2, 3]"),
    ],
)
def test_explicit_names_the_axes(mode: str, data: str, target: str, axes: str, output: str) -> None:
    assert outline("Broadcast", data, target, axes, version=1, mode=mode) == output
    assert outline("Broadcast", data, target, axes, version=3, mode=mode) == output


def test_bidirectional_goes_both_ways() -> None:
    assert infer("Broadcast", "f32[16, 1, 1]", "i64[4]{1, 1, 50, 50}", mode="bidirectional") == "f32[1, 16, 50, 50]"
    assert infer("Broadcast", "f32[2, 3, 4]", "i64[1]{1}", mode="bidirectional") == "f32[2, 3, 4]"


@pytest.mark.parametrize(
    ("inputs", "attributes", "code"),
    [
        (("f32[2, 3]", "i64[1]{3}"), {}, "rank-mismatch"),
        (("f32[2]", "i64[1]{3}"), {}, "not-broadcastable"),
        (("f32[3]", "i64[1]{1}"), {}, "not-broadcastable"),
        (("f32[1]", "i64[1]{-1}"), {}, "negative-length"),
        (("f32[1]", "i64[]{1}"), {}, "rank-mismatch"),
        (("f32[1]", "f32[1]"), {}, "element-type-not-allowed"),
        (("f32[1]", "i64[1]{1}"), {"mode": "both"}, "invalid-attribute"),
        (("f32[1]", "i64[1]{1}", "i64[1]{0}"), {"mode": "numpy"}, "too-many-inputs"),
        (("f32[1]", "i64[1]{1}"), {"mode": "explicit"}, "missing-input"),
        (("f32[2, 3]", "i64[3]{2, 3, 4}", "i64[1]{0}"), {"mode": "explicit"}, "length-mismatch"),
        (("f32[2, 2]", "i64[3]{2, 2, 2}", "i64[2]{1, 0}"), {"mode": "explicit"}, "invalid-permutation"),
        (("f32[2, 2]", "i64[3]{2, 2, 2}", "i64[2]{1, 1}"), {"mode": "explicit"}, "duplicate-axis"),
        (("f32[2]", "i64[1]{2}", "i64[1]{1}"), {"mode": "explicit"}, "axis-out-of-range"),
        (("f32[2]", "i64[1]{2}", "i64[1]{-1}"), {"mode": "explicit"}, "axis-out-of-range"),
        (("f32[2]", "i64[2]{3, 2}", "i64[1]{0}"), {"mode": "explicit"}, "not-broadcastable"),
        (("f32[2, 3]", "i64[2]{2, 4}"), {"mode": "bidirectional"}, "not-broadcastable"),
    ],
)
def test_what_cannot_be_broadcast(inputs: tuple[str, ...], attributes: dict[str, Any], code: str) -> None:
    assert fault("Broadcast", *inputs, version=3, **attributes) == code


def test_the_first_version_has_no_bidirectional_mode_and_reads_past_a_third_input() -> None:
    assert fault("Broadcast", "f32[1]", "i64[1]{1}", version=1, mode="bidirectional") == "invalid-attribute"
    assert infer("Broadcast", "f32[1]", "i64[1]{4}", "u8[]", version=1, mode="numpy") == "f32[4]"


@pytest.mark.parametrize("profile", ["spec", "openvino"])
@pytest.mark.parametrize(
    ("axes", "mode", "is_told"),
    [
        ("i64[2]{9, -4}", "numpy", True),
        ("i64[2]{9, -4}", "pdpd", True),
        ("i64[1]", "numpy", True),
        # OpenVINO writes a scalar where there is none.
        ("u8[]{0}", "numpy", False),
        ("i64[2]{0, 1}", "explicit", False),
        ("", "numpy", False),
    ],
)
def test_the_first_version_warns_of_a_mapping_that_its_mode_ignores(
    axes: str, mode: str, is_told: bool, profile: Profile
) -> None:
    call = Call("Broadcast", "openvino", 1, of_values({"mode": mode}), (True,), profile)
    outcome = infer_call(call, [fact("f32[2, 3]"), fact("i64[2]{2, 3}"), fact(axes)])
    told = [(f.severity, f.code.name, f.ports[0].name, f.message) for f in outcome.findings]
    message = f"axes_mapping is ignored in mode {mode}; only mode explicit uses it"
    assert told == ([(Severity.WARNING, "too-many-inputs", "axes_mapping", message)] if is_told else [])
    assert isinstance(outcome.facts[0], Tensor)
    assert outcome.facts[0].text == "f32[2, 3]"


def test_the_only_entry_of_a_tensor_is_repeated() -> None:
    assert infer("Broadcast", "i64[]{7}", "i64[1]{3}") == "i64[3]{7, 7, 7}"


@pytest.mark.parametrize("version", [1, 3])
def test_broadcast_agrees_with_openvino(version: int) -> None:
    sizes = [{"N": 1, "M": 0}, {"N": 3, "M": 1}]
    agrees_with_openvino("Broadcast", "f32[N, 1]", "i64[3]{2, N, M}", version=version, mode="numpy", bindings=sizes)
    explicit = ("f32[N, 1]", "i64[3]{N, 2, M}", "i64[2]{0, 2}")
    agrees_with_openvino("Broadcast", *explicit, version=version, mode="explicit", bindings=sizes)
