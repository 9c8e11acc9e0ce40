"""Gather, GatherElements, GatherND, ArrayFeatureExtractor: what indices pick."""

from __future__ import annotations

from typing import Any

import pytest

from shapeinfer import check
from tests.models import parsed
from tests.ops.claims import asks, foretells_a_run
from tests.ops.spec import agrees_with_a_run, fault, infer

BINDINGS = [{"N": 1, "H": 1}, {"N": 5, "H": 3}]


@pytest.mark.parametrize(
    ("data", "indices", "axis", "output"),
    [
        ("f32[3, 2]", "i64[2, 2]", 0, "f32[2, 2, 2]"),
        ("f32[3, 3]", "i64[1, 2]", 1, "f32[3, 1, 2]"),
        ("f32[V, 64]", "i64[B, S]", 0, "f32[B, S, 64]"),
        ("f32[N, H]", "i64[]", -1, "f32[N]"),
        ("f32[N, H]", "i64[0]", 0, "f32[0, H]"),
        ("f32[N, H]", "i64[...]", 0, "f32[...]"),
        ("f32[...]", "i64[2]", 0, "f32[...]"),
        ("?[N, 2]", "i64[2]", 0, "?[2, 2]"),
    ],
)
def test_gather_replaces_an_axis_by_those_of_the_indices(data: str, indices: str, axis: int, output: str) -> None:
    assert infer("Gather", data, indices, axis=axis) == output


@pytest.mark.parametrize(
    ("indices", "output"),
    [
        ("i64[]{2}", "i64[]{H}"),
        ("i64[1]{-1}", "i64[1]{W}"),
        ("i64[2]{0, ?}", "i64[2]{N, ?}"),
        ("i64[2, 1]{3, 0}", "i64[2, 1]{W, N}"),
    ],
)
def test_gather_picks_entries_of_a_shape(indices: str, output: str) -> None:
    assert infer("Gather", "i64[4]{N, 3, H, W}", indices) == output


def test_gather_picks_rows_and_columns_of_a_matrix() -> None:
    assert infer("Gather", "i64[2, 3]{1, 2, 3, 4, 5, 6}", "i64[]{1}") == "i64[3]{4, 5, 6}"
    assert infer("Gather", "i64[2, 3]{1, 2, 3, 4, 5, 6}", "i64[2]{?, 0}", axis=1) == "i64[2, 2]{?, 1, ?, 4}"


@pytest.mark.parametrize(
    ("data", "indices", "claims"),
    [
        ("f32[N, 3]", "i64[2]{0, 6}", ["index-out-of-range: N >= 7"]),
        ("f32[N, 3]", "i64[2]{0, -2}", ["index-out-of-range: N >= 1", "index-out-of-range: N >= 2"]),
        ("f32[7, 3]", "i64[2]{0, 6}", []),
        ("f32[N, 3]", "i64[2]", ["index-out-of-range: N >= 1"]),
        ("f32[N, 3]", "i64[2, 0]", []),
        ("f32[N, 3]", "i64[K]", ["index-out-of-range: N >= 1 or K == 0"]),
        ("f32[4, 3]", "i64[2]", []),
        ("f32[N, 3]", "i64[]{k}", ["index-out-of-range: k + 1 <= N"]),
    ],
)
def test_known_indices_ask_for_room(data: str, indices: str, claims: list[str]) -> None:
    assert asks("Gather", data, indices) == claims


@pytest.mark.parametrize(
    ("data", "indices", "axis", "code"),
    [
        ("f32[5, 3]", "i64[2]{1, 7}", 0, "index-out-of-range"),
        ("f32[5, 3]", "i64[1]{-6}", 0, "index-out-of-range"),
        ("f32[0, 3]", "i64[1]{-1}", 0, "index-out-of-range"),
        ("f32[5, 3]", "i64[2]{1, 2}", 2, "axis-out-of-range"),
        ("f32[]", "i64[]{0}", 0, "axis-out-of-range"),
        ("f32[5, 3]", "f32[1]", 0, "element-type-not-allowed"),
    ],
)
def test_faults_of_gather(data: str, indices: str, axis: int, code: str) -> None:
    assert fault("Gather", data, indices, axis=axis) == code


