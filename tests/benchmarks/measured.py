"""Measure one engine on one model in a process of its own, so that neither memory nor caches are shared."""

from __future__ import annotations

import gc
import json
import re
import resource
import subprocess
import sys
import time
from pathlib import Path

import onnx
from attrs import asdict, frozen

from tests.benchmarks.engines import ENGINES

TIMEOUT = 300


@frozen
class Measured:
    """What one engine took for one model: times in seconds, memory in MB.

    ``first`` is the first call, which finds no cache filled, ``best`` the best of the calls after it; ``memory`` is
    the peak of the whole process. ``known`` is the share of dims that are numbers or formulas of input dims.
    """

    nodes: int
    first: float
    best: float
    memory: float
    known: float


def measure(engine: str, path: Path, runs: int) -> Measured | str:
    """Return what an engine takes for a model, or why it gave up."""
    command = [sys.executable, "-m", "tests.benchmarks.measured", engine, str(path), str(runs)]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        return f"more than {TIMEOUT} s"
    if ended.returncode:
        return (ended.stderr.strip().splitlines() or ["died"])[-1][:100]
    return Measured(**json.loads(ended.stdout))


def _here(engine: str, path: Path, runs: int) -> Measured:
    infer, _ = ENGINES[engine]
    data = path.read_bytes()
    times = []
    for _ in range(runs + 1):
        model = onnx.ModelProto()
        model.ParseFromString(data)
        gc.collect()
        start = time.perf_counter()
        made = infer(model)
        times.append(time.perf_counter() - start)
    return Measured(len(made.graph.node), times[0], min(times[1:]), peak(), known_share(made))


def peak() -> float:
    """Return the most memory that this process had so far, in MB."""
    status = Path("/proc/self/status")
    if status.exists():
        # What getrusage tells here includes what the parent had when it forked.
        return float(re.findall(r"VmHWM:\s+(\d+) kB", status.read_text())[0]) / 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


def known_share(model: onnx.ModelProto) -> float:
    """Return the share of the dims of values made by nodes that are numbers or formulas of the inputs' dims."""
    names = {d.dim_param for v in model.graph.input for d in v.type.tensor_type.shape.dim if d.dim_param}
    made = {o for n in model.graph.node for o in n.output if o}
    typed = {v.name: v.type.tensor_type for v in (*model.graph.value_info, *model.graph.output)}
    known = every = 0
    for name in made:
        dims = typed[name].shape.dim if name in typed and typed[name].HasField("shape") else None
        every += 1 if dims is None else len(dims)
        known += sum(_is_known(d, names) for d in dims or ())
    return known / max(every, 1)


def _is_known(dim: onnx.TensorShapeProto.Dimension, names: set[str]) -> bool:
    if dim.HasField("dim_value"):
        return True
    words = set(re.findall(r"[A-Za-z_][\w.]*", dim.dim_param)) - {"max", "min", "floor", "ceiling"}
    return bool(dim.dim_param) and (dim.dim_param in names or (bool(words) and words <= names))


if __name__ == "__main__":
    print(json.dumps(asdict(_here(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])))))
