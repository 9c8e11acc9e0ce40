"""Shapes behind the lines of the Python program that a model was exported from."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from attrs import frozen

from shapeinfer.api.report import Report
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.facts import UNKNOWN
from shapeinfer.report.paint import STYLES, Paint, legible, plain, printable
from shapeinfer.report.source_hints.enclosing import outside_their_functions
from shapeinfer.report.source_hints.follow import followed
from shapeinfer.report.source_hints.hint import Computed, Hint, Value
from shapeinfer.report.source_hints.moved import edited_lines, lines_in_program, relocated, unedited_lines
from shapeinfer.report.source_hints.recorded import Recorded
from shapeinfer.report.source_hints.runs import Entry, Program, Run, runs
from shapeinfer.report.source_hints.scripts import scripted
from shapeinfer.report.source_hints.source import Source
from shapeinfer.report.source_hints.statements import Statement, parsed, statements

__all__ = ["Computed", "Hint", "NoHints", "SourceHints", "Value", "render", "source_hints"]

COMMENT = 72
"""Hints start at this column at the latest, unless their line is longer."""
FEW_FILES = 3
"""So many files are named."""
NOTHING_RECORDED = "it records no lines of Python; export it with torch.onnx.export(..., dynamo=True)"
_LIBRARY = re.compile(r"(^|/)(site-packages|dist-packages|lib/python3\.\d+|torch)/|^<")


class NoHints(ValueError):
    """The model records nothing of the program; the message is what it records instead."""


@frozen(repr=False)
class SourceHints:
    """A program's lines with the hints and findings of a model at them.

    ``changed`` are the lines that differ from the recorded ones; they have no hints. ``missing`` counts the recorded
    lines that are not in the program. ``file`` is the path of the program as the model records it.
    """

    lines: tuple[str, ...]
    hints: tuple[Hint, ...]
    findings: tuple[tuple[int, Diagnostic], ...]
    changed: tuple[int, ...]
    file: str = ""
    missing: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return all but the lines in the form that ``--format json`` prints."""
        return {
            "hints": [h.to_dict() for h in self.hints],
            "diagnostics": [{"line": line, **d.to_dict()} for line, d in self.findings],
            "changed_lines": [*self.changed],
        }


def source_hints(report: Report, path: str, source: bytes) -> SourceHints:
    """Return the types that a model's values have, at the lines of the program that compute them.

    ``path`` is the absolute path of the program. Recorded paths are only compared with it, never opened: the one with
    the longest common end is this program's. Only lines equal to the recorded ones get a hint, wherever they moved; an
    unrecorded line counts as unchanged if the recorded lines around it are as far apart as before. A line in another
    function or class than it was recorded in has no hint: two classes with equal lines may have been exchanged. Raises
    NoHints if the model records no program or another one, and SyntaxError if the source is no valid Python.
    """
    tree = parsed(source)
    at = statements(tree)
    text = _text_lines(source)
    programs = [Recorded(graph, facts) for graph, facts in report.scopes.items()]
    frames = {frame for program in programs for step in program.steps for frame in step.operation.stack}
    frames |= {d.source for d in report.diagnostics if d.source is not None}
    scripts = scripted(report.scopes, tree)
    try:
        own = _recorded_as(path, {frame.file for frame in frames})
    except NoHints:
        if not scripts:
            raise
        own = ""
    here = [frame for frame in frames if frame.file == own]
    recorded = {f.line: f.code for f in here if f.code}
    moved = lines_in_program(recorded, text)
    if recorded and not moved:
        raise NoHints("most of the lines that it was exported from are not there; export it again")
    functions = Source(tree)
    stacks = [step.operation for program in programs for step in program.steps]
    for line in outside_their_functions(moved, here, stacks, own, functions, tree):
        del moved[line]
    for program in programs:
        for step in program.steps:
            step.operation = relocated(step.operation, own, moved)
    changed = {*_changed(recorded, moved)}.difference(moved.values())
    changed |= {f.line for f in here if f.line > len(text) and not f.code}
    # Of lines that are recorded by their numbers alone nothing shows whether they moved.
    numbered = {f.line: f.line for f in here if not f.code and f.line <= len(text)}
    unsure = changed | numbered.keys()
    known = {line: s for line, s in at.items() if s is not None and line not in unsure}
    found_at = {**numbered, **moved}
    edited = edited_lines(sorted(recorded), moved)
    computed: dict[Statement, list[Computed]] = {}
    several = functions.several()
    for program in programs:
        program.several = several
        entries = _by_statement(program, own, at)
        told = followed(program, functions, own, known, frozenset(unsure) | edited)
        # The number of runs of a loop does not follow from lines alone.
        first = {s: found for s, found in runs(program, entries, known).items() if not s.place.in_loop}
        for statement in {**first, **told}:
            if unsure.isdisjoint(range(statement.first, statement.last + 1)):
                found = told.get(statement) or [_typed(run, program) for run in first[statement]]
                computed.setdefault(statement, []).extend(found)
    there = frozenset(moved.values())
    every = [Hint(s.first, s.last, tuple(found), there.issuperset(_full(text, s))) for s, found in computed.items()]
    kept = unedited_lines(sorted(recorded), moved, len(text))
    every = [hint for hint in every if kept.issuperset(range(hint.first, hint.line + 1))]
    every += [Hint(first, last, tuple(found)) for (first, last), found in scripts.items()]
    hints = sorted(every, key=_line)
    findings = [
        (found_at[d.source.line], d)
        for d in report.diagnostics
        if d.source is not None and d.source.file == own and d.source.line in found_at
    ]
    missing = len(recorded) - len(moved)
    return SourceHints(text, tuple(hints), tuple(findings), tuple(sorted(changed)), own, missing)


