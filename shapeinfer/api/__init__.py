"""The Python interface: check a model, infer its shapes, infer one operator."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import get_args

import onnx
from attrs import evolve

from shapeinfer.api.operator import require_known
from shapeinfer.api.report import Report
from shapeinfer.budget import (
    DEFAULT,
    MAX_EXPRESSION,
    MAX_MEMORY,
    MAX_SECONDS,
    Budget,
    OverBudget,
    spending,
)
from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Severity
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.diagnostics.errors import ModelError, error_for
from shapeinfer.frontends.formats import is_ir, is_text
from shapeinfer.frontends.onnx import annotate, graph_of, load
from shapeinfer.frontends.onnx.read import ModelLike
from shapeinfer.frontends.onnx.write import OutputDims
from shapeinfer.graph import DefaultInputs, Graph, Profile
from shapeinfer.infer.constraints.caller import UNCONSTRAINED, Constraints
from shapeinfer.infer.diagnosis.source_locations import nested, with_locations
from shapeinfer.infer.diagnosis.suppressions import split
from shapeinfer.infer.driver import forget
from shapeinfer.infer.general import judged
from shapeinfer.infer.lint import lint_graph
from shapeinfer.infer.result import Result, infer_graph


def check(
    model: ModelLike,
    *,
    bind: Mapping[str, int] | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    ranges: Mapping[str, tuple[int, int | None]] | None = None,
    assume: Sequence[str] = (),
    default_inputs: DefaultInputs = "free",
    profile: Profile = "spec",
    max_seconds: float | None = MAX_SECONDS,
    max_memory: float = MAX_MEMORY,
    max_expression: int = MAX_EXPRESSION,
) -> Report:
    """Infer every value of a model (a path, bytes or a ModelProto) and say what is wrong with it.

    A path that ends in .xml is an OpenVINO IR, any other an ONNX file; bytes are told apart by how they open.

    ``bind`` gives dims of inputs by name or formula, as the inputs bear them, ``shapes`` whole inputs by name,
    ``ranges`` bounds of dims, both ends included, for all of which the model is to run; ``assume`` lists conditions to
    take for granted, such as ``"seq % 8 == 0"``. Initializers that are inputs too, in models of IR version 4 or later,
    may be overridden, so that nothing is concluded from what they hold; with ``default_inputs="fixed"`` they are taken
    for constants, which the report notes. ``profile`` says whose word counts where OpenVINO does not do what its
    specification says; ONNX models know no such difference. Past ``max_seconds`` of inference, or when the process has
    grown by more than ``max_memory`` megabytes, the rest is unknown, and a length of more operations than
    ``max_expression`` is not followed; all three are told in the report. Raises ValueError for a limit below 1
    operation or no time or memory at all, and never raises for a broken model or an unreadable file: what is wrong is
    in the report.
    Weights and external data are not read, small constants of an IR apart.
    """
    path = _path_of(model)
    require_known("profile", profile, get_args(Profile))
    require_known("default_inputs", default_inputs, get_args(DefaultInputs))
    with spending(Budget(max_seconds, max_expression, max_memory)):
        try:
            graph = _graph(model, profile, shapes or {}, default_inputs)
        except ModelError as error:
            return Report(error.diagnostics, path=path)
        except OverBudget as over:
            return Report((_unread(over, path),), path=path)
        report = inferred(graph, Constraints(bind or {}, shapes or {}, ranges or {}, assume), path)
    return report if is_ir(model) else looked_over(report)


def inferred(graph: Graph, given: Constraints = UNCONSTRAINED, path: str | None = None) -> Report:
    """Infer a graph, as far as the budget in force goes, and return the report of it."""
    return _report(judged(infer_graph(graph, given)), path)


def looked_over(report: Report) -> Report:
    """Return a report with what is hidden or of no use in its graph; of a text that is broken nobody knows."""
    graph = report.graph
    assert graph is not None, "the graph was inferred"
    if any(d.code is codes.SYNTAX_ERROR for d in graph.faults):
        return report
    told, ignored = split(with_locations(lint_graph(graph), graph, nested(graph)), graph, ())
    return evolve(report, diagnostics=(*report.diagnostics, *told), suppressed=(*report.suppressed, *ignored))


def _unread(over: OverBudget, path: str | None) -> Diagnostic:
    message = f"{over}; the model was not read completely, so nothing is known of it"
    return Diagnostic(codes.BUDGET_EXCEEDED, codes.BUDGET_EXCEEDED.severity, message, path=path)


def _graph(
    model: ModelLike, profile: Profile, shapes: Mapping[str, Sequence[int]], default_inputs: DefaultInputs
) -> Graph:
    """Read a model of either format. Raises ModelError."""
    if is_ir(model):
        from shapeinfer.frontends import openvino

        assert not isinstance(model, onnx.ModelProto), "an IR is a path or bytes"
        return openvino.graph_of(openvino.load(model), profile, shapes)
    if is_text(model):
        from shapeinfer.frontends import onnxtext

        assert not isinstance(model, onnx.ModelProto), "text is a path or bytes"
        return onnxtext.graph_of(onnxtext.parse(model), default_inputs=default_inputs)
    return graph_of(load(model, weights=False), thorough=True, default_inputs=default_inputs)


def _path_of(model: ModelLike) -> str | None:
    return None if isinstance(model, (bytes, onnx.ModelProto)) else str(model)


def _report(result: Result, path: str | None) -> Report:
    hidden = () if result.graph.constants_are_layers else result.graph.initializers
    values = {n: f for n, f in result.scopes[result.graph].items() if f is not None and n not in hidden}
    return Report(
        result.diagnostics,
        values,
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
    bind: Mapping[str, int] | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    default_inputs: DefaultInputs = "free",
    output_dims: OutputDims = "keep",
    max_seconds: float | None = MAX_SECONDS,
    max_memory: float = MAX_MEMORY,
    max_expression: int = MAX_EXPRESSION,
) -> onnx.ModelProto:
    """Return a copy of the model with the types of all values filled in; a drop-in for ``onnx.shape_inference``'s.

    ``strict_mode`` raises a ShapeInferError for any error, ``check_type`` for wrong element types. Without them a
    broken model is filled in as far as it goes. ``data_prop`` is accepted for the sake of callers: contents are always
    followed. ``output_dims`` says what becomes of a name that the author gave a dim of an output: ``keep`` leaves it,
    ``expression`` puts the formula in its place, ``both`` writes that to value_info besides. Sizes given with ``bind``
    and ``shapes`` stand in the inputs too. What value_info says of names that no node computes is left as it is.
    ``default_inputs`` and the limits are those of ``check``; what is not inferred within them is not filled in. Raises
    ModelError for what is no model.
    """
    budget = Budget(max_seconds, max_expression, max_memory)
    given = Constraints(bind or {}, shapes or {})
    # What is wrong with the file has no part in the types: only who asks for faults waits for it to be looked for.
    thorough = strict_mode or check_type
    out, result = _filled_in(
        model, given, output_dims=output_dims, budget=budget, default_inputs=default_inputs, thorough=thorough
    )
    raise_wanted(result.diagnostics, check_type, strict_mode)
    return out


def annotated(
    model: ModelLike,
    *,
    bind: Mapping[str, int] | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    ranges: Mapping[str, tuple[int, int | None]] | None = None,
    assume: Sequence[str] = (),
    default_inputs: DefaultInputs = "free",
    profile: Profile = "spec",  # noqa: ARG001 - that of an IR, which has a function of its own
    max_seconds: float | None = MAX_SECONDS,
    max_memory: float = MAX_MEMORY,
    max_expression: int = MAX_EXPRESSION,
    weights: bool = True,
    output_dims: OutputDims = "keep",
) -> tuple[onnx.ModelProto, Report]:
    """Return a copy of the model with the types of all values filled in, and the report of the same inference.

    Without ``weights`` a large file's are left out of the copy, for who writes them from the file itself. What the
    copy takes is no part of ``max_memory``. Raises ModelError for what is no ONNX model.
    """
    if is_ir(model):
        message = "this is an OpenVINO IR; only check reads one, and shapeinfer infer writes its ports"
        raise ModelError([Diagnostic(codes.NOT_A_MODEL, codes.NOT_A_MODEL.severity, message, path=_path_of(model))])
    given = Constraints(bind or {}, shapes or {}, ranges or {}, assume)
    budget = Budget(max_seconds, max_expression, max_memory)
    out, result = _filled_in(model, given, weights, output_dims, budget, default_inputs)
    return out, _report(result, _path_of(model))


def _filled_in(
    model: ModelLike,
    given: Constraints,
    weights: bool = True,
    output_dims: OutputDims = "keep",
    budget: Budget = DEFAULT,
    default_inputs: DefaultInputs = "free",
    *,
    thorough: bool = True,
) -> tuple[onnx.ModelProto, Result]:
    require_known("output_dims", output_dims, get_args(OutputDims))
    require_known("default_inputs", default_inputs, get_args(DefaultInputs))
    with spending_on(budget, model):
        source, read = _readable(model, weights, thorough, default_inputs)
    with spending_on(budget, model):
        graph = read()
        result = infer_graph(graph, given)
    out = onnx.ModelProto()
    out.CopyFrom(source)
    annotate(out, graph, result.given_scopes(), result.stands_for, output_dims, sized=given.has_sizes)
    return out, result


def _readable(
    model: ModelLike, weights: bool, thorough: bool, default_inputs: DefaultInputs
) -> tuple[onnx.ModelProto, Callable[[], Graph]]:
    """Return a model that can be read whole, and what makes a graph of it. Raises ModelError."""
    if is_text(model):
        from shapeinfer.frontends import onnxtext

        assert not isinstance(model, onnx.ModelProto), "text is a path or bytes"
        text = onnxtext.parse(model)
        return onnxtext.to_model(text, _path_of(model)), lambda: onnxtext.graph_of(text, default_inputs=default_inputs)
    source = load(model, weights=weights)
    return source, lambda: graph_of(source, thorough=thorough, default_inputs=default_inputs)


@contextlib.contextmanager
def spending_on(budget: Budget, model: ModelLike) -> Iterator[None]:
    """Spend a budget on a model that is of no use before it is read. Raises ModelError if it is not till then."""
    with spending(budget):
        try:
            yield
        except OverBudget as over:
            raise ModelError([_unread(over, _path_of(model))]) from None


def annotated_ir(
    model: str | os.PathLike[str] | bytes,
    *,
    bind: Mapping[str, int] | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    ranges: Mapping[str, tuple[int, int | None]] | None = None,
    assume: Sequence[str] = (),
    default_inputs: DefaultInputs = "free",  # noqa: ARG001 - inputs of an IR have no defaults
    profile: Profile = "spec",
    max_seconds: float | None = MAX_SECONDS,
    max_memory: float = MAX_MEMORY,
    max_expression: int = MAX_EXPRESSION,
) -> tuple[bytes, Report]:
    """Return an OpenVINO IR with the dims of all ports filled in, and the report of the same inference.

    Raises ModelError for what is no IR, ValueError for one whose bytes are not UTF-8.
    """
    from shapeinfer.frontends import openvino

    with spending_on(Budget(max_seconds, max_expression, max_memory), model):
        document = openvino.load(model)
        graph = openvino.graph_of(document, profile, shapes or {})
        result = infer_graph(graph, Constraints(bind or {}, shapes or {}, ranges or {}, assume))
    return openvino.annotated(document, graph, result.given_scopes()), _report(result, _path_of(model))


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

    A ``.py`` file registers functions with ``shapeinfer.ops.registry.rule``, a ``.toml`` file lists formulas:
    ``operators = ["my::Op(x[N, K], w[M, K]) -> [N, M] where K % 32 == 0"]``. Packages do the same for good with
    an entry point of the group ``shapeinfer.rules``. Raises ValueError, with the file and the reason.
    """
    from shapeinfer.ops.plugins import load_file

    load_file(Path(path))
    forget()


@functools.lru_cache(maxsize=1)
def version() -> str:
    """Return the version of the installed package."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("shapeinfer")
    except PackageNotFoundError:
        return "unknown"
