"""Changes of a model of few nodes: of attributes, versions, wiring, and of the numbers that inputs hold."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, TypeAlias

import numpy as np
import onnx
from onnx import AttributeProto

Feeds: TypeAlias = "dict[str, Any]"
NUMBERS = (0, 1, -1, 2, 3, -2, 4, 5)
FLOATS = (0.0, 1.0, 0.5, 2.0, -1.0)
WORDS = (
    *(
        "SAME_UPPER",
        "SAME_LOWER",
        "VALID",
        "NOTSET",
        "constant",
        "edge",
        "reflect",
        "wrap",
        "linear",
        "nearest",
        "cubic",
    ),
    *("not_larger", "not_smaller", "stretch", "none", "add", "mul", "min", "max", "mean", "sum", "floor", "ceil"),
    *("forward", "reverse", "bidirectional", "DCR", "CRD", "half_pixel", "asymmetric", "align_corners"),
)


def _schema(node: onnx.NodeProto, model: onnx.ModelProto) -> Any:
    versions = {o.domain: o.version for o in model.opset_import}
    try:
        return onnx.defs.get_schema(node.op_type, versions.get(node.domain, 1), node.domain)
    except onnx.defs.SchemaError:
        return None


def an_attribute(model: onnx.ModelProto, feeds: Feeds, random: Random) -> None:
    """Change, remove or add an attribute of the type that it has."""
    node = random.choice(model.graph.node)
    schema = _schema(node, model)
    known = {} if schema is None else dict(schema.attributes)
    here = {a.name: a for a in node.attribute}
    names = sorted({*here, *known})
    if not names:
        return
    name = random.choice(sorted(here) or names) if random.random() < 0.6 else random.choice(names)
    if name in here and random.random() < 0.15:
        node.attribute.remove(here[name])
        return
    kind = here[name].type if name in here else int(known[name].type.value)
    old = onnx.helper.get_attribute_value(here[name]) if name in here else None
    new = _another(kind, old, random)
    if new is None:
        return
    if name in here:
        node.attribute.remove(here[name])
    node.attribute.append(onnx.helper.make_attribute(name, new, attr_type=kind))


def _another(kind: int, old: Any, random: Random) -> Any:
    if kind == AttributeProto.INT:
        return random.choice(NUMBERS) if old is None or random.random() < 0.5 else old + random.choice((-1, 1))
    if kind == AttributeProto.FLOAT:
        return random.choice(FLOATS)
    if kind == AttributeProto.STRING:
        return random.choice(WORDS)
    if kind == AttributeProto.INTS:
        new = list(old or [1] * random.randint(1, 4))
        act = random.randrange(4)
        if act == 0 and new:
            new.pop(random.randrange(len(new)))
        elif act == 1:
            new.insert(random.randrange(len(new) + 1), random.choice(NUMBERS))
        elif new:
            at = random.randrange(len(new))
            new[at] = random.choice(NUMBERS) if act == 2 else new[at] + random.choice((-1, 1))
        return new
    return None


def another_version(model: onnx.ModelProto, feeds: Feeds, random: Random) -> None:
    """Import another version of the standard operators: any, or one at which an operator of the model changed."""
    names = {n.op_type for n in model.graph.node}
    since = sorted(
        {s.since_version for s in onnx.defs.get_all_schemas_with_history() if s.name in names and not s.domain}
    )
    for opset in model.opset_import:
        if opset.domain == "":
            around = [v + d for v in since for d in (-1, 0) if 6 < v + d <= 23]
            opset.version = random.choice(around or [opset.version])


def another_input(model: onnx.ModelProto, feeds: Feeds, random: Random) -> None:
    """Wire a node to another value that is there: twice the same, two swapped, or what an earlier node made."""
    at = random.randrange(len(model.graph.node))
    node = model.graph.node[at]
    if not node.input:
        return
    i = random.randrange(len(node.input))
    if len(node.input) > 1 and random.random() < 0.4:
        j = random.randrange(len(node.input))
        node.input[i], node.input[j] = node.input[j], node.input[i]
        return
    there = [*feeds, *(t.name for t in model.graph.initializer)]
    there += [o for n in model.graph.node[:at] for o in n.output if o]
    if there:
        node.input[i] = random.choice(there)


def fewer_inputs(model: onnx.ModelProto, feeds: Feeds, random: Random) -> None:
    """Leave out an input: the last ones, or one in between."""
    node = random.choice(model.graph.node)
    if len(node.input) > 1:
        i = random.randrange(1, len(node.input))
        if random.random() < 0.5:
            del node.input[i:]
        else:
            node.input[i] = ""


def other_outputs(model: onnx.ModelProto, feeds: Feeds, random: Random) -> None:
    """Ask a node for outputs that it may have, or for fewer."""
    node = random.choice(model.graph.node)
    schema = _schema(node, model)
    if schema is None:
        return
    most = min(schema.max_output, len(node.output) + 2)
    if most > len(node.output):
        node.output.append(f"more{len(node.output)}")
    elif len(node.output) > 1 and len(model.graph.node) == 1:
        del node.output[-1]


def other_numbers(model: onnx.ModelProto, feeds: Feeds, random: Random) -> None:
    """Change an entry of a small tensor of integers, or its length."""
    for tensor in model.graph.initializer:
        if tensor.data_type in (onnx.TensorProto.INT64, onnx.TensorProto.INT32):
            array = np.array(onnx.numpy_helper.to_array(tensor))
            if array.size and random.random() < 0.6:
                new = _changed(array, random)
                tensor.CopyFrom(onnx.numpy_helper.from_array(new, tensor.name))
                return
    for name in sorted(feeds):
        array = feeds[name]
        if isinstance(array, np.ndarray) and array.dtype in (np.int64, np.int32) and array.size:
            array = np.array(array)
            array.ravel()[random.randrange(array.size)] += random.choice((-1, 1, 2))
            feeds[name] = array
            return


def _changed(array: np.ndarray[Any, Any], random: Random) -> np.ndarray[Any, Any]:
    act = random.randrange(4)
    if act == 0 and array.ndim == 1 and array.size > 1:
        return array[:-1]
    if act == 1 and array.ndim == 1:
        longer: np.ndarray[Any, Any] = np.append(array, np.array(random.choice(NUMBERS), array.dtype))
        return longer
    flat: np.ndarray[Any, Any] = array.ravel()
    at = random.randrange(flat.size)
    flat[at] = random.choice(NUMBERS) if act == 2 else flat[at] + random.choice((-1, 1))
    same: np.ndarray[Any, Any] = flat.reshape(array.shape)
    return same


def a_shape_of(model: onnx.ModelProto, feeds: Feeds, random: Random) -> None:
    """Fill a tensor to the shape of a value, and reshape that to one axis: what is wrong of a shape spreads."""
    made = [o for n in model.graph.node for o in n.output if o]
    if not any(o.domain == "" for o in model.opset_import):
        model.opset_import.append(onnx.helper.make_opsetid("", 21))
    model.graph.node.append(onnx.helper.make_node("Shape", [random.choice(made)], ["the_shape"]))
    model.graph.node.append(onnx.helper.make_node("ConstantOfShape", ["the_shape"], ["the_filled"]))


Change: TypeAlias = "Callable[[onnx.ModelProto, Feeds, Random], None]"
CHANGES: tuple[Change, ...] = (
    *(an_attribute,) * 4,
    another_version,
    another_input,
    *(fewer_inputs,) * 2,
    other_outputs,
    *(other_numbers,) * 3,
    a_shape_of,
)
