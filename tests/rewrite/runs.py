"""Run models before and after they are folded, and hold the outputs against each other bit for bit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import numpy as np
import onnx

from shapeinfer import fold
from shapeinfer.facts import DType
from tests.infer.running import Array, session

ODD = (float("nan"), -0.0, float("inf"), 1e-40)
"""Numbers that are not what they are equal to, or equal to nothing."""


def fed(model: onnx.ModelProto, sizes: Mapping[str, int], seed: int = 0) -> dict[str, Array]:
    """Make an array for each input; a dim without a name is called after its axis, as in reports."""
    feeds = {}
    weights = {t.name for t in model.graph.initializer}
    for value in model.graph.input:
        if value.name not in weights:
            kind = value.type.tensor_type
            shape = [
                d.dim_value if d.HasField("dim_value") else sizes.get(d.dim_param or f"{value.name}_dim_{i}", 2)
                for i, d in enumerate(kind.shape.dim)
            ]
            feeds[value.name] = entries(shape, DType(kind.elem_type), seed)
    return feeds


def entries(shape: Sequence[int], dtype: DType, seed: int = 0) -> Array:
    """Make an array of numbers, among floats some odd ones."""
    random = Random(seed)
    count = int(np.prod(shape))
    if dtype.is_float:
        numbers: list[Any] = [
            random.choice(ODD) if random.random() < 0.05 else random.uniform(-4, 4) for _ in range(count)
        ]
    else:
        numbers = [random.randrange(2) for _ in range(count)]
    kind: Any = dtype.numpy()
    return np.array(numbers).astype(kind).reshape(shape)


def _number(random: Random, dtype: DType) -> Any:
    if not dtype.is_float:
        return random.randrange(2)
    return random.choice(ODD) if random.random() < 0.05 else random.uniform(-4, 4)


def run(model: onnx.ModelProto, feeds: Mapping[str, Array]) -> list[Any] | str:
    """Run a model without any optimization; return its outputs, or what the runtime says."""
    (outputs,) = runs(model, [feeds])
    return outputs


def runs(
    model: onnx.ModelProto, every: Sequence[Mapping[str, Array]], *, optimized: bool = False
) -> list[list[Any] | str]:
    """Run a model on each of these inputs, as ``run`` does on one, or ``optimized`` as the runtime does by itself."""
    try:
        loaded = session(model, optimized=optimized)
    except Exception as error:  # noqa: BLE001 - the runtime's own word that it does not run
        return [str(error) for _ in every]
    found: list[list[Any] | str] = []
    for feeds in every:
        try:
            found.append(list(loaded.run([o.name for o in model.graph.output], dict(feeds))))
        except Exception as error:  # noqa: BLE001 - as above
            found.append(str(error))
    return found


def difference(before: Sequence[Any] | str, after: Sequence[Any] | str) -> str | None:
    """Say what of the outputs differs; what did not run before may do anything."""
    if isinstance(before, str):
        return None
    if isinstance(after, str):
        return f"does not run any more: {after}"
    for i, (a, b) in enumerate(zip(before, after, strict=True)):
        if not alike(a, b):
            return f"output {i} differs: {getattr(a, 'shape', a)} and {getattr(b, 'shape', b)}"
    return None


def alike(a: Any, b: Any) -> bool:
    """Whether two outputs are the same bit for bit."""
    if type(a) is not type(b):
        return False
    if isinstance(a, list):
        return len(a) == len(b) and all(map(alike, a, b))
    if not isinstance(a, np.ndarray):
        return bool(a == b)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    return bool((a == b).all()) if a.dtype == object else a.tobytes() == b.tobytes()


def is_near(a: Any, b: Any) -> bool:
    """Whether two outputs are the same but for what other kernels round differently."""
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(is_near, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(map(is_near, a.values(), b.values()))
    if isinstance(a, float) and isinstance(b, float):
        return is_near(np.array(a), np.array(b))
    if not isinstance(a, np.ndarray) or a.dtype.kind != "f":
        return alike(a, b)
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    largest = np.abs(a[np.isfinite(a)]).max(initial=1)
    return np.allclose(a, b, rtol=0, atol=1e-3 * float(largest), equal_nan=True)


def refolded(model: onnx.ModelProto, *sizes: Mapping[str, int], **given: Any) -> onnx.ModelProto:
    """Fold a model that runs with these sizes, and hold what comes of it against what must hold of every fold."""
    folded = fold(model, **given).model
    onnx.checker.check_model(folded, full_check=True)
    again = fold(folded, **given)
    assert again.rewrites == ()
    assert again.model.SerializeToString() == folded.SerializeToString()
    assert [o.name for o in folded.graph.output] == [o.name for o in model.graph.output]
    assert [o.type for o in folded.graph.output] == [o.type for o in model.graph.output]
    feeds = [fed(model, size, number) for number, size in enumerate(sizes)]
    for size, before, after in zip(sizes, runs(model, feeds), runs(folded, feeds)):
        assert not isinstance(before, str), before
        assert difference(before, after) is None, size
    return folded


def ops(graph: onnx.GraphProto) -> list[str]:
    """The operators of a graph's nodes."""
    return [node.op_type for node in graph.node]
