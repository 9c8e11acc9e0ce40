"""The view of a Python program: types, findings and lenses, from the models that were exported from it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import TypeVar

from attrs import evolve, frozen

from shapeinfer import regular
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.editors.sources.calls import Span, call_at, forwards, parsed, plain, statement_spans
from shapeinfer.editors.sources.models import Checked
from shapeinfer.editors.sources.modules import of_class, summary
from shapeinfer.report.source_hints import Computed, NoHints, SourceHints, source_hints
from shapeinfer.report.source_hints.moved import moved_lines

UNKNOWN = "?"
MOST_BYTES = 8 << 20
"""A larger program, in bytes, is not read."""


@frozen(repr=False)
class StatementTypes:
    """The types that the runs of a statement computed, each in a model; the statement spans ``first`` to ``last``."""

    first: int
    last: int
    runs: tuple[tuple[Path, Computed], ...]

    @property
    def text(self) -> str:
        """The types, once where all runs agree, and separated by bars where they do not."""
        return " | ".join(dict.fromkeys(run.text for _, run in self.runs))


@frozen(repr=False)
class PlacedFinding:
    """A finding of a model, with the span of the call that it is about."""

    first: int
    last: int
    start: int
    end: int
    diagnostic: Diagnostic
    model: Path


@frozen(repr=False)
class Lens:
    """Cost and conditions of a method ``forward`` in a model; ``value`` is the first value that it computes."""

    first: int
    last: int
    title: str
    model: Path
    value: str


_P = TypeVar("_P", StatementTypes, PlacedFinding, Lens)


@frozen(repr=False)
class View:
    """The types, findings and lenses at the lines of a program."""

    lines: tuple[str, ...] = ()
    types: tuple[StatementTypes, ...] = ()
    findings: tuple[PlacedFinding, ...] = ()
    lenses: tuple[Lens, ...] = ()

    def on(self, text: str) -> View:
        """Return the parts that are still valid after edits, at their new lines.

        Parts on changed lines are dropped. Types also require a statement with exactly their lines, except while
        the text is no valid Python.
        """
        lines = lines_of(text)
        if lines == self.lines:
            return self
        if not (self.types or self.findings or self.lenses):
            return View(lines)
        moved = moved_lines(dict(enumerate(map(str.strip, self.lines), 1)), lines)
        try:
            spans = statement_spans(parsed(text))
        except SyntaxError:
            spans = None
        shown = (s for s in _moved(self.types, self.lines, moved) if spans is None or (s.first, s.last) in spans)
        faults = (_indented(f, self.lines, lines, moved) for f in self.findings if f.first in moved)
        kept = tuple(f for f in faults if f is not None)
        return View(lines, tuple(shown), kept, tuple(_moved(self.lenses, self.lines, moved)))


def lines_of(text: str) -> tuple[str, ...]:
    """Return the lines of a text as editors and Python count them, without their ends."""
    return tuple(text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n"))


def _moved(parts: Iterable[_P], lines: Sequence[str], moved: Mapping[int, int]) -> Iterator[_P]:
    """Yield the parts whose lines are unchanged and still consecutive, at their new lines."""
    for part in parts:
        shift = moved.get(part.first, 0) - part.first
        full = (line for line in range(part.first, part.last + 1) if lines[line - 1].strip())
        if all(moved.get(line) == line + shift for line in full):
            yield evolve(part, first=part.first + shift, last=part.last + shift)


def _indented(
    fault: PlacedFinding, before: Sequence[str], lines: Sequence[str], moved: Mapping[int, int]
) -> PlacedFinding | None:
    """Return a finding at its new lines, whose indentation may differ; None if one changed."""
    found = next(_moved([fault], before, moved), None)
    if found is None:
        return None
    start, end = (
        at + _indent(lines[line - 1]) - _indent(before[old - 1])
        for at, line, old in ((fault.start, found.first, fault.first), (fault.end, found.last, fault.last))
    )
    return evolve(found, start=max(start, 0), end=max(end, 0))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def view(file: Path, text: str, models: Iterable[Checked], known: dict[tuple[Path, object], frozenset[str]]) -> View:
    """Return the view of a program from its models. Raises SyntaxError if the text is no valid Python.

    If several models record a statement, such as one exported before an edit and one after it, only those with the
    fewest missing lines are used for it. A statement with an unrecorded line may have changed since the export without
    a sign; it has types only if the file was not written since, or had that statement then: ``known`` caches the
    statements of the file for each state of a model.
    """
    tree, lines = parsed(text), lines_of(text)
    found: list[tuple[int, Checked, SourceHints]] = []
    for model in models:
        try:
            hints = source_hints(model.report, str(file), text.encode("utf-8", "surrogatepass"))
        except NoHints:
            continue
        if is_of_another(hints.file, file):
            continue
        key = (model.path, model.stamp)
        if key not in known:
            known[key] = frozenset() if hints.missing else frozenset(_statements_then(file, model.stamp[0]))
        found.append((hints.missing, model, hints))
    found.sort(key=lambda one: one[0])
    shown: dict[tuple[int, int], tuple[int, list[tuple[Path, Computed]]]] = {}
    for missing, model, hints in found:
        for hint in hints.hints:
            if hint.is_recorded or _block(lines, hint.first, hint.line) in known[model.path, model.stamp]:
                least, runs = shown.setdefault((hint.first, hint.line), (missing, []))
                runs += [(model.path, run) for run in hint.runs if least == missing]
    least_at = {line: least for (first, last), (least, _) in shown.items() for line in range(first, last + 1)}
    faults = [
        _fault(tree, lines, line, d, model)
        for missing, model, hints in found
        for line, d in hints.findings
        if missing <= least_at.get(line, missing)
    ]
    said = [StatementTypes(*span, tuple(runs)) for span, (_, runs) in sorted(shown.items())]
    lenses = [lens for _, model, hints in found for lens in _lenses(tree, file, model, hints)]
    return View(lines, tuple(s for s in said if s.text.strip(f"{UNKNOWN}, |")), tuple(faults), tuple(lenses))


def is_of_another(recorded: str, file: Path) -> bool:
    """Whether the recorded path names another existing file, one that shares more of its last parts with the path."""
    parts = [part for part in re.split(r"[\\/]+", recorded) if part not in ("", ".")]
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(reversed(parts), reversed(file.parts))))
    longer = parts[-same - 1 :]
    if same >= len(parts) or any(part == ".." or ":" in part for part in longer):
        return False
    return any(_is_file(Path(above, *longer)) for above in file.parents)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False


def _statements_then(file: Path, written: int) -> Iterator[str]:
    """Yield the statements of a file; none if it was written after ``written``, in nanoseconds since the epoch."""
    try:
        if file.stat().st_mtime_ns > written:
            return
        text = regular.read(file, MOST_BYTES).decode()
        spans = statement_spans(parsed(text))
    except (OSError, ValueError, SyntaxError):
        return
    lines = lines_of(text)
    yield from (_block(lines, first, last) for first, last in spans)


def _block(lines: Sequence[str], first: int, last: int) -> str:
    """Return the text of some lines without indentation."""
    return "\n".join(line.strip() for line in lines[first - 1 : last])


def _fault(
    tree: ast.Module, lines: tuple[str, ...], line: int, diagnostic: Diagnostic, model: Checked
) -> PlacedFinding:
    names = frozenset(map(plain, filter(None, _names(diagnostic, model))))
    span: Span = call_at(tree, lines, line, names)
    return PlacedFinding(span.first, span.last, span.start, span.end, diagnostic, model.path)


def _names(diagnostic: Diagnostic, model: Checked) -> Iterator[str]:
    """Yield the names that the call of a finding may have in the source: of its operator, or of its module."""
    yield diagnostic.module.rpartition(".")[2]
    graph, node = model.report.graph, diagnostic.node
    if graph is not None and graph.operation is not None and node is not None and not node.graph:
        found = graph.operation(graph.nodes[node.index]) if 0 <= node.index < len(graph.nodes) else None
        if found is not None:
            yield from found.operator.split(".")[1:2]


def _lenses(tree: ast.Module, file: Path, model: Checked, hints: SourceHints) -> Iterator[Lens]:
    for method in forwards(tree):
        found = of_class(model.modules, method.type, file.name)
        if found and not any(method.first <= line <= method.last for line in hints.changed):
            yield Lens(method.first, method.last, summary(found), model.path, found[0].value)
