"""What is wrong with a model as it is stored, of which its text says nothing: each fault is found and no other."""

from __future__ import annotations

from collections.abc import Callable

import onnx
import pytest
from onnx import TensorProto

from shapeinfer import check
from tests.bad.cases import OTHERS, reported

Edit = Callable[[onnx.ModelProto], object]

TEXT = f"""<ir_version: 10, opset_import: ["" : 20, {OTHERS}]>
g (float[2] x) => (float[2] y) <float[2] w = {{1.0, 2.0}}> {{
    c = Constant<value = int64[2] {{1, 2}}>()
    f = Cast<to = 1>(c)
    h = Add(x, w)
    y = Mul(h, f)
}}"""


def model() -> onnx.ModelProto:
    return onnx.parser.parse_model(TEXT)


def initializer(**fields: object) -> Edit:
    """Put a tensor of these fields in the place of the initializer."""

    def edit(model: onnx.ModelProto) -> None:
        model.graph.initializer[0].CopyFrom(TensorProto(**{"name": "w", "dims": [2], "data_type": 1, **fields}))  # type: ignore[arg-type]

    return edit


def external(dims: int = 2, **entries: str) -> Edit:
    """Put the initializer's data into another file, which these entries tell of."""

    def edit(model: onnx.ModelProto) -> None:
        initializer(dims=[dims], data_location=TensorProto.EXTERNAL)(model)
        for key, value in entries.items():
            model.graph.initializer[0].external_data.add(key=key, value=value)

    return edit


def constant(**fields: object) -> Edit:
    def edit(model: onnx.ModelProto) -> None:
        model.graph.node[0].attribute[0].t.CopyFrom(TensorProto(**{"dims": [2], "data_type": 7, **fields}))  # type: ignore[arg-type]

    return edit


def text_as_bytes(model: onnx.ModelProto) -> None:
    model.graph.initializer.append(TensorProto(name="s", dims=[1], data_type=TensorProto.STRING, raw_data=b"a"))
    model.graph.node.append(onnx.helper.make_node("StringNormalizer", ["s"], ["t"]))


def sparse(
    length: int, values: list[float], places: list[int], shape: list[int] | None = None, **fields: object
) -> Edit:
    """Put a sparse tensor in the initializer's place, whose values stand at these places."""

    def edit(model: onnx.ModelProto) -> None:
        del model.graph.initializer[:]
        given = {"name": "w", "dims": [len(values)], "data_type": 1, "float_data": values, **fields}
        where = TensorProto(dims=shape or [len(places)], data_type=7, int64_data=places)
        model.graph.sparse_initializer.add(values=TensorProto(**given), indices=where, dims=[length])  # type: ignore[arg-type]

    return edit


def untype(proto: onnx.TypeProto) -> None:
    """Let a type be a tensor of no element type."""
    proto.tensor_type.shape.SetInParent()


def float_input(model: onnx.ModelProto) -> onnx.TypeProto.Tensor:
    """Add an input of floats, and return its type."""
    added: onnx.TypeProto.Tensor = model.graph.input.add(name="z").type.tensor_type
    added.elem_type = TensorProto.FLOAT
    return added


def attribute(**fields: object) -> Edit:
    """Store the attribute of the Cast in this way."""

    def edit(model: onnx.ModelProto) -> None:
        model.graph.node[1].attribute[0].CopyFrom(onnx.AttributeProto(**{"name": "to", **fields}))  # type: ignore[arg-type]

    return edit


