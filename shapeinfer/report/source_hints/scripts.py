"""Hints for functions of onnxscript, which records no lines: its values are named after Python's variables.

A statement has a hint if its variable is computed by a node of the operator that the statement calls, with the same
operands. So an edited function keeps the hints of its unedited statements, and another function of its name has none.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from shapeinfer.facts import UNKNOWN, Fact
from shapeinfer.graph import Graph, Node
from shapeinfer.report.source_hints.hint import Computed, Value

_OPERATORS: Mapping[type[ast.AST], str] = {
    ast.Add: "Add",
    ast.Sub: "Sub",
    ast.Mult: "Mul",
    ast.Div: "Div",
    ast.MatMult: "MatMul",
    ast.Pow: "Pow",
    ast.Gt: "Greater",
    ast.GtE: "GreaterOrEqual",
    ast.Lt: "Less",
    ast.LtE: "LessOrEqual",
    ast.Eq: "Equal",
    ast.USub: "Neg",
    ast.Not: "Not",
}


def scripted(
    scopes: Mapping[Graph, Mapping[str, Fact | None]], tree: ast.Module
) -> dict[tuple[int, int], list[Computed]]:
    """Return the results of the statements of a program's ONNX functions, by their first and last lines."""
    found: dict[tuple[int, int], list[Computed]] = {}
    functions = {f.name: f for f in tree.body if isinstance(f, ast.FunctionDef) and _is_script(f)}
    if not functions:
        return found
    for graph in scopes:
        function = functions.get(graph.function[1] if graph.function is not None else graph.name)
        if function is None or [a.arg for a in function.args.args][: len(_inputs(graph))] != _inputs(graph):
            continue
        made = {output: (inner, node) for inner in _nested(graph) for node in inner.nodes for output in node.outputs}
        for statement, names in _statements(function, graph):
            values = [made.get(name) for name in names]
            if all(v is not None and _is(statement.value, v[1]) for v in values):
                facts = [scopes.get(v[0], {}).get(name) for v, name in zip(values, names) if v is not None]
                if all(fact is not None and fact is not UNKNOWN for fact in facts):
                    typed = tuple(Value(n, fact.text) for n, fact in zip(names, facts) if fact is not None)
                    key = (statement.lineno, statement.end_lineno or statement.lineno)
                    found.setdefault(key, []).append(Computed(function.name, typed))
    return found


def _is_script(function: ast.FunctionDef) -> bool:
    marks = [d.func if isinstance(d, ast.Call) else d for d in function.decorator_list]
    return any(getattr(m, "id", getattr(m, "attr", "")) == "script" for m in marks)


def _inputs(graph: Graph) -> list[str]:
    return list(graph.formals if graph.function is not None else graph.inputs)


def _nested(graph: Graph) -> Iterator[Graph]:
    pending = [graph]
    while pending:
        inner = pending.pop()
        yield inner
        pending += [g for node in inner.nodes for g in (node.graphs or {}).values()]


def _statements(function: ast.FunctionDef, graph: Graph) -> Iterator[tuple[ast.Assign | ast.Return, Sequence[str]]]:
    """Iterate over the statements with the names of their values; reassigned variables are skipped."""
    every = [*ast.walk(function)]
    stored = Counter(n.id for n in every if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    stored.update(a.arg for a in function.args.args)
    returns = [n for n in every if isinstance(n, ast.Return)]
    for node in every:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            parts = target.elts if isinstance(target, ast.Tuple) else [target]
            names = [p.id for p in parts if isinstance(p, ast.Name) and stored[p.id] == 1]
            if len(names) == len(parts):
                yield node, names
        elif isinstance(node, ast.Return) and len(returns) == 1 and len(graph.outputs) == 1:
            yield node, graph.outputs


def _is(value: ast.expr | None, node: Node) -> bool:
    """Whether an expression matches a node: same operator, same variables."""
    name, args = "", []
    if isinstance(value, ast.Call):
        name, args = getattr(value.func, "attr", getattr(value.func, "id", "")), value.args
    elif isinstance(value, ast.BinOp):
        name, args = _OPERATORS.get(type(value.op), ""), [value.left, value.right]
    elif isinstance(value, ast.Compare) and len(value.ops) == 1:
        name, args = _OPERATORS.get(type(value.ops[0]), ""), [value.left, *value.comparators]
    elif isinstance(value, ast.UnaryOp):
        name, args = _OPERATORS.get(type(value.op), ""), [value.operand]
    pairs = zip(args, node.inputs)
    return name == node.call.op_type and all(_is_variable(a.id, i) for a, i in pairs if isinstance(a, ast.Name))


def _is_variable(name: str, value: str) -> bool:
    """Whether a value belongs to a variable: it has its name, with an appended number if reassigned."""
    number = value.removeprefix(name)
    return number == "" or (number != value and number[:1] == "_" and number[1:].isdecimal())
