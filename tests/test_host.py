"""A library leaves its host alone: it changes nothing that the process shares, and keeps nothing that it made."""

from __future__ import annotations

import contextlib
import gc
import re
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import onnx
import pytest
from onnx import printer

import shapeinfer
from shapeinfer.editors.documents import Document
from shapeinfer.infer.driver import Run
from tests.ir import net, parameter, result
from tests.models import parsed

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples" / "models").glob("*.onnx"))
BROKEN = ROOT / "examples" / "broken" / "unet_wrong_channels.onnx"
OF_THE_COLLECTOR = ("collect", "disable", "enable", "freeze", "set_debug", "set_threshold", "unfreeze")

NESTED = """<ir_version: 10, opset_import: ["" : 20, "my" : 1]>
net (bool c, int64 n, float[N, 64] x, float[64, M] w) => (y, z)
{
    h = If (c) <then_branch = yes () => (a) { a = my.F (x) }, else_branch = no () => (b) { b = Tanh (x) }>
    k = MatMul (h, w)
    y = Loop (n, c, k) <body = body (int64 i, bool going, v) => (going, t) { t = my.F (v) }>
    s = Constant <value = int64[2] {8, -1}> ()
    z = Reshape (k, s)
}
<domain: "my", opset_import: ["" : 20, "my" : 1]>
F (x) => (y) { h = my.G (x) y = Relu (h) }
<domain: "my", opset_import: ["" : 20]>
G (x) => (y) { y = Sigmoid (x) }
"""
WRONG = NESTED.replace("float[64, M] w", "float[63, M] w")
TORN = NESTED.replace("MatMul (h, w)", "MatMul (h, w")
IR = net(parameter("x"), result("x"))


def raised(model: str) -> None:
    with contextlib.suppress(shapeinfer.ShapeInferError):
        shapeinfer.infer_shapes(parsed(model), strict_mode=True)


def edited() -> None:
    model = shapeinfer.Session(EXAMPLES[0])
    node = onnx.NodeProto()
    for index in (0, len(model.model.graph.node) // 2):
        node.CopyFrom(model.model.graph.node[index])
        model.edit(index, index + 1, [node])
    assert model.report.diagnostics == ()


def typed() -> None:
    document = Document(Path("net.onnxtxt"), NESTED)
    for text in (NESTED, TORN, WRONG, NESTED + "(", NESTED):
        document.change(text)
        assert document.problems or document.written.report.ok


WORK: dict[str, Callable[[], object]] = {
    "models": lambda: [shapeinfer.check(path) for path in EXAMPLES],
    "contracts": lambda: [shapeinfer.check(path).contract for path in EXAMPLES],
    "types": lambda: shapeinfer.infer_shapes(EXAMPLES[0]),
    "subgraphs and functions": lambda: shapeinfer.infer_shapes(parsed(NESTED)),
    "text": lambda: shapeinfer.check(NESTED.encode()),
    "broken text": lambda: shapeinfer.check(TORN.encode()),
    "wrong models": lambda: [shapeinfer.check(model).to_dict() for model in (BROKEN, WRONG.encode())],
    "an exception": lambda: raised(WRONG),
    "a spent budget": lambda: shapeinfer.check(EXAMPLES[0], max_seconds=1e-9),
    "no model": lambda: shapeinfer.check(b"none"),
    "an IR": lambda: shapeinfer.check(IR),
    "folding": lambda: shapeinfer.fold(EXAMPLES[0]),
    "a difference": lambda: shapeinfer.diff(EXAMPLES[0], EXAMPLES[1]),
    "edits": edited,
    "keystrokes": typed,
}
every_work = pytest.mark.parametrize("work", WORK.values(), ids=WORK.keys())


def test_only_the_command_as_a_process_knows_of_the_collector() -> None:
    package = ROOT / "shapeinfer"
    knowing = [p for p in package.rglob("*.py") if re.search(r"\bgc\b", p.read_text(encoding="utf-8"))]
    assert knowing == [package / "__main__.py"]


@every_work
def test_the_collector_works_as_ever(work: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    work()  # what it imports may do as it likes
    before = gc.isenabled(), gc.get_threshold(), gc.get_freeze_count()
    with monkeypatch.context() as patch:
        for name in OF_THE_COLLECTOR:
            patch.delattr(gc, name)
        work()
    assert (gc.isenabled(), gc.get_threshold(), gc.get_freeze_count()) == before


def test_on_other_threads_and_while_it_infers_too(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = set()
    walk = Run.infer

    def watched(run: Run, *scope: object) -> None:
        seen.add((gc.isenabled(), gc.get_freeze_count()))
        walk(run, *scope)  # type: ignore[arg-type]

    monkeypatch.setattr(Run, "infer", watched)
    before = gc.isenabled(), gc.get_freeze_count()
    with ThreadPoolExecutor(4) as pool:
        assert all(report.ok for report in pool.map(shapeinfer.check, EXAMPLES * 2))
    assert seen == {before}


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Let no collector come inside, so that only what nobody holds is gone."""
    gc.collect(0)
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@every_work
def test_nothing_waits_for_the_collector(work: Callable[[], object]) -> None:
    work()  # what is remembered for the next time is made now
    with uncollected():
        work()
        assert gc.collect(0) == 0


def test_a_report_goes_when_nobody_holds_it() -> None:
    with uncollected():
        report = shapeinfer.check(EXAMPLES[0])
        assert report.contract is not None
        assert report.graph is not None
        left = weakref.WeakSet([report.graph, *report.graph.nodes])
        assert len(left) > 1
        del report
        assert not left


def test_a_model_given_again_and_again_leaves_nothing_more() -> None:
    text = printer.to_text(onnx.load(EXAMPLES[0], load_external_data=False)).encode()
    for _ in range(2):
        shapeinfer.check(text)
    with uncollected():
        before = len(gc.get_objects(0))
        for _ in range(5):
            shapeinfer.check(text)
        assert len(gc.get_objects(0)) - before < 10
