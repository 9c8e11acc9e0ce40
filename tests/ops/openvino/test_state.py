"""Variables keep values from one inference to the next."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.openvino.spec import agrees_with_openvino, fault, infer, outline


def _variable(shape: str, kind: str = "f32") -> dict[str, Any]:
    return {"variable_id": "past", "variable_type": kind, "variable_shape": shape}


@pytest.mark.parametrize(
    ("shape", "output"),
    [
        ("2,3", "f32[2, 3]"),
        ("2..2,3", "f32[2, 3]"),
        ("?,3", "f32[?, 3]"),
        ("0..8,-1", "f32[?, ?]"),
        ("...", "f32[...]"),
    ],
)
def test_a_variable_has_a_shape_of_its_own(shape: str, output: str) -> None:
    assert outline("ReadValue", "f32[2, 3]", version=6, **_variable(shape)) == output
    assert outline("ReadValue", version=6, **_variable(shape)) == output
    if shape != "0..8,-1":
        agrees_with_openvino("ReadValue", "f32[2, 3]", version=6, bindings=[{}], **_variable(shape))


def test_without_a_shape_it_is_that_of_the_first_value() -> None:
    assert infer("ReadValue", "f32[N, 3]", version=3, variable_id="a") == "f32[N, 3]"
    assert infer("ReadValue", "f32[N, 3]", version=6, variable_id="a") == "f32[N, 3]"
    agrees_with_openvino("ReadValue", "f32[N, 3]", version=3, bindings=[{"N": 0}], variable_id="a")


@pytest.mark.parametrize(
    ("attributes", "code"),
    [
        (_variable("?,4"), "dim-mismatch"),
        (_variable("3..,3"), "dim-mismatch"),
        (_variable("?,0..2"), "dim-mismatch"),
        (_variable("2,3,1"), "rank-mismatch"),
        (_variable("2,x"), "invalid-attribute"),
        (_variable("2,5..3"), "invalid-attribute"),
        (_variable("2,3", "i32"), "element-type-mismatch"),
        (_variable("2,3", "long"), "attribute-type"),
        ({}, "missing-attribute"),
    ],
)
def test_the_first_value_must_fit(attributes: dict[str, Any], code: str) -> None:
    assert fault("ReadValue", "f32[2, 3]", version=6, **attributes) == code


@pytest.mark.parametrize("version", [3, 6])
def test_what_is_assigned_is_given(version: int) -> None:
    assert infer("Assign", "i64[2]{N, 3}", version=version, variable_id="a") == "i64[2]{N, 3}"
