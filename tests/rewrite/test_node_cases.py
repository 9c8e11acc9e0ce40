"""ONNX's own cases for operators, with their data: folding changes no output."""

from __future__ import annotations

from collections.abc import Iterator

from onnx.backend.test.case.test_case import TestCase

from shapeinfer import ShapeInferError, fold
from tests.rewrite.runs import difference, run


def judged(case: TestCase) -> Iterator[str]:
    """What is wrong with one case that is folded; one in which there is nothing to fold is not run."""
    assert case.model is not None
    folded = fold(case.model)
    if not folded.rewrites:
        return
    yield "changed"
    names = [i.name for i in case.model.graph.input]
    for inputs, _ in case.data_sets or ():
        feeds = dict(zip(names, inputs))
        before = run(case.model, feeds)
        yield "refused" if isinstance(before, str) else "run"
        wrong = difference(before, run(folded.model, feeds))
        if wrong is not None:
            yield f"{case.name}: {wrong}"


def test_outputs_are_the_same_bit_for_bit(node_cases: list[TestCase]) -> None:
    said: list[str] = []
    for case in node_cases:
        try:
            said += judged(case)
        except ShapeInferError as error:
            said.append(f"{case.name}: {error}")
    assert [text for text in said if text not in ("changed", "run", "refused")] == []
    assert said.count("changed") > 300
    assert said.count("run") > 250
