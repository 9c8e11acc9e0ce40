"""The table of documented values speaks of attributes that there are, and allows what the schemas start from."""

from __future__ import annotations

import onnx

from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.ops.check import documented
from shapeinfer.ops.documented import _CONTRIB, _LEARNING, _ROWS, allowed
from shapeinfer.ops.signature import Signature, declared, signature
from tests.each import each

ROWS = [
    (domain, operator, attribute, since)
    for domain, rows in (("", _ROWS), ("ai.onnx.ml", _LEARNING), ("com.microsoft", _CONTRIB))
    for operators, attributes, since, _ in rows
    for operator in operators.split()
    for attribute in attributes.split()
]
HISTORY = {(s.domain, s.name, s.since_version): s for s in onnx.defs.get_all_schemas_with_history()}


@each(ROWS)
def test_the_newest_version_has_the_attribute(domain: str, operator: str, attribute: str, since: int) -> None:
    newest = signature(domain, operator, 999)
    assert newest is not None
    assert attribute in newest.attributes
    assert attribute in allowed(domain, operator, 999)


@each(HISTORY)
def test_a_default_is_allowed(domain: str, operator: str, version: int) -> None:
    for name, what in allowed(domain, operator, version).items():
        formal = HISTORY[domain, operator, version].attributes.get(name)
        if formal is not None and formal.default_value.type:
            default = onnx.helper.get_attribute_value(formal.default_value)
            assert what.accepts(default.decode() if isinstance(default, bytes) else default), name


@each([s for s in declared() if allowed(s.domain, s.name, s.since)], lambda s: s.name)
def test_a_declared_default_is_allowed(own: Signature) -> None:
    for name, what in allowed(own.domain, own.name, own.since).items():
        default = own.attributes[name].default
        assert default is None or what.accepts(default), name


def test_an_empty_list_in_the_place_of_a_number_is_reported() -> None:
    ledger, norm = Ledger(), signature("", "ReduceL2", 18)
    assert norm is not None
    documented(ledger, norm, {"noop_with_empty_axes": ()})
    assert [f.message for f in ledger.findings] == ["noop_with_empty_axes of ReduceL2 has 0 entries; it must be 0 or 1"]
