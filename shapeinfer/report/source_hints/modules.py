"""Abstract interpretation of calls of the program's own functions and modules."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from shapeinfer.report.source_hints.calls import Calls
from shapeinfer.report.source_hints.expressions import Scope
from shapeinfer.report.source_hints.operators import COMPOSITES, INDEXING, LAYERS_THAT_KEEP, SIGNS, recorded_as
from shapeinfer.report.source_hints.recorded import SEQUENTIAL, Recorded
from shapeinfer.report.source_hints.runs import Step
from shapeinfer.report.source_hints.source import Callee, Source
from shapeinfer.report.source_hints.statements import operation_of
from shapeinfer.report.source_hints.values import (
    UNFOLLOWED,
    Constant,
    Held,
    Module,
    Variable,
)
from shapeinfer.report.source_hints.windows import Window

MOST_NESTED = 6
"""The deepest nesting of functions in which calls are counted."""
_REPEATING = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp, ast.Lambda)


class Modules(Calls):
    """Evaluates calls of the functions of one file, and of modules."""

    def __init__(self, program: Recorded, source: Source, own: str) -> None:
        super().__init__(program, source)
        self.own = own
        self._times: dict[tuple[int, str], int] = {}
        self._counts: dict[tuple[int, frozenset[str]], int] = {}
        self._without_lines = [
            s for s in program.steps if s.operation.modules and all(f.file != own for f in s.operation.stack)
        ]
        """Steps for which the exporter recorded the modules, but no lines of the file."""

    def function(self, callee: Callee, args: list[Held] | None, keywords: dict[str, Held], scope: Scope) -> Held:
        if callee.is_odd:
            return self.taint(args)
        depth = scope.depth + 1
        own = [s for s in scope.window.rest() if self._is_in(s, depth, callee)]
        variables = self.bound(callee, args, keywords, None)
        path = scope.path
        if own:
            (first, *_) = passes(callee.node.body, own, depth)
            self._skip(scope, first)
            return self.follow(callee, variables, path, scope.type, depth, first)
        inner = Scope(callee, path, scope.depth, False, scope.steps, scope.window, variables, scope.type)
        inner.statement = scope.statement
        return self.body(inner)

    def module(self, module: Module, args: list[Held] | None, keywords: dict[str, Held], scope: Scope) -> Held:
        path = ".".join(filter(None, (module.path, module.attribute)))
        steps = [s for s in scope.window.rest() if _passes_through(s, path)]
        if not steps:
            steps = [s for s in self._without_lines if _passes_through(s, path)]
            callee = self.source.method(type_of(steps[0], path).rpartition(".")[2], "forward") if steps else None
            if callee is None:
                return self._silent(module, args, scope)
            variables = self.bound(callee, [module, *args] if args is not None else None, keywords, path)
            type_ = type_of(steps[0], path).rpartition(".")[2]
            inner = Scope(callee, path, 0, False, steps, Window(_once(steps)), variables, type_, callee.node)
            return self.body(inner)
        depth = scope.depth + 1
        frames = [s.operation.stack[depth : depth + 1] for s in steps]
        first = frames[0][0] if frames[0] else None
        callee = self.source.at(first.line) if first is not None and first.file == self.own else None
        if callee is not None and all(self._is_in(s, depth, callee) for s in steps):
            own = passes(callee.node.body, steps, depth)[0]
            self._skip(scope, own)
            variables = self.bound(callee, [module, *args] if args is not None else None, keywords, path)
            return self.follow(callee, variables, path, type_of(own[0], path).rpartition(".")[2], depth, own)
        own = _once(steps)
        if type_of(own[0], path) == SEQUENTIAL and args and len(args) == 1:
            return self._sequence(path, own, args[0], scope)
        self._skip(scope, own)
        taken = [a for a in args or () if isinstance(a, Variable)]
        if len(taken) == 1 and len(args or ()) == 1 and type_of(own[0], path).startswith("torch.nn."):
            inside = {s.operation.name for s in own}
            outer = dict.fromkeys(
                n
                for s in own
                for n in self.program.tensors_read(s)
                if n not in inside and not self.program.is_parameter(n)
            )
            if len(outer) == 1 and not self.trail.bind(taken[0], next(iter(outer))):
                return UNFOLLOWED
        held = self.program.result_of(own, path)
        return UNFOLLOWED if held is None else held

    def _sequence(self, path: str, steps: Sequence[Step], held: Held, scope: Scope) -> Held:
        """Return the result of a torch Sequential: that of its last module, if a later operation reads it."""
        children = list(dict.fromkeys(child_of(s, path) for s in steps))
        inner = Scope(
            scope.callee, path, scope.depth + 1, False, steps, Window(steps), dict(scope.variables), scope.type
        )
        for child in children:
            if not child:
                return UNFOLLOWED
            held = self.module(Module(child), [held], {}, inner)
        self._skip(scope, steps)
        inside = {s.operation.name for s in steps}
        last = next(
            (s for s in steps if isinstance(held, Variable) and s.operation.name == self.program.owner(held.name)), None
        )
        if last is not None and (
            self.program.is_output(last)
            or self.program.readers(last) - inside
            or (self.program.goes_into_a_window(last, inside) and not self.source.pads)
        ):
            return held
        return Variable(is_certain=False)

    def _silent(self, module: Module, args: list[Held] | None, scope: Scope) -> Held:
        """Return the result of a module without recorded operations."""
        layers = (
            self.source.layer(scope.type.rpartition(".")[2], module.attribute) if module.path == scope.path else None
        )
        keeps = bool(layers) and all(k in LAYERS_THAT_KEEP and k not in self.source.classes for k in layers or ())
        if args and len(args) == 1 and isinstance(args[0], Variable):
            return Variable(like=args[0] if keeps else None, is_certain=keeps)
        return self.taint(args)

    def bound(
        self, callee: Callee, args: list[Held] | None, keywords: Mapping[str, Held], path: str | None
    ) -> dict[str, Held]:
        """Return the variables of a call, from its arguments and the defaults."""
        spec = callee.node.args
        names = [a.arg for a in (*spec.posonlyargs, *spec.args)]
        found: dict[str, Held] = {
            a.arg: Variable(is_certain=False) for a in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)
        }
        for extra in (spec.vararg, spec.kwarg):
            if extra is not None:
                found[extra.arg] = UNFOLLOWED
        if args is not None:
            defaults = [*zip(names[len(names) - len(spec.defaults) :], spec.defaults)]
            defaults += [(a.arg, d) for a, d in zip(spec.kwonlyargs, spec.kw_defaults) if d is not None]
            if "**" not in keywords:
                found.update((n, Constant(d.value)) for n, d in defaults if isinstance(d, ast.Constant))
            found.update(zip(names, args))
            found.update((n, held) for n, held in keywords.items() if n in found)
        if path is not None and callee.type and names:
            found[names[0]] = Module(path)
        return found

    def inputs(self, callee: Callee) -> dict[str, Held]:
        """Return the model's inputs, by the parameter names of the outermost function."""
        spec = callee.node.args
        names = [a.arg for a in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)][1:]
        return {n: held for n in names for held in [self.program.placeholder(n)] if held is not None}

    def module_at(self, step: Step, depth: int, callee: Callee) -> tuple[str | None, str]:
        """Return the path and the class of the module whose method a stack frame is, None and empty if unknown."""
        modules, stack = step.operation.modules, step.operation.stack
        if not callee.type:
            return None, ""
        if len(modules) == len(stack):
            return modules[depth].path, modules[depth].type.rpartition(".")[2]
        own = [m for m in modules if m.type.rpartition(".")[2] == callee.type]
        return (own[-1].path, own[-1].type.rpartition(".")[2]) if own else (None, callee.type)

    def _is_in(self, step: Step, depth: int, callee: Callee) -> bool:
        frame = step.operation.stack[depth : depth + 1]
        return bool(frame) and frame[0].file == self.own and self.source.at(frame[0].line) is callee

    def _skip(self, scope: Scope, steps: Sequence[Step]) -> None:
        last = steps[-1]
        scope.window.at = max(scope.window.at, next(i for i, s in enumerate(scope.window.steps) if s is last) + 1)

    def times(self, name: str, scope: Scope) -> int:
        """Return how many calls of one kind a statement makes, including those in functions of the file that it calls.

        Return 0 if the number is unknown: something repeats, or other functions may be recorded under the same name.
        """
        node = scope.statement
        key = (id(node), name)
        if node is not None and key not in self._times:
            self._times[key] = self._counted(node, recorded_as(name), 0)
        return max(0, self._times.get(key, 0))

    def _counted(self, node: ast.AST, kinds: frozenset[str], deep: int) -> int:
        """Return the number of calls of some kinds in an AST, -1 if it is unknown."""
        total = 0
        for inner in ast.walk(node):
            found = operation_of(inner)
            if isinstance(inner, _REPEATING) or kinds & _from_signs(inner) or deep > MOST_NESTED:
                return -1
            callee = self.source.functions.get(found) or self.source.any_method(found)
            if callee is not None:
                key = (id(callee.node), kinds)
                if key not in self._counts:
                    parts = [self._counted(s, kinds, deep + 1) for s in callee.node.body]
                    self._counts[key] = -1 if -1 in parts else sum(parts)
                if self._counts[key] < 0:
                    return -1
                total += self._counts[key]
            elif found and kinds & recorded_as(found):
                total += 1
            elif found in COMPOSITES:
                return -1
        return total

    # Implemented by subclasses.

    def follow(
        self,
        callee: Callee,
        variables: dict[str, Held],
        path: str | None,
        type_: str,
        depth: int,
        steps: Sequence[Step],
    ) -> Held:
        raise NotImplementedError

    def body(self, scope: Scope) -> Held:
        raise NotImplementedError


