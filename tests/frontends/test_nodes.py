"""A node is read from its bytes as its fields tell it."""

from __future__ import annotations

import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper

from shapeinfer.diagnostics.errors import ModelError
from shapeinfer.frontends.onnx.nodes import BATCH, decode, without_text

NAMES = st.lists(
    st.one_of(st.text(max_size=5), st.sampled_from(["", "a" * 127, "a" * 128, "\u00e9" * 9_000])), max_size=4
)
TEXT = st.sampled_from(["", "words"])


@st.composite
def _nodes(draw: st.DrawFn) -> onnx.NodeProto:
    """Any node, but for one whose names are no text."""
    proto = onnx.NodeProto(input=draw(NAMES), output=draw(NAMES))
    for field in ("name", "op_type", "domain", "doc_string"):
        if text := draw(TEXT):
            setattr(proto, field, text)
    if draw(st.booleans()):
        proto.attribute.append(helper.make_attribute("axes", list(range(draw(st.integers(1, 300))))))
    if draw(st.booleans()):
        proto.metadata_props.add(key="a", value="b" * 200)
    return proto


def _called(proto: onnx.NodeProto, *more: str) -> bytes:
    """What a node calls, as protobuf writes it."""
    left = onnx.NodeProto()
    left.CopyFrom(proto)
    for field in ("input", "output", "name", *more):
        left.ClearField(field)
    data: bytes = left.SerializeToString()
    return data


@given(_nodes())
def test_it_has_its_values_and_what_it_calls(proto: onnx.NodeProto) -> None:
    assert list(decode([proto])) == [(tuple(proto.input), tuple(proto.output), _called(proto))]


@given(_nodes())
def test_what_is_written_about_it_makes_no_other_call(proto: onnx.NodeProto) -> None:
    assert without_text(_called(proto)) == _called(proto, "doc_string", "metadata_props")


def test_a_field_that_onnx_does_not_have_is_part_of_the_call() -> None:
    unknown = b"\xfa\x01\x02hi"
    assert without_text(_called(onnx.NodeProto(op_type="Relu")) + unknown) == b'"\x04Relu' + unknown


@pytest.mark.parametrize("field", [b"\x08" + b"\xff" * 9 + b"\x01", b"\x15abcd", b"\xfa\x01\x02hi"])
def test_a_node_of_nothing_but_a_field_that_onnx_does_not_have(field: bytes) -> None:
    assert list(decode([onnx.NodeProto.FromString(field)])) == [((), (), field)]


@pytest.mark.parametrize("before", [0, BATCH])
def test_a_name_that_is_no_text_ends_it(before: int) -> None:
    broken = onnx.NodeProto.FromString(onnx.NodeProto(input=["xy"]).SerializeToString().replace(b"xy", b"x\xff"))
    with pytest.raises(ModelError, match=r"the name b'x\\xff' in it is not UTF-8"):
        list(decode([onnx.NodeProto(op_type="Relu")] * before + [broken]))
