"""The result of folding: which rewrites, where, and the conditions under which outputs are unchanged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import onnx
from attrs import field, frozen

from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.infer.constraints.contract import Contract
from shapeinfer.infer.result import Result
from shapeinfer.rewrite.rules import RULES

UNUSED = "unused"
REWRITES: Mapping[str, str] = {**{rule.name: rule.sentence for rule in RULES}, UNUSED: "output is never used"}
"""What folding does to nodes, by name."""


@frozen
class Rewrite:
    """One rewrite, by its name in ``REWRITES``, and the node that it replaced or changed."""

    rewrite: str
    op_type: str
    name: str
    output: str
    graph: tuple[str, ...] = ()
    """The way to the graph that the node was in; empty for the main graph."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "rewrite": self.rewrite,
            "op_type": self.op_type,
            "name": self.name,
            "output": self.output,
            "graph": list(self.graph),
        }


@frozen
class Folded:
    """A model that was folded, and what was done to it."""

    model: onnx.ModelProto = field(repr=False)
    before: int
    """How many nodes there were, with those in subgraphs and without those of model-local functions."""
    after: int
    rewrites: tuple[Rewrite, ...] = field(repr=False)
    diagnostics: tuple[Diagnostic, ...] = field(repr=False)
    """What was found in the model before; none of it is an error."""
    _found: Result | Contract = field(repr=False, eq=False)
    """What the contract follows from, or that itself."""

    @property
    def contract(self) -> Contract:
        """The conditions on input dims under which the outputs are the same; simplified when first read."""
        return self._found if isinstance(self._found, Contract) else self._found.contract

    def __reduce__(self) -> tuple[Any, ...]:
        return Folded, (self.model, self.before, self.after, self.rewrites, self.diagnostics, self.contract)

    @property
    def counts(self) -> dict[str, int]:
        """How often each rewrite was applied, in the order of ``REWRITES``; zeros are omitted."""
        counted = Counter(r.rewrite for r in self.rewrites)
        return {name: counted[name] for name in REWRITES if counted[name]}

    def to_dict(self) -> dict[str, Any]:
        """Return all but the model in the form that ``shapeinfer fold --format json`` prints."""
        return {
            "before": self.before,
            "after": self.after,
            "counts": self.counts,
            "rewrites": [r.to_dict() for r in self.rewrites],
            "contract": [r.to_dict() for r in self.contract],
        }