def _full(lines: Sequence[str], statement: Statement) -> Iterator[int]:
    """Yield the lines of a statement that are not empty."""
    return (line for line in range(statement.first, statement.last + 1) if lines[line - 1].strip())


def _line(hint: Hint) -> int:
    return hint.line


def _changed(recorded: Iterable[int], moved: Mapping[int, int]) -> Iterator[int]:
    """Yield the expected positions of changed recorded lines: at their old distance below the last unchanged one."""
    shift = 0
    for line in sorted(recorded):
        if line in moved:
            shift = moved[line] - line
        else:
            yield line + shift


def _by_statement(program: Program, own: str, at: Mapping[int, Statement | None]) -> dict[Statement, list[Entry]]:
    """Return the steps whose stack passes through each statement, without statements that call themselves."""
    found: dict[Statement, list[Entry]] = {}
    recursive: set[Statement] = set()
    for step in program.steps:
        passed: set[Statement] = set()
        for depth, frame in enumerate(step.operation.stack):
            statement = at.get(frame.line) if frame.file == own else None
            if statement is not None:
                (recursive if statement in passed else passed).add(statement)
                found.setdefault(statement, []).append(Entry(step, depth))
    return {statement: entries for statement, entries in found.items() if statement not in recursive}


def _typed(run: Run, program: Recorded) -> Computed:
    return Computed(run.module, tuple(Value(n, _text(program, n)) for n in run.values))


def _text(program: Recorded, name: str) -> str:
    fact = program.facts.get(name)
    seen = None if fact is None or fact is UNKNOWN else program.seen(name, fact)
    return "?" if seen is None else seen.text


def _recorded_as(path: str, files: Iterable[str]) -> str:
    """Return the recorded file that ends as a path does, whole if it is relative. Raises NoHints without one."""
    named = _parts(path)
    ends: dict[int, list[str]] = {}
    for file in sorted(files):
        parts = _parts(file)
        same = next(
            (i for i, (a, b) in enumerate(zip(parts[::-1], named[::-1])) if a != b), min(len(parts), len(named))
        )
        if same >= _least(parts) and (same == len(parts) or _is_absolute(file)):
            ends.setdefault(same, []).append(file)
    if not ends:
        others = [file for file in sorted(files) if not _LIBRARY.search(file.replace("\\", "/"))]
        raise NoHints(f"it was exported from {_few(others)}" if others else NOTHING_RECORDED)
    found = ends[max(ends)]
    if len(found) > 1:
        raise NoHints(f"it was exported from several files of that name: {_few(found)}")
    return found[0]


def _parts(path: str) -> list[str]:
    return [part for part in re.split(r"[\\/]+", path) if part not in ("", ".")]


def _least(parts: Sequence[str]) -> int:
    """Return how many last parts of a path must agree: for an installed package all below the packages' folder."""
    inside = [i for i, part in enumerate(parts) if part in ("site-packages", "dist-packages")]
    return len(parts) - inside[-1] - 1 if inside else 1


def _is_absolute(path: str) -> bool:
    return PurePosixPath(path).is_absolute() or PureWindowsPath(path).is_absolute()


def _few(files: list[str]) -> str:
    return ", ".join(map(legible, files[:FEW_FILES])) + (", ..." if len(files) > FEW_FILES else "")


def _text_lines(source: bytes) -> tuple[str, ...]:
    """The lines as Python counts them. Raises SyntaxError for a source in no encoding."""
    encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    text = io.StringIO(source.decode(encoding), newline=None).read()
    return tuple(text.removesuffix("\n").split("\n"))


def render(found: SourceHints, paint: Paint = plain) -> Iterator[str]:
    """Write the program, each hint as a comment behind its line and each finding below its own."""
    hints = {hint.line: hint for hint in found.hints}
    findings: dict[int, list[Diagnostic]] = {}
    for at, diagnostic in found.findings:
        findings.setdefault(at, []).append(diagnostic)
    lines = [printable(line.expandtabs()) for line in found.lines]
    column = min(COMMENT, max((len(lines[number - 1]) for number in hints), default=0))
    for number, line in enumerate(lines, 1):
        hint = hints.get(number)
        yield line if hint is None else line.ljust(column) + paint("dim", f"  # {printable(hint.text)}")
        for d in findings.get(number, ()):
            where = f", in {d.module}" if d.module else ""
            said = legible(f"# {d.severity}[{d.code.name}]: {d.message}{where}")
            yield line[: len(line) - len(line.lstrip())] + paint(STYLES[d.severity], said)
