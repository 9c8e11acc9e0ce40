"""Models of real exporters are generalized: they run with the sizes that are free, and give the shapes inferred."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import onnx
import pytest

from shapeinfer import check, generalize
from shapeinfer.diagnostics.codes import Severity
from shapeinfer.dims import substitute
from tests.rewrite.runs import fed, run
from tests.weights import weighted

FREE = {
    "hand_localfunc": ["w[1] = w_1"],
    "hand_loop_scan": ["x[2] = x_2"],
    "rnn_packed.dynamo18": ["x[1] = x_1"],
    "shape_ops.legacy14": ["x[2] = x_2", "y[2] = x_2"],
    "vit.legacy14": [],
    "dyn_cond.dynamo18": [],
    "script_loop_if.legacy17": [],
}
"""Models with static inputs, and which of their dims can be free."""


def sizes_of(model: onnx.ModelProto, size: int, changed: dict[str, int]) -> dict[str, int]:
    """Sizes for all names of dims of a model's inputs."""
    names = {d.dim_param for v in model.graph.input for d in v.type.tensor_type.shape.dim if d.dim_param}
    return dict.fromkeys(names, size) | changed


def shapes(outputs: list[Any]) -> list[tuple[int, ...]]:
    return [output.shape for output in outputs]


@pytest.mark.parametrize("name", FREE)
def test_it_runs_with_the_sizes_that_are_free(name: str, corpus: Path) -> None:
    model = weighted(onnx.load(corpus / "truth" / f"{name}.onnx", load_external_data=False))
    found = generalize(model)
    assert [f"{d.input}[{d.axis}] = {d.name}" for d in found.dims] == FREE[name]
    report = check(found.model)
    assert [d.text for d in report.diagnostics if d.severity is not Severity.NOTE] == []
    static = {d.name: d.size for d in found.dims}
    for dim, size in static.items():
        sizes = sizes_of(found.model, 2, {**static, dim: 2 * size})
        outputs = run(found.model, fed(found.model, sizes))
        assert not isinstance(outputs, str), outputs
        for value, output in zip(found.model.graph.output, outputs):
            for length, inferred in zip(output.shape, report.shape(value.name) or ()):
                if isinstance(inferred, int):
                    assert length == inferred
                elif not any(s.is_fresh for s in inferred.symbols):
                    assert substitute(inferred, {s: sizes[s.name] for s in inferred.symbols}) == length


@pytest.mark.parametrize("name", [*FREE, "resnet.legacy11", "unet.legacy17", "gan_generator.legacy17"])
def test_what_is_blocked_fails_in_the_runtime(name: str, corpus: Path) -> None:
    model = weighted(onnx.load(corpus / "truth" / f"{name}.onnx", load_external_data=False))
    del model.graph.value_info[:]
    for output in model.graph.output:
        output.type.tensor_type.ClearField("shape")
    for blocked in generalize(model).blocked:
        other = onnx.ModelProto()
        other.CopyFrom(model)
        (value,) = (v for v in other.graph.input if v.name == blocked.input)
        value.type.tensor_type.shape.dim[blocked.axis].dim_value = 2 * blocked.size
        assert isinstance(run(other, fed(other, sizes_of(other, 32, {}))), str), blocked.text
