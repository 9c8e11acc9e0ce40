"""TopK, CumSum, Reverse, ReverseSequence and Roll work along an axis in order."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.openvino.spec import agrees_with_openvino, fault, infer, outline

BY_VALUE: dict[str, Any] = {"mode": "max", "sort": "value"}


@pytest.mark.parametrize("version", [1, 3, 11])
@pytest.mark.parametrize(
    ("data", "k", "axis", "shape"),
    [
        ("f32[1, 3, 224, 224]", "i64[]{10}", 3, "[1, 3, 224, 10]"),
        ("f32[N, 5]", "i32[]{3}", -2, "[3, 5]"),
        ("f32[N, 5]", "i64[]{0}", 1, "[N, 0]"),
        ("f32[N, 5]", "i64[]", 1, "[N, ?]"),
        ("f32[...]", "i64[]{2}", 1, "[...]"),
    ],
)
def test_the_first_are_kept(version: int, data: str, k: str, axis: int, shape: str) -> None:
    made = outline("TopK", data, k, axis=axis, version=version, outputs=2, **BY_VALUE)
    assert made == [f"f32{shape}", f"i32{shape}"]


def test_the_type_of_indices_is_chosen() -> None:
    made = infer("TopK", "f32[5]", "i64[]{2}", axis=0, version=11, outputs=2, index_element_type="i64", **BY_VALUE)
    assert made == ["f32[2]", "i64[2]"]


@pytest.mark.parametrize(
    ("k", "attributes", "code"),
    [
        ("i64[]{6}", {}, "too-few-elements"),
        ("i64[]{-1}", {}, "negative-length"),
        ("i64[1]{2}", {}, "rank-mismatch"),
        ("f32[]", {}, "element-type-not-allowed"),
        ("i64[]{2}", {"axis": 2}, "axis-out-of-range"),
        ("i64[]{2}", {"mode": "most"}, "invalid-attribute"),
        ("i64[]{2}", {"sort": "up"}, "invalid-attribute"),
        ("i64[]{2}", {"index_element_type": "f32"}, "invalid-attribute"),
    ],
)
def test_what_has_no_first(k: str, attributes: dict[str, Any], code: str) -> None:
    assert fault("TopK", "f32[2, 5]", k, version=11, **{"axis": 1, **BY_VALUE, **attributes}) == code


@pytest.mark.parametrize("version", [1, 3, 11])
def test_top_k_agrees_with_openvino(version: int) -> None:
    for axis, k in ((1, 0), (1, 1), (-1, 5), (0, 0)):
        where = {"axis": axis, **BY_VALUE}
        sizes = [{"N": 0}, {"N": 1}, {"N": 3}]
        agrees_with_openvino("TopK", "f32[N, 5]", f"i64[]{{{k}}}", version=version, outputs=2, bindings=sizes, **where)


def test_running_totals() -> None:
    assert infer("CumSum", "f32[N, 2]", "i64[]{1}", version=3) == "f32[N, 2]"
    assert infer("CumSum", "i64[3]{N, 1, 2}", "i64[]{0}", version=3) == "i64[3]{N, N + 1, N + 3}"
    assert infer("CumSum", "i64[2]{N, 1}", version=3, exclusive=True) == "i64[2]{0, N}"
    assert infer("CumSum", "i64[2]{N, 1}", "i64[]{0}", version=3, reverse="true") == "i64[2]{N + 1, 1}"
    assert fault("CumSum", "f32[2, 2]", "i64[]{2}", version=3) == "axis-out-of-range"
    assert fault("CumSum", "f32[2, 2]", "i64[2]", version=3) == "length-mismatch"
    agrees_with_openvino("CumSum", "f32[N, 2]", "i64[]{1}", version=3, bindings=[{"N": 0}, {"N": 1}])


def test_axes_are_reversed() -> None:
    assert infer("Reverse", "f32[N, 2]", "i64[1]{-1}", mode="index") == "f32[N, 2]"
    assert infer("Reverse", "f32[N, 2]", "bool[2]{True, False}", mode="mask") == "f32[N, 2]"
    assert fault("Reverse", "f32[2, 2]", "i64[1]{2}", mode="index") == "axis-out-of-range"
    assert fault("Reverse", "f32[2, 2]", "bool[1]{True}", mode="mask") == "length-mismatch"
    assert fault("Reverse", "f32[2, 2]", "i64[2]", mode="mask") == "element-type-not-allowed"
    assert fault("Reverse", "f32[2, 2]", "i64[]{0}", mode="index") == "rank-mismatch"
    sizes = [{"N": 0}, {"N": 1}]
    agrees_with_openvino("Reverse", "f32[N, 2]", "i64[2]{1, 0}", version=1, mode="index", bindings=sizes)


def test_sequences_are_reversed() -> None:
    assert infer("ReverseSequence", "f32[N, T, 2]", "i64[4]") == "f32[4, T, 2]"
    assert infer("ReverseSequence", "f32[N, T, 2]", "f32[2]", batch_axis=-1, seq_axis=0) == "f32[N, T, 2]"
    assert fault("ReverseSequence", "f32[2, 3]", "i64[3]") == "dim-mismatch"
    assert fault("ReverseSequence", "f32[2]", "i64[2]") == "rank-mismatch"
    assert fault("ReverseSequence", "f32[2, 3]", "i64[2]", seq_axis=2) == "axis-out-of-range"
    sizes = [{"N": 0, "T": 1}, {"N": 1, "T": 0}, {"N": 3, "T": 4}]
    agrees_with_openvino("ReverseSequence", "f32[N, T, 2]", "i64[N]", version=1, bindings=sizes)


def test_axes_are_rolled() -> None:
    assert infer("Roll", "f32[N, 2]", "i64[]{1}", "i64[2]{0, -1}", version=7) == "f32[N, 2]"
    assert infer("Roll", "f32[N, 2]", "i64[2]", "i32[2]", version=7) == "f32[N, 2]"
    assert fault("Roll", "f32[2, 2]", "i64[3]", "i64[2]", version=7) == "length-mismatch"
    assert fault("Roll", "f32[2, 2]", "i64[]", "i64[1]{2}", version=7) == "axis-out-of-range"
    assert fault("Roll", "f32[2, 2]", "i64[1, 1]", "i64[1]", version=7) == "rank-mismatch"
    rolled = ("f32[N, 2]", "i64[2]{1, 1}", "i64[2]{1, 1}")
    agrees_with_openvino("Roll", *rolled, version=7, bindings=[{"N": 0}, {"N": 1}])
