"""Models to measure on: the speed corpus where SHAPEINFER_CORPUS names one, and generated ones everywhere."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import onnx
from onnx import TensorProto, helper

from shapeinfer.frontends.onnx.wire import varint

WIDTH = 64
OPSET = 20


def _model(nodes: list[onnx.NodeProto], inputs: list[onnx.ValueInfoProto], output: str) -> onnx.ModelProto:
    weight = TensorProto(name="w", dims=[WIDTH, WIDTH], data_type=TensorProto.FLOAT)
    weight.data_location = TensorProto.EXTERNAL
    weight.external_data.add(key="location", value="weights.bin")
    shape = helper.make_tensor("heads", TensorProto.INT64, [4], [0, 0, 8, WIDTH // 8])
    flat = helper.make_tensor("flat", TensorProto.INT64, [3], [0, 0, WIDTH])
    out = helper.make_empty_tensor_value_info(output)
    graph = helper.make_graph(nodes, "generated", inputs, [out], [weight, shape, flat])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)


def transformer(layers: int) -> onnx.ModelProto:
    """Return attention-like layers over ``f32[batch, seq, 64]``, 11 nodes each, as an exporter repeats them."""
    nodes, x = [], "x"
    for i in range(layers):
        steps: list[tuple[str, list[str], str, dict[str, Any]]] = [
            ("MatMul", [x, "w"], "q", {}),
            ("Reshape", [f"q{i}", "heads"], "h", {}),
            ("Transpose", [f"h{i}"], "t", {"perm": [0, 2, 1, 3]}),
            ("Transpose", [f"h{i}"], "k", {"perm": [0, 2, 3, 1]}),
            ("MatMul", [f"t{i}", f"k{i}"], "s", {}),
            ("Softmax", [f"s{i}"], "p", {"axis": -1}),
            ("MatMul", [f"p{i}", f"t{i}"], "o", {}),
            ("Transpose", [f"o{i}"], "u", {"perm": [0, 2, 1, 3]}),
            ("Reshape", [f"u{i}", "flat"], "f", {}),
            ("Add", [x, f"f{i}"], "r", {}),
            ("Relu", [f"r{i}"], "x", {}),
        ]
        nodes += [helper.make_node(op, given, [f"{out}{i}"], **attributes) for op, given, out, attributes in steps]
        x = f"x{i}"
    return _model(nodes, [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", "seq", WIDTH])], x)


def distinct_dims(count: int) -> onnx.ModelProto:
    """Return a model in which each of ``count`` inputs has a dim of its own, all of them put together."""
    inputs = [helper.make_tensor_value_info(f"a{i}", TensorProto.FLOAT, [f"n{i}", WIDTH]) for i in range(count)]
    nodes, x = [], "a0"
    for i in range(1, count):
        nodes += [
            helper.make_node("MatMul", [f"a{i}", "w"], [f"m{i}"]),
            helper.make_node("Concat", [x, f"m{i}"], [f"c{i}"], axis=0),
        ]
        x = f"c{i}"
    return _model(nodes, inputs, x)


def save_with_weights(path: Path, size: int) -> None:
    """Write a model of one MatMul whose weight is a hole of ``size`` bytes in the file: it takes no disk."""
    rows = size // 4 // 4096
    tensor = TensorProto(name="big", dims=[4096, rows], data_type=TensorProto.FLOAT).SerializeToString()
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "big"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 4096])],
        [helper.make_empty_tensor_value_info("y")],
    ).SerializeToString()
    data = 4096 * rows * 4
    weight = tensor + b"\x4a" + varint(data)
    head = b"\x2a" + varint(len(weight) + data)
    rest = helper.make_model(onnx.GraphProto(), opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)
    rest.ClearField("graph")
    with path.open("wb") as file:
        file.write(rest.SerializeToString() + b"\x3a" + varint(len(graph) + len(head) + len(weight) + data))
        file.write(graph + head + weight)
        file.truncate(file.tell() + data)


def compared(folder: Path) -> Iterator[Path]:
    """Yield the models that engines are compared on: the speed corpus, or generated ones written into ``folder``."""
    corpus = os.environ.get("SHAPEINFER_CORPUS")
    speed = Path(corpus) / "corpus" / "speed" if corpus else None
    if speed is not None and speed.is_dir():
        yield from sorted(speed.glob("*.onnx"))
        return
    for name, model in {
        "transformer-100": transformer(100),
        "transformer-1000": transformer(1000),
        "distinct-dims-100": distinct_dims(100),
    }.items():
        path = folder / f"{name}.onnx"
        path.write_bytes(model.SerializeToString())
        yield path
