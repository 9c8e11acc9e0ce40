"""Passes for models of onnx-ir (extra ``onnx-ir``): types filled in, and models folded."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import onnx_ir as ir

from shapeinfer.api import annotated, raise_wanted
from shapeinfer.api.report import Report
from shapeinfer.infer.constraints.redeclared import GivenShapes
from shapeinfer.rewrite.fold import fold

LARGE = 1 << 13
"""Initializers of more bytes are not written down for the engine, which does not read them; indices are fewer."""

_PLACE = "shapeinfer.weight."
"""Names a weight where a file would be named."""


class InferShapesPass(ir.passes.InPlacePass):
    """Fills in the element types and shapes of all values that nodes make, in subgraphs and functions too.

    The engine's formulas stand in the dims (``past + seq``): two dims of one text are one length. ``bind`` and
    ``shapes`` give sizes as in ``check``, which then stand in the inputs too. With ``strict_mode`` a model with errors
    raises the ShapeInferError, which onnx-ir hands on as the cause of its PassError. Weights are not read.
    """

    def __init__(
        self,
        *,
        strict_mode: bool = False,
        bind: Mapping[str, int] | None = None,
        shapes: GivenShapes | None = None,
    ) -> None:
        super().__init__()
        self.strict_mode = strict_mode
        self.bind = bind
        self.shapes = shapes

    def call(self, model: ir.Model) -> ir.passes.PassResult:
        """Infer, and write what was found into the model's values."""
        typed, report = _inferred(model, bind=self.bind, shapes=self.shapes)
        raise_wanted(report.diagnostics, check_type=False, strict_mode=self.strict_mode)
        return ir.passes.PassResult(model, _take_types(model, typed))


class FoldPass(ir.passes.FunctionalPass):
    """Gives a model without what is not needed once its shapes are known, as ``shapeinfer.fold`` does.

    ``bind`` and ``shapes`` give sizes as there; a model with errors raises the ShapeInferError, which onnx-ir hands on
    as the cause of its PassError. The new model has the old one's weights, not copies of them.
    """

    def __init__(self, *, bind: Mapping[str, int] | None = None, shapes: GivenShapes | None = None) -> None:
        super().__init__()
        self.bind = bind
        self.shapes = shapes

    def call(self, model: ir.Model) -> ir.passes.PassResult:
        """Fold a copy of the model."""
        with weights_as_external(model) as weights:
            proto = ir.to_proto(model)
        folded = fold(proto, bind=self.bind, shapes=self.shapes)
        out = ir.from_proto(folded.model)
        for graph in _graphs(out):
            for value in graph.initializers.values():
                place = getattr(value.const_value, "location", None)
                if place in weights:
                    value.const_value = weights[place]
        return ir.passes.PassResult(out, modified=bool(folded.rewrites))


def fill_in(model: ir.Model) -> Report:
    """Write the types of all values into a model, as InferShapesPass does, and return the report of that inference."""
    typed, report = _inferred(model)
    _take_types(model, typed)
    return report


def _inferred(model: ir.Model, **sizes: Any) -> tuple[ir.Model, Report]:
    with weights_as_external(model):
        proto = ir.to_proto(model)
    typed, report = annotated(proto, output_dims="expression", **sizes)
    return ir.from_proto(typed), report


@contextlib.contextmanager
def weights_as_external(model: ir.Model) -> Iterator[dict[str, ir.TensorProtocol]]:
    """Serialize large initializers as external data while the context is open; yield them by location."""
    weights: dict[str, ir.TensorProtocol] = {}
    held: list[tuple[ir.Value, ir.TensorProtocol]] = []
    try:
        for graph in _graphs(model):
            for value in graph.initializers.values():
                tensor = value.const_value
                if tensor is None or isinstance(tensor, ir.ExternalTensor) or tensor.nbytes <= LARGE:
                    continue
                place = f"{_PLACE}{len(weights)}"
                held.append((value, tensor))
                weights[place] = tensor
                value.const_value = ir.ExternalTensor(
                    place, None, None, tensor.dtype, shape=ir.Shape(tensor.shape.numpy()), name=tensor.name or ""
                )
        yield weights
    finally:
        for value, tensor in held:
            value.const_value = tensor


def _graphs(model: ir.Model) -> Iterator[ir.Graph]:
    """Yield the main graph, the graphs of functions and subgraphs, in a deterministic order."""
    yield from model.graphs()
    for function in model.functions.values():
        yield function.graph
        yield from function.graph.subgraphs()


def _take_types(model: ir.Model, typed: ir.Model) -> bool:
    """Write the types of one model into another with the same nodes; return whether any changed."""
    modified = False
    for graph, found in zip(_graphs(model), _graphs(typed)):
        ours = (graph.inputs, *(node.outputs for node in graph))
        theirs = (found.inputs, *(node.outputs for node in found))
        for value, known in zip(itertools.chain(*ours), itertools.chain(*theirs)):
            if known.type is not None and value.type != known.type:
                value.type, modified = known.type, True
            if known.shape is not None and value.shape != known.shape:
                value.shape, modified = known.shape, True
    return modified
