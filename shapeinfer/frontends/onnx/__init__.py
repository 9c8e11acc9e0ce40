"""ONNX: read a model from a file, bytes or a ModelProto, and write inferred types back into one."""

from shapeinfer.frontends.formats import ONNX, Format, register

register(
    Format(
        name=ONNX,
        title="an ONNX model",
        suffixes=(".onnx",),
        sniff=lambda data: data.startswith(b"\x08"),  # ir_version, the first field of a ModelProto
        frontend="shapeinfer.frontends.onnx.frontend",
    )
)
