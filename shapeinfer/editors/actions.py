"""Changes that an editor offers: make a node fit, declare a type that was inferred, or ignore a code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from attrs import frozen

from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import UNUSABLE
from shapeinfer.editors.fixes import Edit, fixes, in_header
from shapeinfer.editors.mentions import mention_at
from shapeinfer.editors.problems import Problem
from shapeinfer.editors.spelling import quoted, spelled, type_text
from shapeinfer.facts import Fact
from shapeinfer.text import GraphText, Written, lines_of, statement_at, values_of

_DECLARED = (codes.DECLARED_TYPE_MISMATCH, codes.DECLARED_SHAPE_MISMATCH, codes.LABEL_CONFLICT)
MOST = 20
"""The most problems that one request offers changes for."""
IGNORE = "shapeinfer.ignore"
"""The key of the metadata that says which codes to ignore, see ``frontends.onnx.ignores``."""


@frozen
class Action:
    """A change that is offered, and the problem that it fixes or silences."""

    title: str
    edit: Edit
    problem: Problem | None = None
    is_preferred: bool = False
    """Whether it fixes the problem rather than silences it."""


def actions(written: Written, start: int, end: int, problems: list[Problem]) -> list[Action]:
    """Return the code actions for a range of the text; ``problems`` are those of the whole text."""
    found = list(_declared(written, start))
    here = (problem for problem in problems if problem.start <= end and start <= problem.end)
    for problem in islice(here, MOST):
        if problem.code in UNUSABLE:
            found += _fixing(written, problem)
        else:
            found += [*_fitting(written, problem), *_fixing(written, problem), *_ignored(written, problem)]
    return found


def _fitting(written: Written, problem: Problem) -> Iterator[Action]:
    """Make the node fit, where one edit of the text does."""
    fix = problem.diagnostic.fix
    if fix is not None and fix.edit is not None:
        starts, edit = lines_of(written.text).starts, fix.edit
        start, end = starts[edit.line - 1] + edit.column - 1, starts[edit.end_line - 1] + edit.end_column - 1
        verb = "Set" if fix.kind == "attribute" else "Read"
        title = f"{verb} {fix.text.removesuffix(' would fit')}"
        yield Action(title, Edit(start, end, edit.text), problem, is_preferred=True)


def _fixing(written: Written, problem: Problem) -> Iterator[Action]:
    """Yield the edits that fix a problem; the first is preferred if the finding has no fix itself."""
    if problem.code in _DECLARED:
        yield from _redeclared(written, problem)
    fits = problem.diagnostic.fix is not None and problem.diagnostic.fix.edit is not None
    for index, fix in enumerate(fixes(written, problem)):
        is_preferred = not index and not fits and not fix.title.startswith("Remove")
        yield Action(fix.title, fix.edit, problem, is_preferred)


def _declared(written: Written, at: int) -> Iterator[Action]:
    """Declare the type of the value that is named at a place, in the main graph or a branch."""
    mention = mention_at(written, at)
    if mention is None:
        return
    for base, body in reversed(written.around(at)):
        if not isinstance(body, GraphText):
            return
        fact = written.facts(body).get(mention.name)
        outputs = {o.text for node in body.nodes for o in node.what.outputs}
        if fact is not None and mention.name in outputs:
            edit = _declaration(written, body, base, mention.name, fact)
            if edit is not None:
                yield Action(f"Declare {spelled(mention.name)}: {type_text(fact)}", edit)
            return


def _redeclared(written: Written, problem: Problem) -> Iterator[Action]:
    """Yield edits that replace the declared types of a node's outputs by the inferred ones."""
    base, body = next(reversed(written.around(problem.start)), (0, None))
    placed = None if body is None else statement_at(body, base, problem.start)
    if not isinstance(body, GraphText) or placed is None:
        return
    declared = {v.what.name.text for _, v in values_of(body) if v.what.type is not None}
    for name in [o.text for o in placed.what.outputs if o.text in declared]:
        fact = written.facts(body).get(name)
        edit = None if fact is None else _declaration(written, body, base, name, fact)
        if fact is not None and edit is not None:
            yield Action(f"Declare {spelled(name)}: {type_text(fact)}", edit, problem, is_preferred=True)


def _declaration(written: Written, body: GraphText, base: int, name: str, fact: Fact) -> Edit | None:
    """Write the type over the one that is declared, before a name that has none, or into the list of values."""
    text = type_text(fact)
    if text is None:
        return None
    for what, value in values_of(body):
        if what != "input" and value.what.name.text == name:
            at, declared = base + value.at, value.what.type
            if declared is None:
                return Edit(at, at, f"{text} ")
            start, end = at + declared.start, at + declared.end
            return None if written.text[start:end] == text else Edit(start, end, text)
    if body.values:
        last = body.values[-1]
        at = base + last.at + last.what.end
        return Edit(at, at, f", {text} {spelled(name)}")
    empty = re.compile(r"<\s*>\s*$").search(written.text, max(base + body.opens - 200, 0), base + body.opens)
    if empty is not None:
        return Edit(empty.start() + 1, empty.start() + 1, f"{text} {spelled(name)}")
    opens = base + body.opens
    return Edit(opens, opens, f"<{text} {spelled(name)}>\n")


def _ignored(written: Written, problem: Problem) -> Iterator[Action]:
    """Suppress the code in the metadata of the header: for the value in question, and for the whole model."""
    diagnostic, code = problem.diagnostic, problem.code.name
    value = diagnostic.value or (diagnostic.node.output if diagnostic.node else "")
    if value:
        yield Action(f"Ignore {code} of {spelled(value)}", _metadata(written, f"{IGNORE}.{value}", code), problem)
    yield Action(f"Ignore {code} in this model", _metadata(written, IGNORE, code), problem)


def _metadata(written: Written, key: str, code: str) -> Edit:
    header = written.text[: written.model.header_end or 0]
    entry = re.search(rf"{re.escape(quoted(key))}\s*:\s*\"((?:[^\"\\]|\\.)*)\"", header)
    if entry is not None:
        return Edit(entry.end(1), entry.end(1), f", {code}" if entry[1] else code)
    return in_header(written, "metadata_props", f"{quoted(key)}: {quoted(code)}")
