"""Features scaled, encoded, packed and unpacked."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest

from shapeinfer import MapType, SequenceType, ShapeInferError, Tensor, Unknown, infer_op
from shapeinfer.ops.types import fact_of, type_string
from tests.ops.spec import agrees_with_a_run, fault, infer

ML = "ai.onnx.ml"
BINDINGS = [{"N": 0}, {"N": 1}, {"N": 4}]
NUMBERED: Any = {"keys_int64s": [1], "values_floats": [1.0]}


def default(*shape: int, dtype: Any = np.float32) -> onnx.TensorProto:
    return onnx.numpy_helper.from_array(np.zeros(shape, dtype))


@pytest.mark.parametrize(
    ("op", "given", "attributes", "output"),
    [
        ("Binarizer", "f32[N, 2, 3]", {}, "f32[N, 2, 3]"),
        ("Binarizer", "f32[]", {}, "f32[]"),
        ("Normalizer", "f32[N, 3]", {}, "f32[N, 3]"),
        ("Normalizer", "i64[N]", {}, "f32[N]"),
        ("Scaler", "f32[N, 3]", {"scale": [1.0] * 3, "offset": [0.0] * 3}, "f32[N, 3]"),
        ("Scaler", "i64[N, 3]", {"scale": [1.0], "offset": [0.0]}, "f32[N, 3]"),
        ("Imputer", "f32[N, 3]", {"imputed_value_floats": [1.0]}, "f32[N, 3]"),
        ("OneHotEncoder", "i64[N, 3]", {"cats_int64s": [1, 2, 3, 4]}, "f32[N, 3, 4]"),
        ("OneHotEncoder", "str[]", {"cats_strings": ["a", "b"]}, "f32[2]"),
        ("LabelEncoder", "str[N]", {"version": 1, "classes_strings": ["a"]}, "i64[N]"),
        ("LabelEncoder", "i64[N, 2]", {"version": 1, "classes_strings": ["a"]}, "str[N, 2]"),
        ("LabelEncoder", "str[N]", {"version": 2, "keys_strings": ["a"], "values_floats": [1.0]}, "f32[N]"),
        ("LabelEncoder", "i64[N]", {"version": 2, "keys_int64s": [1], "values_strings": ["a"]}, "str[N]"),
        ("LabelEncoder", "f32[N]", {"version": 4, "keys_floats": [1.0], "values_int64s": [1]}, "i64[N]"),
        ("CategoryMapper", "i64[N]", {"cats_int64s": [1], "cats_strings": ["a"]}, "str[N]"),
        ("CategoryMapper", "str[N, 1]", {"cats_int64s": [1], "cats_strings": ["a"]}, "i64[N, 1]"),
        ("FeatureVectorizer", "f32[N, 3]", {"inputdimensions": [3]}, "f32[N, 3]"),
        ("FeatureVectorizer", "f32[3]", {"inputdimensions": [3]}, "f32[1, 3]"),
    ],
)
def test_features_are_encoded(op: str, given: str, attributes: dict[str, Any], output: str) -> None:
    assert infer(op, given, domain=ML, **attributes) == output
    agrees_with_a_run(op, given, domain=ML, bindings=BINDINGS, **attributes)


def test_a_tensor_of_values_names_the_element_type() -> None:
    values: Any = {
        "values_tensor": onnx.numpy_helper.from_array(np.array([1, 2], np.int16)),
        "default_tensor": onnx.numpy_helper.from_array(np.array([0], np.int16)),
        "keys_strings": ["a", "b"],
    }
    assert infer("LabelEncoder", "str[...]", domain=ML, version=4, **values) == "i16[...]"
    agrees_with_a_run("LabelEncoder", "str[N, 2]", domain=ML, version=4, bindings=BINDINGS, **values)


def test_features_are_laid_side_by_side() -> None:
    sizes: Any = {"domain": ML, "inputdimensions": [3, 4]}
    assert infer("FeatureVectorizer", "f32[N, 3]", "f32[N, 4]", **sizes) == "f32[N, 7]"
    assert infer("FeatureVectorizer", "f32[...]", "f32[N, 4]", **sizes) == "f32[N, 7]"
    # The runtime itself fails on no rows at all.
    agrees_with_a_run("FeatureVectorizer", "f32[N, 3]", "f32[N, 4]", bindings=BINDINGS[1:], **sizes)
    agrees_with_a_run("FeatureVectorizer", "f32[1, 3]", "f32[4]", bindings=[{}], **sizes)


@pytest.mark.parametrize(
    ("op", "inputs", "attributes", "code"),
    [
        ("Normalizer", ["f32[2, 3, 4]"], {}, "rank-mismatch"),
        ("Scaler", ["f32[N, 3]"], {"scale": [1.0] * 2, "offset": [0.0] * 2}, "dim-mismatch"),
        ("Scaler", ["f32[N, 3]"], {"scale": [1.0] * 3, "offset": [0.0]}, "length-mismatch"),
        ("Scaler", ["f32[]"], {"scale": [1.0], "offset": [0.0]}, "rank-mismatch"),
        ("Imputer", ["f32[]"], {"imputed_value_floats": [1.0]}, "rank-mismatch"),
        ("Imputer", ["f32[N, 3]"], {}, "missing-attribute"),
        (
            "Imputer",
            ["f32[N, 3]"],
            {"imputed_value_floats": [1.0], "imputed_value_int64s": [1]},
            "conflicting-arguments",
        ),
        ("Scaler", ["f32[N, 3]"], {}, "missing-attribute"),
        ("FeatureVectorizer", ["f32[N, 3]"], {}, "missing-attribute"),
        ("OneHotEncoder", ["i64[2]"], {}, "missing-attribute"),
        ("OneHotEncoder", ["i64[2]"], {"cats_int64s": [1], "cats_strings": ["a"]}, "conflicting-arguments"),
        ("LabelEncoder", ["str[2]"], {"keys_strings": ["a"]}, "missing-attribute"),
        ("LabelEncoder", ["bool[2]"], {"values_floats": [1.0]}, "element-type-not-allowed"),
        (
            "LabelEncoder",
            ["i64[2]"],
            {**NUMBERED, "default_tensor": default(1, dtype=np.int64)},
            "element-type-mismatch",
        ),
        ("LabelEncoder", ["i64[2]"], {**NUMBERED, "default_tensor": default()}, "invalid-attribute"),
        ("LabelEncoder", ["i64[2]"], {**NUMBERED, "default_tensor": default(2)}, "invalid-attribute"),
        ("CategoryMapper", ["i64[2]"], {}, "missing-attribute"),
        ("CategoryMapper", ["i64[2]"], {"cats_int64s": [1]}, "length-mismatch"),
        ("CategoryMapper", ["f32[2]"], {}, "element-type-not-allowed"),
        ("FeatureVectorizer", ["f32[2, 3]", "f32[3, 4]"], {"inputdimensions": [3, 4]}, "dim-mismatch"),
        ("FeatureVectorizer", ["f32[2, 3]", "f32[2, 4]"], {"inputdimensions": [3]}, "length-mismatch"),
        ("FeatureVectorizer", ["f32[]"], {"inputdimensions": [1]}, "rank-mismatch"),
        ("ZipMap", ["f32[N, 3]"], {"classlabels_int64s": [1, 2]}, "inner-dim-mismatch"),
        ("ZipMap", ["f32[N, 3]"], {}, "missing-attribute"),
        ("ZipMap", ["f32[2, N, 3]"], {"classlabels_int64s": [1, 2, 3]}, "rank-mismatch"),
    ],
)
def test_what_cannot_run(op: str, inputs: list[str], attributes: dict[str, Any], code: str) -> None:
    assert fault(op, *inputs, domain=ML, **attributes) == code


@pytest.mark.parametrize(
    ("given", "labels", "output"),
    [
        ("f32[N, 3]", {"classlabels_int64s": [1, 2, 3]}, "seq(map(i64, f32[]), N)"),
        ("f32[N, C]", {"classlabels_strings": ["a", "b"]}, "seq(map(str, f32[]), N)"),
        ("f32[3]", {"classlabels_strings": ["a", "b", "c"]}, "seq(map(str, f32[]), 1)"),
        ("f32[...]", {"classlabels_int64s": [1]}, "seq(map(i64, f32[]), ZipMap_0)"),
    ],
)
def test_scores_are_zipped_with_labels(given: str, labels: dict[str, Any], output: str) -> None:
    assert infer("ZipMap", given, domain=ML, **labels) == output


def test_zipped_maps_have_the_type_that_the_schema_names() -> None:
    (zipped,) = infer_op("ZipMap", [Tensor("f32", ("N", 1))], {"classlabels_int64s": [1]}, domain=ML)
    assert type_string(zipped) == "seq(map(int64, float))"
    assert fact_of("seq(map(int64, float))") == SequenceType(MapType("i64", Tensor("f32", ())))


@pytest.mark.parametrize(
    ("op", "attributes", "output"),
    [
        ("DictVectorizer", {"int64_vocabulary": [1, 2, 3]}, "f32[1, 3]"),
        ("CastMap", {}, "f32[1, CastMap_0]"),
        ("CastMap", {"cast_to": "TO_INT64"}, "i64[1, CastMap_0]"),
        ("CastMap", {"cast_to": "TO_STRING", "map_form": "SPARSE", "max_map": 7}, "str[1, 7]"),
    ],
)
def test_maps_become_rows(op: str, attributes: dict[str, Any], output: str) -> None:
    (out,) = infer_op(op, [MapType("i64", Tensor("f32", ()))], attributes, domain=ML)
    assert out.text == output


def test_a_vocabulary_is_required() -> None:
    with pytest.raises(ShapeInferError, match="one of the attributes int64_vocabulary, string_vocabulary is required"):
        infer_op("DictVectorizer", [Unknown()], {}, domain=ML)


def test_an_unknown_map_becomes_a_row_too() -> None:
    (out,) = infer_op("DictVectorizer", [Unknown()], {"string_vocabulary": ["a", "b"]}, domain=ML)
    assert out.text == "?[1, 2]"


def test_what_is_no_map() -> None:
    assert fault("CastMap", "f32[2]", domain=ML) == "element-type-not-allowed"
    with pytest.raises(Exception, match="cast_to is 'TO_NOTHING'"):
        infer_op("CastMap", [MapType("i64", Tensor("f32", ()))], {"cast_to": "TO_NOTHING"}, domain=ML)
