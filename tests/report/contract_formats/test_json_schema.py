"""The JSON Schema of the input shapes."""

from __future__ import annotations

import itertools
import json
from typing import Any

import jsonschema

from tests.report.contract_formats.modules import contract, guard, refusal
from tests.report.contract_formats.test_python import PAST, PATCHES

SCHEMA = jsonschema.Draft202012Validator


def validator(text: str, **options: Any) -> Any:
    schema = json.loads(contract(text, "json-schema", **options))
    SCHEMA.check_schema(schema)
    return SCHEMA(schema)


def test_it_has_an_array_for_each_input_with_a_schema_for_each_axis() -> None:
    schema = validator(PATCHES).schema
    assert schema["required"] == ["image"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["image"] == {
        "description": "f32[batch, 3, height, width]",
        "x-dtype": "float32",
        "type": "array",
        "prefixItems": [
            {"type": "integer", "x-dim": "batch", "minimum": 0},
            {"const": 3},
            {"type": "integer", "x-dim": "height", "minimum": 16},
            {"type": "integer", "x-dim": "width", "minimum": 16},
        ],
        "minItems": 4,
        "maxItems": 4,
    }
    assert "x-conditions" not in schema


def test_without_relations_it_accepts_what_the_guard_accepts() -> None:
    options: dict[str, Any] = {"ranges": {"height": (20, 40)}, "assume": ["width % 8 == 0 or width == 20"]}
    schema, check_inputs = validator(PATCHES, **options), guard(PATCHES, **options)
    for sizes in itertools.product((0, 1), (3, 4), (16, 20, 40, 41), (0, 8, 16, 20, 24, 25)):
        inputs = {"image": list(sizes)}
        assert schema.is_valid(inputs) is (refusal(check_inputs, inputs) == ""), sizes


def test_what_relates_dims_is_in_a_keyword_that_validators_ignore() -> None:
    schema = validator(PAST)
    (condition,) = schema.schema["x-conditions"]
    assert condition["condition"] == "total == past + seq or past + seq == 1 or total == 1"
    assert condition["reason"].startswith("required by Add (node 1): ")
    assert schema.is_valid({"old": [2, 4], "new": [3, 4], "mask": [7, 4]})
    assert "x-conditions" in schema.schema["description"]


def test_conditions_on_one_dim_are_joined() -> None:
    text = "g (float[n] x) => (y) { y = Shape (x) }"
    (axis,) = validator(text, assume=["n % 4 == 0", "n % 6 == 0", "n >= 7"]).schema["properties"]["x"]["prefixItems"]
    assert axis == {"type": "integer", "x-dim": "n", "minimum": 7, "multipleOf": 12}
    (axis,) = validator(text, assume=["n == 1 or n == 5 or n >= 9"]).schema["properties"]["x"]["prefixItems"]
    assert axis["anyOf"] == [{"const": 1}, {"const": 5}, {"minimum": 9}]


def test_an_input_of_unknown_rank_is_any_shape_and_a_scalar_an_empty_one() -> None:
    schema = validator("g (float x, float[] y) => (z) { z = Shape (y) }")
    shapes: list[list[int]] = [[], [1], [2, 3], [-1]]
    assert [schema.is_valid({"x": [], "y": shape}) for shape in shapes] == [True, True, True, False]
    assert [schema.is_valid({"x": shape, "y": []}) for shape in shapes] == [True, False, False, False]


def test_a_value_that_is_no_tensor_has_no_shape() -> None:
    schema = validator("g (seq(float[n]) s, float[k] x) => (y) { y = SequenceLength (s) }")
    assert schema.schema["required"] == ["x"]
    assert schema.is_valid({"x": [3]})
