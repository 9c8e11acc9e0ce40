"""Reductions fold the axes that an input lists."""

from __future__ import annotations

import pytest

from shapeinfer.ops.openvino.algebra.reduction import LOGICAL, NORMS, NUMERIC
from tests.ops.openvino.spec import agrees_with_openvino, fault, infer, outline

EVERY = [(name, 4 if name in NORMS.split() else 1) for name in f"{NUMERIC} {NORMS} {LOGICAL}".split()]


@pytest.mark.parametrize(("op", "since"), EVERY)
def test_axes_are_folded(op: str, since: int) -> None:
    kind = "bool" if "Logical" in op else "f32"
    assert infer(op, f"{kind}[2, N, 4]", "i64[2]{0, -1}", version=since) == f"{kind}[N]"
    assert infer(op, f"{kind}[2, N, 4]", "i64[]{1}", version=since, keep_dims=True) == f"{kind}[2, 1, 4]"
    for keep_dims in (False, True):
        for axes in ("i64[2]{0, -1}", "i32[]{1}", "i64[0]{}", "i64[2]{1, 1}"):
            sizes = [{"N": 0}, {"N": 1}, {"N": 3}]
            data = f"{kind}[2, N, 4]"
            agrees_with_openvino(op, data, axes, version=since, keep_dims=keep_dims, bindings=sizes)


@pytest.mark.parametrize(
    ("data", "axes", "keep_dims", "output"),
    [
        ("f32[6, 12, 10, 24]", "i64[2]{2, 3}", True, "f32[6, 12, 1, 1]"),
        ("f32[6, 12, 10, 24]", "i64[1]{-2}", False, "f32[6, 12, 24]"),
        ("f32[2, N]", "i64[0]", False, "f32[2, N]"),
        ("f32[2, N]", "i64[0]", True, "f32[2, N]"),
        ("f32[2, N]", "i64[1]", True, "f32[?, ?]"),
        ("f32[2, N]", "i64[1]", False, "f32[?]"),
        ("f32[2, N]", "i64[2]", False, "f32[...]"),
        ("f32[2, N]", "i64[K]", True, "f32[?, ?]"),
        ("f32[...]", "i64[1]{0}", True, "f32[...]"),
        ("f32[]", "i64[1]{0}", True, "f32[]"),
    ],
)
def test_what_is_left(data: str, axes: str, keep_dims: bool, output: str) -> None:
    assert outline("ReduceSum", data, axes, keep_dims=keep_dims) == output


@pytest.mark.parametrize(
    ("data", "axes", "code"),
    [
        ("f32[2, 3]", "i64[1]{2}", "axis-out-of-range"),
        ("f32[2, 3]", "i64[1, 1]{0}", "rank-mismatch"),
        ("f32[2, 3]", "f32[1]", "element-type-not-allowed"),
        ("bool[2, 3]", "i64[1]{0}", "element-type-not-allowed"),
    ],
)
def test_what_cannot_be_folded(data: str, axes: str, code: str) -> None:
    assert fault("ReduceSum", data, axes) == code


@pytest.mark.parametrize(
    ("op", "data", "output"),
    [
        ("ReduceProd", "i64[2]{N, 3}", "i64[]{3*N}"),
        ("ReduceSum", "i64[2]{N, 3}", "i64[]{N + 3}"),
        ("ReduceMax", "i64[2]{5, 3}", "i64[]{5}"),
        ("ReduceMin", "i64[2]{5, 3}", "i64[]{3}"),
        ("ReduceLogicalAnd", "bool[2]{True, False}", "bool[]{False}"),
        ("ReduceLogicalOr", "bool[2]{True, False}", "bool[]{True}"),
    ],
)
def test_entries_are_combined(op: str, data: str, output: str) -> None:
    assert infer(op, data, "i64[1]{0}") == output
    assert infer(op, data, "i64[0]") == data
