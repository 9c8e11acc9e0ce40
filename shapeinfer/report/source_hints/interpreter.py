"""Abstract interpretation of a program: its functions are followed along the operations recorded for them.

Nothing is executed. A call is interpreted with the steps (recorded operations) whose stacks contain it. Each
statement gets the steps of its lines, or the next ones in order if the exporter recorded no lines of the function. The
AST decides what a statement computes: a variable assigned to another is the same tensor, a call of torch is the next
operation of that name that reads the same tensors, and a call of a module is the steps with its path. If the AST does
not decide, the value is the one result of the steps that later steps read.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from attrs import frozen

from shapeinfer.facts import Fact
from shapeinfer.report.source_hints.expressions import DEEPEST, LONGEST_LOOP, Scope
from shapeinfer.report.source_hints.modules import Modules, child_of, passes
from shapeinfer.report.source_hints.recorded import Recorded
from shapeinfer.report.source_hints.runs import Step
from shapeinfer.report.source_hints.source import Callee, Source
from shapeinfer.report.source_hints.statements import operation_of
from shapeinfer.report.source_hints.values import (
    UNFOLLOWED,
    Constant,
    Held,
    Module,
    Name,
    Several,
    Unfollowed,
    Variable,
)
from shapeinfer.report.source_hints.windows import Window

_ENDS = (ast.Return, ast.Raise)
_HOLDS = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return)
_AUGMENTED = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div"}


@frozen(repr=False)
class Returned:
    """The outcome of a block that returned, with the value."""

    held: Held


LOST = Returned(UNFOLLOWED)
"""The outcome of a block that may have returned."""


@frozen(repr=False)
class Execution:
    """One execution of a statement: its first line, the path of its module, and its value."""

    line: int
    path: str
    held: Held


Leaving = Callable[[ast.stmt, Sequence[Step], int, "str | None"], Held]
"""Returns the results of a statement's steps that other steps read, given the depth of its frame and the module."""


