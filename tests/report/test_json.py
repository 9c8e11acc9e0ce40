"""JSON for programs, and the schema that it keeps to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from jsonschema import Draft202012Validator

from shapeinfer import Report, check
from shapeinfer.api.report import Report as ApiReport
from shapeinfer.diagnostics.diagnostic import SourceLine
from shapeinfer.report import FORMATS
from shapeinfer.report.json import schema
from tests.command import BAD, GOOD, Shell
from tests.golden import reports
from tests.models import parsed

SCHEMA: dict[str, Any] = json.loads(schema())


def closed(part: Any) -> Any:
    """The schema, but with no property that it does not name: it may grow, and what we write is all named."""
    if isinstance(part, list):
        return [closed(item) for item in part]
    if not isinstance(part, dict):
        return part
    inner = {key: closed(value) for key, value in part.items()}
    named = "properties" in part and part.get("type") == "object"
    return {"additionalProperties": False} | inner if named else inner


VALIDATOR = Draft202012Validator(closed(SCHEMA))


def written(*reports: tuple[str, Report], several: bool = True) -> Any:
    return json.loads("".join(FORMATS["json"](reports, several=several)))


def faults(instance: Any) -> list[str]:
    return [error.message for error in VALIDATOR.iter_errors(instance)]


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_the_command_line_prints_it(shell: Shell) -> None:
    ended = shell("explain", "--schema")
    assert (ended.code, json.loads(ended.out)) == (0, SCHEMA)


def test_several_reports_keep_to_it() -> None:
    assert faults(written(*reports())) == []


@pytest.mark.parametrize("report", [pytest.param(report, id=repr(name)) for name, report in reports()])
def test_one_report_keeps_to_it(report: ApiReport) -> None:
    assert faults(written(("m.onnx", report), several=False)) == []


def test_models_keep_to_it(example: Path) -> None:
    assert faults(written((str(example), check(example)), several=False)) == []


@pytest.mark.parametrize(
    "model",
    [
        "main (seq(float[N]) s, optional(float[N]) o, sparse_tensor(float[3]) p) => (y) { y = SequenceAt (s, n) }",
        "main (float x) => (y) { y = my.Odd (x) }",
    ],
)
def test_values_that_are_no_tensors_keep_to_it(model: str) -> None:
    assert faults(written(("m.onnx", check(parsed(model))), several=False)) == []


def test_a_line_and_the_user_s_own_keep_to_it() -> None:
    report = check(parsed(BAD))
    (fault,) = report.diagnostics
    placed = evolve(report, diagnostics=(evolve(fault, line=12, source=SourceLine("net.py", 7)),))
    assert faults(written(("m.xml", placed), several=False)) == []


@pytest.mark.parametrize(
    "spoiled",
    [
        {},
        {"ok": True},
        {"files": {"m.onnx": {}}},
        check(parsed(GOOD)).to_dict() | {"more": 1},
        check(parsed(GOOD)).to_dict() | {"ok": "yes"},
        check(parsed(GOOD)).to_dict() | {"values": {"y": {"dtype": "f32", "shape": [-1]}}},
    ],
)
def test_the_schema_refuses_what_is_not_written(spoiled: dict[str, Any]) -> None:
    assert faults(spoiled) != []
