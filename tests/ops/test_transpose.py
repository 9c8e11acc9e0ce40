"""Transpose: axes in another order."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.spec import agrees_with_a_run, fault, infer, outline


@pytest.mark.parametrize(
    ("data", "perm", "output"),
    [
        ("f32[1, 2, 3]", [1, 0, 2], "f32[2, 1, 3]"),
        ("f32[N, H, W, 3]", [0, 3, 1, 2], "f32[N, 3, H, W]"),
        ("f32[N, H, W]", None, "f32[W, H, N]"),
        ("f32[]", None, "f32[]"),
        ("f32[...]", [1, 0], "f32[?, ?]"),
        ("f32[...]", None, "f32[...]"),
        ("?[N, 2]", [1, 0], "?[2, N]"),
    ],
)
def test_the_axes_follow_the_permutation(data: str, perm: list[int] | None, output: str) -> None:
    attributes: dict[str, Any] = {} if perm is None else {"perm": perm}
    assert outline("Transpose", data, **attributes) == output


@pytest.mark.parametrize("perm", [[0], [0, 0], [0, 2], [0, -1], [0, 1, 2]])
def test_a_permutation_names_every_axis_once(perm: list[int]) -> None:
    assert fault("Transpose", "f32[2, 3]", perm=perm) == "invalid-permutation"


def test_a_wrong_permutation_is_wrong_of_any_tensor() -> None:
    assert fault("Transpose", "f32[...]", perm=[0, 0]) == "invalid-permutation"


def test_entries_move_along() -> None:
    assert infer("Transpose", "i64[2, 3]{1, 2, N, 4, ?, 6}") == "i64[3, 2]{1, 4, 2, ?, N, 6}"
    assert infer("Transpose", "i64[2, 2]{1, 2, 3, 4}", perm=[0, 1]) == "i64[2, 2]{1, 2, 3, 4}"


@pytest.mark.parametrize("version", [1, 13, 21])
def test_it_agrees_with_a_run(version: int) -> None:
    agrees_with_a_run(
        "Transpose", "f32[N, 3, H]", perm=[2, 0, 1], version=version, bindings=[{"N": 0, "H": 1}, {"N": 2, "H": 5}]
    )
