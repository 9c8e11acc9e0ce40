"""Dims of a file: numbers, names, formulas of the inputs' names, and text that is neither."""

from __future__ import annotations

import onnx
import pytest
from onnx import TensorProto

from shapeinfer import check
from shapeinfer.facts import DType
from shapeinfer.frontends.onnx.types import TypeReader, type_proto
from tests.models import faults, floats, made, node, outlines, parsed, texts

ODD = ["batch size", "16H", "a/b?", "seq(len", "batch-size", "Dim.0", "2*", "N + ", "?", "((((", "ключ", "1.5", "N N"]


def copied(*dims: int | str | None) -> onnx.ModelProto:
    return made([node("Relu", "x")], [floats("x", *dims)])


@pytest.mark.parametrize("name", ODD)
def test_text_that_is_no_formula_is_a_name(name: str) -> None:
    report = check(copied(name, 3))
    assert texts(report)["y"] == f"f32[{name}, 3]"
    assert report.ok


@pytest.mark.parametrize("name", ODD)
def test_such_a_name_is_one_size_on_all_inputs_and_can_be_bound(name: str) -> None:
    model = made([node("Add", "a b")], [floats("a", name), floats("b", name)])
    report = check(model)
    assert texts(report)["y"] == f"f32[{name}]"
    assert report.contract == ()
    assert texts(check(model, bind={name: 7}))["y"] == "f32[7]"


@pytest.mark.parametrize(
    ("text", "shown", "bound"),
    [
        ("past + seq", "past + seq", 11),
        ("past+seq", "past + seq", 11),
        ("2*seq", "2*seq", 16),
        ("seq // 2", "seq//2", 4),
        ("(past + 1)*seq", "past*seq + seq", 32),
        ("12", "12", 12),
        ("seq - past", "seq - past", 5),
    ],
)
def test_text_over_names_that_inputs_bear_is_a_formula(text: str, shown: str, bound: int) -> None:
    model = made([node("Relu", "x")], [floats("x", text), floats("a", "past"), floats("b", "seq")])
    assert texts(check(model))["y"] == f"f32[{shown}]"
    assert texts(check(model, bind={"past": 3, "seq": 8}))["y"] == f"f32[{bound}]"


def test_text_over_names_that_no_input_bears_is_a_name() -> None:
    model = made([node("Concat", "x a", axis=0)], [floats("x", "past + seq"), floats("a", "past")])
    report = check(model)
    assert texts(report)["x"] == "f32[past + seq]"
    assert texts(check(model, bind={"past + seq": 3, "past": 2}))["y"] == "f32[5]"


def test_a_dim_without_a_name_is_known_by_its_input_and_axis() -> None:
    report = check(copied(None, 3, None))
    assert texts(report)["y"] == "f32[x_dim_0, 3, x_dim_2]"
    assert texts(check(copied(None, 3, None), bind={"x_dim_0": 4}))["y"] == "f32[4, 3, x_dim_2]"


def test_that_name_avoids_those_of_the_model() -> None:
    assert texts(check(copied(None, "x_dim_0")))["y"] == "f32[x_dim_0_, x_dim_0]"


def test_two_dims_without_names_are_never_equal_by_accident() -> None:
    report = check(made([node("Add", "a b")], [floats("a", None), floats("b", None)]))
    assert texts(report)["y"] == "f32[broadcast(a_dim_0, b_dim_0)]"
    assert [r.condition for r in report.contract.all_sizes] == ["a_dim_0 == b_dim_0 or a_dim_0 == 1 or b_dim_0 == 1"]


def optional(name: str) -> onnx.ValueInfoProto:
    tensor = onnx.helper.make_tensor_type_proto(TensorProto.FLOAT, [None])
    return onnx.helper.make_value_info(name, onnx.helper.make_optional_type_proto(tensor))


def test_nor_are_those_inside_optionals() -> None:
    nodes = [node("OptionalGetElement", "o", "a"), node("OptionalGetElement", "p", "b"), node("Add", "a b")]
    report = check(made(nodes, [optional("o"), optional("p")]))
    assert texts(report)["y"] == "f32[broadcast(o_dim_0, p_dim_0)]"


@pytest.mark.parametrize("dims", [[None, None], ["Q", "Q"]])
def test_elements_of_a_sequence_may_differ_in_their_dims(dims: list[str | None]) -> None:
    """A name on the elements of an input is the author's promise; a missing one is none."""
    sequence = onnx.helper.make_tensor_sequence_value_info("s", TensorProto.FLOAT, dims)
    index = [onnx.helper.make_tensor_value_info(n, TensorProto.INT64, []) for n in "ij"]
    nodes = [node("SequenceAt", "s i", "a"), node("SequenceAt", "s j", "b"), node("Add", "a b")]
    found = outlines(check(made(nodes, [sequence, *index])))
    assert found["y"] == ("f32[Q, Q]" if dims[0] else "f32[?, ?]")
    if not dims[0]:
        report = check(made(nodes, [sequence, *index]))
        shapes = [str(report.values[n]) for n in "ab"]
        symbols = [s for n in "ab" for s in report.values[n].symbols]
        assert len(set(symbols)) == 4, shapes


