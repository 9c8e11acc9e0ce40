"""Other ways to the same answer, for the generators' models: ``python -m tests.fuzz.modes programs --count 2000``.

A session after edits knows what a fresh check finds; fold keeps the outputs; without the memo, in another order and in
two threads every report has the same bytes. Each model has a number, as in the generators: ``--start N --count 1``.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import cast

import click
import onnx

from shapeinfer import Report, Session, ShapeInferError, Type, check, fold
from shapeinfer.frontends.onnx.model import graph_of
from shapeinfer.infer.driver import forget
from shapeinfer.infer.result import infer_graph
from tests.fuzz.oracle import Misjudged, Sample, bindings, checked, fed, is_large, ours, sizes_of
from tests.fuzz.own_ways import own_way
from tests.fuzz.runtime import Refused, Runtime, Value
from tests.rewrite.runs import difference

BATCH = 16
"""So many models are checked together, in one order and another and in two threads."""
MODES = ("edit", "fold", "memo", "order")


# Edits


def after_edits(sample: Sample, runtime: Runtime) -> str:
    """Edit a model a few times, each time holding the session against a fresh check; then take all edits back."""
    random = Random(sample.number)
    model = onnx.ModelProto()
    model.CopyFrom(sample.model)
    with ours("a session"):
        session = Session(model)
    undo: list[tuple[int, int, list[onnx.NodeProto]]] = []
    for _ in range(random.randint(1, 3)):
        start = random.randrange(len(model.graph.node) + 1)
        stop = min(start + random.choice((0, 1, 1, 1, 2)), len(model.graph.node))
        old = [_copy(n) for n in model.graph.node[start:stop]]
        new = list(_edited(old, session, random))
        with ours("an edit"):
            session.edit(start, stop, new)
        undo.append((start, start + len(new), old))
        _hold_fresh(session)
    for start, stop, old in reversed(undo):
        with ours("an edit taken back"):
            session.edit(start, stop, old)
        _hold_fresh(session)
    return "edited"


def _copy(node: onnx.NodeProto) -> onnx.NodeProto:
    copy = onnx.NodeProto()
    copy.CopyFrom(node)
    return copy


def _edited(old: Sequence[onnx.NodeProto], session: Session, random: Random) -> Iterator[onnx.NodeProto]:
    """What takes the place of some nodes: other operators, other inputs, other attributes, nothing, or more nodes."""
    names = sorted(session.values) or [""]
    if not old:
        yield onnx.helper.make_node("Identity", [random.choice(names)], [f"edit{random.randrange(10**6)}"])
    for node in old:
        act = random.randrange(5)
        if act == 0 and node.input:
            node = _copy(node)
            node.input[random.randrange(len(node.input))] = random.choice(names)
        elif act == 1 and node.attribute:
            node = _copy(node)
            del node.attribute[random.randrange(len(node.attribute))]
        elif act == 2:
            node = onnx.helper.make_node(random.choice(("Relu", "Neg", "Shape")), node.input[:1], node.output[:1])
        elif act == 3:
            continue
        yield node


def _hold_fresh(session: Session) -> None:
    fresh = checked(session.model)
    for name in {*fresh.values, *session.values}:
        one, other = session.values.get(name), fresh.values.get(name)
        if one is not other:
            raise Misjudged(f"after an edit {name} is {one}, in a fresh check {other}")
    assert session.result is not None
    assert fresh.result is not None
    if [a.condition for a in session.result.pending] != [a.condition for a in fresh.result.pending]:
        raise Misjudged("after an edit the conditions are not those of a fresh check")


# Fold


def after_fold(sample: Sample, runtime: Runtime) -> str:
    """Fold a model that has fewer outputs, and run both."""
    random = Random(sample.number)
    model = onnx.ModelProto()
    model.CopyFrom(sample.model)
    read = {name for node in model.graph.node for name in node.input}
    kept = [o for o in model.graph.output if o.name not in read or random.random() < 0.15] or list(model.graph.output)
    del model.graph.output[:]
    model.graph.output.extend(kept)
    try:
        with ours("fold"):
            folded = fold(model)
            again = fold(folded.model)
    except Misjudged as wrong:
        if isinstance(wrong.__cause__, ShapeInferError):
            return "broken"
        raise
    if again.rewrites or untyped(again.model) != untyped(folded.model):
        raise Misjudged(f"a second fold changes it: {[str(r) for r in again.rewrites][:3]}")
    ended = "not folded"
    for sizes in bindings(random, sizes_of(model, sample.feeds), 3) if folded.rewrites else ():
        bound = checked(model, bind=sizes)
        if is_large(bound) or not bound.ok or not folded.contract.holds(sizes):
            continue
        ended, differs = _held_folded(model, folded.model, fed(model, sample.feeds, sizes), runtime)
        if differs is not None and not own_way(model, bound, {}, f"WRONG: {differs}"):
            raise Misjudged(f"folded, at {sizes}: {differs}")
    return ended


def untyped(model: onnx.ModelProto) -> bytes:
    """Return a model without the types of its outputs: fresh symbols have other names in these in another inference."""
    out = onnx.ModelProto()
    out.CopyFrom(model)
    for value in out.graph.output:
        value.ClearField("type")
    return bytes(out.SerializeToString(deterministic=True))


def _held_folded(
    model: onnx.ModelProto, folded: onnx.ModelProto, feeds: dict[str, Value], runtime: Runtime
) -> tuple[str, str | None]:
    """Run a model before and after: how that ended, and what is wrong."""
    try:
        before = runtime.run(model, feeds)
    except Refused:
        return "refused", None
    there = {i.name for i in folded.graph.input}
    try:
        after = runtime.run(folded, {name: value for name, value in feeds.items() if name in there})
    except Refused as refused:
        if "ShapeInferenceError" in str(refused):
            return "refused by the runtime's own inference", None  # which knows more now, and is wrong at times
        return "refused", f"refused once folded: {refused}"
    differs = difference(before, after)
    if differs and any(difference(before, again) for again in _again(model, feeds, runtime)):
        return "another at each run", None  # by chance, or by what its memory held before
    return "folded", differs


def _again(model: onnx.ModelProto, feeds: dict[str, Value], runtime: Runtime) -> Iterator[list[Value]]:
    """Run a model three times more, at first in a new process."""
    runtime.close()
    for _ in range(3):
        yield runtime.run(model, feeds)


# Memo, order, threads


def said(report: Report) -> str:
    """Write down all that a report says, contents of tensors and conditions at run time too."""
    spelled = {name: getattr(fact, "spelled", fact.text) for name, fact in report.values.items()}
    assert report.result is not None
    return json.dumps([report.to_dict(), spelled, [r.to_dict() for r in report.result.at_run_time]])


def without_memo(sample: Sample, runtime: Runtime) -> str:
    with ours("check without the memo"):
        reports = []
        for memo in (False, True, True):
            result = infer_graph(graph_of(sample.model), memo=memo)
            values = {name: fact for name, fact in result.scopes[result.graph].items() if fact is not None}
            reports.append(said(Report(result.diagnostics, cast("dict[str, Type]", values), result=result)))
    if len(set(reports)) > 1:
        raise Misjudged(f"the memo changes the report: {first_difference(reports[0], reports[1])}")
    return "remembered"


def in_any_order(samples: Sequence[Sample]) -> Iterator[str]:
    """Yield what is wrong with the reports of some models in another order, and in two threads."""
    forget()
    expected = [said(check(s.model)) for s in samples]
    forget()
    backwards = [said(check(s.model)) for s in reversed(samples)][::-1]
    forget()
    with ThreadPoolExecutor(2) as pool:
        threads = list(pool.map(lambda s: said(check(s.model)), [*samples, *samples]))
    for other, how in (
        (backwards, "in another order"),
        (threads, "in two threads"),
        (threads[len(samples) :], "there"),
    ):
        for sample, one, two in zip(samples, expected, other):
            if one != two:
                yield f"model {sample.number}: {how} its report is another: {first_difference(one, two)}"


def first_difference(one: str, other: str) -> str:
    """Show the place where two texts part."""
    at = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
    return f"{one[max(0, at - 60) : at + 60]!r}, {other[max(0, at - 60) : at + 60]!r}"


EACH: dict[str, Callable[[Sample, Runtime], str]] = {"edit": after_edits, "fold": after_fold, "memo": without_memo}


def judged(samples: Sequence[Sample], runtime: Runtime, modes: Sequence[str] = MODES) -> tuple[Counter[str], list[str]]:
    """Try the modes on some models: how many ended in what way, and what is wrong."""
    ended: Counter[str] = Counter()
    wrong: list[str] = []
    for sample in samples:
        for mode in modes:
            if mode in EACH:
                try:
                    ended[EACH[mode](sample, runtime)] += 1
                except Misjudged as error:
                    wrong.append(f"model {sample.number}, {mode}: {error}")
    if "order" in modes:
        try:
            with ours("check"):
                wrong += in_any_order(samples)
        except Misjudged as error:
            wrong.append(f"models {[s.number for s in samples]}: {error}")
        ended["in any order"] += len(samples)
    return ended, wrong


@click.command(help=__doc__)
@click.argument("generator", type=click.Choice(("programs", "nodes")))
@click.option("--start", default=0, show_default=True, help="The number of the first.")
@click.option("--count", default=2000, show_default=True, help="How many models.")
@click.option("--mode", "modes", multiple=True, type=click.Choice(MODES), default=MODES, help="Which; all at first.")
def main(generator: str, start: int, count: int, modes: tuple[str, ...]) -> None:
    ended: Counter[str] = Counter()
    wrong = 0
    with Runtime() as runtime, Runtime() as grower:
        draw = generator_of(generator, grower)
        for first in range(start, start + count, BATCH):
            samples = [draw(number) for number in range(first, min(first + BATCH, start + count))]
            here, faults = judged(samples, runtime, modes)
            ended += here
            wrong += len(faults)
            for fault in faults:
                print(fault, flush=True)
            if (first - start) // BATCH % 32 == 31:
                print(f"{first + BATCH - start} models, {wrong} misjudged", file=sys.stderr, flush=True)
    each = ", ".join(f"{n} {kind}" for kind, n in sorted(ended.items()))
    print(f"{count} models ({each}): {wrong} misjudged")
    sys.exit(1 if wrong else 0)


def generator_of(name: str, grower: Runtime) -> Callable[[int], Sample]:
    """Return the function that makes the model of a number."""
    if name == "programs":
        from tests.fuzz.programs import drawn as programs

        return lambda number: programs.drawn(number, grower)
    from tests.fuzz.nodes import drawn as nodes

    every = nodes.cases()
    return lambda number: nodes.drawn(number, every)


if __name__ == "__main__":
    main()
