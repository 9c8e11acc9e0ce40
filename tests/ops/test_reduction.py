"""Reductions: axes are folded to 1 or dropped."""

from __future__ import annotations

from typing import Any

import onnx.defs
import pytest

from tests.each import each
from tests.ops.claims import asks
from tests.ops.spec import agrees_with_a_run, fault, infer

MOVED = "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSumSquare"


def _versions(names: str, since: int = 1, before: int = 1000) -> list[tuple[str, int]]:
    schemas = onnx.defs.get_all_schemas_with_history()
    chosen = {(s.name, s.since_version) for s in schemas if not s.domain and s.name in names.split()}
    return sorted((name, version) for name, version in chosen if since <= version < before)


BY_ATTRIBUTE = _versions(MOVED, before=18) + _versions("ReduceSum", before=13)
BY_INPUT = _versions(MOVED, since=18) + _versions("ReduceSum", since=13)
FOLDS = [
    ([1], 1, "[N, 1, 4]"),
    ([1], 0, "[N, 4]"),
    ([0, 2], 1, "[1, 3, 1]"),
    ([0, 2], 0, "[3]"),
    ([-1], 0, "[N, 3]"),
    ([-1, 2], 0, "[N, 3]"),
    ([], 1, "[1, 1, 1]"),
    ([], 0, "[]"),
]


@each((*operator, *fold) for operator in BY_ATTRIBUTE for fold in FOLDS)
def test_axes_were_an_attribute(operator: str, version: int, axes: list[int], keepdims: int, out: str) -> None:
    attributes: dict[str, Any] = {"axes": axes} if axes else {}
    made = infer(operator, "f32[N, 3, 4]", version=version, keepdims=keepdims, **attributes)
    assert made == f"f32{out}"


@each((*operator, *fold) for operator in BY_INPUT for fold in FOLDS)
def test_axes_are_an_input(operator: str, version: int, axes: list[int], keepdims: int, out: str) -> None:
    listed = f"i64[{len(axes)}]{{{', '.join(map(str, axes))}}}" if axes else "i64[0]"
    assert infer(operator, "f32[N, 3, 4]", listed, version=version, keepdims=keepdims) == f"f32{out}"


@pytest.mark.parametrize(("operator", "version"), BY_INPUT)
def test_no_axes_are_all_or_none(operator: str, version: int) -> None:
    for none in ("", "i64[0]"):
        assert infer(operator, "f32[N, 3]", none, version=version) == "f32[1, 1]"
        assert infer(operator, "f32[N, 3]", none, version=version, noop_with_empty_axes=1) == "f32[N, 3]"
    assert infer(operator, "f32[N, 3]", "i64[1]{0}", version=version, noop_with_empty_axes=1) == "f32[1, 3]"


@pytest.mark.parametrize(
    ("data", "axes", "keepdims", "out"),
    [
        ("f32[N, 1, 4]", "i64[1]", 1, "f32[ReduceMean_0, 1, ReduceMean_1]"),
        ("f32[N, 1, 4]", "i64[K]", 1, "f32[ReduceMean_0, 1, ReduceMean_1]"),
        ("f32[N, 1, 4]", "i64[...]", 1, "f32[ReduceMean_0, 1, ReduceMean_1]"),
        ("f32[N, 1, 4]", "i64[1]", 0, "f32[ReduceMean_0, ReduceMean_1]"),
        ("f32[N, 1, 4]", "i64[2]", 0, "f32[...]"),
        ("f32[N, 1, 4]", "i64[K]", 0, "f32[...]"),
        ("f32[...]", "i64[1]{0}", 1, "f32[...]"),
        ("f32[...]", "i64[1]{0}", 0, "f32[...]"),
        ("f32[...]", "", 0, "f32[]"),
        ("f32[...]", "", 1, "f32[...]"),
        ("?[N]", "", 1, "?[1]"),
    ],
)
def test_what_is_known_as_less_is_known_of_the_inputs(data: str, axes: str, keepdims: int, out: str) -> None:
    assert infer("ReduceMean", data, axes, keepdims=keepdims) == out


def test_a_scalar_folds_to_itself() -> None:
    assert infer("ReduceSum", "f32[]") == "f32[]"
    assert infer("ReduceSum", "f32[]", "i64[1]{0}") == "f32[]"
    assert infer("ReduceSum", "f32[]", "i64[1]{-1}", keepdims=0) == "f32[]"
    assert fault("ReduceSum", "f32[]", "i64[1]{1}") == "axis-out-of-range"


@pytest.mark.parametrize("axis", [2, -3])
def test_an_axis_outside_the_tensor(axis: int) -> None:
    assert fault("ReduceMax", "f32[N, 3]", version=11, axes=[axis]) == "axis-out-of-range"
    assert fault("ReduceMax", "f32[N, 3]", f"i64[1]{{{axis}}}") == "axis-out-of-range"
    assert fault("ArgMax", "f32[N, 3]", axis=axis) == "axis-out-of-range"


def test_axes_are_a_list() -> None:
    assert fault("ReduceSum", "f32[2, 3]", "i64[]{0}") == "rank-mismatch"
    assert fault("ReduceSum", "f32[2, 3]", "i64[1, 1]{0}") == "rank-mismatch"


# Entries


