"""ScatterUpdate, ScatterElementsUpdate and ScatterNDUpdate replace entries."""

from __future__ import annotations

import pytest

from tests.ops.openvino.spec import agrees_with_openvino, fault, infer, outline

SIZES = [{"N": 0, "M": 1}, {"N": 1, "M": 0}, {"N": 3, "M": 2}]


@pytest.mark.parametrize("version", [3, 12])
def test_elements_are_replaced_along_an_axis(version: int) -> None:
    update = ("i64[M, 2]", "f32[M, 2]", "i64[1]{0}")
    assert infer("ScatterElementsUpdate", "f32[N, 4]", *update, version=version) == "f32[N, 4]"
    assert outline("ScatterElementsUpdate", "f32[...]", *update, version=version) == "f32[?, ?]"
    assert infer("ScatterElementsUpdate", "f32[N, 4]", "i64[...]", "f32[...]", "i64[]", version=version) == "f32[N, 4]"
    entries = ("i64[3]{1, N, 3}", "i64[1]{-1}", "i64[1]{7}", "i64[]{0}")
    assert infer("ScatterElementsUpdate", *entries, version=version) == "i64[3]{1, N, 7}"
    agrees_with_openvino("ScatterElementsUpdate", "f32[N, 4]", *update, version=version, bindings=SIZES)


def test_updates_may_be_added() -> None:
    entries = ("i64[3]{1, 2, 3}", "i64[1]{0}", "i64[1]{7}", "i64[]{0}")
    assert infer("ScatterElementsUpdate", *entries, version=12, reduction="sum") == "i64[3]"
    assert fault("ScatterElementsUpdate", *entries, version=12, reduction="xor") == "invalid-attribute"


@pytest.mark.parametrize(
    ("update", "code"),
    [
        (("i64[2, 5]", "f32[3, 5]", "i64[]{0}"), "dim-mismatch"),
        (("i64[5]", "f32[5]", "i64[]{0}"), "rank-mismatch"),
        (("i64[2, 5]", "f32[2, 5]", "i64[]{2}"), "axis-out-of-range"),
        (("i64[2, 5]", "f32[2, 5]", "i64[2]{0, 0}"), "length-mismatch"),
        (("i64[1, 1]{4}", "f32[1, 1]", "i64[]{0}"), "index-out-of-range"),
        (("i64[2, 5]", "f16[2, 5]", "i64[]{0}"), "element-type-mismatch"),
    ],
)
def test_elements_that_do_not_fit(update: tuple[str, ...], code: str) -> None:
    assert fault("ScatterElementsUpdate", "f32[4, 5]", *update, version=3) == code


@pytest.mark.parametrize("version", [4, 15])
def test_tuples_point_at_what_is_replaced(version: int) -> None:
    assert infer("ScatterNDUpdate", "f32[4, N]", "i64[M, 1]", "f32[M, N]", version=version) == "f32[4, N]"
    entries = ("i64[3]{1, N, 3}", "i64[2, 1]{0, 2}", "i64[2]{7, M}")
    assert infer("ScatterNDUpdate", *entries, version=version) == "i64[3]{7, N, M}"
    assert fault("ScatterNDUpdate", "f32[4, 5]", "i64[2, 1]", "f32[2, 4]", version=version) == "dim-mismatch"
    assert fault("ScatterNDUpdate", "f32[4, 5]", "i64[2, 3]", "f32[2]", version=version) == "rank-mismatch"
    assert fault("ScatterNDUpdate", "f32[4, 5]", "i64[2, 1]", "f32[5]", version=version) == "rank-mismatch"
    agrees_with_openvino("ScatterNDUpdate", "f32[4, N]", "i64[M, 1]", "f32[M, N]", version=version, bindings=SIZES)


def test_slices_are_replaced() -> None:
    data = "f32[1000, 256, 10, 15]"
    assert infer("ScatterUpdate", data, "i64[125, 20]", "f32[1000, 125, 20, 10, 15]", "i64[1]{1}", version=3) == data
    assert infer("ScatterUpdate", "i64[2]{N, 3}", "i64[1]{1}", "i64[1]{7}", "i64[]{0}", version=3) == "i64[2]{N, 7}"
    assert infer("ScatterUpdate", "f32[4, N]", "i64[2]", "f32[...]", "i64[]", version=3) == "f32[4, N]"
    assert fault("ScatterUpdate", "f32[4, 5]", "i64[2, 3]", "f32[2, 5]", "i64[]{0}", version=3) == "rank-mismatch"
    assert fault("ScatterUpdate", "f32[4, 5]", "i64[2]", "f32[2, 4]", "i64[]{0}", version=3) == "dim-mismatch"
    assert fault("ScatterUpdate", "f32[4]", "i64[1]{4}", "f32[1]", "i64[]{0}", version=3) == "index-out-of-range"
    sliced = ("f32[4, N]", "i64[M, 2]", "f32[M, 2, N]", "i64[]{0}")
    agrees_with_openvino("ScatterUpdate", *sliced, version=3, bindings=SIZES)
