"""Abstract interpretation of calls: torch's functions and methods, and lists; subclasses add the program's own."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence

from shapeinfer.facts import Fact, tensor
from shapeinfer.report.source_hints import operators
from shapeinfer.report.source_hints.expressions import Expressions, Scope, join
from shapeinfer.report.source_hints.runs import Step
from shapeinfer.report.source_hints.shapes import cast, like, moved, scaled
from shapeinfer.report.source_hints.source import Callee
from shapeinfer.report.source_hints.statements import BINARY
from shapeinfer.report.source_hints.values import (
    UNFOLLOWED,
    Constant,
    DtypeOf,
    Held,
    Module,
    Name,
    Several,
    ShapeOf,
    Unfollowed,
    Variable,
)
from shapeinfer.report.source_hints.windows import counted, matched

_FUNCTIONS = frozenset({"torch", "F", "nn"})
"""The usual import names of torch's modules."""


class Calls(Expressions):
    """Evaluates expressions with calls."""

    def called(self, node: ast.Call, scope: Scope) -> Held:
        function = node.func
        if isinstance(function, ast.Attribute):
            owner = self.value(function.value, scope)
            if isinstance(owner, Several) and function.attr in ("append", "extend", "insert", "pop", "clear"):
                return self._changed(owner, function.attr, node, scope)
        else:
            owner = None
        args, keywords = self._arguments(node, scope)
        if isinstance(function, ast.Attribute) and owner is not None:
            return self._of(owner, function.attr, args, keywords, scope)
        called = self.value(function, scope)
        if isinstance(called, Module):
            return self.module(called, args, keywords, scope)
        if isinstance(called, Name):
            return self._global(called.dotted, args, keywords, scope)
        return self.taint(args)

    def _arguments(self, node: ast.Call, scope: Scope) -> tuple[list[Held] | None, dict[str, Held]]:
        given: list[Held] | None = []
        for arg in node.args:
            if isinstance(arg, ast.Starred):
                inner = self.value(arg.value, scope)
                more = inner.items if isinstance(inner, Several) else None
                given = None if given is None or more is None else [*given, *more]
            else:
                held = self.value(arg, scope)
                given = None if given is None else [*given, held]
        keywords = {k.arg or "**": self.value(k.value, scope) for k in node.keywords}
        return given, keywords

    def _changed(self, held: Several, method: str, node: ast.Call, scope: Scope) -> Held:
        args, _ = self._arguments(node, scope)
        if held.items is not None and args is not None and len(args) == 1 and method == "append":
            held.items.append(args[0])
            return Constant(None)
        more = self.items(args[0], scope) if args and method == "extend" else None
        held.items = None if more is None or held.items is None else [*held.items, *more]
        return Constant(None)

    def _of(
        self,
        owner: Held,
        name: str,
        args: list[Held] | None,
        keywords: dict[str, Held],
        scope: Scope,
    ) -> Held:
        """Return what a method returns."""
        if isinstance(owner, Module):
            if not owner.attribute and owner.path == scope.path:
                callee = self.source.method(scope.type, name)
                if callee is not None:
                    return self.function(callee, [owner, *args] if args is not None else None, keywords, scope)
            return self.module(Module(join(owner), name), args, keywords, scope)
        if isinstance(owner, Name):
            return self._global(f"{owner.dotted}.{name}", args, keywords, scope)
        if isinstance(owner, Variable) and args is not None:
            return self.call(name, [owner, *args], keywords, scope)
        self.taint((owner,))
        return self.taint(args)

    def _global(self, dotted: str, args: list[Held] | None, keywords: dict[str, Held], scope: Scope) -> Held:
        if dotted in ("list", "tuple") and args is not None and len(args) == 1 and not keywords:
            return Several(self.items(args[0], scope))
        callee = self.source.functions.get(dotted)
        if callee is not None:
            return self.function(callee, args, keywords, scope)
        root, _, name = dotted.rpartition(".")
        if root.partition(".")[0] in _FUNCTIONS and not name[:1].isupper():
            return self.call(name, [UNFOLLOWED] if args is None else args, keywords, scope)
        return self.taint(args)

    def call(self, name: str, args: Sequence[Held], keywords: Mapping[str, Held], scope: Scope) -> Held:
        """Return what a function or method of torch returns, by its plain name."""
        if name in operators.NUMBERS:
            first = args[0] if args else None
            return ShapeOf(first) if name == "size" and isinstance(first, Variable) and len(args) == 1 else UNFOLLOWED
        taken = [v for a in [*args, *keywords.values()] for v in _variables(a)]
        if name in operators.CREATES:
            taken = []
        elif name in operators.OF_LISTS and isinstance(args[0] if args else None, Variable):
            taken = [None, *taken[1:]]
        base = next((v for v in taken if v is not None), None)
        if name in operators.INPLACE and base is not None:
            return base  # in place: the type stays, but the recorded name is the earlier tensor's
        axes = _integers([*args, *keywords.values()])
        had = any(v is not None and v.name for v in taken)
        window = scope.window
        step = matched(
            scope.window,
            scope.place,
            name,
            taken,
            axes,
            self.trail,
            self.program.is_number,
            lambda: self.times(name, scope),
        )
        if step is not None:
            self.matches += had and self.times(name, scope) == counted(window, scope.place, operators.recorded_as(name))
            return self.result(step)
        if name in ("chunk", "split", "tensor_split", "split_with_sizes") and base is not None:
            parts = self.program.split(base.name)
            return Several([Variable(like=fact) for fact in parts] if parts else None)
        if name in operators.SEVERAL and name not in ("max", "min", "median", "mode"):
            return Several(None)
        return Variable(like=self._like(name, base, args, keywords))

    def _like(
        self, name: str, base: Variable | None, args: Sequence[Held], keywords: Mapping[str, Held]
    ) -> Variable | Fact | None:
        """Return what is known of a result without a recorded operation, derived from its operands."""
        if base is None:
            return None
        if name in operators.SAME:
            return base
        fact = self.fact(base)
        if name in operators.CASTS:
            return cast(fact, name, [*args[1:], *keywords.values()], self.fact)
        if "dtype" in keywords or base is not args[0]:
            return None
        if name in operators.FLOATING:
            return like(fact)
        other = args[1] if len(args) == 2 else None
        if name in ("expand_as", "view_as", "reshape_as") and isinstance(other, Variable):
            target = self.fact(other)
            known = fact is not None and target is not None and target.shape is not None
            return tensor(fact.dtype, target.shape, None) if known else None  # type: ignore[union-attr]
        if name in ("new_zeros", "new_ones", "new_empty"):
            sizes = _integers(args[1:])
            known = fact is not None and sizes is not None and min(sizes, default=0) >= 0
            return tensor(fact.dtype, tuple(sizes), None) if known else None  # type: ignore[union-attr, arg-type]
        if name.endswith("_like") and len(args) == 1:
            return None if fact is None or fact.shape is None else tensor(fact.dtype, fact.shape, None)
        if name in BINARY.values() and len(args) == 2 and isinstance(args[1], Constant):
            return scaled(fact, args[1].value)
        return moved(fact, name, _integers([*args[1:], *keywords.values()]))

    def result(self, step: Step) -> Held:
        """Return what a step computes: a tensor, or several."""
        parts = self.program.parts(step)
        if parts is None:
            return Variable(step.operation.name)
        if not parts:
            return Several(None)
        return Several([Variable(p) for p in parts])

    # Implemented by subclasses.

    def function(self, callee: Callee, args: list[Held] | None, keywords: dict[str, Held], scope: Scope) -> Held:
        raise NotImplementedError

    def module(self, module: Module, args: list[Held] | None, keywords: dict[str, Held], scope: Scope) -> Held:
        raise NotImplementedError

    def times(self, name: str, scope: Scope) -> int:
        raise NotImplementedError


def _variables(held: Held) -> list[Variable | None]:
    """Return the tensors of an argument, None in place of each value that may be a tensor."""
    if isinstance(held, Variable):
        return [held]
    if isinstance(held, Several):
        return [None] if held.items is None else [v for item in held.items for v in _variables(item)]
    return [None] if isinstance(held, (Unfollowed, Module)) else []


def _integers(held: Iterable[Held]) -> list[int] | None:
    """Return the integers of arguments, None if some are unknown."""
    found: list[int] = []
    for one in held:
        if isinstance(one, Several) and one.items is not None:
            inner = _integers(one.items)
            if inner is None:
                return None
            found += inner
        elif isinstance(one, Constant):
            if isinstance(one.value, int) and not isinstance(one.value, bool):
                found.append(one.value)
        elif not isinstance(one, (Variable, DtypeOf, Name)):
            return None
    return found
