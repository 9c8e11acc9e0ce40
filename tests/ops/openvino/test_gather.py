"""Gather, GatherElements, GatherND and GatherTree pick entries by index."""

from __future__ import annotations

import pytest

from tests.ops.openvino.spec import agrees_with_openvino, fault, infer, outline


@pytest.mark.parametrize("version", [1, 7, 8])
@pytest.mark.parametrize(
    ("data", "indices", "axis", "output"),
    [
        ("f32[N, 3, 4]", "i64[5, M]", "i64[]{1}", "f32[N, 5, M, 4]"),
        ("f32[N, 3, 4]", "i32[]", "i64[1]{-1}", "f32[N, 3]"),
        ("f32[5]", "i64[3]{3, 10, -20}", "i64[]{0}", "f32[3]"),
        ("f32[N, 3]", "i64[M]", "i64[]", "f32[?, ?]"),
        ("f32[...]", "i64[M]", "i64[]{0}", "f32[...]"),
        ("i64[3]{1, N, 3}", "i64[2]{1, 0}", "i64[]{0}", "i64[2]{N, 1}"),
        ("i64[3]{1, N, 3}", "i64[2]{-1, 3}", "i64[]{0}", "i64[2]{3, ?}"),
    ],
)
def test_gather(version: int, data: str, indices: str, axis: str, output: str) -> None:
    assert outline("Gather", data, indices, axis, version=version) == output


@pytest.mark.parametrize("version", [7, 8])
@pytest.mark.parametrize(
    ("data", "indices", "axis", "batch_dims", "output"),
    [
        ("f32[2, 5]", "i64[2, 3]", "i64[]{1}", 1, "f32[2, 3]"),
        ("f32[2, 2, 5]", "i64[2, 2, 3]", "i64[]{2}", 2, "f32[2, 2, 3]"),
        ("f32[2, 1, 5, 4]", "i64[2, 3]", "i64[]{2}", 1, "f32[2, 1, 3, 4]"),
        ("f32[N, 5]", "i64[2, 3]", "i64[]{1}", -1, "f32[2, 3]"),
        ("f32[2, 64, 128]", "i64[2, 32, 21]", "i64[]{1}", 1, "f32[2, 32, 21, 128]"),
        ("f32[2, 64, 128]", "i64[2, 32, 21]", "i64[]", 1, "f32[2, ?, ?, ?]"),
    ],
)
def test_a_batch_is_gathered_one_by_one(
    version: int, data: str, indices: str, axis: str, batch_dims: int, output: str
) -> None:
    assert outline("Gather", data, indices, axis, version=version, batch_dims=batch_dims) == output


@pytest.mark.parametrize(
    ("data", "indices", "axis", "batch_dims", "code"),
    [
        ("f32[2, 3]", "i64[1]", "i64[]{2}", 0, "axis-out-of-range"),
        ("f32[2, 3]", "i64[2]", "i64[]{0}", 1, "axis-out-of-range"),
        ("f32[2, 3]", "i64[3, 4]", "i64[]{1}", 1, "dim-mismatch"),
        ("f32[2, 3]", "i64[2]", "i64[]{1}", 2, "invalid-attribute"),
        ("f32[2, 3]", "i64[2]", "i64[2]{0, 0}", 0, "length-mismatch"),
        ("f32[2, 3]", "f32[2]", "i64[]{1}", 0, "element-type-not-allowed"),
    ],
)
def test_what_cannot_be_gathered(data: str, indices: str, axis: str, batch_dims: int, code: str) -> None:
    assert fault("Gather", data, indices, axis, version=8, batch_dims=batch_dims) == code


def test_elements_along_one_axis() -> None:
    assert infer("GatherElements", "f32[N, 3]", "i64[2, K]", axis=1) == "f32[2, K]"
    assert infer("GatherElements", "f32[...]", "i64[2, K]", axis=1) == "f32[2, K]"
    assert infer("GatherElements", "i64[3]{1, N, 3}", "i64[2]{2, 1}", axis=0) == "i64[2]{3, N}"
    assert fault("GatherElements", "f32[2, 3]", "i64[3, 3]", axis=1) == "dim-mismatch"
    assert fault("GatherElements", "f32[2, 3]", "i64[3]", axis=1) == "rank-mismatch"


