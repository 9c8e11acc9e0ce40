"""Compare two models: what they take, what they ask, and what they give."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from shapeinfer.api import check
from shapeinfer.api.report import Report
from shapeinfer.compare.alignment import Alignment, inputs_of, inside, kinds, renamed_to
from shapeinfer.compare.demands import Demand, demands
from shapeinfer.compare.difference import Change, Difference, Kind
from shapeinfer.compare.facts import Comparison
from shapeinfer.dims import text_of
from shapeinfer.facts import Fact, SparseTensor, Tensor
from shapeinfer.frontends.formats import ModelLike


def diff(old: Report | ModelLike, new: Report | ModelLike) -> Difference:
    """Return what is not in a new model as it was in an old one; both are models, or reports of them.

    Breaking is what may fail a caller of the old one: inputs it no longer takes, outputs that are not what they were,
    errors. An ONNX model and the IR that was made of it are compared by the names that the IR keeps of its tensors.
    Symbols that are renamed throughout and conditions that say the same are no change. Raises ValueError for
    a model that cannot be read.
    """
    was, now = (model if isinstance(model, Report) else check(model) for model in (old, new))
    was, now = renamed_to(was, now), renamed_to(now, was)
    alignment = Alignment(was, now)
    asked = list(demands(was, now))
    # What both models take: there, an output that is a number now is the dim of an input that is that number now.
    both = [*(r.asked for r in was.contract.all_sizes), *(d.condition for d in asked if d.known)]
    compared = Comparison(alignment, both)
    types = {name: fact.text for name, fact in inputs_of(was).items()}, {n: f.text for n, f in inputs_of(now).items()}
    changes = [*_errors(was, now), *_inputs(was, now), *_narrower(asked, *types), *_wider(was, now, *types)]
    changes += [*_outputs(was, now, compared), *_values(was, now, compared)]
    before, after = _between(was), _between(now)
    new_names = tuple(name for name in after if name not in before)
    return Difference(tuple(changes), new_names, tuple(name for name in before if name not in after))


def _errors(was: Report, now: Report) -> Iterator[Change]:
    old, new = (Counter(d.fingerprint for d in report.errors) for report in (was, now))
    for report, counts, others in ((now, new, old), (was, old, new)):
        for diagnostic in report.errors:
            mark = diagnostic.fingerprint
            if counts[mark] <= others[mark]:
                continue
            counts[mark] -= 1
            if report is now:
                yield Change(Kind.NARROWER, True, "errors", f"new: {diagnostic.text}")
            else:
                yield Change(Kind.WIDER, False, "errors", f"gone: {diagnostic.text}")


def _inputs(was: Report, now: Report) -> Iterator[Change]:
    old, new = inputs_of(was), inputs_of(now)
    for name, fact in old.items():
        if name in new:
            yield from _input(f"input {name}", fact, new[name])
        else:
            yield Change(Kind.CHANGED, True, f"input {name}", f"is gone; it was {fact.text}", before=fact.text)
    for name, fact in new.items():
        if name not in old:
            yield Change(Kind.NARROWER, True, f"input {name}", f"is new: {fact.text}", after=fact.text)
    if [n for n in old if n in new] != [n for n in new if n in old]:
        message = f"their order was {', '.join(old)}, is {', '.join(new)}"
        yield Change(Kind.CHANGED, False, "inputs", message)


def _input(about: str, old: Fact, new: Fact) -> Iterator[Change]:
    """Changes of an input except for its symbolic dims."""
    changed = functools.partial(Change, about=about, before=old.text, after=new.text)
    said = f"was {old.text}, is {new.text}"
    if kinds(old) != kinds(new):
        yield changed(Kind.CHANGED, True, message=said)
        return
    old, new = inside(old), inside(new)
    if not isinstance(old, (Tensor, SparseTensor)) or not isinstance(new, (Tensor, SparseTensor)):
        if old.text != new.text:
            yield changed(Kind.CHANGED, True, message=said)
    elif old.dtype is not new.dtype:
        yield changed(Kind.CHANGED, True, message=said)
    elif old.shape is None or new.shape is None:
        if old.shape is not new.shape:
            narrower = old.shape is None
            yield changed(Kind.NARROWER if narrower else Kind.WIDER, narrower, message=said)
    elif len(old.shape) != len(new.shape):
        yield changed(Kind.CHANGED, True, message=said)
    else:
        for axis, (a, b) in enumerate(zip(old.shape, new.shape)):
            if isinstance(a, int) and isinstance(b, int) and a != b:
                yield changed(Kind.CHANGED, True, message=f"axis {axis} was {a}, is {b}")


def _narrower(asked: Iterable[Demand], old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    for demand in asked:
        breaking = demand.sizes is not None and demand.known
        kind = Kind.NARROWER if breaking else Kind.CHANGED
        if demand.axis is None:
            yield Change(kind, breaking, "contract", _needed(demand, breaking), after=demand.condition.text)
            continue
        before, after = demand.lengths
        needed = f": {demand.condition.text} is required" if breaking and not isinstance(after, int) else ""
        message = f"axis {demand.axis} was {text_of(before)}, is {text_of(after)}{needed}"
        types = old.get(demand.input, ""), new.get(demand.input, "")
        yield Change(kind, breaking, f"input {demand.input}", message, before=types[0], after=types[1])


def _needed(demand: Demand, breaking: bool) -> str:
    by = f" by {demand.node.text}" if demand.node else ""
    if breaking:
        return f"{demand.condition.text} is now required{by}; the old model runs for {demand.sizes_text}"
    if not demand.known:
        return f"{demand.spelled} is required{by} (of a new input)"
    return f"{demand.condition.text} is required{by}; it could not be shown that the old model requires it too"


def _wider(was: Report, now: Report, old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    for demand in demands(now, was):
        if demand.sizes is None or not demand.known:
            continue  # not provably wider, and not breaking either
        if demand.axis is not None:
            after, before = demand.lengths
            message = f"axis {demand.axis} was {text_of(before)}, is {text_of(after)}"
            types = old.get(demand.input, ""), new.get(demand.input, "")
            yield Change(Kind.WIDER, False, f"input {demand.input}", message, before=types[0], after=types[1])
        else:
            text = demand.condition.text
            message = f"{text} is no longer required; the new model runs for {demand.sizes_text}"
            yield Change(Kind.WIDER, False, "contract", message, before=text)


def _outputs(was: Report, now: Report, compared: Comparison) -> Iterator[Change]:
    old, new = (dict.fromkeys(r.graph.outputs) if r.graph else {} for r in (was, now))
    types = [{name: r.values[name].text for name in names if name in r.values} for r, names in ((was, old), (now, new))]
    for name in old:
        about, before, after = f"output {name}", types[0].get(name, ""), types[1].get(name, "")
        if name not in new:
            yield Change(Kind.CHANGED, True, about, "is gone", before=before)
        elif name in was.values and name in now.values:
            verdict = compared(was.values[name], now.values[name])
            if verdict is not None:
                yield Change(Kind.CHANGED, verdict[0], about, verdict[1], before=before, after=after)
    for name in new:
        if name not in old:
            yield Change(Kind.WIDER, False, f"output {name}", "is new", after=types[1].get(name, ""))
    if set(old) <= set(new) and [*new][: len(old)] != [*old]:
        yield Change(Kind.CHANGED, True, "outputs", f"their order was {', '.join(old)}, is {', '.join(new)}")


def _values(was: Report, now: Report, compared: Comparison) -> Iterator[Change]:
    after = _between(now)
    for name, fact in _between(was).items():
        verdict = compared(fact, after[name]) if name in after else None
        if verdict is not None:
            about = f"value {name}"
            yield Change(Kind.CHANGED, False, about, verdict[1], before=fact.text, after=after[name].text)


def _between(report: Report) -> dict[str, Fact]:
    """The values of the main graph that are neither inputs nor outputs."""
    assert report.graph is not None, "inputs_of has refused it"
    ends = {*report.graph.inputs, *report.graph.outputs}
    return {name: fact for name, fact in report.values.items() if name not in ends}
