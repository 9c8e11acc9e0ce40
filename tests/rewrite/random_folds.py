"""Fold random models and run them before and after: ``python -m tests.rewrite.random_folds --count 5000``.

Each model has a number, and the same number makes the same model: ``--first N --count 1`` tries one of them again.
"""

from __future__ import annotations

import sys
from collections import Counter
from random import Random

import click
import onnx

from shapeinfer import ShapeInferError, check
from shapeinfer.rewrite.fold import fold
from tests.infer.differences import ends_the_process, is_own_limit, multiplies_nothing, reduces_nothing
from tests.infer.graphs import drawn
from tests.infer.laws import Judged, bindings, is_large
from tests.infer.patterns import STEPS
from tests.numbered import judge_all
from tests.rewrite.runs import difference, fed, run


def made(number: int) -> tuple[onnx.ModelProto, dict[str, int], Random]:
    """Return the model of a number with a few outputs, sizes with which it may run, and the source of choices."""
    random = Random(number)
    drawing = drawn(random, STEPS)
    model, sizes = drawing.model, Judged(drawing.model).sizes_of(drawing.sample)
    read = {name for node in model.graph.node for name in node.input}
    kept = [o for o in model.graph.output if o.name not in read or random.random() < 0.15]
    del model.graph.output[:]
    model.graph.output.extend(kept)
    return model, sizes, random


def judged(number: int, sizes_each: int = 4) -> tuple[Counter[str], str | None]:
    """Try one model with several sizes: what came of it, and what is wrong with the folded one."""
    model, sample, random = made(number)
    kinds: Counter[str] = Counter()
    try:
        folded = fold(model)
    except ShapeInferError:
        return Counter(broken=1), None
    twice = fold(folded.model)
    if twice.model.SerializeToString() != folded.model.SerializeToString():
        return kinds, f"model {number}: a second fold changes it\n{onnx.printer.to_text(model)}"
    kinds["before"], kinds["after"] = folded.before, folded.after
    for sizes in bindings(random, sample, sizes_each):
        feeds = fed(model, sizes, number)
        bound = check(model, bind=sizes)
        outside = not bound.ok or not folded.contract.holds(sizes) or is_large(bound)
        if outside or any(judge(model, bound) for judge in (ends_the_process, reduces_nothing, multiplies_nothing)):
            kinds["refused"] += 1
            continue
        outputs = run(model, feeds)
        kinds["refused" if isinstance(outputs, str) else "run"] += 1
        again = run(folded.model, feeds)
        if isinstance(again, str) and is_own_limit(again, folded.model, bound):
            continue  # it knows more shapes now, and holds those of its own that are wrong against them
        wrong = difference(outputs, again)
        if wrong is not None:
            texts = onnx.printer.to_text(model), onnx.printer.to_text(folded.model)
            return kinds, f"model {number} at {sizes}: {wrong}\n{texts[0]}\n{texts[1]}"
    return kinds, None


@click.command(help=__doc__)
@click.option("--count", default=5000, show_default=True, help="How many models.")
@click.option("--first", default=0, show_default=True, help="The number of the first.")
def main(count: int, first: int) -> None:
    found = judge_all(judged, first, count)
    print(f"{found.models} models ({dict(found.kinds)}): {found.wrong} wrong")
    sys.exit(1 if found.wrong else 0)


if __name__ == "__main__":
    main()
