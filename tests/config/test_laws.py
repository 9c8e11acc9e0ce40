"""Whatever a configuration or a baseline holds, reading it ends in settings or in words."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shapeinfer.config.baseline import BaselineError, read
from shapeinfer.config.reading import settings_of

KEYS = st.sampled_from(
    [
        "select",
        "ignore",
        "severity",
        "fail-on",
        "suppressions",
        "exclude",
        "rules",
        "models",
        "path",
        "bind",
        "shapes",
        "range",
        "assume",
        "contract",
        "x",
        "N",
        "cycle",
        "version",
        "fingerprint",
        "code",
        "message",
        "count",
    ]
)
WORDS = st.sampled_from(
    ["cycle", "off", "error", "warning", "*.onnx", "a[", "N % 2 == 0", "1..8", "..", "", "\\", "(((", "N", "\x00", "é"]
)
SCALARS = WORDS | st.integers(-9, 1 << 70) | st.booleans() | st.just(1.5)
ANYTHING: st.SearchStrategy[Any] = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12
)


@settings(derandomize=True, deadline=None, max_examples=100, database=None, suppress_health_check=list(HealthCheck))
@given(st.dictionaries(KEYS, ANYTHING, max_size=6))
def test_settings_or_mistakes(table: dict[str, Any]) -> None:
    found, mistakes = settings_of(table, Path())
    assert all(message and at for at, message in mistakes)
    if not mistakes:
        found.of("a.onnx")
        found.excludes("a.onnx")


@settings(derandomize=True, deadline=None, max_examples=100, database=None, suppress_health_check=list(HealthCheck))
@given(ANYTHING, ANYTHING)
def test_a_baseline_or_a_reason(whole: Any, models: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "b.json"
        for content in (whole, {"version": 1, "models": models}, {"version": 1, "models": {"m": models}}):
            file.write_text(json.dumps(content), encoding="utf-8")
            said = "b.json is "
            try:
                read(file)
            except BaselineError as error:
                said = str(error)
            assert "b.json is " in said
