"""Fixtures for all tests, and the corpus, which is beside the repository if it is there at all."""

from __future__ import annotations

import contextlib
import importlib
import itertools
import json
import os
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias
from unittest import mock

import numpy as np
import pytest
from onnx.backend.test.case.test_case import TestCase

from shapeinfer import Report, check
from tests.command import Shell

EXAMPLES = sorted((Path(__file__).parents[1] / "examples" / "models").glob("*.onnx"))


Runs: TypeAlias = list[dict[str, Any]]


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A shell in an empty directory, without colours in its environment."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "TERM", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    return Shell(tmp_path, capsys, monkeypatch)


def corpus_root() -> Path | None:
    """The corpus's folder, None where SHAPEINFER_CORPUS names none."""
    named = os.environ.get("SHAPEINFER_CORPUS")
    return Path(named) / "corpus" if named else None


@cache
def corpus_models() -> list[Path]:
    root = corpus_root()
    return sorted((root / "truth").glob("*.onnx")) if root is not None else []


@cache
def different_models() -> list[Path]:
    """One export of each model of the corpus, in turn the first and the last; SHAPEINFER_EVERY_EXPORT gives all."""
    models = corpus_models()
    if os.environ.get("SHAPEINFER_EVERY_EXPORT"):
        return models
    groups = itertools.groupby(models, key=lambda path: path.name.partition(".")[0])
    return [list(exports)[-(number % 2)] for number, (_, exports) in enumerate(groups)]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give tests each model in turn: ``corpus_model``, ``example``, or ``some_model`` where either will do."""
    some = different_models() or EXAMPLES
    none = pytest.param(None, marks=pytest.mark.skip(reason="SHAPEINFER_CORPUS is not set"), id="none")
    for name, paths in (("corpus_model", corpus_models()), ("some_model", some), ("example", EXAMPLES)):
        if name in metafunc.fixturenames:
            models = [pytest.param(p, id=p.stem) for p in paths] or [none]
            metafunc.parametrize(name, models, scope="session")  # all tests of one model run together, and share it


@contextlib.contextmanager
def _without_values() -> Iterator[None]:
    """Let ONNX's cases be made without what no test reads and takes most of the time: source text, values of pools."""
    importlib.import_module("onnx.reference.ops._op_list")  # its own pools stay as they are
    base = importlib.import_module("onnx.backend.test.case.base")
    pools = importlib.import_module("onnx.reference.ops.op_pool_common")

    def zeros(padded: Any, x_shape: Any, kernel: Any, strides: Any, out_shape: Any, *_: Any, **__: Any) -> Any:
        return np.zeros([*x_shape[:2], *out_shape], padded.dtype)

    without_text = mock.patch.object(base, "process_snippet", return_value=("", ""))
    with without_text, mock.patch.object(pools, "pool", zeros):
        yield


@pytest.fixture(scope="session", params=["onnx"])
def node_cases() -> list[TestCase]:
    """ONNX's own cases for operators, with their data.

    They take a second to make, and are without the values that pools give. As the fixture has a parameter, the tests
    that ask for it run together, in one process.
    """
    with warnings.catch_warnings(), _without_values():
        warnings.simplefilter("ignore")
        from onnx.backend.test.case.node import collect_testcases

        found: list[TestCase] = collect_testcases(None)
    assert len(found) > 1000
    return found


@pytest.fixture(scope="session")
def corpus_report(corpus_model: Path) -> Report:
    """What is found in a model of the corpus."""
    return check(corpus_model)


@pytest.fixture(scope="session")
def corpus_runs(corpus_model: Path) -> Runs:
    """The runs of a model of the corpus: numbers for its symbols, and the shapes of its inputs and of all it made."""
    truth = json.loads(corpus_model.with_name(f"{corpus_model.stem}.truth.json").read_text(encoding="utf-8"))
    found: Runs = truth["bindings"]
    return found


@pytest.fixture
def corpus() -> Path:
    """The corpus's folder; skips where there is none."""
    root = corpus_root()
    if root is None:
        pytest.skip("SHAPEINFER_CORPUS is not set")
    return root
