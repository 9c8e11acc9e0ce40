"""A drop-in replacement of onnxruntime's symbolic shape inference, for its quantization and for TensorRT."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import onnx

from shapeinfer.api import infer_shapes


class SymbolicShapeInference:
    """Infers as the class of this name in ``onnxruntime.tools.symbolic_shape_infer`` does."""

    @staticmethod
    def infer_shapes(
        in_mp: onnx.ModelProto,
        int_max: int = 2**31 - 1,  # noqa: ARG004 - a drop-in has the parameters of what it replaces
        auto_merge: bool = False,  # noqa: ARG004
        guess_output_rank: bool = False,  # noqa: ARG004
        verbose: int = 0,  # noqa: ARG004
    ) -> onnx.ModelProto:
        """Return a copy of the model with the types of all values filled in.

        What the options are for does not arise: no length is bounded by a number of ours, two dims are one only
        where the model shows it, and no rank is guessed. What is not known is left open, and nothing is raised for it.
        """
        return infer_shapes(in_mp)


@contextlib.contextmanager
def standing_in() -> Iterator[None]:
    """Make onnxruntime's own tools, such as ``quant_pre_process``, use this inference inside the ``with``."""
    from onnxruntime.tools import symbolic_shape_infer

    theirs = symbolic_shape_infer.SymbolicShapeInference
    symbolic_shape_infer.SymbolicShapeInference = SymbolicShapeInference
    try:
        yield
    finally:
        symbolic_shape_infer.SymbolicShapeInference = theirs
