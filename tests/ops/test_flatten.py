"""Flatten: rows are the axes before ``axis``, columns the rest."""

from __future__ import annotations

import pytest

from tests.ops.spec import agrees_with_a_run, fault, infer


@pytest.mark.parametrize(
    ("axis", "output"),
    [
        (0, "f32[1, 120]"),
        (1, "f32[2, 60]"),
        (2, "f32[6, 20]"),
        (3, "f32[24, 5]"),
        (4, "f32[120, 1]"),
        (-1, "f32[24, 5]"),
        (-4, "f32[1, 120]"),
    ],
)
def test_the_examples_of_its_documentation(axis: int, output: str) -> None:
    assert infer("Flatten", "f32[2, 3, 4, 5]", axis=axis) == output


def test_the_default_axis_keeps_the_batch() -> None:
    assert infer("Flatten", "f32[N, 3, 4]") == "f32[N, 12]"


def test_a_scalar_becomes_one_element() -> None:
    assert infer("Flatten", "f32[]", axis=0) == "f32[1, 1]"


@pytest.mark.parametrize(
    ("given", "output"),
    [
        ("f32[N, C, H, W]", "f32[N, C*H*W]"),
        ("f32[...]", "f32[Flatten_0, Flatten_1]"),
        ("?[N, 2]", "?[N, 2]"),
    ],
)
def test_what_is_known_of_the_output_as_less_is_known_of_the_input(given: str, output: str) -> None:
    assert infer("Flatten", given) == output


def test_no_axis_before_the_first_is_one_row_of_any_rank() -> None:
    assert infer("Flatten", "f32[...]", axis=0) == "f32[1, Flatten_0]"
    assert infer("Flatten", "f32[...]", axis=-1) == "f32[Flatten_0, Flatten_1]"
    assert infer("Flatten", "f32[N, C]", axis=2) == "f32[C*N, 1]"


@pytest.mark.parametrize("version", [1, 9])
def test_a_negative_axis_is_allowed_from_opset_11(version: int) -> None:
    assert fault("Flatten", "f32[2, 3]", axis=-1, version=version) == "axis-out-of-range"
    assert infer("Flatten", "f32[2, 3]", axis=-1, version=11) == "f32[2, 3]"


def test_an_axis_beyond_the_rank_is_a_fault() -> None:
    assert fault("Flatten", "f32[2, 3]", axis=3) == "axis-out-of-range"


@pytest.mark.parametrize(("version", "dtype", "allowed"), [(1, "i64", False), (9, "i64", True), (11, "bf16", False)])
def test_element_types_are_those_of_the_version(version: int, dtype: str, allowed: bool) -> None:
    if allowed:
        assert infer("Flatten", f"{dtype}[2, 3]", version=version) == f"{dtype}[2, 3]"
    else:
        assert fault("Flatten", f"{dtype}[2, 3]", version=version) == "element-type-not-allowed"


def test_entries_keep_their_order() -> None:
    assert infer("Flatten", "i64[2, 2]{1, 2, N, 4}", axis=0) == "i64[1, 4]{1, 2, N, 4}"


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_it_agrees_with_a_run(axis: int) -> None:
    bindings = [{"N": 0, "H": 3}, {"N": 1, "H": 1}, {"N": 5, "H": 2}]
    agrees_with_a_run("Flatten", "f32[N, 3, H]", axis=axis, bindings=bindings)
