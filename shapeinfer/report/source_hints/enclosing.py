"""Whether lines that were found in an edited program still stand in the functions that they were recorded in.

Lines are found by their text, and the classes of a model have many in common. An exporter records the name of the
function that each was executed in, and the classes of the modules that were being called: these tell the lines of two
classes or functions that were exchanged apart.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from shapeinfer.diagnostics.diagnostic import SourceLine
from shapeinfer.graph.program import Operation
from shapeinfer.report.source_hints.source import Source

FORWARD = "forward"


def outside_their_functions(
    moved: Mapping[int, int],
    recorded: Iterable[SourceLine],
    operations: Iterable[Operation],
    own: str,
    source: Source,
    tree: ast.Module,
) -> set[int]:
    """Return the recorded lines of a file that now stand in a function of another name, or in another class.

    ``moved`` says where each is now. That a line is in another class is known of methods ``forward`` of classes whose
    bases are in the file.
    """
    functions = _functions(tree)
    found = {
        frame.line
        for frame in recorded
        if frame.line in moved
        and _is_name(frame.function)
        and functions.get(moved[frame.line]) != frame.function.rpartition(".")[2]
    }
    for line, type_ in set(_classes(operations, own)):
        callee = source.at(moved[line]) if line in moved else None
        if callee is not None and callee.type and not source.may_derive(type_, callee.type):
            found.add(line)
    return found


def _is_name(function: str) -> bool:
    """Whether a function has a name, unlike a lambda."""
    return function.rpartition(".")[2].isidentifier()


def _functions(tree: ast.Module) -> dict[int, str]:
    """The name of the innermost function around each line."""
    found: dict[int, str] = {}
    for node in ast.walk(tree):  # outer ones come first
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.update(dict.fromkeys(range(node.lineno, (node.end_lineno or node.lineno) + 1), node.name))
    return found


def _classes(operations: Iterable[Operation], own: str) -> Iterable[tuple[int, str]]:
    """Yield the lines of methods ``forward`` of a file, each with the class of the module that was being called."""
    for operation in operations:
        calls = [frame for frame in operation.stack if frame.function == FORWARD]
        if len(calls) == len(operation.modules):
            for frame, module in zip(calls, operation.modules):
                if frame.file == own:
                    yield frame.line, module.type.rpartition(".")[2]
