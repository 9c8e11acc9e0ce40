"""A drop-in replacement of the module ``onnx.shape_inference``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import onnx

from shapeinfer.api import annotated, infer_shapes, raise_wanted
from shapeinfer.frontends.formats import format_of
from shapeinfer.frontends.onnx.imports import domain_of
from shapeinfer.report.save import replace

__all__ = ["infer_function_output_types", "infer_node_outputs", "infer_shapes", "infer_shapes_path"]


def infer_shapes_path(
    model_path: str | os.PathLike[str],
    output_path: str | os.PathLike[str] = "",
    check_type: bool = False,
    strict_mode: bool = False,
    data_prop: bool = True,  # noqa: ARG001 - as for infer_shapes
) -> None:
    """Write a model with its types filled in to ``output_path``, by default in its own place, whole or not at all.

    Weights are copied from file to file. Raises as ``infer_shapes`` does, and OSError where nothing can be written.
    """
    source = os.fspath(model_path)
    target = os.fspath(output_path) or source
    typed, report = annotated(source, weights=False)
    raise_wanted(report.diagnostics, check_type, strict_mode)
    with format_of(source).written_as(target).loaded.write(typed, source) as pieces:
        replace(target, pieces)


def infer_node_outputs(
    schema: onnx.defs.OpSchema,
    node: onnx.NodeProto,
    input_types: Mapping[str, onnx.TypeProto],
    input_data: Mapping[str, onnx.TensorProto] | None = None,
    input_sparse_data: Mapping[str, onnx.SparseTensorProto] | None = None,
    opset_imports: Sequence[onnx.OperatorSetIdProto] | None = None,
    ir_version: int = onnx.IR_VERSION,
) -> dict[str, onnx.TypeProto]:
    """Return the types of a node's outputs by name, without unknown ones.

    An unnamed dim of input ``x`` is called ``x_dim_0`` and so on where outputs have it. The operator is that of
    ``schema`` where no opsets are given. Raises ValueError for an input without a type, and the ShapeInferError
    of the fault for a node that cannot run.
    """
    data, sparse = input_data or {}, input_sparse_data or {}
    missing = [n for n in node.input if n and n not in input_types and n not in data and n not in sparse]
    if missing:
        raise ValueError(f"missing input types: {', '.join(missing)}")
    graph = onnx.GraphProto(name="node", node=[node])
    for name, tensor in data.items():
        graph.initializer.add().CopyFrom(tensor)
        graph.initializer[-1].name = name
    for name, entries in sparse.items():
        graph.sparse_initializer.add().CopyFrom(entries)
        graph.sparse_initializer[-1].values.name = name
    given = {n: t for n, t in input_types.items() if n not in data and n not in sparse}
    graph.input.extend(onnx.ValueInfoProto(name=n, type=t) for n, t in given.items())
    imports = list(opset_imports or [onnx.helper.make_opsetid(schema.domain, schema.since_version)])
    model = onnx.ModelProto(ir_version=ir_version, graph=graph, opset_import=imports)
    return {name: t for name, t in _outputs(model, [o for o in node.output if o]).items() if t.WhichOneof("value")}


def infer_function_output_types(
    function: onnx.FunctionProto,
    input_types: Sequence[onnx.TypeProto],
    attributes: Sequence[onnx.AttributeProto],
) -> list[onnx.TypeProto]:
    """Return the types of a function's outputs for these inputs and attributes; one not known is an empty TypeProto.

    An input that is left out has an empty TypeProto. Raises the ShapeInferError of the fault for a call that
    cannot run.
    """
    own = onnx.FunctionProto()
    own.CopyFrom(function)
    own.ClearField("overload")
    names = [f"input_{i}" if t.WhichOneof("value") else "" for i, t in enumerate(input_types)]
    outputs = [f"output_{i}" for i in range(len(function.output))]
    node = onnx.NodeProto(
        op_type=function.name, domain=function.domain, input=names, output=outputs, attribute=attributes
    )
    inputs = [onnx.ValueInfoProto(name=n, type=t) for n, t in zip(names, input_types) if n]
    graph = onnx.GraphProto(name="call", node=[node], input=inputs)
    imports = list(function.opset_import)
    if domain_of(function.domain) not in {domain_of(o.domain) for o in imports}:
        imports.append(onnx.helper.make_opsetid(function.domain, 1))
    model = onnx.ModelProto(ir_version=onnx.IR_VERSION, graph=graph, opset_import=imports, functions=[own])
    return list(_outputs(model, outputs).values())


def _outputs(model: onnx.ModelProto, names: Sequence[str]) -> dict[str, onnx.TypeProto]:
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    typed, report = annotated(model)
    report.raise_for_errors()
    return {value.name: value.type for value in typed.graph.output}
