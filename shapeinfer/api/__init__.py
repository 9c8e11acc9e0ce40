"""The Python interface: check a model, infer its shapes, infer one operator."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

import onnx
from attrs import evolve

from shapeinfer.api.options import Keywords, Options, options_from, require_known
from shapeinfer.api.report import Report
from shapeinfer.budget import Budget, OverBudget, spending
from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Severity
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.diagnostics.errors import ModelError, error_for
from shapeinfer.facts import Type
from shapeinfer.frontends.formats import Format, Inferred, ModelLike, OutputDims, Reading, format_of, onnx_format_of
from shapeinfer.graph import Graph
from shapeinfer.infer.constraints.caller import UNCONSTRAINED, Constraints
from shapeinfer.infer.diagnosis.source_locations import nested, with_locations
from shapeinfer.infer.diagnosis.suppressions import split
from shapeinfer.infer.driver import forget
from shapeinfer.infer.general import judged
from shapeinfer.infer.lint import lint_graph
from shapeinfer.infer.result import Result, infer_graph

if TYPE_CHECKING:
    from typing_extensions import Unpack


def check(model: ModelLike, *, options: Options | None = None, **keywords: Unpack[Keywords]) -> Report:
    """Infer every value of a model (a path, bytes or a ModelProto) and report what is wrong with it.

    The suffix of a path tells its format (.xml is an OpenVINO IR), for bytes their first ones do; what no format claims
    is read as an ONNX file.

    ``options`` fix sizes, assumptions and limits; each field of ``Options`` is a keyword too, such as ``bind={"N": 4}``
    or ``max_seconds=10``, which overrides that of ``options``. The report says when a limit was reached. Raises
    ValueError as ``Options`` does, and never for a broken model or an unreadable file: what is wrong is in the report.
    Weights and external data are not read, small constants of an IR apart.
    """
    chosen = options_from(options, keywords)
    path = _path_of(model)
    known = format_of(model)
    with spending(chosen.budget):
        try:
            graph = known.load(model, chosen.reading).graph()
        except ModelError as error:
            return Report(error.diagnostics, path=path, source=(model, chosen))
        except OverBudget as over:
            return Report((_unread(over, path),), path=path, source=(model, chosen))
        report = evolve(inferred(graph, chosen.constraints, path), source=(model, chosen))
    return with_lint(report) if known.is_linted else report


def inferred(graph: Graph, constraints: Constraints = UNCONSTRAINED, path: str | None = None) -> Report:
    """Infer a graph, as far as the budget in force goes, and return the report of it."""
    return _report(judged(infer_graph(graph, constraints)), path)


def with_lint(report: Report) -> Report:
    """Return a report with lint findings added: unused and shadowed names. A broken text has none."""
    graph = report.graph
    assert graph is not None, "the graph was inferred"
    if any(d.code is codes.SYNTAX_ERROR for d in graph.faults):
        return report
    found, suppressed = split(with_locations(lint_graph(graph), graph, nested(graph)), graph, ())
    return evolve(report, diagnostics=(*report.diagnostics, *found), suppressed=(*report.suppressed, *suppressed))


def _unread(over: OverBudget, path: str | None) -> Diagnostic:
    message = f"{over}; the model was not read completely, so nothing is known of it"
    return Diagnostic(codes.BUDGET_EXCEEDED, codes.BUDGET_EXCEEDED.severity, message, path=path)


def _path_of(model: ModelLike) -> str | None:
    return None if isinstance(model, (bytes, onnx.ModelProto)) else str(model)


def _report(result: Result, path: str | None) -> Report:
    hidden = () if result.graph.constants_are_layers else result.graph.initializers
    values = {n: f for n, f in result.scopes[result.graph].items() if f is not None and n not in hidden}
    return Report(
        result.diagnostics,
        cast("dict[str, Type]", values),
        path,
        result.graph,
        result.scopes,
        result,
        result.suppressed,
        result.assumptions,
    )


def infer_shapes(
    model: ModelLike,
    check_type: bool = False,
    strict_mode: bool = False,
    data_prop: bool = True,  # noqa: ARG001 - a drop-in takes what it replaces took
    *,
    options: Options | None = None,
    output_dims: OutputDims = "keep",
    **keywords: Unpack[Keywords],
) -> onnx.ModelProto:
    """Return a copy of the model with the types of all values filled in; a drop-in for ``onnx.shape_inference``'s.

    ``strict_mode`` raises a ShapeInferError for any error, ``check_type`` for wrong element types. Without them a
    broken model is filled in as far as it goes. ``data_prop`` is accepted for the sake of callers: contents are always
    followed. ``output_dims`` tells what happens to an author's name for an output dim: ``keep`` leaves it,
    ``expression`` puts the formula in its place, ``both`` writes that to value_info besides. Sizes given with ``bind``
    and ``shapes`` stand in the inputs too. What value_info says of names that no node computes is left as it is.
    ``options`` and the other keywords are those of ``check``; what is not inferred within their limits is not filled
    in. Raises ModelError for what is no model.
    """
    chosen = options_from(options, keywords)
    # Faults of the file do not change types: only callers that want errors wait for them to be searched.
    thorough = strict_mode or check_type
    reading = evolve(chosen.reading, weights=True, whole=True, thorough=thorough)
    out, result = _annotated(model, onnx_format_of(model), chosen, reading, output_dims)
    raise_wanted(result.diagnostics, check_type, strict_mode)
    return cast("onnx.ModelProto", out)


def annotated(
    model: ModelLike,
    *,
    options: Options | None = None,
    weights: bool = True,
    output_dims: OutputDims = "keep",
    **keywords: Unpack[Keywords],
) -> tuple[onnx.ModelProto, Report]:
    """Return a copy of an ONNX model with the types of all values filled in, and the report of the same inference.

    Without ``weights`` a large file's are left out of the copy, for who writes them from the file itself. What the
    copy takes is no part of ``max_memory``. Raises ModelError for what is no ONNX model.
    """
    onnx_format_of(model)
    chosen = options_from(options, keywords)
    out, report = annotated_model(model, options=chosen, weights=weights, output_dims=output_dims)
    return cast("onnx.ModelProto", out), report


def annotated_model(
    model: ModelLike, *, options: Options, weights: bool = True, output_dims: OutputDims = "keep"
) -> tuple[Any, Report]:
    """Return a copy of a model of any format, as its frontend writes it, with inferred types, and the report of it.

    Raises ModelError for what is no model, ValueError for one that cannot hold the types.
    """
    reading = evolve(options.reading, weights=weights, whole=True)
    out, result = _annotated(model, format_of(model), options, reading, output_dims)
    return out, _report(result, _path_of(model))


def _annotated(
    model: ModelLike, known: Format, options: Options, reading: Reading, output_dims: OutputDims
) -> tuple[Any, Result]:
    require_known("output_dims", output_dims, get_args(OutputDims))
    with spending_on(options.budget, model):
        loaded = known.load(model, reading)
    with spending_on(options.budget, model):
        graph = loaded.graph()
        result = infer_graph(graph, options.constraints)
    sized = options.constraints.has_sizes
    inferred = Inferred(result.given_scopes(), result.stands_for, output_dims, sized, graph.inputs)
    return loaded.annotated(result.graph, inferred), result


@contextlib.contextmanager
def spending_on(budget: Budget, model: ModelLike) -> Iterator[None]:
    """Spend a budget on reading a model. Raises ModelError where it does not suffice."""
    with spending(budget):
        try:
            yield
        except OverBudget as over:
            raise ModelError([_unread(over, _path_of(model))]) from None


def raise_wanted(diagnostics: Iterable[Diagnostic], check_type: bool, strict_mode: bool) -> None:
    """Raise the ShapeInferError of any error with ``strict_mode``, of wrong element types with ``check_type``."""
    errors = [d for d in diagnostics if d.severity is Severity.ERROR]
    wrong = [d for d in errors if strict_mode or (check_type and d.code in _TYPE_CODES)]
    if wrong:
        raise error_for(wrong)


_TYPE_CODES = (
    codes.ELEMENT_TYPE_MISMATCH,
    codes.ELEMENT_TYPE_NOT_ALLOWED,
    codes.DECLARED_TYPE_MISMATCH,
    codes.ATTRIBUTE_TYPE,
)


def load_rules(path: str | os.PathLike[str]) -> None:
    """Add the rules of a file for operators of your own, for this process.

    A ``.py`` file registers functions, see ``shapeinfer.rules``; a ``.toml`` file lists formulas:
    ``operators = ["my::Op(x[N, K], w[M, K]) -> [N, M] where K % 32 == 0"]``. Packages do the same for good with
    an entry point of the group ``shapeinfer.rules``. Raises ValueError, with the file and the reason.
    """
    from shapeinfer.ops.plugins import load_file

    load_file(Path(path))
    forget()
