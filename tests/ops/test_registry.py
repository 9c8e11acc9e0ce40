"""Every rule's signature is its operator's: inputs, attributes and defaults of each version that it covers."""

from __future__ import annotations

import inspect
from collections import defaultdict

import onnx.defs
from attrs import frozen

from shapeinfer.ops.registry import Rule, rules
from shapeinfer.ops.signature import Signature, declared, signature
from tests.each import each


def _versions() -> dict[tuple[str, str], list[int]]:
    found: dict[tuple[str, str], list[int]] = defaultdict(list)
    for schema in onnx.defs.get_all_schemas_with_history():
        if not schema.deprecated:
            found[schema.domain, schema.name].append(schema.since_version)
    for own in declared():
        found[own.domain, own.name].append(own.since)
    return {k: sorted(v) for k, v in found.items()}


def _covered() -> list[tuple[Rule, Signature]]:
    """Each rule with each signature that it speaks for."""
    known = rules()
    versions = _versions()
    pairs = []
    for rule in known:
        later = [r.since for r in known if (r.domain, r.name) == (rule.domain, rule.name) and r.since > rule.since]
        end = min(later, default=10**9)
        for version in versions.get((rule.domain, rule.name), []):
            if rule.since <= version < end:
                found = signature(rule.domain, rule.name, version)
                assert found is not None
                pairs.append((rule, found))
    return pairs


COVERED = _covered()


def _name(value: Rule | Signature) -> str:
    return f"{value.domain}.{value.name}-{value.since}"


every_pair = each(COVERED, lambda pair: _name(pair[1]))


def test_every_rule_speaks_for_some_version() -> None:
    ours = (r for r in rules() if r.domain in {r.domain for r, _ in COVERED})
    silent = {_name(r) for r in ours} - {_name(r) for r, _ in COVERED}
    assert not silent


@every_pair
def test_inputs_are_those_of_the_schema(rule: Rule, schema: Signature) -> None:
    variadic = bool(schema.inputs) and schema.inputs[-1].kind == "variadic"
    assert rule.variadic or not variadic, "a variadic operator needs a variadic rule"
    # A rule may name inputs that only other versions have, which are absent here, if they have a default.
    parameters = list(inspect.signature(rule.function).parameters.values())[1:]
    needed = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD and p.default is p.empty]
    assert len(needed) <= schema.max_input, f"{[p.name for p in needed]} are more than the schema's inputs"


@every_pair
def test_attributes_have_the_defaults_of_the_schema(rule: Rule, schema: Signature) -> None:
    for name, default in rule.attributes.items():
        formal = schema.attributes.get(name)
        if formal is None:
            # An attribute of other versions that the rule covers: absent here, so its default must mean so.
            assert default is not inspect.Parameter.empty, f"{name} is no attribute of {_name(schema)}"
            continue
        if formal.required:
            assert default is inspect.Parameter.empty, f"{name} of {_name(schema)} is required"
        elif formal.default is None:
            assert default is not inspect.Parameter.empty, f"{name} of {_name(schema)} may be absent"
        else:
            assert default == formal.default, f"{name} of {_name(schema)} defaults to {formal.default!r}"


@each(rules(), _name)
def test_a_rule_is_documented_by_one_sentence(rule: Rule) -> None:
    text = (inspect.getdoc(rule.function) or "").split("\n\n")[0]
    assert text.endswith("."), f"{rule.name}: {text!r}"
    assert text[0].isupper()


@frozen
class _Steps:
    """A group of attributes."""

    strides: tuple[int, ...] = ()
    auto_pad: str = "NOTSET"


def _grouped(
    _ctx: object, _x: object, *, axis: int = 0, steps: _Steps = _Steps(auto_pad="VALID")
) -> tuple[int, _Steps]:
    return axis, steps


def test_the_fields_of_a_group_are_attributes() -> None:
    rule = Rule(_grouped, "", "Grouped", 1, None)
    assert rule.attributes == {"axis": 0, "strides": (), "auto_pad": "VALID"}
    assert rule.arguments({"axis": 2, "strides": (3,), "other": 1}) == {"axis": 2, "steps": _Steps((3,), "VALID")}
    assert rule.arguments({"other": 1}) == {}, "the default of the keyword holds"