@pytest.mark.parametrize("version", [1, 11, 13])
@pytest.mark.parametrize("indices", ["i64[]{0}", "i64[1]{-1}", "i64[2, N]", "i64[0]"])
def test_gather_agrees_with_a_run(indices: str, version: int) -> None:
    given = [{"N": 0, "H": 2}, *BINDINGS] if "{" not in indices and "N" not in indices else BINDINGS
    if indices == "i64[2, N]":
        # the run's indices are all 1
        agrees_with_a_run("Gather", "f32[H, 3]", indices, axis=-1, version=version, bindings=BINDINGS)
    else:
        agrees_with_a_run("Gather", "f32[N, H]", indices, version=version, bindings=given)


@pytest.mark.parametrize(
    ("data", "indices", "axis", "output"),
    [
        ("f32[3, 3]", "i64[2, 3]", 0, "f32[2, 3]"),
        ("f32[N, H]", "i64[K, H]", 0, "f32[K, H]"),
        ("f32[N, H]", "i64[...]", 0, "f32[GatherElements_0, GatherElements_1]"),
        ("f32[...]", "i64[K, 2]", 0, "f32[K, 2]"),
        ("f32[...]", "i64[...]", 0, "f32[...]"),
        ("i64[2, 2]{1, 2, 3, N}", "i64[2, 2]{0, 0, 1, 0}", 1, "i64[2, 2]{1, 1, N, 3}"),
        ("i64[3]{4, 5, 6}", "i64[2]{-1, 0}", 0, "i64[2]{6, 4}"),
    ],
)
def test_gather_elements_has_the_shape_of_its_indices(data: str, indices: str, axis: int, output: str) -> None:
    assert infer("GatherElements", data, indices, axis=axis) == output


def test_gather_elements_reaches_no_further_than_the_other_axes() -> None:
    some = "index-out-of-range: N >= 1 or K == 0 or W == 0"
    assert asks("GatherElements", "f32[N, H]", "i64[K, W]") == [some, "index-out-of-range: W <= H"]
    assert asks("GatherElements", "f32[N, 3]", "i64[1, 3]{0, 1, 2}") == ["index-out-of-range: N >= 3"]
    assert fault("GatherElements", "f32[5, 2]", "i64[3, 3]") == "index-out-of-range"
    assert fault("GatherElements", "f32[5, 3]", "i64[5]") == "rank-mismatch"
    assert fault("GatherElements", "f32[5, 3]", "i64[5, 3]", axis=2) == "axis-out-of-range"
    assert fault("GatherElements", "f32[2]", "i64[1]{2}") == "index-out-of-range"


def test_an_axis_without_positions_has_none_for_any_index() -> None:
    bindings = [{"N": n, "K": k} for n in (0, 2) for k in range(2)]
    foretells_a_run("Gather", "f32[N, 3]", "i64[K]", bindings=bindings)
    foretells_a_run("GatherElements", "f32[N, 3]", "i64[K, 3]", bindings=bindings)


def test_gather_elements_agrees_with_a_run() -> None:
    agrees_with_a_run("GatherElements", "f32[3, H]", "i64[N, H]", bindings=[{"N": 0, "H": 0}, *BINDINGS])


