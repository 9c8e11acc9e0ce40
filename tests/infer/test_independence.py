"""What is found does not depend on the order of the nodes, on the memo, or on the seed of Python's hashes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import cast

import onnx
from hypothesis import given, note

from shapeinfer import Report, check
from shapeinfer.dims import Size, evaluate
from shapeinfer.facts import Tensor, Type
from shapeinfer.frontends.onnx.model import graph_of
from shapeinfer.infer.result import infer_graph
from tests.infer.graphs import drawn, for_each, randoms
from tests.infer.laws import Judged, bindings
from tests.infer.patterns import STEPS
from tests.models import contract, outlines

ROOT = Path(__file__).parents[2]


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


def words(report: Report) -> object:
    """The values but for the names of made-up lengths, and the conditions; of a broken model, only that it is broken.

    Where two nodes contradict each other, the later one is at fault and what it makes is unknown.
    """
    return report.ok and (outlines(report), set(contract(report)))


def numbers(report: Report, sizes: Mapping[str, int]) -> dict[str, list[int | None]]:
    """The shapes under a binding; None for a length that is made up."""
    tensors = {
        name: fact for name, fact in report.values.items() if isinstance(fact, Tensor) and fact.shape is not None
    }
    return {name: [_number(d, sizes) for d in fact.dims] for name, fact in tensors.items()}


def _number(size: Size, sizes: Mapping[str, int]) -> int | None:
    if isinstance(size, int):
        return size
    return None if any(s.is_fresh for s in size.symbols) else evaluate(size, sizes)


@for_each(40)
@given(randoms)
def test_the_order_of_the_nodes_changes_neither_what_is_allowed_nor_what_comes_of_it(random: Random) -> None:
    found = drawn(random, STEPS)
    note(onnx.printer.to_text(found.model))
    other = reordered(found.model, random)
    note(onnx.printer.to_text(other.graph))
    one, two = Judged(found.model), check(other)
    assert one.report.ok == two.ok
    for sizes in bindings(random, one.sizes_of(found.sample), 20) if two.ok else ():
        assert one.report.contract.holds(sizes) == two.contract.holds(sizes), sizes
        if two.contract.holds(sizes):
            assert numbers(one.report, sizes) == numbers(two, sizes), sizes


def test_nor_does_it_change_a_word_of_an_exported_model(example: Path) -> None:
    model = onnx.load(example, load_external_data=False)
    report = check(model)
    assert report.ok
    assert words(check(reordered(model, Random(0)))) == words(report)


def test_few_models_are_said_in_other_words() -> None:
    """Of two terms or conditions that say the same under the others, the first asked for is kept."""
    others = []
    for seed in range(75):
        random = Random(seed)
        model = drawn(random, STEPS).model
        if words(check(reordered(model, random))) != words(check(model)):
            others.append(seed)
    assert len(others) <= 1, others


def report_of(model: onnx.ModelProto, *, memo: bool) -> str:
    result = infer_graph(graph_of(model), memo=memo)
    values = {name: fact for name, fact in result.scopes[result.graph].items() if fact is not None}
    return json.dumps(Report(result.diagnostics, cast("dict[str, Type]", values), result=result).to_dict())


@for_each(40)
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
    for seed in range(15):
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
