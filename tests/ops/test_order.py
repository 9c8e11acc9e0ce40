"""TopK, CumSum, CumProd, ReverseSequence: what goes along one axis in order."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.claims import asks, foretells_a_run
from tests.ops.spec import agrees_with_a_run, fault, infer


@pytest.mark.parametrize(
    ("x", "k", "axis", "output"),
    [
        ("f32[3, 4]", "i64[1]{3}", 1, "f32[3, 3]"),
        ("f32[3, N]", "i64[1]{9}", -1, "f32[3, 9]"),
        ("f32[3, N]", "i64[1]{0}", -1, "f32[3, 0]"),
        ("f32[A]", "i64[1]{A//2}", 0, "f32[A//2]"),
        ("f32[3, N]", "i64[1]", 1, "f32[3, TopK_0]"),
        ("f32[3, N]", "i64[...]", 0, "f32[TopK_0, N]"),
        ("f32[...]", "i64[1]{3}", 0, "f32[...]"),
    ],
)
def test_top_k_keeps_k_along_the_axis(x: str, k: str, axis: int, output: str) -> None:
    assert infer("TopK", x, k, axis=axis) == [output, output.replace("f32", "i64")]


def test_top_k_had_an_attribute_before_opset_10() -> None:
    assert infer("TopK", "f32[3, N]", k=2, version=1) == ["f32[3, 2]", "i64[3, 2]"]
    assert fault("TopK", "f32[3, 2]", k=0, version=1) == "invalid-attribute"
    assert fault("TopK", "f32[3, 2]", k=3, version=1) == "too-few-elements"


@pytest.mark.parametrize(
    ("k", "claims"),
    [
        ("i64[1]{9}", ["too-few-elements: N >= 9"]),
        ("i64[1]{K}", ["too-few-elements: K <= N"]),
        ("i64[1]{N//2}", []),
        ("i64[1]", []),
    ],
)
def test_top_k_asks_for_as_many_elements(k: str, claims: list[str]) -> None:
    assert asks("TopK", "f32[3, N]", k) == claims


@pytest.mark.parametrize(
    ("x", "k", "axis", "code"),
    [
        ("f32[3, 5]", "i64[1]{9}", -1, "too-few-elements"),
        ("f32[3, 5]", "i64[1]{-1}", -1, "negative-length"),
        ("f32[3, 5]", "i64[]{1}", -1, "rank-mismatch"),
        ("f32[3, 5]", "i64[2]{1, 1}", -1, "length-mismatch"),
        ("f32[3, 5]", "i64[1]{1}", 2, "axis-out-of-range"),
        ("f32[]", "i64[1]{1}", -1, "axis-out-of-range"),
    ],
)
def test_faults_of_top_k(x: str, k: str, axis: int, code: str) -> None:
    assert fault("TopK", x, k, axis=axis) == code


@pytest.mark.parametrize("version", [10, 11])
def test_top_k_agrees_with_a_run(version: int) -> None:
    bindings = [{"N": 0, "K": 0}, {"N": 1, "K": 1}, {"N": 5, "K": 3}]
    agrees_with_a_run("TopK", "f32[3, N]", "i64[1]{K}", outputs=2, version=version, bindings=bindings)


@pytest.mark.parametrize(
    ("x", "attributes", "outputs"),
    [
        ("i64[4]{1, 5, 1, 3}", {}, ["i64[3]{5, 3, 1}", "i64[3]{1, 3, 0}"]),
        ("i64[4]{1, 5, 1, 3}", {"largest": 0}, ["i64[3]{1, 1, 3}", "i64[3]{0, 2, 3}"]),
        ("i64[4]{1, 5, 1, 3}", {"sorted": 0}, ["i64[3]", "i64[3]"]),
        ("i64[3]{N, N + 2, 2*N + 3}", {}, ["i64[3]{2*N + 3, N + 2, N}", "i64[3]{2, 1, 0}"]),
        ("i64[3]{N, M, 1}", {}, ["i64[3]", "i64[3]"]),
    ],
)
def test_entries_are_put_in_order_where_it_is_known(x: str, attributes: dict[str, Any], outputs: list[str]) -> None:
    assert infer("TopK", x, "i64[1]{3}", outputs=2, **attributes) == outputs
    bindings = [{"N": n, "M": 2} for n in (0, 1, 5)]
    agrees_with_a_run("TopK", x, "i64[1]{3}", outputs=2, bindings=bindings, **attributes)


def test_top_k_of_an_attribute_agrees_with_a_run() -> None:
    agrees_with_a_run("TopK", "f32[3, N]", k=2, axis=0, outputs=2, version=1, bindings=[{"N": 0}, {"N": 4}])


@pytest.mark.parametrize("op", ["CumSum", "CumProd"])
def test_cumulation_keeps_the_shape(op: str) -> None:
    assert infer(op, "f32[N, 3]", "i64[]{1}") == "f32[N, 3]"
    assert infer(op, "f32[N, 3]", "i64[]") == "f32[N, 3]"
    assert infer(op, "f32[...]", "i64[]{1}") == "f32[...]"
    assert fault(op, "f32[N, 3]", "i64[]{2}") == "axis-out-of-range"
    assert fault(op, "f32[N, 3]", "i64[2]{0, 1}") == "length-mismatch"
    for number in (2, -1):
        assert fault(op, "f32[N, 3]", "i64[]{1}", exclusive=number) == "invalid-attribute"
        assert fault(op, "f32[N, 3]", "i64[]{1}", reverse=number) == "invalid-attribute"


@pytest.mark.parametrize(
    ("attributes", "output"),
    [
        ({}, "i64[3]{1, N + 1, N + 3}"),
        ({"exclusive": 1}, "i64[3]{0, 1, N + 1}"),
        ({"reverse": 1}, "i64[3]{N + 3, N + 2, 2}"),
        ({"exclusive": 1, "reverse": 1}, "i64[3]{N + 2, 2, 0}"),
    ],
)
def test_sums_of_known_entries(attributes: dict[str, int], output: str) -> None:
    exclusive, reverse = attributes.get("exclusive", 0), attributes.get("reverse", 0)
    assert infer("CumSum", "i64[3]{1, N, 2}", "i64[]{0}", exclusive=exclusive, reverse=reverse) == output


@pytest.mark.parametrize("version", [11, 14])
def test_cum_sum_agrees_with_a_run(version: int) -> None:
    agrees_with_a_run("CumSum", "f32[N, 3]", "i64[]{-1}", version=version, bindings=[{"N": 0}, {"N": 4}])


@pytest.mark.parametrize(
    ("inputs", "attributes", "output"),
    [
        (("f32[T, B, 4]", "i64[B]"), (1, 0), "f32[T, B, 4]"),
        (("f32[T, B]", "i64[3]"), (1, 0), "f32[T, 3]"),
        (("f32[B, T]", "i64[3]"), (0, 1), "f32[3, T]"),
        (("f32[B, T]", "i64[...]"), (0, 1), "f32[B, T]"),
        (("f32[...]", "i64[3]"), (0, 1), "f32[...]"),
    ],
)
def test_reverse_sequence_keeps_the_shape(inputs: tuple[str, ...], attributes: tuple[int, int], output: str) -> None:
    batch, time = attributes
    assert infer("ReverseSequence", *inputs, batch_axis=batch, time_axis=time) == output


@pytest.mark.parametrize(
    ("inputs", "batch", "time", "code"),
    [
        (("f32[4, 2]", "i64[3]"), 1, 0, "dim-mismatch"),
        (("f32[4]", "i64[1]"), 1, 0, "rank-mismatch"),
        (("f32[4, 2]", "i64[2, 1]"), 1, 0, "rank-mismatch"),
        (("f32[4, 2]", "i64[2]"), 1, 1, "invalid-attribute"),
        (("f32[4, 2, 3]", "i64[3]"), 2, 1, "invalid-attribute"),
    ],
)
def test_faults_of_reverse_sequence(inputs: tuple[str, ...], batch: int, time: int, code: str) -> None:
    assert fault("ReverseSequence", *inputs, batch_axis=batch, time_axis=time) == code


def test_sequences_are_no_longer_than_the_axis() -> None:
    call = ("f32[T, 2]", "i64[2]{M - 1, 3}")
    assert asks("ReverseSequence", *call) == [
        "index-out-of-range: M - 1 >= 0 and M - 1 <= T",
        "index-out-of-range: T >= 3",
    ]
    foretells_a_run("ReverseSequence", *call, bindings=[{"T": t, "M": m} for t in range(5) for m in (0, 1, 4)])
    assert fault("ReverseSequence", "f32[3, 2]", "i64[2]{4, 0}") == "index-out-of-range"


def test_reverse_sequence_agrees_with_a_run() -> None:
    agrees_with_a_run("ReverseSequence", "f32[T, B, 2]", "i64[B]", bindings=[{"T": 1, "B": 0}, {"T": 4, "B": 2}])


def test_a_sum_that_wraps_around_is_not_known() -> None:
    assert infer("CumSum", "i32[3]{2147483647, 1, 2}", "i64[]{0}") == "i32[3]{2147483647, ?, ?}"
