"""The table of documented values speaks of attributes that there are, and allows what the schemas start from."""

from __future__ import annotations

import onnx

from shapeinfer.ops.documented import _LEARNING, _ROWS, allowed
from tests.each import each

ROWS = [
    (domain, operator, attribute, since)
    for domain, rows in (("", _ROWS), ("ai.onnx.ml", _LEARNING))
    for operators, attributes, since, _ in rows
    for operator in operators.split()
    for attribute in attributes.split()
]
HISTORY = {(s.domain, s.name, s.since_version): s for s in onnx.defs.get_all_schemas_with_history()}


@each(ROWS)
def test_the_newest_version_has_the_attribute(domain: str, operator: str, attribute: str, since: int) -> None:
    assert attribute in onnx.defs.get_schema(operator, domain=domain).attributes
    assert attribute in allowed(domain, operator, 999)


@each(HISTORY)
def test_a_default_is_allowed(domain: str, operator: str, version: int) -> None:
    for name, what in allowed(domain, operator, version).items():
        formal = HISTORY[domain, operator, version].attributes.get(name)
        if formal is not None and formal.default_value.type:
            default = onnx.helper.get_attribute_value(formal.default_value)
            assert what.accepts(default.decode() if isinstance(default, bytes) else default), name
