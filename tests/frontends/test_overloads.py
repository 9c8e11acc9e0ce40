"""Functions of one domain and name are told apart by their overload (onnx.proto, IR version 10)."""

from __future__ import annotations

import onnx

from shapeinfer import check, infer_shapes
from tests.models import checked, clean, faults, parsed

CASTS = """<ir_version: 10, opset_import: ["" : 20, "my" : 1]>
g (float[N] x) => (y) { y = my.cast:to_int32(x) z = my.cast:to_int64(x) }
<domain: "my", overload: "to_int32", opset_import: ["" : 20]> cast (a) => (b) { b = Cast<to = 6>(a) }
<domain: "my", overload: "to_int64", opset_import: ["" : 20]> cast (a) => (b) { b = Cast<to = 7>(a) }"""


def test_each_call_means_the_function_of_its_overload() -> None:
    found = clean(CASTS)
    assert (found["y"], found["z"]) == ("i32[N]", "i64[N]")


def test_calls_that_differ_in_nothing_but_the_overload_are_two_across_models_too() -> None:
    one, other = CASTS, CASTS.replace("y = my.cast:to_int32(x) z = my.cast:to_int64(x)", "y = my.cast:to_int64(x)")
    assert [clean(text)["y"] for text in (one, other, one)] == ["i32[N]", "i64[N]", "i32[N]"]


def test_an_overload_that_no_function_has_is_an_error() -> None:
    report = checked(CASTS.replace("cast:to_int32(x)", "cast:to_int8(x)"))
    assert [d.message for d in report.errors] == ["the model has no function my::cast:to_int8"]
    assert report.values["y"].text == "?"


def test_a_call_without_an_overload_means_none_of_them() -> None:
    """Nor does a call that names one mean the function that has none: an operator of that name may be meant."""
    report = checked(CASTS.replace("cast:to_int32(x)", "cast(x)"))
    assert faults(report) == ["warning unknown-operator @ 0"]
    assert report.values["y"].text == "?"


def test_an_overload_may_call_another() -> None:
    found = clean(CASTS.replace("b = Cast<to = 6>(a)", "c = my.cast:to_int64(a) b = Cast<to = 6>(c)"))
    assert found["y"] == "i32[N]"


def test_one_that_calls_itself_is_named_with_its_overload() -> None:
    report = checked(CASTS.replace("b = Cast<to = 6>(a)", "b = my.cast:to_int32(a)"))
    assert [d.message for d in report.errors] == ["function my::cast:to_int32 calls itself"]
    assert faults(report) == ["error recursive-function @ my::cast:to_int32 / 0"]


def test_types_are_written_into_each() -> None:
    functions = infer_shapes(parsed(CASTS)).functions
    written = [[onnx.helper.printable_type(v.type) for v in f.value_info] for f in functions]
    assert written == [["INT32, N"], ["INT64, N"]]


def test_a_fault_inside_has_the_line_of_its_own_overload() -> None:
    text = CASTS.replace("b = Cast<to = 7>(a)", "b = MatMul(a)")
    assert [(d.code.name, d.line) for d in check(text.encode()).errors] == [("missing-input", 4)]
