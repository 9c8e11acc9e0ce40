"""IRs of exported models against the shapes that OpenVINO gave them under several sizes of their inputs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from shapeinfer import Report, check
from shapeinfer.dims import Dim, Size, substitute
from shapeinfer.facts import Fact, Tensor
from tests.conftest import corpus_root

ROOT = corpus_root()
FOUND = sorted((ROOT.parent / "openvino").glob("*.truth.json")) if ROOT is not None else []
models = pytest.mark.parametrize(
    "truth",
    [pytest.param(p, id=p.name.partition(".truth")[0]) for p in FOUND]
    or [pytest.param(None, marks=pytest.mark.skip(reason="SHAPEINFER_CORPUS is not set"), id="none")],
)


def bindings(truth: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(truth.read_text(encoding="utf-8"))["bindings"]
    return found


def model(truth: Path) -> Path:
    return truth.with_name(truth.name.replace(".truth.json", ".xml"))


def wrong(values: Mapping[str, Fact], mapping: Mapping[Dim, Size], real: Mapping[str, Any]) -> list[str]:
    """The values of which a length that is known is not the real one; a length that OpenVINO leaves open is None."""

    @cache
    def known(size: Size) -> Size:
        return substitute(size, mapping)

    out = []
    for name, (_, shape) in real.items():
        fact = values.get(name)
        if not isinstance(fact, Tensor) or fact.shape is None:
            continue
        lengths = [known(d) for d in fact.shape]
        differ = any(isinstance(a, int) and b is not None and a != b for a, b in zip(lengths, shape))
        if differ or len(lengths) != len(shape):
            out.append(f"{name}: {fact.text} is {shape}")
    return out


@models
def test_shapes_under_given_sizes_are_those_of_a_run(truth: Path) -> None:
    for binding in bindings(truth):
        report = check(model(truth), shapes=binding["inputs"])
        assert [d.text for d in report.errors] == []
        assert wrong(report.values, {}, binding["values"]) == []


@models
def test_formulas_hold_under_every_size(truth: Path) -> None:
    report = check(model(truth))
    assert [d.text for d in report.errors] == []
    for binding in bindings(truth):
        sizes = _sizes(report, binding["inputs"])
        assert report.contract.holds({s.name: size for s, size in sizes.items()}) is not False
        assert wrong(report.values, sizes, binding["values"]) == []


def _sizes(report: Report, inputs: Mapping[str, list[int]]) -> dict[Dim, int]:
    assert report.graph is not None
    found: dict[Dim, int] = {}
    for name, shape in inputs.items():
        fact = report.graph.inputs[report.graph.aliases[name]]
        assert isinstance(fact, Tensor), name
        found.update((d, size) for d, size in zip(fact.dims, shape) if isinstance(d, Dim))
    return found
