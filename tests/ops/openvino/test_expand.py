"""Tile repeats entries along axes."""

from __future__ import annotations

import pytest

from tests.ops.openvino.spec import agrees_with_openvino, fault, infer, outline


@pytest.mark.parametrize(
    ("data", "repeats", "output"),
    [
        ("f32[2, N]", "i64[2]{2, 3}", "f32[4, 3*N]"),
        ("f32[2, N]", "i64[1]{3}", "f32[2, 3*N]"),
        ("f32[2, N]", "i64[3]{4, 1, M}", "f32[4, 2, M*N]"),
        ("f32[2, N]", "i64[0]", "f32[2, N]"),
        ("f32[2, N]", "i64[2]{0, -1}", "f32[0, 0]"),
        ("f32[2, 1]", "i64[3]", "f32[?, 2*?, ?]"),
        ("f32[2, N]", "i64[K]", "f32[...]"),
        ("f32[...]", "i64[2]{2, 3}", "f32[...]"),
        ("i64[2]{N, 3}", "i64[1]{2}", "i64[4]{N, 3, N, 3}"),
    ],
)
def test_tile(data: str, repeats: str, output: str) -> None:
    assert outline("Tile", data, repeats) == output


def test_repeats_are_a_list() -> None:
    assert fault("Tile", "f32[2]", "i64[]{2}") == "rank-mismatch"


def test_tile_agrees_with_openvino() -> None:
    for repeats in ("i64[2]{2, 0}", "i64[1]{3}", "i64[3]{4, 1, 2}", "i64[2]{1, -1}"):
        agrees_with_openvino("Tile", "f32[2, N]", repeats, version=1, bindings=[{"N": 0}, {"N": 1}, {"N": 5}])
    assert infer("Tile", "f32[]", "i64[0]") == "f32[]"