def test_a_negative_dim_is_reported_and_unknown() -> None:
    report = check(made([node("Add", "a b")], [floats("a", -1, 3), floats("b", -1, 3)]))
    assert faults(report) == ["warning negative-dim-value", "warning negative-dim-value"]
    assert [d.message.split()[1] for d in report.diagnostics] == ["a", "b"]
    assert texts(report)["y"] == "f32[broadcast(a_dim_0, b_dim_0), 3]"


def test_a_negative_dim_of_an_output_or_value_is_reported_too() -> None:
    model = made([node("Relu", "x", "h"), node("Relu", "h")], [floats("x", "N")], value_info=[floats("h", -2)])
    model.graph.output[0].CopyFrom(floats("y", -1))
    report = check(model)
    assert [d.message for d in report.diagnostics] == [
        "value h declares a negative dim; it is treated as unknown",
        "output y declares a negative dim; it is treated as unknown",
    ]
    assert texts(report)["y"] == "f32[N]"


def test_a_negative_dim_inside_a_body_is_reported() -> None:
    body = onnx.helper.make_graph([node("Relu", "v", "w")], "b", [floats("v", -1)], [onnx.ValueInfoProto(name="w")])
    scan = onnx.helper.make_node("Scan", ["x"], ["y"], num_scan_inputs=1, body=body)
    report = check(made([scan], [floats("x", "T", "N")]))
    assert faults(report) == ["warning negative-dim-value"]
    assert texts(report)["y"] == "f32[T, N]"


KINDS = [
    onnx.helper.make_tensor_type_proto(TensorProto.FLOAT, ["N", 3]),
    onnx.helper.make_tensor_type_proto(TensorProto.FLOAT, []),
    onnx.helper.make_tensor_type_proto(TensorProto.STRING, None),
    onnx.helper.make_sparse_tensor_type_proto(TensorProto.FLOAT, [3]),
    onnx.helper.make_sequence_type_proto(onnx.helper.make_tensor_type_proto(TensorProto.INT8, [2])),
    onnx.helper.make_optional_type_proto(onnx.helper.make_tensor_type_proto(TensorProto.BOOL, None)),
    onnx.helper.make_map_type_proto(TensorProto.INT64, onnx.helper.make_tensor_type_proto(TensorProto.FLOAT, [1])),
]


@pytest.mark.parametrize("proto", KINDS, ids=[str(i) for i in range(len(KINDS))])
def test_a_type_comes_back_as_it_was(proto: onnx.TypeProto) -> None:
    assert type_proto(TypeReader(("N",)).read(proto, label=False)) == proto


def test_an_empty_shape_is_a_scalar_and_a_missing_one_an_unknown_rank() -> None:
    read = TypeReader(()).read
    assert read(onnx.helper.make_tensor_type_proto(1, []), label=False).text == "f32[]"
    assert read(onnx.helper.make_tensor_type_proto(1, None), label=False).text == "f32[...]"
    assert read(onnx.TypeProto(), label=False).text == "?"


def test_an_element_type_that_onnx_does_not_have_is_unknown() -> None:
    fact = TypeReader(()).read(onnx.helper.make_tensor_type_proto(99, [2]), label=False)
    assert fact.text == "?[2]"
    assert not DType.UNDEFINED


def test_denotations_do_not_matter() -> None:
    model = copied("N", 3)
    kind = model.graph.input[0].type
    kind.denotation = "IMAGE"
    kind.tensor_type.shape.dim[0].denotation = "DATA_BATCH"
    assert texts(check(model)) == texts(check(copied("N", 3)))


def test_a_name_that_only_the_inputs_of_a_body_bear_is_a_mere_label() -> None:
    """Two loops whose bodies both say K do not say that the two are equal."""
    body = (
        "(int64 i, bool c, float[K] v) => (bool c1, float[] w, float[] e) { c1 = Identity(c) w = Relu(v) e = Abs(v) }"
    )
    report = check(
        parsed(f"""g (int64 M, bool c) => (float[] y) {{
            a, b = my.Op()
            p, q = Loop(M, c, a) <body = p {body}>
            r, s = Loop(M, c, b) <body = q {body}>
            y = Add(q, s)
        }}""")
    )
    assert report.ok
    assert report.contract == ()
    assert outlines(report)["y"] == "f32[?, ?]"