@pytest.mark.parametrize(
    ("data", "indices", "attributes", "output"),
    [
        ("f32[2, 2]", "i64[2, 2]", {}, "f32[2]"),
        ("f32[2, 2]", "i64[2, 1]", {}, "f32[2, 2]"),
        ("f32[2, 2, 2]", "i64[2, 1, 2]", {}, "f32[2, 1, 2]"),
        ("f32[2, 2, 2]", "i64[2, 1]", {"batch_dims": 1}, "f32[2, 2]"),
        ("f32[N, H, 5]", "i64[M, 1]", {}, "f32[M, H, 5]"),
        ("f32[N, H]", "i64[2]", {}, "f32[]"),
        ("f32[N, H]", "i64[2, k]", {}, "f32[...]"),
        ("f32[N, H]", "i64[...]", {}, "f32[...]"),
        ("i64[2, 2]{1, 2, N, 4}", "i64[1, 2]{1, 0}", {}, "i64[1]{N}"),
    ],
)
def test_gather_nd(data: str, indices: str, attributes: dict[str, Any], output: str) -> None:
    assert infer("GatherND", data, indices, **attributes) == output


@pytest.mark.parametrize(
    ("data", "indices", "attributes", "code"),
    [
        ("f32[5, 2]", "i64[3, 3]", {}, "rank-mismatch"),
        ("f32[]", "i64[1]", {}, "rank-mismatch"),
        ("f32[5, 2]", "i64[]", {}, "rank-mismatch"),
        ("f32[5, 2]", "i64[1, 1]{7}", {}, "index-out-of-range"),
        ("f32[5, 2, 3]", "i64[4, 1]", {"batch_dims": 1}, "dim-mismatch"),
        ("f32[5, 2, 3]", "i64[5, 1]", {"batch_dims": 2}, "invalid-attribute"),
        ("f32[5, 2, 3]", "i64[5, 3]", {"batch_dims": 1}, "rank-mismatch"),
    ],
)
def test_faults_of_gather_nd(data: str, indices: str, attributes: dict[str, Any], code: str) -> None:
    assert fault("GatherND", data, indices, **attributes) == code


def test_gather_nd_has_batches_from_opset_12() -> None:
    assert fault("GatherND", "f32[2, 2]", "i64[2, 1]", version=11, batch_dims=1) != ""
    assert asks("GatherND", "f32[B, 2]", "i64[C, 1]", batch_dims=1) == ["dim-mismatch: C == B"]


@pytest.mark.parametrize(("indices", "batch"), [("i64[N, 2]", 0), ("i64[N, 1]", 0), ("i64[3, N, 1]", 1)])
def test_gather_nd_agrees_with_a_run(indices: str, batch: int) -> None:
    agrees_with_a_run(
        "GatherND", "f32[3, 2, H]", indices, batch_dims=batch, bindings=[{"N": 2, "H": 2}, {"N": 0, "H": 4}]
    )


@pytest.mark.parametrize(
    ("x", "y", "output"),
    [
        ("f32[N, 5]", "i64[2]", "f32[N, 2]"),
        ("f32[5]", "i64[2]", "f32[1, 2]"),
        ("f32[5]", "i64[1, 2]", "f32[1, 2]"),
        ("f32[2, 3, 5]", "i64[2, 2]", "f32[2, 3, 4]"),
        ("f32[...]", "i64[2]", "f32[...]"),
    ],
)
def test_array_feature_extractor(x: str, y: str, output: str) -> None:
    assert infer("ArrayFeatureExtractor", x, y, domain="ai.onnx.ml") == output


def test_faults_of_array_feature_extractor() -> None:
    assert fault("ArrayFeatureExtractor", "f32[2, 5]", "i64[1]{5}", domain="ai.onnx.ml") == "index-out-of-range"
    assert fault("ArrayFeatureExtractor", "f32[]", "i64[1]", domain="ai.onnx.ml") == "rank-mismatch"


def test_as_many_indices_as_data_decides_ask_for_nothing() -> None:
    body = "i = NonZero (x) k = Squeeze (i, zero) y = Gather (x, k)"
    report = check(parsed(f"g (float[N] x) => (y) <int64[1] zero = {{0}}> {{ {body} }}"))
    assert not report.diagnostics
    assert report.contract.all_sizes == report.contract.at_run_time == ()
