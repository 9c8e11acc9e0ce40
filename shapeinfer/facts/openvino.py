"""Names in OpenVINO's files: the domain of its operators, element types."""

from __future__ import annotations

from typing import Literal, TypeAlias

from shapeinfer.facts.dtype import DType

OPENVINO = "openvino"
"""The domain of the operators that OpenVINO specifies."""

Profile: TypeAlias = Literal["spec", "openvino"]
"""What an operator computes where they differ: what its specification says, or what OpenVINO does."""

ELEMENT_TYPES: dict[str, DType] = {
    "dynamic": DType.UNDEFINED,
    "undefined": DType.UNDEFINED,
    "boolean": DType.BOOL,
    "string": DType.STRING,
    "bf16": DType.BFLOAT16,
    "f16": DType.FLOAT16,
    "f32": DType.FLOAT,
    "f64": DType.DOUBLE,
    "i4": DType.INT4,
    "i8": DType.INT8,
    "i16": DType.INT16,
    "i32": DType.INT32,
    "i64": DType.INT64,
    "u2": DType.UINT2,
    "u4": DType.UINT4,
    "u8": DType.UINT8,
    "u16": DType.UINT16,
    "u32": DType.UINT32,
    "u64": DType.UINT64,
    "f8e4m3": DType.FLOAT8E4M3FN,
    "f8e5m2": DType.FLOAT8E5M2,
    "f4e2m1": DType.FLOAT4E2M1,
    "f8e8m0": DType.FLOAT8E8M0,
    # ONNX has no number for these: they are as good as not known.
    "u1": DType.UNDEFINED,
    "u3": DType.UNDEFINED,
    "u6": DType.UNDEFINED,
    "nf4": DType.UNDEFINED,
}
"""Element types as attributes name them."""

PRECISIONS: dict[str, DType] = {
    {"boolean": "BOOL", "dynamic": "UNSPECIFIED", "u1": "BIN"}.get(
        name, name.upper() if name[0] != "f" or "e" in name else name.upper().replace("F", "FP")
    ): dtype
    for name, dtype in ELEMENT_TYPES.items()
}
"""Element types as ports name them."""
