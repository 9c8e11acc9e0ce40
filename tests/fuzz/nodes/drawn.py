"""Draw a model by its number: the case that stands there, its inputs made symbolic or known, and a few changes."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import onnx
from onnx.backend.test.case.test_case import TestCase

from tests.fuzz.nodes.changes import CHANGES
from tests.fuzz.oracle import Sample

NEWEST = 23
"""The newest opset that the runtime knows."""
SMALL = 32
"""Inputs of so few entries may be constants."""


def cases() -> list[TestCase]:
    """Make the cases, which takes seconds."""
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found: list[TestCase] = collect_testcases(None)
    return found


def drawn(number: int, every: Sequence[TestCase]) -> Sample:
    """Make the model of a number, from each case in turn."""
    random = Random(number)
    case = every[number % len(every)]
    assert case.model is not None
    model = copy.deepcopy(case.model)
    feeds = dict(zip([i.name for i in model.graph.input], (case.data_sets or [((), ())])[0][0]))
    model.ir_version = min(model.ir_version, 10)
    for opset in model.opset_import:
        if opset.domain == "":
            opset.version = min(opset.version, NEWEST)
    _fix_some(model, feeds, random)
    for _ in range(random.choice((0, 1, 1, 1, 2))):
        random.choice(CHANGES)(model, feeds, random)
    _make_symbolic(model, random)
    _show_all(model)
    return Sample(number, model, feeds)


def _fix_some(model: onnx.ModelProto, feeds: dict[str, Any], random: Random) -> None:
    """Turn what numpy cannot hold and some of what is small into initializers."""
    for value in list(model.graph.input):
        given = feeds[value.name]
        if isinstance(given, onnx.TensorProto):
            tensor = onnx.TensorProto()
            tensor.CopyFrom(given)
            tensor.name = value.name
        elif (
            isinstance(given, np.ndarray) and given.size <= SMALL and random.random() < (0.5 if _counts(given) else 0.2)
        ):
            tensor = onnx.numpy_helper.from_array(given, value.name)
        else:
            continue
        model.graph.initializer.append(tensor)
        model.graph.input.remove(value)
        del feeds[value.name]


def _counts(array: np.ndarray[Any, Any]) -> bool:
    return array.dtype in (np.int64, np.int32, np.bool_) or array.ndim < 1


def _make_symbolic(model: onnx.ModelProto, random: Random) -> None:
    """Give axes of inputs names, the same one rather where they are equally long."""
    of_length = random.random() < 0.7
    for value in model.graph.input:
        kind = value.type.tensor_type
        if random.random() < 0.04:
            kind.ClearField("shape")
        for axis, dim in enumerate(kind.shape.dim):
            chance = random.random()
            if chance < 0.65:
                same = of_length and random.random() < 0.8
                dim.dim_param = f"D{dim.dim_value}" if same else f"{value.name.upper()}{axis}"
            elif chance < 0.72:
                dim.ClearField("dim_value")


def _show_all(model: onnx.ModelProto) -> None:
    """Make every value that a node makes an output, of no declared type, and declare nothing inside."""
    del model.graph.output[:]
    names = dict.fromkeys(o for n in model.graph.node for o in n.output if o)
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    del model.graph.value_info[:]
