"""ResNet-50 as its paper describes it, with the stride in the middle of a block as everybody has it since."""

from __future__ import annotations

from typing import Any

import onnx
from onnx import TensorProto, helper

STAGES = ((3, 64, 1), (4, 128, 2), (6, 256, 2), (3, 512, 2))
"""For each stage its blocks, their inner width, and the stride of the first."""


def resnet50() -> onnx.ModelProto:
    """Make the model for images of 224 by 224, without the numbers of its weights."""
    nodes: list[onnx.NodeProto] = []
    weights: list[onnx.TensorProto] = []

    def weight(*dims: int) -> str:
        name = f"w{len(weights)}"
        made = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=dims, data_location=TensorProto.EXTERNAL)
        made.external_data.add(key="location", value="weights")
        weights.append(made)
        return name

    def node(op_type: str, *inputs: str, **attributes: Any) -> str:
        name = f"v{len(nodes)}"
        nodes.append(helper.make_node(op_type, inputs, [name], **attributes))
        return name

    def conv(x: str, channels: int, filters: int, size: int, stride: int = 1) -> str:
        x = node("Conv", x, weight(filters, channels, size, size), strides=[stride] * 2, pads=[size // 2] * 4)
        return node("BatchNormalization", x, *(weight(filters) for _ in range(4)))

    x = node("Relu", conv("image", 3, 64, 7, 2))
    x = node("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    channels = 64
    for blocks, width, first in STAGES:
        for block in range(blocks):
            stride = first if block == 0 else 1
            y = node("Relu", conv(x, channels, width, 1))
            y = conv(node("Relu", conv(y, width, width, 3, stride)), width, 4 * width, 1)
            short = conv(x, channels, 4 * width, 1, stride) if block == 0 else x
            x, channels = node("Relu", node("Add", y, short)), 4 * width
    x = node("Flatten", node("GlobalAveragePool", x))
    x = node("Gemm", x, weight(channels, 1000), weight(1000))
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, ["N", 3, 224, 224])
    graph = helper.make_graph(nodes, "resnet50", [image], [onnx.ValueInfoProto(name=x)], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
