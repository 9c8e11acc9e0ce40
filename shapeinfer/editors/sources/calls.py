"""Positions in a Python program: of statements, of calls on a line, and of the ``forward`` methods of classes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

_ALIKE = {"reshape": "view", "mm": "matmul", "bmm": "matmul", "truediv": "div", "mult": "mul", "matmult": "matmul"}


class Span(NamedTuple):
    """A range of a program: lines counted from 1, columns in characters from 0."""

    first: int
    start: int
    last: int
    end: int


class Forward(NamedTuple):
    """A method ``forward``: its class, and its lines from ``def`` on."""

    type: str
    first: int
    last: int


def parsed(text: str) -> ast.Module:
    """Return the AST of a program. Raises SyntaxError if it is invalid, or nested too deeply for the parser."""
    try:
        return ast.parse(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError, MemoryError) as error:
        raise SyntaxError(str(error) or "it is nested too deeply") from None


def statement_spans(tree: ast.Module) -> set[tuple[int, int]]:
    """Return the first and last lines of all statements."""
    return {(n.lineno, n.end_lineno or n.lineno) for n in ast.walk(tree) if isinstance(n, ast.stmt)}


def forwards(tree: ast.Module) -> Iterator[Forward]:
    """Iterate over the methods ``forward``, in no order."""
    pending: list[ast.stmt] = [*tree.body]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.ClassDef):
            for method in node.body:
                if isinstance(method, ast.FunctionDef) and method.name == "forward":
                    yield Forward(node.name, method.lineno, method.end_lineno or method.lineno)
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.If)):
            pending += node.body


def call_at(tree: ast.Module, lines: tuple[str, ...], line: int, names: frozenset[str]) -> Span:
    """Return the span of the call or operator on a line that has one of these names.

    If none or several have, return the span of the whole line.
    """
    found = [
        node
        for statement in _statements_at(tree, line)
        for node in ast.walk(statement)
        if isinstance(node, (ast.Call, ast.BinOp)) and _name_line(node) == line and plain(_name(node)) in names
    ]
    if len(found) == 1:
        (node,) = found
        last = node.end_lineno or node.lineno
        return Span(
            node.lineno,
            _column(lines, node.lineno, node.col_offset),
            last,
            _column(lines, last, node.end_col_offset or 0),
        )
    text = lines[line - 1]
    return Span(line, len(text) - len(text.lstrip()), line, len(text.rstrip()))


def plain(name: str) -> str:
    """Return the name of an operator without marks of variants, so that Python's and torch's names compare equal."""
    bare = name.lower().replace("unsafe", "").replace("_", "")
    return _ALIKE.get(bare, bare)


def _statements_at(tree: ast.Module, line: int) -> Iterator[ast.AST]:
    """Iterate over the AST nodes of the innermost statement on a line, without nested statements."""
    pending: list[ast.AST] = [*tree.body]
    while pending:
        node = pending.pop()
        first = getattr(node, "lineno", None)
        if first is not None and not first <= line <= (getattr(node, "end_lineno", None) or first):
            continue
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.stmt, ast.ExceptHandler, ast.match_case)):
                pending.append(child)
            else:
                yield child


def _name(node: ast.Call | ast.BinOp) -> str:
    if isinstance(node, ast.BinOp):
        return type(node.op).__name__
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _name_line(node: ast.Call | ast.BinOp) -> int:
    """Return the line that Python records for a call: that of the name for a method, of the start for others."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.end_lineno or node.lineno
    return node.lineno


def _column(lines: tuple[str, ...], line: int, offset: int) -> int:
    """Return the column in characters of an offset in UTF-8 bytes."""
    return len(lines[line - 1].encode()[:offset].decode(errors="replace"))
