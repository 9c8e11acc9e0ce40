"""Of a large model only what types need is read: weights are stepped over, and copied as they are."""

from __future__ import annotations

import random
import re
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from shapeinfer import ModelError, check
from shapeinfer.frontends import files
from shapeinfer.frontends.onnx.lean import HEAVY, is_left_out, with_weights, without_weights
from shapeinfer.frontends.onnx.read import load
from shapeinfer.frontends.onnx.wire import NUMBERS, SHORT, Field, Malformed, fields, varint
from tests.effort import within
from tests.models import made, node, parsed, texts

HEAVY_WEIGHT = np.ones((200, 200), np.float32)
LIGHT_WEIGHT = np.ones((3, 2), np.float32)


def model() -> onnx.ModelProto:
    """Heavy data in an initializer, in a Constant, and in a Constant of a branch; light data beside it."""
    then = helper.make_graph(
        [helper.make_node("Constant", [], ["t"], value=numpy_helper.from_array(HEAVY_WEIGHT))],
        "then",
        [],
        [helper.make_tensor_value_info("t", 1, [200, 200])],
    )
    output = helper.make_empty_tensor_value_info("e")
    other = helper.make_graph([helper.make_node("Identity", ["w"], ["e"])], "else", [], [output])
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["h"]),
        helper.make_node("Constant", [], ["c"], value=numpy_helper.from_array(HEAVY_WEIGHT)),
        helper.make_node("Add", ["h", "c"], ["a"]),
        helper.make_node("If", ["b"], ["i"], then_branch=then, else_branch=other),
        helper.make_node("MatMul", ["a", "i"], ["y"]),
        helper.make_node("Reshape", ["y", "shape"], ["z"]),
    ]
    inputs = [helper.make_tensor_value_info("x", 1, ["N", 200]), helper.make_tensor_value_info("b", 9, [])]
    weights = [numpy_helper.from_array(HEAVY_WEIGHT, "w"), numpy_helper.from_array(np.array([-1, 10]), "shape")]
    graph = helper.make_graph(nodes, "g", inputs, [helper.make_empty_tensor_value_info("z")], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


DATA = model().SerializeToString()


def light() -> onnx.ModelProto:
    lean = onnx.ModelProto()
    lean.ParseFromString(without_weights(memoryview(DATA)))
    return lean


def test_heavy_data_is_left_out_wherever_it_is() -> None:
    assert len(without_weights(memoryview(DATA))) < 3000 < 3 * HEAVY < len(DATA)


def test_all_else_is_as_it_was() -> None:
    lean, whole = light(), model()
    branches = {a.name: a.g for a in lean.graph.node[3].attribute}
    constants = [lean.graph.node[1], branches["then_branch"].node[0]]
    heavy = [lean.graph.initializer[0], *(n.attribute[0].t for n in constants)]
    for tensor in heavy:
        assert is_left_out(tensor)
        assert list(tensor.dims) == [200, 200]
        tensor.ClearField("external_data")
        tensor.ClearField("data_location")
        tensor.raw_data = HEAVY_WEIGHT.tobytes()
    assert lean == whole


def test_a_light_model_is_the_same() -> None:
    data = parsed("g (float[N] x) => (float[N] y) { y = Relu(x) }").SerializeToString()
    assert without_weights(memoryview(data)) == data


@pytest.fixture
def lean_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read files of any size as if they were large."""
    monkeypatch.setattr(files, "LARGE", 0)


@pytest.mark.usefixtures("lean_reading")
class TestReading:
    def test_types_are_the_same(self, tmp_path: Path) -> None:
        path = tmp_path / "m.onnx"
        path.write_bytes(DATA)
        expected = texts(check(model()))
        assert expected["z"] == "f32[4000, 10]"
        assert texts(check(path)) == expected
        assert texts(check(DATA)) == expected

    def test_whoever_needs_the_weights_has_them(self, tmp_path: Path) -> None:
        path = tmp_path / "m.onnx"
        path.write_bytes(DATA)
        assert load(path) == model()

    @pytest.mark.parametrize("keep", [len(DATA) - 1, len(DATA) // 2, 400])
    def test_a_file_that_ends_in_the_middle(self, tmp_path: Path, keep: int) -> None:
        path = tmp_path / "m.onnx"
        path.write_bytes(DATA[:keep])
        (diagnostic,) = check(path).diagnostics
        assert diagnostic.code.name == "truncated-model"
        assert f"only {keep} bytes" in diagnostic.message

    @pytest.mark.parametrize("data", [b"hello, world", b"\x00" * 100, b"\xff" * 100, b"\x0b\x0c"])
    def test_what_is_no_message(self, data: bytes) -> None:
        with pytest.raises(ModelError) as caught:
            load(data, weights=False)
        assert caught.value.code == "not-a-model"


def test_a_large_file_costs_no_memory(tmp_path: Path) -> None:
    """The weight is a hole in the file: 64 MiB that are never read."""
    path, size = tmp_path / "m.onnx", 1 << 26
    dims = bytes(onnx.TensorProto(dims=[1 << 12, 1 << 12], data_type=1, name="w").SerializeToString())
    tensor = [dims, b"\x4a", varint(size)]
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", 1, ["N", 1 << 12])],
        [helper.make_empty_tensor_value_info("y")],
    ).SerializeToString()
    weight = sum(map(len, tensor)) + size
    head = b"\x2a" + varint(weight)
    rest = helper.make_model(onnx.GraphProto(), opset_imports=[helper.make_opsetid("", 18)])
    rest.ClearField("graph")
    with path.open("wb") as file:
        file.write(rest.SerializeToString() + b"\x3a" + varint(len(graph) + len(head) + weight) + graph + head)
        file.write(b"".join(tensor))
        file.truncate(file.tell() + size)
    tracemalloc.start()
    report = check(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert texts(report)["y"] == "f32[N, 4096]"
    assert peak < size // 8


def restored(lean: onnx.ModelProto, source: bytes = DATA) -> bytes:
    return b"".join(with_weights(memoryview(lean.SerializeToString()), memoryview(source)))


def test_weights_are_put_back_wherever_they_were() -> None:
    assert onnx.ModelProto.FromString(restored(light())) == model()


def test_what_was_changed_without_them_stays_changed() -> None:
    lean, whole = light(), model()
    for changed in (lean, whole):
        changed.graph.value_info.append(helper.make_tensor_value_info("h", 1, ["N", 200]))
        changed.graph.initializer[0].name = "renamed"
        del changed.graph.node[1]
    assert onnx.ModelProto.FromString(restored(lean)) == whole


def test_fields_that_nobody_knows_are_written_too() -> None:
    unknown = b"\xca\x3e\x03abc"  # field 1001
    lean = onnx.ModelProto.FromString(without_weights(memoryview(DATA + unknown)))
    assert unknown in restored(lean, DATA + unknown)


@pytest.mark.parametrize("source", [b"", DATA[:-70_000], b"\xff" * len(DATA)])
def test_weights_that_are_no_more_there_are_missed(source: bytes) -> None:
    with pytest.raises(Malformed):
        restored(light(), source)


@pytest.mark.parametrize("place", ["", "x", "5", "5-", "-5", "0-99999999999", "9-5", "1-2-3", "\u00b2-3"])
def test_a_file_that_says_of_itself_that_data_was_left_out(place: str) -> None:
    said = onnx.ModelProto(ir_version=9)
    tensor = said.graph.initializer.add(name="w", data_type=1, dims=[4])
    tensor.external_data.add(key="shapeinfer.left_out", value=place)
    try:
        assert onnx.ModelProto.FromString(restored(said)) == said
    except Malformed:
        assert place


@pytest.mark.parametrize(
    ("data", "cut"),
    [(b"\x08", 0), (b"\x0a\x05ab", 1), (b"\x3a\x7f", 7), (b"\x0f", 0), (b"\x00\x01", 0), (b"\x09abc", 1)],
)
def test_what_is_no_message_says_in_which_field_it_ends(data: bytes, cut: int) -> None:
    with pytest.raises(Malformed) as caught:
        list(fields(memoryview(data), 0, len(data)))
    assert caught.value.cut == cut


def trees(count: int) -> bytes:
    """A model of so many nodes of trees: numbers, floats and short texts, each a field of its own."""
    lists: dict[str, Any] = {
        "nodes_nodeids": [*range(count)],
        "nodes_values": [0.5] * count,
        "nodes_modes": ["BRANCH_LEQ", "LEAF"] * (count // 2),
    }
    model = made([node("TreeEnsembleRegressor", "x", domain="ai.onnx.ml", **lists)], opsets={"": 20, "ai.onnx.ml": 3})
    return bytes(model.SerializeToString())


@pytest.mark.usefixtures("lean_reading")
def test_numbers_by_the_thousand_are_not_stepped_through_one_by_one() -> None:
    data = trees(20_000)
    with within(2_000):
        read = load(data, weights=False)
    assert read == onnx.ModelProto.FromString(data)


def stepped(data: bytes, together: re.Pattern[bytes] | None) -> tuple[list[Field], int | None]:
    """The fields of a message and, if it is none, what is said of its end."""
    found: list[Field] = []
    try:
        found.extend(fields(memoryview(data), 0, len(data), together))
    except Malformed as malformed:
        return found, malformed.cut
    return found, None


@pytest.mark.parametrize("together", [NUMBERS, SHORT], ids=["numbers", "short"])
def test_fields_that_come_together_are_those_that_come_alone(together: re.Pattern[bytes]) -> None:
    """Whatever the bytes are: every run begins and ends with fields, and hides none that is long."""
    chosen = random.Random(7)
    attributes = onnx.ModelProto.FromString(trees(40)).graph.node[0].attribute
    for whole in [DATA[:3000], *(a.SerializeToString() for a in attributes)]:
        for _ in range(300):
            data = bytearray(whole)
            for _ in range(chosen.randrange(4)):
                data[chosen.randrange(len(data))] = chosen.randrange(256)
            alone, end = stepped(bytes(data), None)
            joined, end_of_joined = stepped(bytes(data), together)
            runs = [f for f in joined if f.number == 0]
            hidden = [f for f in alone if any(run.start <= f.start < run.end for run in runs)]
            assert end == end_of_joined
            assert sorted([*hidden, *(f for f in joined if f.number)], key=lambda f: f.start) == alone
            assert all(f.end - f.value < 16 for f in hidden)
