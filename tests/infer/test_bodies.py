"""An operator without a rule is inferred by the body that ONNX's schema gives it."""

from __future__ import annotations

import pytest

from shapeinfer.frontends.onnx.model import graph_of
from shapeinfer.infer.result import Result, infer_graph
from shapeinfer.ops import call
from shapeinfer.ops.registry import Rule, find_rule
from tests.models import parsed


def by_body(monkeypatch: pytest.MonkeyPatch, operator: str, text: str) -> Result:
    """Infer a model as if there were no rule for an operator."""

    def without(domain: str, name: str, since: int) -> Rule | None:
        return None if name == operator else find_rule(domain, name, since)

    monkeypatch.setattr(call, "find_rule", without)
    return infer_graph(graph_of(parsed(text)), memo=False)


@pytest.mark.parametrize(
    ("operator", "text"),
    [
        ("Gelu", 'g (float[N, 4] x) => (float[a, b] y) { y = Gelu<approximate = "tanh"> (x) }'),
        ("HardSwish", "g (float[N, 4] x) => (float[a, b] y) { y = HardSwish (x) }"),
        (
            "LayerNormalization",
            "g (float[N, S, 4] x, float[4] s) => (float[a, b, c] y) { y = LayerNormalization (x, s) }",
        ),
        ("Clip", "g (float[N, M] x, float l) => (float[a, b] y) { y = Clip (x, l) }"),
        ("ReduceSumSquare", "g (float[N, M] x) => (float[a, b] y) { y = ReduceSumSquare<keepdims = 1> (x) }"),
    ],
)
def test_the_body_says_what_the_rule_says(monkeypatch: pytest.MonkeyPatch, operator: str, text: str) -> None:
    ruled = infer_graph(graph_of(parsed(text)), memo=False)
    found = by_body(monkeypatch, operator, text)
    assert [d.text for d in found.diagnostics if d.severity.value == "error"] == []
    assert found.scopes[found.graph]["y"] is ruled.scopes[ruled.graph]["y"]


def test_an_operator_with_neither_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    found = by_body(monkeypatch, "Abs", "g (float[N, 4] x) => (float[a, b] y) { h = Abs (x) y = Relu (h) }")
    assert str(found.scopes[found.graph]["h"]) == "f32[...]"
