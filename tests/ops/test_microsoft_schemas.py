"""What is declared of onnxruntime's operators is what the runtime itself has registered."""

from __future__ import annotations

import warnings

import onnxruntime
import pytest

from shapeinfer.ops.registry import rules
from shapeinfer.ops.signature import Signature
from tests.each import each
from tests.ops import registered
from tests.ops.registered import DOMAINS, OWN, REGISTERED, theirs

NEWEST = (1, 32)
"""The runtime whose operators are declared."""
INSTALLED = tuple(int(n) for n in onnxruntime.__version__.split(".")[:2])
exactly = pytest.mark.skipif(INSTALLED != NEWEST, reason="the declarations are those of another version of onnxruntime")


def _name(own: Signature) -> str:
    return own.name


def test_the_installed_runtime_is_the_one_that_is_declared() -> None:
    if INSTALLED > NEWEST:
        message = (
            f"onnxruntime {onnxruntime.__version__} is newer than the declarations: python -m tests.ops.registered"
        )
        warnings.warn(message, stacklevel=1)
    elif INSTALLED == NEWEST:
        assert registered.unknown() == []


@exactly
def test_every_operator_is_declared_and_has_a_rule() -> None:
    names = {(s.domain, s.name) for s in OWN if s.domain in DOMAINS}
    assert {(d, n) for d, n, _ in REGISTERED if d in DOMAINS} == names
    assert names <= {(r.domain, r.name) for r in rules()}


@exactly
@each(OWN, _name)
def test_inputs_and_outputs(own: Signature) -> None:
    schema = theirs(own)
    assert registered.our_ports(own, own.inputs) == registered.their_ports(schema, schema.inputs)
    if not registered.has_first_normalization(own):
        assert registered.our_ports(own, own.outputs) == registered.their_ports(schema, schema.outputs)
    assert (own.min_input, own.max_input) == (schema.min_input, schema.max_input)
    assert (own.min_output, own.max_output) == (schema.min_output, schema.max_output)


@exactly
@each(OWN, _name)
def test_which_of_them_share_a_type(own: Signature) -> None:
    schema = theirs(own)
    ours = [p.type for p in (*own.inputs, *own.outputs)]
    names = [p.typeStr for p in (*schema.inputs, *schema.outputs)]
    several = [len(own.allowed(p)) > 1 for p in (*own.inputs, *own.outputs)]
    for i, a in enumerate(ours):
        for j, b in enumerate(ours):
            assert not (several[i] and several[j]) or (a == b) == (names[i] == names[j]), (i, j)


@exactly
@each(OWN, _name)
def test_attributes(own: Signature) -> None:
    assert registered.our_attributes(own) == registered.attributes_of(theirs(own))


@pytest.mark.skipif(INSTALLED > NEWEST, reason="a newer runtime may have more")
@each([s for s in OWN if s.domain == "com.microsoft"], _name)
def test_a_model_of_an_older_runtime_is_read_as_it_was_written(own: Signature) -> None:
    schema = theirs(own)
    assert [p[:2] for p in registered.our_ports(own, own.inputs)][: len(schema.inputs)] == [
        p[:2] for p in registered.their_ports(schema, schema.inputs)
    ]
    assert set(schema.attributes) <= set(own.attributes)


def test_the_script_tells_what_is_not_known(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    some = next(iter(REGISTERED.values()))
    monkeypatch.setitem(REGISTERED, ("com.microsoft", "FromTheFuture", 1), some)
    assert registered.main() == 1
    assert "com.microsoft FromTheFuture 1 is not known\n" in capsys.readouterr().out