INT, FLOAT = onnx.AttributeProto.INT, onnx.AttributeProto.FLOAT
FAULTS: dict[str, tuple[Edit, str]] = {
    "an attribute of two types": (attribute(type=INT, i=1, f=2.0), "error attribute-type @ f"),
    "an attribute of another type than it says": (attribute(type=INT, ints=[1]), "error attribute-type @ f"),
    "an attribute of no type": (attribute(i=1), "error attribute-type @ f"),
    "an attribute given twice": (
        lambda m: m.graph.node[1].attribute.append(m.graph.node[1].attribute[0]),
        "error duplicate-name @ f",
    ),
    "a sparse tensor of too few values": (sparse(2, [1.0], [0, 1], dims=[2]), "error invalid-tensor"),
    "a sparse tensor of too few places": (sparse(2, [1.0, 2.0], [0]), "error invalid-tensor"),
    "a sparse tensor of places of another rank": (sparse(2, [1.0], [0, 0], [1, 2]), "error invalid-tensor"),
    "a sparse tensor of a place outside": (sparse(2, [1.0, 2.0], [0, 2]), "error invalid-tensor"),
    "a sparse tensor of values of rank 2": (sparse(2, [1.0], [0], dims=[1, 1]), "error invalid-tensor"),
    "a sparse tensor of a negative length": (sparse(-2, [1.0], [0]), "error invalid-tensor"),
    "too few entries": (initializer(float_data=[1.0]), "error invalid-tensor"),
    "too many entries": (initializer(float_data=[1.0] * 3), "error invalid-tensor"),
    "no entries": (initializer(), "error invalid-tensor"),
    "entries of another type": (initializer(int64_data=[1, 2]), "error invalid-tensor"),
    "too few bytes": (initializer(raw_data=b"\0" * 7), "error invalid-tensor"),
    "too many bytes": (initializer(raw_data=b"\0" * 9), "error invalid-tensor"),
    "a negative length": (initializer(dims=[-2], float_data=[1.0, 2.0]), "error invalid-tensor"),
    "text as bytes": (text_as_bytes, "error invalid-tensor"),
    "a constant of too few entries": (constant(int64_data=[1]), "error invalid-tensor @ c"),
    "a constant of too few bytes": (constant(raw_data=b"\0" * 8), "error invalid-tensor @ c"),
    "no location": (external(), "error invalid-external-data"),
    "an empty location": (external(location=""), "error invalid-external-data"),
    "an offset that is not a number": (external(location="w.bin", offset="-4"), "error invalid-external-data"),
    "a length that is not a number": (external(location="w.bin", length="eight"), "error invalid-external-data"),
    "another length than the shape's": (external(location="w.bin", length="4"), "error invalid-external-data"),
    "an absolute path": (external(location="/etc/passwd"), "error unsafe-external-data"),
    "an absolute path of Windows": (external(location="C:\\weights.bin"), "error unsafe-external-data"),
    "a path out of the directory": (external(location="../w.bin"), "error unsafe-external-data"),
    "a path in and out of the directory": (external(location="a/../../w.bin"), "error unsafe-external-data"),
    "an input without a name": (lambda m: m.graph.input.add(type=m.graph.input[0].type), "error empty-name"),
    "an output without a name": (lambda m: m.graph.output.add(), "error empty-name"),
    "an input of no element type": (lambda m: untype(m.graph.input.add(name="z").type), "error untyped-input"),
    "an input of sequences of tensors of no element type": (
        lambda m: untype(m.graph.input.add(name="z").type.sequence_type.elem_type),
        "error untyped-input",
    ),
    "an input of maps to tensors of no element type": (
        lambda m: untype(m.graph.input.add(name="z").type.map_type.value_type),
        "error untyped-input",
    ),
    "an input of an opaque type without a name": (
        lambda m: m.graph.input.add(name="z").type.opaque_type.SetInParent(),
        "error empty-name",
    ),
    "an initializer of a name twice": (
        lambda m: m.graph.initializer.append(m.graph.initializer[0]),
        "error duplicate-name",
    ),
    "an input's dim of -1": (
        lambda m: float_input(m).shape.dim.add(dim_value=-1),
        "warning negative-dim-value",
    ),
    "an output's dim below 0": (
        lambda m: (
            m.graph.output[0].type.tensor_type.shape.dim[0].CopyFrom(onnx.TensorShapeProto.Dimension(dim_value=-7))
        ),
        "warning negative-dim-value",
    ),
    "an input's dim of a formula": (
        lambda m: float_input(m).shape.dim.add(dim_param="past + seq"),
        "note expression-as-dim-name",
    ),
}


def findings(model: onnx.ModelProto) -> list[str]:
    """All that is reported of a model, but of what nothing reads: an edit may leave something over."""
    return [text for text in reported(model) if " unused-" not in text]


def test_the_model_that_is_edited_is_right() -> None:
    assert reported(model()) == []


@pytest.mark.parametrize("title", FAULTS)
def test_what_is_wrong_is_found_and_nothing_else(title: str) -> None:
    edit, fault = FAULTS[title]
    edited = model()
    edit(edited)
    assert findings(edited) == [fault]


@pytest.mark.parametrize(
    "edit",
    [
        initializer(float_data=[1.0, 2.0]),
        initializer(raw_data=b"\0" * 8),
        external(location="w.bin"),
        external(location="weights/w.bin", offset="4096", length="8"),
        external(location="a/../w.bin"),
        constant(raw_data=b"\0" * 16),
        sparse(2, [1.0], [1]),
        sparse(2, [1.0], [1], [1, 1]),
        sparse(2, [], []),
        attribute(type=INT, i=1),
    ],
)
def test_data_may_be_stored_in_several_ways(edit: Edit) -> None:
    edited = model()
    edit(edited)
    assert reported(edited) == []


@pytest.mark.parametrize("name", [b"w.bin", b"length"])
def test_names_that_are_no_text_end_in_a_fault_too(name: bytes) -> None:
    edited = model()
    external(location="w.bin", length="8")(edited)
    odd = edited.SerializeToString().replace(name, b"\xff" * len(name))
    assert "internal-error" not in [d.code.name for d in check(odd).diagnostics]


def test_two_initializers_of_a_name_that_is_no_text() -> None:
    edited = model()
    edited.graph.initializer[0].name = "wwww"
    edited.graph.initializer.append(edited.graph.initializer[0])
    odd = edited.SerializeToString().replace(b"wwww", b"\xff" * 4)
    assert [d.code.name for d in check(odd).diagnostics] == ["not-a-model"]


@pytest.mark.parametrize("dtype", [t for t in TensorProto.DataType.values() if t not in (0, TensorProto.STRING)])
def test_what_the_library_stores_is_right(dtype: int) -> None:
    made = model()
    made.graph.initializer[0].CopyFrom(onnx.helper.make_tensor("w", dtype, [3], [1, 0, 1]))
    assert not [text for text in reported(made) if "invalid-tensor" in text]
