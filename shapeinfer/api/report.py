"""What a check found, and what it can be queried for."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from shapeinfer.diagnostics.codes import BUDGET_EXCEEDED, Severity
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.diagnostics.errors import error_for
from shapeinfer.diagnostics.markup import report_of
from shapeinfer.facts import Fact, SparseTensor, Tensor, Type
from shapeinfer.graph import Graph
from shapeinfer.infer.constraints.contract import Contract
from shapeinfer.infer.declared import Assumption
from shapeinfer.infer.result import Result
from shapeinfer.query import Questions

if TYPE_CHECKING:
    import onnx

    from shapeinfer.api.options import Options
    from shapeinfer.frontends.formats import ModelLike, OutputDims
    from shapeinfer.infer.explain.trace import Trace, Tracer


@frozen(repr=False)
class Report(Questions):
    """What a check found, and what it can be queried for.

    As text it is what ``shapeinfer check`` prints. ``values`` maps the names of the main graph's values to what is
    known of them; ``suppressed`` has the findings that the model or a baseline suppresses. ``assumptions`` lists what
    only the model's declarations say: where one is false, so may be what follows from it. A report pickles in its light
    form, and keeps the model that was checked, or its path.
    """

    diagnostics: tuple[Diagnostic, ...]
    values: Mapping[str, Type] = field(factory=dict)
    path: str | None = None
    graph: Graph | None = field(default=None, repr=False)
    scopes: Mapping[Graph, Mapping[str, Fact | None]] = field(factory=dict, repr=False)
    """The values of every graph entered, subgraphs too."""
    result: Result | None = field(default=None, repr=False, eq=False)
    suppressed: tuple[Diagnostic, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    _kept: Contract = field(default=Contract(), repr=False, eq=False, alias="kept")
    """The contract where there is no result to compute it from."""
    _source: tuple[ModelLike, Options] | None = field(default=None, repr=False, eq=False, alias="source")
    """What was checked, and with which options."""

    def __str__(self) -> str:
        from shapeinfer.report.text import render  # the one format that the API knows

        return "".join(render([(self.path or "model", self)], several=False)).removesuffix("\n")

    def __repr__(self) -> str:
        counts = {"errors": self.errors, "warnings": self.warnings, "values": self.values}
        return f"<Report path={self.path!r} {' '.join(f'{name}={len(found)}' for name, found in counts.items())}>"

    @property
    def contract(self) -> Contract:
        """The conditions on input dims under which the model runs, as far as they are found."""
        return self._kept if self.result is None else self.result.contract

    def trace(self, value: str, axis: int, *, graph: Graph | None = None) -> Trace:
        """Return why an axis of a value has the size it has: the nodes and axes that it is computed from.

        An axis below 0 counts from the last. ``graph`` is one of ``scopes``, the main graph by default. Raises
        ValueError for a value or an axis that the graph does not have, and for a report without nodes: one in its
        light form, or of a model that could not be read.
        """
        return self._tracer.trace(value, axis, graph)

    @functools.cached_property
    def _tracer(self) -> Tracer:
        from shapeinfer.infer.explain.trace import Tracer

        if self.result is None:
            raise ValueError("this report holds no nodes to follow; check the model again in this process")
        return Tracer(self.result)

    def light(self, *, contract: bool = True) -> Report:
        """Return the report without nodes, subgraphs and the steps that led to it, which is all that formats read.

        What remains is the diagnostics, the values and the contract, and of the graph its inputs and outputs. Without
        ``contract`` that is empty: simplifying the conditions may take longer than the inference.
        """
        graph = None if self.graph is None else self.graph.without_nodes()
        conditions = self.contract if contract else Contract()
        values = dict(self.values)
        return Report(
            self.diagnostics, values, self.path, graph, {}, None, self.suppressed, self.assumptions, conditions
        )

    def __reduce__(self) -> tuple[Any, ...]:
        light = self.light()
        rest = (light.suppressed, light.assumptions, light._kept)
        return Report, (light.diagnostics, light.values, light.path, light.graph, light.scopes, None, *rest)

    def _repr_html_(self) -> str:
        """Return the report as a notebook shows it: findings, contract and the types of all values."""
        values = {name: fact.text for name, fact in self.values.items()}
        runs = self.contract._repr_html_() if self.ok else "<p>It does not run as it is: it has errors.</p>"
        assumed = [a.text for a in self.assumptions]
        return report_of(self.path or "model", self.diagnostics, runs, assumed, values)

    @property
    def ok(self) -> bool:
        """Whether no error was found."""
        return not self.errors

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The diagnostics that are errors."""
        return tuple(d for d in self.diagnostics if d.severity is Severity.ERROR)

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """The diagnostics that are warnings."""
        return tuple(d for d in self.diagnostics if d.severity is Severity.WARNING)

    def raise_for_errors(self) -> None:
        """Raise the ShapeInferError that stands for the errors found, if any."""
        if self.errors:
            raise error_for(self.errors)

    def to_model(self, *, output_dims: OutputDims = "keep") -> onnx.ModelProto:
        """Return a copy of the model with the types of all values filled in, as ``infer_shapes`` does.

        The model is read once more, weights included, and inferred with the options of the check; ``output_dims`` is
        that of ``infer_shapes``. Raises ModelError for what is no ONNX model, ValueError where the model or a rule
        changed since the check, and for a report that has no model, such as one in its light form.
        """
        from shapeinfer.api import annotated

        if self._source is None:
            raise ValueError("this report has no model to fill in; check the model again in this process")
        model, options = self._source
        filled, again = annotated(model, options=options, output_dims=output_dims)
        # An inference that a limit ends ends elsewhere the next time.
        was_cut_off = any(d.code is BUDGET_EXCEEDED for d in (*self.diagnostics, *again.diagnostics))
        if again.values != self.values and not was_cut_off:
            raise ValueError(f"{self.path or 'the model'} or a rule changed since the check; check it again")
        return filled

    def to_dict(self) -> dict[str, Any]:
        """Return the report in the form that ``--format json`` prints."""
        return {
            "ok": self.ok,
            "diagnostics": [d.to_dict() for d in self.diagnostics],
            "values": {name: _value_dict(fact) for name, fact in self.values.items()},
            "contract": [r.to_dict() for r in self.contract],
            "small_sizes": [r.to_dict() for r in self.contract.small_sizes],
            "unsimplified": [r.to_dict() for r in self.contract.unsimplified],
            "at_run_time": [r.to_dict() for r in self.contract.at_run_time],
            "smallest_sizes": self.contract.smallest_sizes,
            "assumptions": [a.to_dict() for a in self.assumptions],
        }


def _value_dict(fact: Fact) -> dict[str, Any]:
    if isinstance(fact, (Tensor, SparseTensor)):
        shape = None if fact.shape is None else [d if isinstance(d, int) else d.text for d in fact.shape]
        kind = {} if isinstance(fact, Tensor) else {"kind": "sparse tensor"}
        return {"dtype": fact.dtype.spelled, "shape": shape, **kind}
    return {"dtype": fact.text, "shape": None, "kind": type(fact).__name__.removesuffix("Type").lower()}
