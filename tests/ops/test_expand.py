"""Expand broadcasts to a shape, both ways; Tile lays copies along the axes."""

from __future__ import annotations

import pytest

from tests.ops.spec import agrees_with_a_run, fault, infer, outline


@pytest.mark.parametrize(
    ("data", "shape", "output"),
    [
        ("f32[3, 1]", "i64[3]{2, 1, 6}", "f32[2, 3, 6]"),
        ("f32[3, 1]", "i64[2]{3, 4}", "f32[3, 4]"),
        ("f32[3, 4]", "i64[1]{1}", "f32[3, 4]"),
        ("f32[3, 4]", "i64[0]{}", "f32[3, 4]"),
        ("f32[]", "i64[2]{N, 2}", "f32[N, 2]"),
        ("f32[1, 4]", "i64[2]{0, 4}", "f32[0, 4]"),
        ("f32[0, 4]", "i64[2]{1, 4}", "f32[0, 4]"),
        ("f32[N, 1]", "i64[2]{1, M}", "f32[N, M]"),
        ("f32[N]", "i64[1]{M}", "f32[broadcast(M, N)]"),
        ("f32[N, 1, 5]", "i64[3]{?, 7, ?}", "f32[broadcast(?, N), 7, 5]"),
        ("f32[1, 5]", "i64[2]", "f32[?, 5]"),
        ("f32[2, 5]", "i64[1]", "f32[2, 5]"),
        ("f32[2, 5]", "i64[K]", "f32[...]"),
        ("f32[...]", "i64[2]{3, 4}", "f32[...]"),
    ],
)
def test_both_shapes_are_broadcast(data: str, shape: str, output: str) -> None:
    assert outline("Expand", data, shape) == output


@pytest.mark.parametrize(
    ("data", "shape", "code"),
    [
        ("f32[3, 4]", "i64[2]{3, 5}", "not-broadcastable"),
        ("f32[3, 4]", "i64[2]{0, 4}", "not-broadcastable"),
        ("f32[1, 4]", "i64[2]{-1, 4}", "negative-length"),
        ("f32[3]", "i64[]{3}", "rank-mismatch"),
        ("f32[3]", "i32[1]{3}", "element-type-not-allowed"),
    ],
)
def test_what_cannot_be_expanded(data: str, shape: str, code: str) -> None:
    assert fault("Expand", data, shape) == code


def test_expanded_entries_are_repeated() -> None:
    assert infer("Expand", "i64[2, 1]{1, N}", "i64[2]{2, 3}") == "i64[2, 3]{1, 1, 1, N, N, N}"
    assert infer("Expand", "i64[]{-1}", "i64[1]{3}") == "i64[3]{-1, -1, -1}"


@pytest.mark.parametrize(
    ("data", "shape"),
    [("f32[N, 1, 2]", "i64[3]{1, M, 2}"), ("f32[1]", "i64[2]{N, M}"), ("f32[N, 3]", "i64[1]{1}")],
)
def test_expand_agrees_with_a_run(data: str, shape: str) -> None:
    agrees_with_a_run("Expand", data, shape, bindings=[{"N": 0, "M": 1}, {"N": 1, "M": 0}, {"N": 3, "M": 4}])


@pytest.mark.parametrize(
    ("data", "repeats", "output"),
    [
        ("f32[2, 2]", "i64[2]{1, 2}", "f32[2, 4]"),
        ("f32[N, 3]", "i64[2]{R, 2}", "f32[N*R, 6]"),
        ("f32[N, 3]", "i64[2]{0, 1}", "f32[0, 3]"),
        ("f32[]", "i64[0]{}", "f32[]"),
        ("f32[0, 3]", "i64[2]", "f32[0, 3*?]"),
        ("f32[N, 3]", "i64[2]", "f32[N*?, 3*?]"),
        ("f32[N, 3]", "i64[K]", "f32[N*?, 3*?]"),
        ("f32[N, 3]", "i64[...]", "f32[N*?, 3*?]"),
        ("f32[...]", "i64[2]{1, 2}", "f32[?, ?]"),
        ("f32[...]", "i64[K]", "f32[...]"),
    ],
)
def test_every_axis_is_repeated(data: str, repeats: str, output: str) -> None:
    assert outline("Tile", data, repeats) == output


@pytest.mark.parametrize(
    ("repeats", "code"),
    [
        ("i64[1]{2}", "length-mismatch"),
        ("i64[2]{1, -1}", "negative-length"),
        ("i64[]{2}", "rank-mismatch"),
        ("i32[2]{1, 1}", "element-type-not-allowed"),
    ],
)
def test_what_cannot_be_tiled(repeats: str, code: str) -> None:
    assert fault("Tile", "f32[2, 3]", repeats) == code


def test_before_opset_6_one_axis_is_repeated() -> None:
    assert infer("Tile", "f32[2, N]", "f32[1]{3}", "f32[1]{1}", version=1) == "f32[2, 3*N]"
    assert infer("Tile", "f32[2, N]", "f32[]{3}", "f32[]{0}", version=1) == "f32[6, N]"
    assert outline("Tile", "f32[2, N]", "f32[1]", "f32[1]{0}", version=1) == "f32[2*?, N]"
    assert outline("Tile", "f32[2, N]", "f32[1]{3}", "f32[1]", version=1) == "f32[?, ?]"
    assert fault("Tile", "f32[2, N]", "f32[1]{3}", "f32[1]{2}", version=1) == "axis-out-of-range"
    assert fault("Tile", "f32[2, N]", "f32[1]{-3}", "f32[1]{1}", version=1) == "negative-length"
    assert fault("Tile", "f32[2, N]", "f32[1, 1]{3}", "f32[1]{1}", version=1) == "rank-mismatch"


def test_tiled_entries_are_repeated() -> None:
    assert infer("Tile", "i64[2]{1, N}", "i64[1]{2}") == "i64[4]{1, N, 1, N}"
    assert infer("Tile", "i64[1, 2]{1, 2}", "i64[2]{2, 1}") == "i64[2, 2]{1, 2, 1, 2}"


def test_tile_agrees_with_a_run() -> None:
    bindings = [{"N": 0, "R": 2}, {"N": 2, "R": 0}, {"N": 3, "R": 4}]
    agrees_with_a_run("Tile", "f32[N, 3]", "i64[2]{R, 2}", bindings=bindings)