@pytest.mark.parametrize(
    ("operator", "entries"),
    [
        ("ReduceMin", "min(100, N)"),
        ("ReduceMax", "max(100, N)"),
        ("ReduceSum", "N + 100"),
        ("ReduceProd", "100*N"),
    ],
)
@pytest.mark.parametrize("version", [11, 13, 18, 20])
def test_entries_are_combined(operator: str, entries: str, version: int) -> None:
    assert infer(operator, "i64[2]{N, 100}", version=version) == f"i64[1]{{{entries}}}"
    assert infer(operator, "i64[2]{N, 100}", version=version, keepdims=0) == f"i64[]{{{entries}}}"


def test_entries_are_combined_along_axes() -> None:
    table = "i64[2, 3]{1, 2, N, 4, ?, M}"
    assert infer("ReduceSum", table, "i64[1]{0}") == "i64[1, 3]{5, ?, M + N}"
    assert infer("ReduceSum", table, "i64[1]{-1}", keepdims=0) == "i64[2]{N + 3, ?}"
    assert infer("ReduceProd", table, axes=[0], version=13, keepdims=0) == "i64[3]{4, ?, M*N}"
    assert infer("ReduceSum", table, noop_with_empty_axes=1) == table


def test_nothing_sums_to_0_and_multiplies_to_1() -> None:
    assert infer("ReduceSum", "i64[0]{}", keepdims=0) == "i64[]{0}"
    assert infer("ReduceProd", "i64[0]{}", keepdims=0) == "i64[]{1}"
    assert infer("ReduceMax", "i64[0]{}", keepdims=0) == "i64[]"


def test_what_wraps_or_rounds_is_not_followed() -> None:
    assert infer("ReduceProd", "i32[2]{65536, 65536}", keepdims=0) == "i32[]"
    assert infer("ReduceSum", "f32[2]{0.5, 1.5}", keepdims=0) == "f32[]{2.0}"
    assert infer("ReduceSum", "f32[2]{0.1, 0.2}", keepdims=0) == "f32[]"
    assert infer("ReduceMax", "bool[2]{True, False}", keepdims=0) == "bool[]{True}"


# The index of an extreme


@pytest.mark.parametrize(("operator", "version"), _versions("ArgMax ArgMin"))
def test_the_index_of_an_extreme_folds_one_axis(operator: str, version: int) -> None:
    assert infer(operator, "f32[N, 3]", version=version) == "i64[1, 3]"
    assert infer(operator, "f32[N, 3]", axis=1, version=version) == "i64[N, 1]"
    assert infer(operator, "f32[N, 3]", axis=-1, keepdims=0, version=version) == "i64[N]"
    assert infer(operator, "f32[...]", version=version) == "i64[...]"
    assert fault(operator, "f32[]", version=version) == "axis-out-of-range"


def test_an_empty_axis_has_no_extreme() -> None:
    assert fault("ArgMax", "f32[0, 3]", axis=0) == "too-few-elements"
    assert infer("ArgMax", "f32[0, 3]", axis=1) == "i64[0, 1]"
    assert infer("ArgMax", "f32[N, 3]", axis=1, select_last_index=1) == "i64[N, 1]"
    assert infer("ArgMax", "f32[0, 0]", axis=1) == "i64[0, 1]"
    assert asks("ArgMax", "f32[N, M]", axis=1) == ["too-few-elements: M >= 1 or N == 0"]
    assert asks("ArgMax", "f32[N, 3]", axis=0) == ["too-few-elements: N >= 1"]
    assert asks("ReduceMax", "f32[N, 3]", "i64[1]{0}") == []


# Runs

SIZES = [{"N": 0, "M": 1}, {"N": 1, "M": 0}, {"N": 3, "M": 2}]


@pytest.mark.parametrize("keepdims", [0, 1])
@pytest.mark.parametrize("axes", ["", "i64[1]{0}", "i64[2]{2, 0}", "i64[0]"])
@pytest.mark.parametrize("operator", ["ReduceSum", "ReduceMean", "ReduceMax", "ReduceLogSumExp"])
def test_reductions_agree_with_a_run(operator: str, axes: str, keepdims: int) -> None:
    agrees_with_a_run(operator, "f32[N, 3, M]", axes, bindings=SIZES, keepdims=keepdims)


@pytest.mark.parametrize("version", [9, 11, 13])
def test_reductions_by_attribute_agree_with_a_run(version: int) -> None:
    # The runtime forgets to count negative axes from the end where the tensor is empty.
    agrees_with_a_run("ReduceMean", "f32[N, 3, M]", axes=[-1], bindings=SIZES[2:], version=version)
    agrees_with_a_run("ReduceMean", "f32[N, 3, M]", axes=[2], bindings=SIZES, version=version)


def test_indices_agree_with_a_run() -> None:
    agrees_with_a_run("ArgMax", "f32[N, 3, M]", axis=1, keepdims=0, bindings=SIZES)


@pytest.mark.parametrize(
    ("x", "output"),
    [
        ("i64[3]{1, 1, 3}", "i64[1]{1}"),
        ("i64[2]{N, 3}", "i64[1]{(N + 1)//2 + 1}"),
        ("i64[2]{-3, 2}", "i64[1]"),  # below 0 a mean is rounded one way or the other
        ("f32[2]{1, 2}", "f32[1]"),
    ],
)
def test_means_of_lengths_are_rounded_down(x: str, output: str) -> None:
    assert infer("ReduceMean", x) == output
    agrees_with_a_run("ReduceMean", x, version=18, bindings=[{"N": 0}, {"N": 3}, {"N": 4}])
