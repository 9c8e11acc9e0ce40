"""Bucketize and SearchSorted say where values belong."""

from __future__ import annotations

from tests.ops.openvino.spec import agrees_with_openvino, fault, infer, outline

SIZES = [{"N": 0, "M": 1}, {"N": 1, "M": 0}, {"N": 3, "M": 2}]


def test_buckets() -> None:
    assert infer("Bucketize", "f32[N, 3]", "i32[M]", version=3) == "i64[N, 3]"
    assert infer("Bucketize", "f32[...]", "f32[M]", version=3, output_type="i32") == "i32[...]"
    assert fault("Bucketize", "f32[2]", "f32[]", version=3) == "rank-mismatch"
    assert fault("Bucketize", "f32[2]", "f32[2]", version=3, output_type="f32") == "invalid-attribute"
    assert fault("Bucketize", "bool[2]", "f32[2]", version=3) == "element-type-not-allowed"
    agrees_with_openvino("Bucketize", "f32[N, 3]", "f32[M]", version=3, output_type="i32", bindings=SIZES)


def test_sorted_lists() -> None:
    assert infer("SearchSorted", "f32[N, 3]", "f32[2, M]", version=15) == "i64[2, M]"
    assert infer("SearchSorted", "f32[3]", "f32[2, M]", version=15, output_type="i32") == "i32[2, M]"
    assert outline("SearchSorted", "f32[N, 3]", "f32[...]", version=15) == "i64[N, ?]"
    assert infer("SearchSorted", "f32[...]", "f32[N]", version=15) == "i64[N]"
    assert fault("SearchSorted", "f32[2, 3]", "f32[4, 5]", version=15) == "dim-mismatch"
    assert fault("SearchSorted", "f32[2, 3]", "f32[3]", version=15) == "rank-mismatch"
    assert fault("SearchSorted", "f32[]", "f32[3]", version=15) == "rank-mismatch"
    assert fault("SearchSorted", "f32[2]", "f16[2]", version=15) == "element-type-mismatch"
    agrees_with_openvino("SearchSorted", "f32[N, 3]", "f32[N, M]", version=15, right_mode=True, bindings=SIZES)
    agrees_with_openvino("SearchSorted", "f32[3]", "f32[N, M]", version=15, bindings=SIZES)
