"""Laws that hold for every model: examples, and all of the corpus where it is there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import onnx
import pytest

from shapeinfer import check, infer_shapes
from shapeinfer.dims import Dim, evaluate
from shapeinfer.facts import Fact, Tensor
from shapeinfer.frontends.onnx.model import graph_of
from shapeinfer.frontends.onnx.read import load
from shapeinfer.infer.result import Result, infer_graph
from tests.models import checked, faults, parsed, texts

ROOT = Path(__file__).parents[2]

CONTROL = parsed("""<ir_version: 9, opset_import: ["" : 20, "f" : 1]>
    g (float[N, 3] x, int64 M, bool c, float[0, 3] none) => (float[K, 3] y, float[] z, int64[] n) {
        yes = Constant<value = bool {1}>()
        y = Loop(M, yes, none) <body = b (int64 i, bool c0, float[] v) => (bool c1, float[] w) {
            c1 = Identity(c0) w = f.F(v, x)
        }>
        z = If(c) <then_branch = t () => (a) { a = f.F(x, x) }, else_branch = e () => (b) { b = Relu(y) }>
        n = NonZero(z)
        m = Concat<axis=1>(n, n)
    }
    <domain: "f", opset_import: ["" : 20]>
    F (p, q) => (r) { r = Concat<axis=0>(p, q) }""")


def described(result: Result) -> list[object]:
    """All that an inference found, in text: the graph of another run has other objects."""
    values = [
        (name, fact and fact.text, getattr(fact, "value", None))
        for scope in result.scopes.values()
        for name, fact in scope.items()
    ]
    return [values, [d.text for d in result.diagnostics], [a.condition.text for a in result.pending]]


def test_the_memo_changes_nothing(some_model: Path) -> None:
    model = load(some_model)
    assert described(infer_graph(graph_of(model))) == described(infer_graph(graph_of(model), memo=False))


def test_the_memo_changes_nothing_in_bodies_and_functions() -> None:
    for _ in range(2):
        assert described(infer_graph(graph_of(CONTROL))) == described(infer_graph(graph_of(CONTROL), memo=False))


def test_inferring_what_was_inferred_changes_nothing_in_bodies() -> None:
    once = infer_shapes(CONTROL).SerializeToString(deterministic=True)
    assert infer_shapes(once).SerializeToString(deterministic=True) == once


def test_checking_what_was_inferred_finds_the_same_but_for_what_was_declared_wrong(some_model: Path) -> None:
    first, again = check(some_model), check(infer_shapes(some_model))
    assert faults(again) == [f for f in faults(first) if not any(c in f for c in ("declared-", "label-conflict"))]
    assert [r.condition for r in again.contract.all_sizes] == [r.condition for r in first.contract.all_sizes]


SCRIPT = """
import hashlib, sys
from shapeinfer import check, infer_shapes
for path in sys.argv[1:]:
    out = infer_shapes(path).SerializeToString(deterministic=True)
    report = check(path)
    said = repr(([d.to_dict() for d in report.diagnostics], [r.to_dict() for r in report.contract]))
    print(hashlib.sha256(out + said.encode()).hexdigest())
"""


def test_two_processes_write_the_same_bytes(tmp_path: Path) -> None:
    """Whatever the seed of Python's hashes: nothing hangs on the order of a set."""
    paths = sorted(map(str, (ROOT / "examples" / "models").glob("*.onnx")))
    for i, model in enumerate([CONTROL, MANY]):
        path = tmp_path / f"{i}.onnx"
        path.write_bytes(model.SerializeToString())
        paths.append(str(path))
    runs = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT, *paths],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]
    assert len(runs[0].split()) == len(paths)


MANY = parsed(
    f"g ({', '.join(f'float[D{i}] x{i}' for i in range(20))}) => (float[] y) {{ h0 = Relu(x0) "
    + " ".join(f"h{i} = Add(h{i - 1}, x{i})" for i in range(1, 20))
    + " y = Relu(h19) }"
)


def test_many_names_are_broadcast_without_choosing_one() -> None:
    report = checked(MANY)
    assert {fault.split(" @")[0] for fault in faults(report)} == {"warning tied-dims"}
    assert all(f"D{i}" in texts(report)["y"] for i in range(20))
    assert [texts(report)[f"x{i}"] for i in range(20)] == [f"f32[D{i}]" for i in range(20)]


def numbers(fact: Fact | None, binding: dict[str, int]) -> list[int | None] | None:
    """The shape under a binding; None for a length that more than the inputs decide."""
    shape = fact.shape if isinstance(fact, Tensor) else None
    if shape is None:
        return None
    return [d if isinstance(d, int) else None if _open(d, binding) else evaluate(d, binding) for d in shape]


def _open(size: Dim, binding: dict[str, int]) -> bool:
    return any(s.is_fresh or s.name not in binding for s in size.symbols)


@pytest.mark.parametrize("first", [1, 2, 3])
def test_numbers_put_in_before_or_after_give_the_same(example: Path, first: int) -> None:
    free = check(example)
    names = sorted(
        {s.name for v in onnx.load(example, load_external_data=False).graph.input for s in free.values[v.name].symbols}
    )
    binding = {name: 32 * (first + i) for i, name in enumerate(names)}
    bound = check(example, bind=binding)
    if not bound.ok:
        assert free.contract, "sizes that fail are outside the contract"
        return
    for name, fact in bound.values.items():
        late, early = numbers(free.values[name], binding), numbers(fact, {})
        if late is None or early is None:
            assert late is None, f"{name}: {free.values[name]} was known, with numbers it is {fact}"
            continue
        assert len(late) == len(early), name
        assert all(a is None or a == b for a, b in zip(late, early)), f"{name}: {free.values[name]}, {fact}"
