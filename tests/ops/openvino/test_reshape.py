"""Reshape, Squeeze and Unsqueeze keep the entries and their order."""

from __future__ import annotations

import pytest

from tests.ops.openvino.spec import agrees_with_openvino, fault, infer, outline


@pytest.mark.parametrize(
    ("data", "shape", "special_zero", "output"),
    [
        ("f32[2, 5, 5, 0]", "i64[2]{0, 4}", False, "f32[0, 4]"),
        ("f32[2, 5, 5, 24]", "i64[3]{0, -1, 4}", True, "f32[2, 150, 4]"),
        ("f32[2, 2, 3]", "i64[4]{0, 0, 1, -1}", True, "f32[2, 2, 1, 3]"),
        ("f32[3, 1, 1]", "i64[2]{-1, 0}", True, "f32[3, 1]"),
        ("f32[N, 4, 8]", "i64[2]{0, -1}", True, "f32[N, 32]"),
        ("f32[N, 4, 8]", "i64[2]{N, -1}", True, "f32[N, 32]"),
        ("f32[N, S, 8]", "i64[4]{0, 0, 2, 4}", True, "f32[N, S, 2, 4]"),
        ("f32[N, 4]", "i32[1]{-1}", False, "f32[4*N]"),
        ("f32[0, 4, 8]", "i64[2]{0, -1}", True, "f32[0, 32]"),
        ("f32[2, 0, 8]", "i64[3]{0, -1, 5}", True, "f32[2, 0, 5]"),
        ("f32[0, 3]", "i64[2]{0, -1}", False, "f32[0, ?]"),
        ("f32[1]", "i64[0]", True, "f32[]"),
        ("f32[...]", "i64[3]{0, -1, 5}", True, "f32[?, ?, 5]"),
        ("f32[2, 3]", "i64[3]", True, "f32[?, ?, ?]"),
        ("f32[2, 3]", "i64[K]", True, "f32[...]"),
    ],
)
def test_reshape(data: str, shape: str, special_zero: bool, output: str) -> None:
    assert outline("Reshape", data, shape, special_zero=special_zero) == output


@pytest.mark.parametrize(
    ("data", "shape", "special_zero", "code"),
    [
        ("f32[2, 3]", "i64[2]{0, -1}", False, "volume-mismatch"),
        ("f32[2, 3]", "i64[2]{0, 3}", False, "volume-mismatch"),
        ("f32[2, 4]", "i64[3]{0, -1, 3}", True, "volume-mismatch"),
        ("f32[2, 3]", "i64[2]{4, 2}", True, "volume-mismatch"),
        ("f32[2, 3]", "i64[3]{2, 3, 0}", True, "axis-out-of-range"),
        ("f32[2, 3]", "i64[3]{2, -1, 0}", True, "axis-out-of-range"),
        ("f32[2, 3]", "i64[2]{-1, -1}", True, "invalid-value"),
        ("f32[2, 3]", "i64[2]{-2, 3}", True, "negative-length"),
        ("f32[2, 3]", "i64[1, 2]{3, 2}", True, "rank-mismatch"),
        ("f32[2, 3]", "f32[2]", True, "element-type-not-allowed"),
    ],
)
def test_shapes_that_do_not_fit(data: str, shape: str, special_zero: bool, code: str) -> None:
    assert fault("Reshape", data, shape, special_zero=special_zero) == code


def test_what_zero_means_must_be_set() -> None:
    assert fault("Reshape", "f32[2]", "i64[1]{2}") == "missing-attribute"


@pytest.mark.parametrize("version", [1, 15])
@pytest.mark.parametrize(
    ("data", "axes", "output"),
    [
        ("f32[1, 3, 1, 2]", "i64[2]{0, 2}", "f32[3, 2]"),
        ("f32[1]", "i64[1]{0}", "f32[]"),
        ("f32[2, 1, 1]", "", "f32[2]"),
        ("f32[2, 1, 1]", "i64[0]", "f32[2]"),
        ("f32[2, 1, 1]", "i32[]{-1}", "f32[2, 1]"),
        ("f32[2, 1, 1]", "i64[2]{1, -2}", "f32[2, 1]"),
        ("f32[2, 1, N]", "i64[2]{0, 1}", "f32[2, N]"),
        ("f32[2, N]", "i64[1]{1}", "f32[2]"),
        ("f32[2, N]", "", "f32[...]"),
        ("f32[2, 1]", "i64[1]", "f32[...]"),
        ("f32[]", "i64[1]{0}", "f32[]"),
    ],
)
def test_squeeze(version: int, data: str, axes: str, output: str) -> None:
    assert outline("Squeeze", data, *([axes] if axes else []), version=version) == output


