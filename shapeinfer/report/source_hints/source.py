"""The functions and classes of a Python file, by name and by line."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterator

from attrs import define, field, frozen

from shapeinfer.report.source_hints.operators import words
from shapeinfer.report.source_hints.statements import Function, inside

MOST_BASES = 16
TRANSPARENT = frozenset({"no_grad", "inference_mode", "enable_grad", "override", "abstractmethod"})
"""Decorators that change nothing of what a function returns."""
RESHAPES = words("unsqueeze_ squeeze_ transpose_ t_ swapaxes_ swapdims_ as_strided_ resize_ resize_as_ set_")
"""Methods that change the shape of a tensor in place, whatever names it has."""


@frozen(eq=False, repr=False)
class Callee:
    """A function of the file, and the class that it is a method of, empty for none."""

    node: ast.FunctionDef | ast.AsyncFunctionDef
    type: str = ""

    @property
    def is_odd(self) -> bool:
        """Whether a call does more, or less, than run its body with the given arguments, as for a generator."""
        marks = (d.func if isinstance(d, ast.Call) else d for d in self.node.decorator_list)
        return (
            isinstance(self.node, ast.AsyncFunctionDef)
            or not {getattr(m, "id", getattr(m, "attr", "")) for m in marks} <= TRANSPARENT
            or any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in ast.walk(self.node))
        )


@define(eq=False, repr=False)
class _Class:
    bases: list[str]
    methods: dict[str, Callee] = field(factory=dict)
    layers: dict[str, set[str]] = field(factory=dict)
    """The classes of the values that methods assign to an attribute; an empty name for an unknown one."""


class Source:
    """A file's functions and classes."""

    def __init__(self, tree: ast.Module) -> None:
        self.functions: dict[str, Callee] = {}
        self.classes: dict[str, _Class] = {}
        self._all: list[Callee] = []
        names = (getattr(n, "attr", None) or getattr(n, "id", "") for n in ast.walk(tree))
        self.pads = any(name == "pad" or "Pad" in name for name in names if isinstance(name, str))
        """Whether it uses a function or class that pads, which may have been fused into a convolution."""
        self.reshapes = any(isinstance(n, ast.Attribute) and n.attr in RESHAPES for n in ast.walk(tree))
        """Whether it changes the shape of a tensor in place: then a name tells nothing of what it holds."""
        repeated = set(_rebound(tree))
        for node in tree.body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                found = Callee(node)
                if node.name in self.functions:
                    repeated.add(node.name)
                self.functions[node.name] = found
                self._all.append(found)
            elif isinstance(node, ast.ClassDef):
                self._add(node)
        self._methods = {c.node.name: c for c in self._all if c.type}
        self._in_order = sorted(self._all, key=lambda c: c.node.lineno)
        self._starts = [c.node.lineno for c in self._in_order]
        for name in repeated:
            self.functions.pop(name, None)

    def _add(self, node: ast.ClassDef) -> None:
        found = _Class([b.id if isinstance(b, ast.Name) else "" for b in node.bases])
        for inner in node.body:
            if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)):
                callee = Callee(inner, node.name)
                found.methods[inner.name] = callee
                self._all.append(callee)
                for attribute, kinds in _assigned(inner):
                    found.layers.setdefault(attribute, set()).update(kinds)
        self.classes[node.name] = found

    def several(self) -> frozenset[str]:
        """Return the names of functions and methods of which one may return several values."""
        return frozenset(c.node.name for c in self._all if not Function(c.node.body).returns_one)

    def at(self, line: int) -> Callee | None:
        """Return the function, not inside another one, that a line is in."""
        at = bisect_right(self._starts, line) - 1
        found = self._in_order[at] if at >= 0 else None
        return found if found is not None and line <= (found.node.end_lineno or 0) else None

    def method(self, type_: str, name: str) -> Callee | None:
        """Return a method of a class or of its bases, as far as they are in the file."""
        for found in self._bases(type_):
            if name in found.layers:
                return None
            if name in found.methods:
                return found.methods[name]
        return None

    def any_method(self, name: str) -> Callee | None:
        """Return a method of that name of any class."""
        return self._methods.get(name)

    def layer(self, type_: str, attribute: str) -> frozenset[str]:
        """Return the classes that an attribute of a class may be set to; none, or an empty name, where unknown."""
        names: set[str] = set()
        for found in self._bases(type_):
            names |= found.layers.get(attribute, set())
        return frozenset(names)

    def may_derive(self, type_: str, base: str) -> bool:
        """Return whether a class may be, or inherit from, one of the file: true for classes of other files."""
        return type_ not in self.classes or any(found is self.classes.get(base) for found in self._bases(type_))

    def _bases(self, type_: str) -> Iterator[_Class]:
        pending, seen = [type_], 0
        while pending and seen < MOST_BASES:
            found = self.classes.get(pending.pop(0))
            seen += 1
            if found is not None:
                yield found
                pending += found.bases


def _rebound(tree: ast.Module) -> Iterator[str]:
    """Yield the names outside of functions that may stand for something else than a function defined there."""
    outermost = {id(node) for node in tree.body}
    for node in inside(tree.body):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if isinstance(node, ast.ClassDef) or id(node) not in outermost:
                yield node.name
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from (name.asname or name.name for name in node.names)
        else:
            yield from (n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    yield from (name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names)


def _assigned(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[tuple[str, set[str]]]:
    for node in ast.walk(function):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        for target in targets:
            pair = isinstance(target, (ast.Tuple, ast.List))
            for one in target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]:
                if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id == "self":
                    value = getattr(node, "value", None)
                    yield one.attr, {""} if pair else _classes(value)


def _classes(value: ast.expr | None) -> set[str]:
    if isinstance(value, ast.IfExp):
        return _classes(value.body) | _classes(value.orelse)
    if isinstance(value, ast.Call):
        function = value.func
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "nn":
            return {function.attr}
        if isinstance(function, ast.Name):
            return {function.id}
    return {""}
