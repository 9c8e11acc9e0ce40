"""Operators that onnxruntime keeps in ONNX's own domain: earlier than ONNX's, dropped by it, or its own."""

from __future__ import annotations

from shapeinfer.facts import Fact, Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.microsoft.schema import MOVABLE, UP_TO_DOUBLE
from shapeinfer.ops.registry import rule
from shapeinfer.ops.signature import declare

declare("Affine(X: T; alpha: float = 1.0, beta: float = 0.0) -> Y: T", domain="", T=UP_TO_DOUBLE)
declare("ImageScaler(input: T; bias?: floats, scale: float = 1.0) -> output: T", domain="", T=UP_TO_DOUBLE)
declare("ParametricSoftplus(X: T; alpha?: float, beta?: float) -> Y: T", domain="", T=UP_TO_DOUBLE)
declare("Scale(input: T; scale: float = 1.0) -> output: T", domain="", T=UP_TO_DOUBLE)
declare("ScaledTanh(input: T; alpha?: float, beta?: float) -> output: T", domain="", T=UP_TO_DOUBLE)
declare(
    "MeanVarianceNormalization(input: T; across_channels: int = 0, normalize_variance: int = 1) -> output: T",
    domain="",
    T=UP_TO_DOUBLE,
)


@rule("Affine", "ImageScaler", "ParametricSoftplus", "Scale", "ScaledTanh", "MeanVarianceNormalization", since=1)
def keep_shape(ctx: Context, x: Tensor) -> Shape:
    """Keep the shape."""
    return x.dims


declare("MemcpyFromHost(X: T) -> Y: T", domain="", T=MOVABLE)
declare("MemcpyToHost(X: T) -> Y: T", domain="", T=MOVABLE)


@rule("MemcpyFromHost", "MemcpyToHost", since=1)
def copied(ctx: Context, x: Fact) -> Fact:
    """Hand on the same value in another device's memory."""
    return x
