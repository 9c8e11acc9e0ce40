"""Fold models of others and run them before and after, at every recorded size.

``python -m tests.rewrite.wild_folds FOLDER [PART...]`` tries each NAME.onnx beside a NAME.truth.json whose name has one
of the parts. ``equal`` is bit for bit with the runtime's optimizations off; a model that differs is named with how, and
so is one that the runtime does not run as it is, for which nothing is said.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import onnx

from shapeinfer import ShapeInferError, fold
from shapeinfer.facts import DType
from tests.infer.running import Array
from tests.rewrite.runs import difference, is_near, runs
from tests.weights import numbers, weighted


def inputs_at(model: onnx.ModelProto, binding: Mapping[str, Any]) -> dict[str, Array]:
    """Make the inputs of a binding; a dim without a name is called after its axis, and is 2 where nothing is recorded.

    Where the shape of an input is recorded itself, it has that shape.
    """
    symbols, weights = binding["symbols"], {t.name for t in model.graph.initializer}
    feeds = {}
    for value in model.graph.input:
        if value.name in weights:
            continue
        kind, recorded = value.type.tensor_type, (binding["inputs"] or binding["values"]).get(value.name)
        shape = [
            d.dim_value if d.HasField("dim_value") else symbols.get(d.dim_param or f"{value.name}_dim_{i}", 2)
            for i, d in enumerate(kind.shape.dim)
        ]
        if recorded is not None:
            shape = recorded["shape"] if isinstance(recorded, dict) else recorded
        is_text = kind.elem_type == onnx.TensorProto.STRING
        feeds[value.name] = numbers(value.name, shape, "string" if is_text else DType(kind.elem_type).numpy(), 1)
    return feeds


def judged(path: Path) -> tuple[str, str]:
    """Try one model: how it ended, and what there is to say of it."""
    model = weighted(onnx.load(path, load_external_data=False))
    bindings = json.loads(path.with_name(f"{path.stem}.truth.json").read_text(encoding="utf-8"))["bindings"]
    feeds = [inputs_at(model, binding) for binding in bindings]
    before = runs(model, feeds)
    ran = [i for i, outputs in enumerate(before) if not isinstance(outputs, str)]
    if not ran:
        return "does not run", str(before[0])[:200] if before else "no size is recorded"
    try:
        folded = fold(model)
    except ShapeInferError as error:
        return "is refused", str(error)
    note = f"{folded.before} to {folded.after} nodes at {len(ran)} of {len(feeds)} sizes"
    for i, after in zip(ran, runs(folded.model, [feeds[i] for i in ran])):
        said = difference(before[i], after)
        if said is not None:
            near = not isinstance(after, str) and all(map(is_near, before[i], after))
            return "differs in last bits" if near else "differs", f"{note}; at {bindings[i]['symbols']} {said}"
    for i in ran:
        (own,), (after,) = (runs(m, [feeds[i]], optimized=True) for m in (model, folded.model))
        if isinstance(own, str) or not all(map(is_near, before[i], own)):
            note += f"; at {bindings[i]['symbols']} the runtime's optimizations change the outputs of the model itself"
        elif isinstance(after, str) or not all(map(is_near, before[i], after)):
            said = after[:200] if isinstance(after, str) else "outputs differ"
            return "equal, but differs when optimized", f"{note}; at {bindings[i]['symbols']} {said}"
    return "equal", note


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("parts", nargs=-1)
def main(folder: Path, parts: tuple[str, ...]) -> None:
    """Print a line for each model, and at the end how many ended how."""
    ends: Counter[str] = Counter()
    for path in sorted(folder.glob("*.onnx")):
        if not parts or any(part in path.stem for part in parts):
            end, note = judged(path)
            ends[end] += 1
            click.echo(f"{path.stem}: {end}: {note}")
    click.echo(dict(sorted(ends.items())))
    sys.exit(any("differs" in end or "refused" in end for end in ends))


if __name__ == "__main__":
    main()
