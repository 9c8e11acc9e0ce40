"""Let onnxscript's optimizer work with these shapes (extra ``onnxscript``)."""

from __future__ import annotations

from typing import Any, TypeVar

import onnx
import onnx_ir as ir
from attrs import evolve
from onnxscript import optimizer

from shapeinfer.compat.onnx_ir import fill_in
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.diagnostics.errors import error_for
from shapeinfer.rewrite.names import fresh_name

AnyModel = TypeVar("AnyModel", onnx.ModelProto, ir.Model)


def optimize(model: AnyModel, **options: Any) -> AnyModel:
    """Return the result of ``onnxscript.optimizer.optimize`` on a model with inferred shapes.

    ``options`` are that function's; its own inference, node by node, is off unless ``onnx_shape_inference`` asks for
    it. A model of onnx-ir is optimized in place, a ModelProto is not touched. The result has types for all its values.

    With shapes at hand onnxscript's rules write operators as newer opsets have them, nodes after those that read them,
    and a Split that halves an odd length the other way round. That is put right, in the form of the model's opset.
    Where the model has errors all the same that it did not have, it is optimized without these shapes. Raises the
    ShapeInferError of the fault if that does not help, and leaves the model as it was.

    What the model declares of shapes is not relied on where standard operators compute them.
    """
    if isinstance(model, ir.Model):
        _optimize(model, options)
        return model
    made = ir.from_proto(model)
    _optimize(made, options)
    return ir.to_proto(made)


def _optimize(model: ir.Model, options: dict[str, Any]) -> None:
    whole = model.clone()
    _inline(model, options)
    _drop_declared_shapes(model)
    before = {(d.code, d.message) for d in fill_in(model).errors}
    if not _faults(model, {"onnx_shape_inference": False, **options}, before):
        return
    plain = whole.clone()
    _inline(plain, options)
    faults = _faults(plain, options, before)
    _replace(model, whole if faults else plain)
    if faults:
        note = "this is in the output of onnxscript's optimizer, not in the model itself"
        raise error_for([evolve(d, notes=(*d.notes, note)) for d in faults])


def _inline(model: ir.Model, options: dict[str, Any]) -> None:
    """Inline functions as the optimizer would, to distinguish their nodes from those that rules write."""
    if options.get("inline", True):
        optimizer.inline(model)


def _faults(model: ir.Model, options: dict[str, Any], before: set[Any]) -> list[Diagnostic]:
    """Optimize a model in place, and return the errors that it has now and had not before."""
    own = set(model.graph.all_nodes())
    optimizer.optimize(model, **options)
    repairs = _Repairs(model)
    for node in [n for n in model.graph.all_nodes() if n not in own]:
        repairs.repair(node)
    if not before:  # else there may be no order that works
        model.graph.sort()
    return [d for d in fill_in(model).errors if (d.code, d.message) not in before]


def _drop_declared_shapes(model: ir.Model) -> None:
    """Drop the declared shapes of outputs of standard operators, since rules fold them."""
    for node in model.graph.all_nodes():
        if node.domain == "":
            for value in node.outputs:
                value.shape = None


def _replace(model: ir.Model, other: ir.Model) -> None:
    model.graph = other.graph
    model.functions.clear()
    model.functions.update(other.functions)


class _Repairs:
    """Puts nodes that rules wrote into the form of the model's opset, and their initializers into the graph."""

    def __init__(self, model: ir.Model) -> None:
        self._main = model.graph
        self._opset = model.graph.opset_imports.get("", 0)
        inside = [v for graph in model.graphs() for v in (*graph.inputs, *graph.initializers.values())]
        self._taken = {v.name or "" for v in (*inside, *(v for n in model.graph.all_nodes() for v in n.outputs))}

    def repair(self, node: ir.Node) -> None:
        for value in filter(None, node.inputs):
            if value.const_value is not None and value.producer() is None and value.graph is None:
                self._register(value)
        if node.domain != "":
            return
        if node.op_type == "Split":
            self._give_lengths(node)
        if node.op_type == "Reshape" and self._opset < ZEROS_ARE_LENGTHS and 0 not in _second(node, [0]):
            node.attributes.pop("allowzero", None)
        if node.op_type in _AS_ATTRIBUTES and self._opset < AS_INPUTS:
            _as_attribute(node, _AS_ATTRIBUTES[node.op_type])

    def _give_lengths(self, node: ir.Node) -> None:
        """Tell a Split the lengths that a rule meant by a number of outputs: an odd one is more in the last."""
        data, count = node.inputs[0], node.attributes.get_int("num_outputs", 0)
        shape = None if data is None else data.shape
        length = None if shape is None else shape[node.attributes.get_int("axis", 0)]
        if not count or not isinstance(length, int) or (length % count == 0 and self._opset >= COUNTS_OUTPUTS):
            return
        part = length // count
        lengths = ir.tensor([part] * (count - 1) + [length - part * (count - 1)], dtype=ir.DataType.INT64)
        value = ir.Value(
            name=f"{node.outputs[0].name}_lengths",
            shape=ir.Shape([count]),
            type=ir.TensorType(ir.DataType.INT64),
            const_value=lengths,
        )
        self._register(value)
        node.resize_inputs(2)
        node.replace_input_with(1, value)
        node.attributes.pop("num_outputs")

    def _register(self, value: ir.Value) -> None:
        value.name = fresh_name(value.name or "constant", self._taken)
        self._main.register_initializer(value)


ZEROS_ARE_LENGTHS = 14
"""The opset that gave Reshape ``allowzero``."""
COUNTS_OUTPUTS = 18
"""The opset that gave Split ``num_outputs``."""
AS_INPUTS = 13
"""The opset in which these attributes became inputs."""
_AS_ATTRIBUTES = {"Split": "split", "Squeeze": "axes", "Unsqueeze": "axes"}


def _second(node: ir.Node, otherwise: list[int]) -> list[int]:
    """Return the entries of a node's second input if that is a constant."""
    value = node.inputs[1] if len(node.inputs) > 1 else None
    tensor = None if value is None else ir.convenience.get_const_tensor(value)
    return otherwise if tensor is None else tensor.numpy().reshape(-1).tolist()


def _as_attribute(node: ir.Node, name: str) -> None:
    """Write a constant second input as the attribute that it was in older opsets."""
    entries = _second(node, [])
    if entries:
        node.attributes[name] = ir.AttrInt64s(name, entries)
        node.resize_inputs(1)
