"""Run fold and other simplifiers on models: ``python -m tests.rewrite.simplifiers FOLDER [PART...]``.

Prints the table of examples/optimizers.md for each NAME.onnx beside a NAME.truth.json whose name has one of the parts:
nodes without Constant, whether the outputs are those of the model at every recorded size in onnxruntime without
optimizations, and seconds of processor time of the first call in a process of its own.
"""

from __future__ import annotations

import importlib.util
import json
import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from multiprocessing.queues import SimpleQueue
from pathlib import Path
from typing import Any

import click
import onnx

from tests.infer.running import session
from tests.rewrite.runs import difference, is_near, runs
from tests.rewrite.wild_folds import inputs_at
from tests.weights import weighted


def fold(model: onnx.ModelProto) -> onnx.ModelProto:
    import shapeinfer

    return shapeinfer.fold(model).model


def basic(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return what onnxruntime saves at its basic level."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.log_severity_level, options.intra_op_num_threads = 4, 1
    with tempfile.TemporaryDirectory() as folder:
        options.optimized_model_filepath = str(Path(folder) / "optimized.onnx")
        onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
        return onnx.load(options.optimized_model_filepath)


def called(module: str, name: str, model: onnx.ModelProto) -> Any:
    """Call a function of a tool that is imported before it is timed."""
    return getattr(importlib.import_module(module), name)(model)


TOOLS: dict[str, tuple[str, Callable[[onnx.ModelProto], Any]]] = {
    "fold": ("shapeinfer", fold),
    "onnxslim": ("onnxslim", partial(called, "onnxslim", "slim")),
    "onnxsim": ("onnxsim", lambda model: called("onnxsim", "simplify", model)[0]),
    "onnxoptimizer": ("onnxoptimizer", partial(called, "onnxoptimizer", "optimize")),
    "onnxscript": ("onnxscript.optimizer", partial(called, "onnxscript.optimizer", "optimize")),
    "ort": ("onnxruntime", basic),
}


def nodes_in(graph: onnx.GraphProto) -> int:
    """Count the nodes of a graph and its subgraphs, without Constant."""
    inside = [g for n in graph.node for a in n.attribute for g in (a.g, *a.graphs)]
    own: int = sum(n.op_type != "Constant" for n in graph.node)
    return own + sum(map(nodes_in, inside))


def verdict(model: onnx.ModelProto, made: onnx.ModelProto, feeds: Sequence[Any]) -> str:
    """Say what is wrong with a result, nothing if it has the outputs of the model bit for bit."""
    try:
        session(made, optimized=True)
    except Exception:  # noqa: BLE001 - whatever keeps the runtime from it
        return " **does not load**"
    pairs = [(a, b) for a, b in zip(runs(model, feeds), runs(made, feeds)) if not isinstance(a, str)]
    if all(difference(a, b) is None for a, b in pairs):
        return "" if pairs else " (not compared)"
    return " close" if all(not isinstance(b, str) and all(map(is_near, a, b)) for a, b in pairs) else " **wrong**"


def tried(tool: str, path: Path, queue: SimpleQueue[str]) -> None:
    """Put the cell of a tool and a model into the queue."""
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    model = weighted(onnx.load(path, load_external_data=False))
    bindings = json.loads(path.with_name(f"{path.stem}.truth.json").read_text(encoding="utf-8"))["bindings"]
    module, simplify = TOOLS[tool]
    importlib.import_module(module)
    copy = onnx.ModelProto.FromString(model.SerializeToString())
    start = time.process_time()
    try:
        made = simplify(copy)
    except Exception:  # noqa: BLE001 - whatever a tool raises
        queue.put("refuses")
        return
    seconds = time.process_time() - start
    said = verdict(model, made, [inputs_at(model, binding) for binding in bindings])
    queue.put(f"{nodes_in(made.graph)}{said} ({seconds:.1f})")


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("parts", nargs=-1)
def main(folder: Path, parts: tuple[str, ...]) -> None:
    """Print a row for each model."""
    installed = [tool for tool, (module, _) in TOOLS.items() if importlib.util.find_spec(module.partition(".")[0])]
    click.echo(f"| model | before | {' | '.join(installed)} |\n|{'---|' * (2 + len(installed))}")
    context = multiprocessing.get_context("spawn")
    for path in sorted(folder.glob("*.onnx")):
        if parts and not any(part in path.stem for part in parts):
            continue
        cells = [str(nodes_in(onnx.load(path, load_external_data=False).graph))]
        for tool in installed:
            queue: SimpleQueue[str] = context.SimpleQueue()
            child = context.Process(target=tried, args=(tool, path, queue))
            child.start()
            child.join(120)
            child.kill()
            cells.append("no result" if queue.empty() else queue.get())
        click.echo(f"| `{path.stem}` | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
