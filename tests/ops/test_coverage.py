"""Every version of every operator is inferred by something of ours."""

from __future__ import annotations

from pathlib import Path

import onnx.defs

import shapeinfer.ops
from shapeinfer.infer.bodies.control import _OPERATORS
from shapeinfer.ops.coverage import CONTROL, coverage, table


def test_no_version_of_an_operator_is_missing() -> None:
    left = [(c.domain, c.name, c.since) for c in coverage() if c.by not in ("rule", "engine") and not c.deprecated]
    assert left == []


def test_all_of_onnx_is_in_the_table() -> None:
    listed = {(c.domain, c.name, c.since) for c in coverage()}
    assert {(s.domain, s.name, s.since_version) for s in onnx.defs.get_all_schemas_with_history()} <= listed


def test_the_engine_infers_what_has_no_rule() -> None:
    assert set(_OPERATORS) == CONTROL


def test_the_page_is_up_to_date() -> None:
    page = Path(shapeinfer.ops.__file__).with_name("COVERAGE.md")
    assert page.read_text(encoding="utf-8") == table(), "run python -m shapeinfer.ops.coverage"
