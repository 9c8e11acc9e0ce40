"""Every example in the documentation of ONNX's operators, at each step of knowing less of its inputs.

The onnx package carries the examples as test cases with the arrays that they give. Whatever is inferred must be
true of them, and knowing less must never make it wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from onnx.backend.test.case.test_case import TestCase

from shapeinfer import Report, check
from shapeinfer.dims import evaluate
from shapeinfer.facts import Fact, Tensor

STEPS = ("entries", "shape", "symbols", "rank", "dtype", "nothing")


def shown(case: Any, step: str) -> tuple[onnx.ModelProto, dict[str, int]]:
    """The example's model, saying of its inputs what the step says; and what its symbols stand for."""
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    arrays = dict(zip((v.name for v in model.graph.input), case.data_sets[0][0]))
    binding: dict[str, int] = {}
    kept = []
    for number, value in enumerate(case.model.graph.input):
        array = arrays.get(value.name)
        own = onnx.ValueInfoProto()
        own.CopyFrom(value)
        if isinstance(array, np.ndarray) and value.type.HasField("tensor_type"):
            if step == "entries" and _is_plain(array, value):
                model.graph.initializer.append(numpy_helper.from_array(array, value.name))
                continue
            _lessen(own.type, array.shape, step, f"i{number}", binding)
        kept.append(own)
    del model.graph.input[:], model.graph.value_info[:]
    model.graph.input.extend(kept)
    for output in model.graph.output:
        output.ClearField("type")
    return model, binding


def _is_plain(array: np.ndarray[Any, Any], value: onnx.ValueInfoProto) -> bool:
    try:
        return onnx.helper.np_dtype_to_tensor_dtype(array.dtype) == value.type.tensor_type.elem_type
    except (KeyError, ValueError):
        return False


def _lessen(proto: onnx.TypeProto, shape: tuple[int, ...], step: str, name: str, binding: dict[str, int]) -> None:
    tensor = proto.tensor_type
    if step == "nothing":
        proto.Clear()
    elif step == "dtype":
        tensor.ClearField("shape")
    elif step in ("symbols", "rank"):
        tensor.ClearField("shape")
        tensor.shape.SetInParent()
        for axis, size in enumerate(shape):
            dim = tensor.shape.dim.add()
            if step == "symbols":
                dim.dim_param = f"{name}_{axis}"
                binding[dim.dim_param] = size


def wrong(fact: Fact | None, real: Any, binding: Mapping[str, int]) -> str:
    """What of a fact is not true of an array."""
    if not isinstance(fact, Tensor) or not isinstance(real, np.ndarray):
        return ""
    if fact.shape is None:
        return ""
    if len(fact.shape) != real.ndim:
        return f"{fact} is really {list(real.shape)}"
    for size, length in zip(fact.shape, real.shape):
        if not isinstance(size, int) and any(s.is_fresh or s.name not in binding for s in size.symbols):
            continue
        if evaluate(size, binding) != length:
            return f"{fact} is really {list(real.shape)} at {dict(binding)}"
    return ""


def problems(case: Any, step: str) -> list[str]:
    model, binding = shown(case, step)
    report: Report = check(model)
    said = [d.text for d in report.errors]
    for output, real in zip(model.graph.output, case.data_sets[0][1]):
        said.append(wrong(report.values.get(output.name), real, binding))
    return [f"{case.name}: {s}" for s in said if s]


SOME = 4
"""Where sizes are symbols, one in so many of the examples is checked that spell an operator out in others."""


def chosen(cases: list[TestCase], step: str) -> list[TestCase]:
    spelled_out = [case for case in cases if "_expanded" in case.name]
    skipped = {case.name for i, case in enumerate(spelled_out) if i % SOME} if step in ("symbols", "rank") else set()
    return [case for case in cases if case.name not in skipped]


@pytest.mark.parametrize("step", STEPS)
def test_what_is_inferred_of_an_example_is_true(node_cases: list[TestCase], step: str) -> None:
    assert [p for case in chosen(node_cases, step) for p in problems(case, step)] == []
