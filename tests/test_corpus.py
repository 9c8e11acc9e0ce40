"""Models of real exporters, and the shapes that a runtime gave every value of theirs: none may be wrong."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import onnx
import pytest

from shapeinfer import Contract, Report, check
from shapeinfer.dims import Dim, Size, evaluate, parse_with, symbol
from shapeinfer.facts import Fact, Tensor
from tests.conftest import Runs
from tests.models import parsed


def known(size: Size, symbols: Mapping[str, int]) -> int | None:
    """The number that a length comes to, None where more than the inputs decide."""
    if isinstance(size, int):
        return size
    if any(s.is_fresh or s.name not in symbols for s in size.symbols):
        return None
    return evaluate(size, symbols)


def wrong(fact: Fact | None, real: Mapping[str, Any], symbols: Mapping[str, int]) -> str:
    """What of a fact contradicts what a runtime gave."""
    if not isinstance(fact, Tensor) or "shape" not in real:
        return ""
    if fact.dtype and fact.dtype.spelled != real["dtype"]:
        return f"is {real['dtype']}"
    if fact.shape is None:
        return ""
    numbers = [known(d, symbols) for d in fact.shape]
    fits = len(numbers) == len(real["shape"]) and all(n is None or n == r for n, r in zip(numbers, real["shape"]))
    return "" if fits else f"is {real['shape']}"


def test_every_known_dim_is_what_the_runtime_gave(corpus_report: Report, corpus_runs: Runs) -> None:
    assert corpus_report.errors == ()
    found = [
        f"{name}: {corpus_report.values[name]} {said} at {binding['symbols']}"
        for binding in corpus_runs
        for name, real in binding["values"].items()
        if (said := wrong(corpus_report.values.get(name), real, binding["symbols"]))
    ]
    assert found == []


def test_numbers_put_in_first_give_what_the_runtime_gave(corpus_model: Path, corpus_runs: Runs) -> None:
    for binding in corpus_runs:
        report = check(corpus_model, shapes=binding["inputs"])
        assert report.errors == ()
        found = [
            f"{name}: {report.values[name]} {said}"
            for name, real in binding["values"].items()
            if (said := wrong(report.values.get(name), real, {}))
        ]
        assert found == []


def test_what_is_said_of_two_dims_holds_in_every_run(corpus_report: Report, corpus_runs: Runs) -> None:
    runs = [{name: real["shape"] for name, real in b["values"].items() if "shape" in real} for b in corpus_runs]
    groups = corpus_report.equal_dims().values()
    axes = [a for (a, *_) in groups if all(a[0] in run for run in runs)][:40]
    for (a, i), (b, j) in itertools.combinations(axes, 2):
        answer = corpus_report.same_dim(f"{a}[{i}]", f"{b}[{j}]")
        if not answer.is_maybe:
            assert {run[a][i] == run[b][j] for run in runs} == {answer.is_yes}, f"{a}[{i}] and {b}[{j}]"
    for group in groups:
        for run in runs:
            assert len({run[a][i] for a, i in group if a in run}) <= 1, group


def test_the_contract_allows_every_size_that_ran(corpus_report: Report, corpus_runs: Runs) -> None:
    for binding in corpus_runs:
        named = [r for r in corpus_report.contract if {s.name for s in r.asked.symbols} <= set(binding["symbols"])]
        assert [r.condition for r in named if not Contract([r]).holds(binding["symbols"])] == []


def cases(kind: str, corpus: Path) -> list[dict[str, Any]]:
    return [c for c in json.loads((corpus / "cases.json").read_text()) if c["kind"] == kind]


def where(report: Report) -> set[int | None]:
    return {d.node.index if d.node else None for d in report.errors}


def test_what_is_wrong_is_found_at_its_node_and_nowhere_else(corpus: Path) -> None:
    found = {c["name"]: where(check(parsed(c["text"]))) for c in cases("bad", corpus)}
    assert found == {c["name"]: {c["at"]} for c in cases("bad", corpus)}
    assert found


def test_what_is_right_is_not_called_wrong(corpus: Path) -> None:
    found = {c["name"]: where(check(parsed(c["text"]))) for c in cases("clean", corpus)}
    assert found
    assert all(places == set() for places in found.values()), found


def test_what_depends_on_sizes_fails_under_those_that_do_not_fit(corpus: Path) -> None:
    listed = cases("holds", corpus)
    assert listed
    for case in listed:
        model = parsed(case["text"])
        assert check(model).ok, case["name"]
        verdicts = [check(model, bind=b).ok for b in (*case["good"], *case["fails"])]
        assert verdicts == [True] * len(case["good"]) + [False] * len(case["fails"]), case["name"]


def test_lengths_are_the_formulas_expected(corpus: Path) -> None:
    listed = cases("dims", corpus)
    assert listed
    for case in listed:
        model = parsed(case["text"])
        report = check(model)
        names = input_names(model)
        for step in range(3):
            numbers = {n: 8 * (2 + i + step) + (step if step == 2 else 0) for i, n in enumerate(names)}
            for value, dims in case["dims"].items():
                fact = report.values[value]
                shape = fact.shape if isinstance(fact, Tensor) else None
                assert shape is not None, (case["name"], value)
                expected = [d if d is None or isinstance(d, int) else number(d, numbers) for d in dims]
                got = [None if e is None else known(d, numbers) for d, e in zip(shape, expected)]
                assert (len(shape), got) == (len(dims), expected), (case["name"], value, str(fact))


def input_names(model: onnx.ModelProto) -> list[str]:
    dims = (d for i in model.graph.input for d in i.type.tensor_type.shape.dim)
    return list(dict.fromkeys(d.dim_param for d in dims if d.dim_param))


def number(text: str, numbers: Mapping[str, int]) -> int:
    size = parse_with(text, {n: symbol(n) for n in numbers})
    return evaluate(size, numbers) if isinstance(size, Dim) else size


@pytest.mark.parametrize("name", ["truth", "cases.json"])
def test_the_corpus_has_what_these_tests_read(corpus: Path, name: str) -> None:
    assert (corpus / name).exists()