def _from_signs(node: ast.AST) -> frozenset[str]:
    """Return the operations that an AST node for an operator or an index may be recorded as."""
    if isinstance(node, ast.Subscript):
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        adds = any(isinstance(p, ast.Constant) and p.value is None for p in parts)
        return INDEXING | {"unsqueeze"} if adds else INDEXING
    return SIGNS if isinstance(node, (ast.Compare, ast.UnaryOp)) else frozenset()


def type_of(step: Step, path: str) -> str:
    """Return the class of the module at a path, empty if the step did not run in it."""
    return next((m.type for m in step.operation.modules if m.path == path), "")


def _passes_through(step: Step, path: str) -> bool:
    return any(m.path == path for m in step.operation.modules)


def child_of(step: Step, path: str) -> str:
    """Return the path of the submodule of ``path`` that a step ran in, empty if it ran in no submodule."""
    paths = [m.path for m in step.operation.modules]
    inner = paths[paths.index(path) + 1 :] if path in paths else []
    return inner[0] if inner else ""


def _once(steps: Sequence[Step]) -> list[Step]:
    """Return the steps of a module's first call, up to a step outside of the module."""
    found = [steps[0]]
    for step in steps[1:]:
        if step.at != found[-1].at + 1:
            break
        found.append(step)
    return found


def passes(body: Sequence[ast.stmt], steps: Sequence[Step], depth: int, lists: Sequence[str] = ()) -> list[list[Step]]:
    """Split the steps of a loop into iterations, which start at an earlier line or at the next module of a list."""
    found: list[list[Step]] = []
    last: tuple[int, str] | None = None
    for step in steps:
        line = step.operation.stack[depth].line
        at = next((i for i, s in enumerate(body) if s.lineno <= line <= (s.end_lineno or 0)), -1)
        child = next((m.path for m in step.operation.modules if m.path.startswith(tuple(lists))), "") if lists else ""
        if last is None or at < last[0] or (child and last[1] and child != last[1]):
            found.append([])
        found[-1].append(step)
        last = (at, child or (last[1] if last and at >= last[0] else ""))
    return found