def test_an_axis_that_may_be_longer_leaves_the_rank_open_where_an_attribute_states_so() -> None:
    assert infer("Squeeze", "f32[2, N]", "i64[1]{1}", version=15, allow_axis_skip=True) == "f32[...]"
    assert infer("Squeeze", "f32[2, N]", "i64[1]{1}", version=1, pytorch_dynamic_rank="true") == "f32[...]"
    assert infer("Squeeze", "f32[N, 1]", "i64[1]{1}", version=15, allow_axis_skip=True) == "f32[N]"


@pytest.mark.parametrize("version", [1, 15])
def test_axes_that_no_one_knows_leave_what_has_no_axis_of_size_one(version: int) -> None:
    assert infer("Squeeze", "f32[2, 3]", "i64[1]", version=version) == "f32[2, 3]"
    assert infer("Squeeze", "f32[2, N]", "i64[1]", version=version) == "f32[...]"
    agrees_with_openvino("Squeeze", "f32[2, 3]", "i64[1]{1}", version=version, bindings=[{}])


def test_an_axis_that_is_not_there_cannot_be_squeezed() -> None:
    assert fault("Squeeze", "f32[2, 1]", "i64[1]{2}", version=1) == "axis-out-of-range"


@pytest.mark.parametrize("axes", ["i64[1, 1]{1}", "i64[2, 1]{0, 1}", "i64[1, N]"])
def test_axes_are_one_number_or_a_list(axes: str) -> None:
    for version in (1, 15):
        assert fault("Squeeze", "f32[2, 1]", axes, version=version) == "rank-mismatch"


@pytest.mark.parametrize(
    ("axes", "output"),
    [
        ("i64[2]{0, 3}", "f32[1, 2, N, 1]"),
        ("i64[]{-1}", "f32[2, N, 1]"),
        ("i64[2]{0, 0}", "f32[1, 2, N]"),
        ("i64[2]{0, -4}", "f32[1, 2, N]"),
        ("i64[1]", "f32[?, ?, ?]"),
        ("i64[2]", "f32[...]"),
    ],
)
def test_unsqueeze(axes: str, output: str) -> None:
    assert outline("Unsqueeze", "f32[2, N]", axes) == output


def test_an_axis_that_will_not_be_there_cannot_be_inserted() -> None:
    assert fault("Unsqueeze", "f32[2]", "i64[1]{2}") == "axis-out-of-range"


def test_the_entries_stay() -> None:
    assert infer("Reshape", "i64[2]{N, 3}", "i64[1]{-1}", special_zero=True) == "i64[2]{N, 3}"
    assert infer("Squeeze", "i64[1]{N}", "i64[1]{0}") == "i64[]{N}"
    assert infer("Unsqueeze", "i64[]{N}", "i64[1]{0}") == "i64[1]{N}"


def test_reshape_agrees_with_openvino() -> None:
    sizes = [{"N": 0}, {"N": 1}, {"N": 6}]
    for shape, special_zero in (
        ("i64[2]{0, -1}", True),
        ("i64[3]{-1, 2, 4}", False),
        ("i64[3]{2, 0, -1}", True),
        ("i64[2]{0, 32}", True),
        ("i64[1]{-1}", False),
    ):
        agrees_with_openvino("Reshape", "f32[N, 4, 8]", shape, version=1, special_zero=special_zero, bindings=sizes)


@pytest.mark.parametrize("version", [1, 15])
def test_squeeze_agrees_with_openvino(version: int) -> None:
    sizes = [{"N": 0}, {"N": 1}, {"N": 6}]
    agrees_with_openvino("Squeeze", "f32[N, 1, 2]", "i64[2]{1, 2}", version=version, bindings=sizes)
    agrees_with_openvino("Squeeze", "f32[N, 1, 2]", "i64[1]{0}", version=version, bindings=[{"N": 1}])
    agrees_with_openvino("Squeeze", "f32[1, 1, 2]", version=version, bindings=[{}])


def test_unsqueeze_agrees_with_openvino() -> None:
    for axes in ("i64[2]{0, 3}", "i64[2]{-1, 0}", "i64[2]{1, 1}", "i64[2]{0, -4}", "i64[]{2}"):
        agrees_with_openvino("Unsqueeze", "f32[N, 2]", axes, version=1, bindings=[{"N": 0}, {"N": 1}, {"N": 3}])
