"""What is found does not depend on the order of the nodes, on the memo, or on the seed of Python's hashes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random

import onnx
import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from shapeinfer import Report, check
from shapeinfer.frontends.onnx import graph_of
from shapeinfer.infer.result import infer_graph
from tests.infer.graphs import drawn
from tests.infer.steps import STEPS
from tests.models import contract, outlines

ROOT = Path(__file__).parents[2]
SLOW = settings(
    derandomize=True,
    deadline=None,
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
randoms = st.randoms(use_true_random=False)


def reordered(model: onnx.ModelProto, random: Random) -> onnx.ModelProto:
    """The same model with its nodes in another order that works."""
    left = list(model.graph.node)
    made = {o for n in left for o in n.output}
    nodes = []
    while left:
        ready = [n for n in left if not any(i in made for i in _reads(n))]
        node = ready[random.randrange(len(ready))]
        left.remove(node)
        made -= set(node.output)
        nodes.append(node)
    out = onnx.ModelProto()
    out.CopyFrom(model)
    del out.graph.node[:]
    out.graph.node.extend(nodes)
    return out


def _reads(node: onnx.NodeProto) -> set[str]:
    bodies = [a.g for a in node.attribute if a.HasField("g")]
    return {*node.input, *(i for g in bodies for n in g.node for i in _reads(n))}


def found(report: Report) -> tuple[dict[str, str], set[str], set[str]]:
    """Shapes but for the names of made-up lengths, conditions, and the codes of what is wrong."""
    return outlines(report), set(contract(report)), {d.code.name for d in report.diagnostics}


@SLOW
@given(randoms)
def test_the_order_of_the_nodes_changes_nothing(random: Random) -> None:
    model = drawn(random, STEPS).model
    note(onnx.printer.to_text(model))
    other = reordered(model, random)
    note(onnx.printer.to_text(other.graph))
    assert found(check(other)) == found(check(model))


@pytest.mark.parametrize("seed", range(3))
def test_nor_does_it_in_an_exported_model(example: Path, seed: int) -> None:
    model = onnx.load(example, load_external_data=False)
    assert found(check(reordered(model, Random(seed)))) == found(check(model))


def report_of(model: onnx.ModelProto, *, memo: bool) -> str:
    result = infer_graph(graph_of(model), memo=memo)
    values = {name: fact for name, fact in result.scopes[result.graph].items() if fact is not None}
    return json.dumps(Report(result.diagnostics, values, result=result).to_dict())


@SLOW
@given(randoms)
def test_the_memo_changes_nothing(random: Random) -> None:
    model = drawn(random, STEPS).model
    note(onnx.printer.to_text(model))
    without = report_of(model, memo=False)
    # The second time, all of it is remembered.
    assert report_of(model, memo=True) == without
    assert report_of(model, memo=True) == without


SCRIPT = """
import json, sys
from shapeinfer import check
for path in sys.argv[1:]:
    print(json.dumps(check(path).to_dict()))
"""


def test_two_processes_print_the_same(tmp_path: Path) -> None:
    paths = []
    for seed in range(60):
        paths.append(str(tmp_path / f"{seed}.onnx"))
        onnx.save(drawn(Random(seed), STEPS).model, paths[-1])
    runs = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT, *paths],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("0", "1")
    ]
    assert runs[0].splitlines() == runs[1].splitlines()
    assert len(runs[0].splitlines()) == len(paths)
