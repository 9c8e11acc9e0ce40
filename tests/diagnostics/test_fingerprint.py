"""A diagnostic is known again after its model was edited, and not mistaken for another."""

from __future__ import annotations

import pytest
from attrs import evolve

from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Severity
from shapeinfer.diagnostics.diagnostic import Diagnostic, NodeRef, Operand
from shapeinfer.diagnostics.fingerprint import fingerprint

NODE = NodeRef(3, "/layer/add", "Add", "", ("If_0.then_branch",))
UNNAMED = evolve(NODE, name="")
FAULT = Diagnostic(
    codes.NOT_BROADCASTABLE,
    Severity.ERROR,
    "axis 1 is NonZero_0 in A and 4 in B",
    NODE,
    operands=(Operand("A", "x", "f32[2]"),),
)


def test_it_is_the_same_in_every_version() -> None:
    assert fingerprint(FAULT) == "1e4b24120f162d7d84497fb0aa19c6bb"


@pytest.mark.parametrize(
    "same",
    [
        evolve(FAULT, node=evolve(NODE, index=8)),
        evolve(FAULT, node=evolve(NODE, graph=("If_7.then_branch",))),
        evolve(FAULT, message="axis 1 is NonZero_5 in A and  4 in B"),
        evolve(FAULT, severity=Severity.NOTE),
        evolve(FAULT, operands=()),
    ],
    ids=["index", "path", "made-up-name", "severity", "operands-of-a-named-node"],
)
def test_what_moves_changes_nothing(same: Diagnostic) -> None:
    assert fingerprint(same) == fingerprint(FAULT)


@pytest.mark.parametrize(
    "other",
    [
        evolve(FAULT, code=codes.DIM_MISMATCH),
        evolve(FAULT, node=evolve(NODE, name="/layer/sub")),
        evolve(FAULT, node=evolve(NODE, graph=())),
        evolve(FAULT, node=UNNAMED),
        evolve(FAULT, node=None),
        evolve(FAULT, message="axis 1 is NonZero_0 in A and 5 in B"),
    ],
    ids=["code", "node", "graph", "unnamed", "nowhere", "length"],
)
def test_what_differs_is_told_apart(other: Diagnostic) -> None:
    assert fingerprint(other) != fingerprint(FAULT)


def test_an_unnamed_node_is_known_by_its_values() -> None:
    fault = evolve(FAULT, node=UNNAMED)
    assert fingerprint(evolve(fault, operands=(Operand("A", "y", "f32[2]"),))) != fingerprint(fault)
    assert fingerprint(evolve(fault, node=evolve(UNNAMED, index=9))) == fingerprint(fault)


def test_a_name_that_is_no_text_is_no_failure() -> None:
    assert len(fingerprint(evolve(FAULT, message="\ud800"))) == 32
