"""A model as somebody writes it: its text, what it says and the report of it, kept up to date at each keystroke."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from shapeinfer.api import inferred, spending_on, with_lint
from shapeinfer.api.options import Keywords, Options, options_from
from shapeinfer.api.report import Report
from shapeinfer.budget import spending
from shapeinfer.diagnostics.errors import ModelError
from shapeinfer.facts import Fact
from shapeinfer.frontends.formats import format_of, formats, load_onnx
from shapeinfer.frontends.onnxtext.lines import Lines, lines_of
from shapeinfer.frontends.onnxtext.load import graph_of
from shapeinfer.frontends.onnxtext.read import OF_FUNCTIONS, OF_MODELS, read_model
from shapeinfer.frontends.onnxtext.readable import readable_text
from shapeinfer.frontends.onnxtext.tree import (
    AttributeText,
    Body,
    Fault,
    FunctionText,
    GraphText,
    ModelText,
    Name,
    NodeText,
    Placed,
    TypeText,
    ValueText,
)
from shapeinfer.frontends.onnxtext.types import TYPES

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "OF_FUNCTIONS",
    "OF_MODELS",
    "TYPES",
    "AttributeText",
    "Body",
    "Fault",
    "FunctionText",
    "GraphText",
    "Lines",
    "ModelText",
    "Name",
    "NodeText",
    "Placed",
    "TypeText",
    "ValueText",
    "Written",
    "check_text",
    "exported_suffixes",
    "is_edited",
    "is_exported",
    "lines_of",
    "read_model",
    "statement_at",
    "text_of_file",
    "values_of",
]


@frozen(eq=False)
class Written:
    """The text of a model, read, and its report."""

    model: ModelText
    report: Report

    @property
    def text(self) -> str:
        return self.model.text

    def facts(self, body: Body) -> Mapping[str, Fact | None]:
        """Return what is known of the values of a graph, or of a function's body as it was called last."""
        graph = self.model.graphs.get(body)
        return {} if graph is None else self.report.scopes.get(graph, {})

    def around(self, at: int) -> list[tuple[int, Body]]:
        """Return the graphs that a place lies in, outermost first, each with the place from which its spans count."""
        outer: list[tuple[int, Body]] = []
        bodies: Sequence[Body] = self.model.outermost
        base = 0
        while bodies:
            body = next((b for b in bodies if _start(b) + base <= at <= b.end + base), None)
            if body is None:
                break
            outer.append((base, body))
            placed = statement_at(body, base, at)
            bodies = [] if placed is None else [g for a in placed.what.attributes for g in a.graphs]
            base += 0 if placed is None else placed.at
        return outer


def check_text(
    text: str,
    before: Written | None = None,
    options: Options | None = None,
    **keywords: Unpack[Keywords],
) -> Written:
    """Read and check the text of a model; options and keywords are those of ``check``.

    With what was known of it ``before`` only statements that are new are read. Never raises for a broken text: what is
    wrong is in the report.
    """
    chosen = options_from(options, keywords)
    model = read_model(text, None if before is None else before.model)
    try:
        graph = graph_of(model, None if before is None else before.model, default_inputs=chosen.default_inputs)
    except ModelError as error:
        return Written(model, Report(error.diagnostics))
    with spending(chosen.budget):
        report = inferred(graph, chosen.constraints)
    return Written(model, with_lint(report))


def text_of_file(path: str) -> str:
    """Return an ONNX file in ONNX's text syntax, without weights, with the lines of its Python program as comments.

    Raises ModelError for a file that is no ONNX model or too large, ValueError for one that the syntax cannot express.
    """
    with spending_on(Options().budget, path):
        return readable_text(load_onnx(path, weights=False), Path(path).name)


def is_edited(path: str) -> bool:
    """Whether a file of this name holds a model that people write as text."""
    return format_of(path).is_edited


def is_exported(path: str) -> bool:
    """Whether a file of this name holds a model that a program exported."""
    return path.lower().endswith(exported_suffixes())


def exported_suffixes() -> tuple[str, ...]:
    """Return how names of models end that a program exported, and that no other file has."""
    known = (f for f in formats() if f.confirm is None and not f.is_edited)
    return tuple(suffix for f in known for suffix in f.suffixes)


def statement_at(body: Body, base: int, at: int) -> Placed[NodeText] | None:
    """Return the node of a graph that a place lies in; spans of the graph count from ``base``."""
    index = bisect_right(body.nodes, at - base, key=lambda placed: placed.at) - 1
    if index < 0:
        return None
    placed = body.nodes[index]
    return placed if at - base <= placed.at + placed.what.end else None


def values_of(body: Body) -> Iterator[tuple[str, Placed[ValueText]]]:
    """Iterate over the values that a graph declares, each with the list in which it stands."""
    if isinstance(body, GraphText):
        for what, values in (("input", body.inputs), ("output", body.outputs), ("value", body.values)):
            for placed in values:
                yield what, placed


def _start(body: Body) -> int:
    return body.start if isinstance(body, FunctionText) else body.name.start