@pytest.mark.parametrize(
    ("data", "indices", "batch_dims", "folded", "output"),
    [
        ("f32[1000, 256, 10, 15]", "i64[25, 125, 3]", 0, "f32[25, 125, 15]", "f32[25, 125, 15]"),
        ("f32[30, 2, 100, 35]", "i64[30, 2, 3, 1]", 2, "f32[60, 3, 35]", "f32[30, 2, 3, 35]"),
        ("f32[N, 3]", "i64[4, 2]", 0, "f32[4]", "f32[4]"),
        ("f32[2, 3]", "i64[4, K]", 0, "f32[...]", "f32[...]"),
    ],
)
def test_tuples_of_indices(data: str, indices: str, batch_dims: int, folded: str, output: str) -> None:
    assert infer("GatherND", data, indices, version=5, batch_dims=batch_dims) == folded
    assert infer("GatherND", data, indices, version=8, batch_dims=batch_dims) == output


def test_tuples_point_into_the_data() -> None:
    assert infer("GatherND", "i64[2, 2]{1, 2, N, 4}", "i64[1, 2]{1, 0}", version=8) == "i64[1]{N}"
    assert fault("GatherND", "f32[2, 3]", "i64[4, 3]", version=8) == "rank-mismatch"
    assert fault("GatherND", "f32[2, 3]", "i64[1, 1]{2}", version=8) == "index-out-of-range"
    assert fault("GatherND", "f32[2, 3]", "i64[4, 1]", version=8, batch_dims=1) == "dim-mismatch"
    assert fault("GatherND", "f32[2, 3]", "i64[4, 1]", version=5, batch_dims=1) == "not-broadcastable"
    assert fault("GatherND", "f32[2, 3]", "i64[4, 1]", version=5, batch_dims=2) == "invalid-attribute"


def test_trees() -> None:
    assert infer("GatherTree", "f32[T, B, 4]", "f32[T, 2, 4]", "f32[B]", "f32[]") == "f32[T, 2, 4]"
    assert outline("GatherTree", "f32[...]", "f32[...]", "f32[B]", "f32[]") == "f32[?, B, ?]"
    assert fault("GatherTree", "f32[1, 2, 4]", "f32[1, 2, 4]", "f32[3]", "f32[]") == "dim-mismatch"
    assert fault("GatherTree", "f32[1, 2, 4]", "f32[1, 2, 4]", "f32[2]", "f32[1]") == "rank-mismatch"


def test_gathering_agrees_with_openvino() -> None:
    sizes = [{"N": 0, "M": 1}, {"N": 1, "M": 0}, {"N": 2, "M": 3}]
    for version in (1, 7, 8):
        agrees_with_openvino("Gather", "f32[N, 3, 4]", "i64[M, 2]", "i64[]{1}", version=version, bindings=sizes)
        agrees_with_openvino("Gather", "f32[N, 3, 4]", "i64[]", "i64[1]{-1}", version=version, bindings=sizes)
    for version in (7, 8):
        batched = ("f32[N, 3, M, 5]", "i64[N, 4]", "i64[]{2}")
        agrees_with_openvino("Gather", *batched, version=version, batch_dims=1, bindings=sizes)
    agrees_with_openvino("GatherElements", "f32[N, 3]", "i64[N, M]", version=6, axis=-1, bindings=sizes)
    for version in (5, 8):
        for batch_dims in (0, 1, 2):
            indices = "i64[N, 3, M, 1]"
            attributes = {"batch_dims": batch_dims}
            agrees_with_openvino("GatherND", "f32[N, 3, 5, 4]", indices, version=version, bindings=sizes, **attributes)
    agrees_with_openvino("GatherTree", "f32[N, M, 3]", "f32[N, M, 3]", "f32[M]", "f32[]", version=1, bindings=sizes)
