"""Change a model here and there so that it is still a model, as bytes choose: the same bytes make the same changes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import onnx
from onnx import AttributeProto, TensorProto

from shapeinfer.facts import OPENVINO, Fact, Tensor
from tests.fuzz.calls import chosen
from tests.fuzz.choices import NUMBERS, Choices

NAMES = ("N", "M", "N + 1", "N*M", "9**9**9", "(N//2)*2", "x" * 1000, "\x1b[2J", "max(N, M)", "N % 8", "", "-1")


@functools.cache
def operators() -> tuple[Any, ...]:
    """The schemas of all operators, the newest of each."""
    return tuple(sorted(onnx.defs.get_all_schemas(), key=lambda s: (s.domain, s.name)))


def _node(c: Choices, model: onnx.ModelProto) -> onnx.NodeProto:
    """A node of the main graph or, if chosen so, of a graph inside it."""
    node: onnx.NodeProto = c.of(model.graph.node)
    while inner := [g for a in node.attribute for g in (*a.graphs, a.g) if g.node]:
        if c.of((False, True)):
            break
        node = c.of(c.of(inner).node)
    return node


def _values(model: onnx.ModelProto) -> list[str]:
    graph = model.graph
    made = [o for n in graph.node for o in n.output]
    return ["", *(i.name for i in graph.input), *(i.name for i in graph.initializer), *made]


def another_operator(c: Choices, model: onnx.ModelProto) -> None:
    schema = c.of(operators())
    node = _node(c, model)
    node.op_type, node.domain = schema.name, schema.domain


def another_input(c: Choices, model: onnx.ModelProto) -> None:
    node, name = _node(c, model), c.of(_values(model))
    if node.input and c.of((True, True, False)):
        node.input[c.of(range(len(node.input)))] = name
    else:
        node.input.append(name)


def fewer_inputs(c: Choices, model: onnx.ModelProto) -> None:
    node = _node(c, model)
    del node.input[c.of(range(len(node.input) + 1)) :]


def fewer_or_more_outputs(c: Choices, model: onnx.ModelProto) -> None:
    node = _node(c, model)
    if node.output and c.of((True, False)):
        del node.output[c.of(range(len(node.output))) :]
    else:
        node.output.append(f"more{len(node.output)}")


def an_attribute(c: Choices, model: onnx.ModelProto) -> None:
    """Set an attribute that the operator has, of the right type or another."""
    node = _node(c, model)
    known = [s for s in operators() if (s.name, s.domain) == (node.op_type, node.domain)]
    names = sorted({*(n for s in known for n in s.attributes), *(a.name for a in node.attribute), "axis"})
    name = c.of(names)
    for i in reversed(range(len(node.attribute))):
        if node.attribute[i].name == name:
            del node.attribute[i]
    kind = c.of(("ints", "int", "float", "text", "none", "ints"))
    values: dict[str, Any] = {
        "ints": [c.of(NUMBERS) for _ in range(c.of((0, 1, 2, 2, 3, 4, 5)))],
        "int": c.of(NUMBERS),
        "float": float(c.of(NUMBERS)),
        "text": c.of(("SAME_UPPER", "ij,jk->ik", "...i->i", "linear", "constant", "floor", *NAMES)),
    }
    if kind == "none":
        return
    if kind == "ints" and not values["ints"]:
        node.attribute.add(name=name, type=AttributeProto.INTS)
    else:
        node.attribute.append(onnx.helper.make_attribute(name, values[kind]))


def a_dim(c: Choices, model: onnx.ModelProto) -> None:
    graph = model.graph
    declared = [v.type.tensor_type for v in (*graph.input, *graph.value_info, *graph.output)]
    tensor = c.of(declared) if declared else onnx.TypeProto.Tensor()
    if not tensor.elem_type:
        return
    shape = tensor.shape
    dim = c.of(shape.dim) if shape.dim and c.of((True, True, False)) else shape.dim.add()
    if c.of((True, False)):
        dim.dim_value = c.of(NUMBERS)
    else:
        dim.dim_param = c.of(NAMES)


def an_element_type(c: Choices, model: onnx.ModelProto) -> None:
    if model.graph.input:
        kind = c.of(model.graph.input).type
        kind.tensor_type.elem_type = c.of(range(27))


def a_constant(c: Choices, model: onnx.ModelProto) -> None:
    """Hand a node a constant of a few numbers that it may take for sizes."""
    graph = model.graph
    entries = [c.of(NUMBERS) for _ in range(c.of((1, 0, 1, 2, 3, 4)))]
    dims = [] if len(entries) == 1 and c.of((True, False)) else [len(entries)]
    name = f"constant{len(graph.initializer)}"
    graph.initializer.append(TensorProto(name=name, dims=dims, data_type=TensorProto.INT64, int64_data=entries))
    node = _node(c, model)
    if node.input and c.of((True, False)):
        node.input[c.of(range(len(node.input)))] = name
    else:
        node.input.append(name)


def an_initializer(c: Choices, model: onnx.ModelProto) -> None:
    """Let a tensor say another shape or another type than its data has."""
    if not model.graph.initializer:
        return
    tensor = c.of(model.graph.initializer)
    if c.of((True, False)):
        tensor.dims[:] = [c.of(NUMBERS) for _ in range(c.of((0, 1, 2, 3)))]
    else:
        tensor.data_type = c.of(range(27))


def another_node(c: Choices, model: onnx.ModelProto) -> None:
    """Put an operator on values that are there."""
    schema = c.of(operators())
    count = c.of(range(1, 5))
    made = len(model.graph.node)
    node = model.graph.node.add(op_type=schema.name, domain=schema.domain)
    node.input.extend(c.of(_values(model)) for _ in range(count))
    node.output.extend(f"new{made}_{i}" for i in range(max(1, schema.min_output)))


def a_typed_node(c: Choices, model: onnx.ModelProto) -> None:
    """Put an operator on values of types that it takes: new inputs and constants, and of those that are there a few."""
    call, facts = chosen(c)
    graph, number = model.graph, len(model.graph.node)
    if call.domain == OPENVINO:
        return
    node = graph.node.add(op_type=call.op_type, domain=call.domain)
    for i, fact in enumerate(facts):
        name = "" if fact is None else c.of(_values(model)[1:] or [""]) if c.of(range(4)) == 3 else f"given{number}_{i}"
        node.input.append(name)
        if fact is not None and name == f"given{number}_{i}":
            _give(graph, name, fact)
    for key, value in call.attributes.values.items():
        kind = AttributeProto.AttributeType.Name(max(call.attributes.types[key], 0))
        node.attribute.append(onnx.helper.make_attribute(key, value, attr_type=getattr(AttributeProto, kind)))
    node.output.extend(f"typed{number}_{i}" for i in range(len(call.outputs)))


def _give(graph: onnx.GraphProto, name: str, fact: Fact) -> None:
    """Add a value as an input or, if it is known to the last integer, as an initializer."""
    if not isinstance(fact, Tensor) or not fact.dtype:
        return
    numbers = [v for v in fact.value or () if type(v) is int and -(2**63) <= v < 2**63]
    if fact.dtype.onnx == "int64" and fact.value and len(numbers) == len(fact.value):
        dims = [d for d in fact.dims if isinstance(d, int)]
        graph.initializer.append(TensorProto(name=name, dims=dims, data_type=TensorProto.INT64, int64_data=numbers))
        return
    shape = None if fact.shape is None else [d if isinstance(d, int) else d.text for d in fact.shape]
    graph.input.append(onnx.helper.make_tensor_value_info(name, int(fact.dtype), shape))


def another_opset(c: Choices, model: onnx.ModelProto) -> None:
    if model.opset_import:
        c.of(model.opset_import).version = c.of((*range(1, 27), *NUMBERS))


CHANGES: tuple[Callable[[Choices, onnx.ModelProto], None], ...] = (
    another_operator,
    another_input,
    fewer_inputs,
    fewer_or_more_outputs,
    *(an_attribute,) * 3,
    *(a_dim,) * 2,
    an_element_type,
    *(a_constant,) * 2,
    an_initializer,
    *(another_node,) * 2,
    *(a_typed_node,) * 4,
    another_opset,
)


def changed(data: bytes, seeds: Sequence[bytes]) -> onnx.ModelProto:
    """Return the model that bytes choose among serialized ones, with the changes that they choose."""
    choices = Choices(data)
    model = onnx.ModelProto()
    model.ParseFromString(choices.of(seeds))
    while not choices.is_over and model.graph.node:
        choices.of(CHANGES)(choices, model)
    return model