class Interpreter(Modules):
    """Interprets the functions of one file along one graph."""

    def __init__(self, program: Recorded, source: Source, own: str, stale: frozenset[int], leaving: Leaving) -> None:
        super().__init__(program, source, own)
        self._leaving = leaving
        self.stale = stale
        """Lines that differ from the recorded ones; functions that contain one are not interpreted."""
        self.executions: list[Execution] = []
        self.unknown: set[int] = set()
        """First lines of statements that may have executions which were not interpreted."""
        self._evaluated: set[tuple[str, int]] = set()
        self._calls = 0

    def run(self) -> None:
        """Interpret every call with recorded steps, the outermost first."""
        try:
            self._run()
        except RecursionError:  # the host called with a deep stack
            self.executions.clear()

    def _run(self) -> None:
        roots: dict[object, list[Step]] = {}
        callees: dict[object, tuple[Callee, str | None, str, int]] = {}
        for step in self.program.steps:
            for depth, frame in enumerate(step.operation.stack):
                callee = self.source.at(frame.line) if frame.file == self.own else None
                if callee is None:
                    continue
                path, type_ = self.module_at(step, depth, callee)
                above = tuple((f.file, f.line) for f in step.operation.stack[:depth])
                key = (depth, above, path, callee)
                roots.setdefault(key, []).append(step)
                callees[key] = (callee, path, type_, depth)
        for root in sorted(roots, key=lambda k: callees[k][3]):
            callee, path, type_, depth = callees[root]
            steps = [s for s in roots[root] if (s.operation.name, depth) not in self._evaluated]
            for one in passes(callee.node.body, steps, depth):
                variables = self.bound(callee, None, {}, path)
                if path == "" and callee.type and depth == 0:
                    variables.update(self.inputs(callee))
                self.follow(callee, variables, path, type_, depth, one)

    def fact(self, variable: Variable) -> Fact | None:
        """Return the type of a tensor, None if it is unknown or its sources contradict each other."""
        recorded = self.program.fact(variable.name) if variable.name is not None else None
        told: Fact | Variable | None = variable
        seen = 0
        while isinstance(told, Variable) and seen < DEEPEST:
            seen += 1
            if told is not variable and told.name is not None:
                known = self.program.fact(told.name)
                if known is not None:
                    told = known
                    break
            told = told.like
        told = None if isinstance(told, Variable) else told
        if recorded is not None and told is not None and (recorded.dtype, recorded.shape) != (told.dtype, told.shape):
            return None
        return recorded if recorded is not None else told

    # Statements.

    def follow(
        self,
        callee: Callee,
        variables: dict[str, Held],
        path: str | None,
        type_: str,
        depth: int,
        steps: Sequence[Step],
    ) -> Held:
        self._evaluated.update((s.operation.name, depth) for s in steps)
        if any(callee.node.lineno <= line <= (callee.node.end_lineno or 0) for line in self.stale):
            self._give_up(callee.node.body)
            return UNFOLLOWED
        return self.body(Scope(callee, path, depth, True, steps, Window(steps), variables, type_))

    def body(self, scope: Scope) -> Held:
        body = scope.callee.node.body
        if self._calls > DEEPEST or (self.stale and not scope.has_lines):
            self._give_up(body)
            return UNFOLLOWED
        self._calls += 1
        try:
            ended = self._block(body, scope)
        finally:
            self._calls -= 1
        if ended is LOST:
            self._give_up(body)
        return ended.held if ended is not None else Constant(None)

    def _block(self, body: Sequence[ast.stmt], scope: Scope) -> Returned | None:
        for at, node in enumerate(body):
            ended = self._statement(node, body[at + 1 :], scope)
            if ended is not None:
                return ended
        return None

    def _statement(self, node: ast.stmt, rest: Sequence[ast.stmt], scope: Scope) -> Returned | None:
        if scope.has_lines:
            scope.window = Window(_within(scope.steps, node.lineno, node.end_lineno, scope.depth))
            scope.statement = node
        if isinstance(node, _HOLDS):
            return self._holding(node, scope)
        if isinstance(node, ast.Expr):
            self.value(node.value, scope)
            return None
        if isinstance(node, ast.If):
            return self._if(node, rest, scope)
        if isinstance(node, ast.For):
            return self._for(node, scope)
        if isinstance(node, ast.With):
            for item in node.items:
                if item.optional_vars is not None:
                    self.bind(item.optional_vars, UNFOLLOWED, scope)
            return self._block(node.body, scope)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            scope.variables[node.name] = UNFOLLOWED
            return None
        if isinstance(node, (ast.Pass, ast.Assert, ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal)):
            return None
        return self._give_up([node], scope)

    def _holding(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Return, scope: Scope) -> Returned | None:
        if node.value is None:
            return Returned(Constant(None)) if isinstance(node, ast.Return) else None
        steps = scope.window.steps
        if scope.has_lines and self._may_repeat(node, steps, scope):
            self.unknown.add(node.lineno)
        if isinstance(node, ast.AugAssign):
            before = self.value(node.target, scope)
            added = self.value(node.value, scope)
            held = self.operation(_AUGMENTED.get(type(node.op), ""), before, added, node, scope)
            if isinstance(held, Variable) and held.like is None and isinstance(before, Variable):
                held.like = before if held.name is None else None
        else:
            held = self.value(node.value, scope)
        if scope.has_lines and steps and self._is_untold(held):
            left = self._leaving(node, steps, scope.depth, scope.path)
            held = held if isinstance(left, Unfollowed) else left
        self.executions.append(Execution(node.lineno, scope.path or "", _kept(held)))
        if isinstance(node, ast.Return):
            return Returned(held)
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            self.bind(target, held, scope)
        return None

    def _may_repeat(self, node: ast.stmt, steps: Sequence[Step], scope: Scope) -> bool:
        """Whether steps may belong to several runs: a module of torch ran more often than the statement calls it."""
        layers = Counter(
            (own.path, step.operator)
            for step in steps
            for own in step.operation.modules[-1:]
            if own.type.startswith("torch.nn.") and child_of(step, scope.path or "") == own.path
        )
        if all(n == 1 for n in layers.values()):
            return False
        called = Counter(operation_of(n) for n in ast.walk(node) if isinstance(n, ast.Call))
        own = {operation_of(n) for n in ast.walk(node) if isinstance(n, ast.Call)} & self.source.functions.keys()
        return not own and any(n > max(1, called[path.rpartition(".")[2]]) for (path, _), n in layers.items())

    def _is_untold(self, held: Held) -> bool:
        if isinstance(held, Variable):
            return self.fact(held) is None
        return isinstance(held, (Unfollowed, Name)) or (isinstance(held, Several) and held.items is None)

    def bind(self, target: ast.expr, held: Held, scope: Scope) -> None:
        if isinstance(target, ast.Name):
            scope.variables[target.id] = held
        elif isinstance(target, (ast.Tuple, ast.List)):
            items = held.items if isinstance(held, Several) else None
            if items is None or len(items) != len(target.elts):
                is_open = isinstance(held, Several) or (isinstance(held, Variable) and not held.is_certain)
                items = [Variable(is_certain=False) if is_open else UNFOLLOWED for _ in target.elts]
                starred = any(isinstance(e, ast.Starred) for e in target.elts)
                if isinstance(held, Several) and held.items is None and not starred:
                    held.items = list(items)
            for part, item in zip(target.elts, items):
                self.bind(part.value if isinstance(part, ast.Starred) else part, item, scope)
        elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            before = scope.variables.get(target.value.id, UNFOLLOWED)
            if isinstance(before, Variable):
                scope.variables[target.value.id] = Variable(like=before)
            elif isinstance(before, Several):
                before.items = None

    def _if(self, node: ast.If, rest: Sequence[ast.stmt], scope: Scope) -> Returned | None:
        truth = self.truth(node.test, scope)
        if truth is None and scope.has_lines:
            truth = _shown(node, scope)
        if truth is None and _raises(node.body):
            truth = False
        if truth is not None:
            return self._block(node.body if truth else node.orelse, scope)
        if not node.orelse and node.body and isinstance(node.body[-1], _ENDS) and not scope.has_lines:
            return self._on_trial(rest, scope)
        return self._give_up([*node.body, *node.orelse], scope)

    def _on_trial(self, rest: Sequence[ast.stmt], scope: Scope) -> Returned:
        """Interpret what follows an if that may have returned; keep the results only if operations match."""
        before = (self.matches, len(self.executions), len(self.trail.bound), scope.window.at)
        ended = self._block(rest, scope)
        if self.matches > before[0]:
            return ended if ended is not None else Returned(Constant(None))
        del self.executions[before[1] :]
        self.trail.undo(before[2])
        scope.window.at = before[3]
        return LOST

    def _for(self, node: ast.For, scope: Scope) -> Returned | None:
        if node.orelse or any(isinstance(n, (ast.Break, ast.Continue, ast.Return)) for n in ast.walk(node)):
            return self._give_up([node], scope)
        if not scope.has_lines:
            items = self.looped(node.iter, scope)
            if items is None or len(items) > LONGEST_LOOP:
                return self._give_up([node], scope)
            for item in items:
                self.bind(node.target, item, scope)
                ended = self._block(node.body, scope)
                if ended is not None:
                    return ended
            return None
        steps = _within(scope.steps, node.body[0].lineno, node.end_lineno, scope.depth)
        lists = [f"{path}." for path in self._lists(node.iter, scope) if any(_is_below(s, path) for s in steps)]
        split = passes(node.body, steps, scope.depth, lists)
        items = self.looped(node.iter, scope, len(split) if lists else None)
        if items is not None and not steps:
            split = [[] for _ in items]
        if items is None or len(items) != len(split) or len(items) > LONGEST_LOOP:
            return self._give_up([node], scope)
        outer = scope.steps
        for item, one in zip(items, split):
            self.bind(node.target, item, scope)
            scope.steps = one
            ended = self._block(node.body, scope)
            if ended is not None:
                return ended
        scope.steps = outer
        return None

    def _lists(self, node: ast.expr, scope: Scope) -> list[str]:
        """Return the paths of the module lists that a loop iterates over."""
        parts = node.args if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else [node]
        held = [self.value(part, scope) for part in parts if not isinstance(part, ast.Starred)]
        return [".".join(filter(None, (h.path, h.attribute))) for h in held if isinstance(h, Module)]

    def _give_up(self, nodes: Iterable[ast.stmt], scope: Scope | None = None) -> Returned | None:
        """Mark all variables that statements may have assigned as unknown."""
        every = [n for statement in nodes for n in ast.walk(statement)]
        names = [n for n in every if isinstance(n, ast.Name)] if scope is not None else []
        if scope is not None:
            self.taint([scope.variables.get(n.id, UNFOLLOWED) for n in names])
            scope.variables.update((n.id, UNFOLLOWED) for n in names if isinstance(n.ctx, ast.Store))
        held = [n for n in every if isinstance(n, _HOLDS)]
        self.unknown.update(n.lineno for n in held)
        return LOST if any(isinstance(n, ast.Return) for n in held) else None


def _is_below(step: Step, path: str) -> bool:
    return any(m.path.startswith(f"{path}.") for m in step.operation.modules)


def _within(steps: Iterable[Step], first: int, last: int | None, depth: int) -> list[Step]:
    return [s for s in steps if first <= s.operation.stack[depth].line <= (last or first)]


def _shown(node: ast.If, scope: Scope) -> bool | None:
    """Return which branch ran according to the recorded lines, None if they do not decide."""
    ran = [
        bool(body) and bool(_within(scope.steps, body[0].lineno, body[-1].end_lineno, scope.depth))
        for body in (node.body, node.orelse)
    ]
    if any(ran):
        return ran[0] if not all(ran) else None
    if not node.orelse and isinstance(node.body[-1], ast.Return):
        later = [s for s in scope.steps if s.operation.stack[scope.depth].line > (node.end_lineno or 0)]
        return False if later else None
    return None


def _raises(body: Sequence[ast.stmt]) -> bool:
    return isinstance(body[-1], ast.Raise) or all(isinstance(s, ast.Pass) for s in body)


def _kept(held: Held) -> Held:
    """Return a copy of a value, as lists may change later."""
    if isinstance(held, Several) and held.items is not None:
        return Several([_kept(item) for item in held.items])
    return held
