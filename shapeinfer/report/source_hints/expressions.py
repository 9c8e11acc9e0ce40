"""Abstract interpretation of expressions: their values, from the AST, the variables and the recorded operations."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence

from attrs import define, field

from shapeinfer.facts import Fact
from shapeinfer.report.source_hints.recorded import Recorded
from shapeinfer.report.source_hints.runs import Step
from shapeinfer.report.source_hints.shapes import indexed
from shapeinfer.report.source_hints.source import Callee, Source
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
from shapeinfer.report.source_hints.windows import Place, Trail, Window

DEEPEST = 40
"""The deepest nesting of expressions and calls that is evaluated."""
MOST = 200_000
"""The most expressions that are evaluated in one program."""
LONGEST_LOOP = 256
_COMPARED: Mapping[type[ast.cmpop], str] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
}
_BITWISE: Mapping[type[ast.operator], str] = {ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "bitwise_xor"}
_UNARY: Mapping[type[ast.unaryop], str] = {ast.USub: "neg", ast.Invert: "invert"}
_FUNCTIONS = frozenset({"torch", "F", "nn"})
_INDEXING = frozenset({"slice", "select", "unsqueeze", "index", "alias"})


@define(eq=False, repr=False)
class Scope:
    """The stack frame of an interpreted call: function, module, variables, and the steps that it may have executed."""

    callee: Callee
    path: str | None
    depth: int
    """The index of its stack frame in the recorded stacks; if it has no lines, that of its nearest caller that has."""
    has_lines: bool
    steps: Sequence[Step]
    window: Window
    variables: dict[str, Held] = field(factory=dict)
    type: str = ""
    """The class of its module, empty if unknown; the function may be a method of a base class."""
    statement: ast.stmt | None = None
    """The statement that is being interpreted."""

    @property
    def place(self) -> Place:
        return Place(self.path, self.depth)


class Expressions:
    """Evaluates expressions; subclasses evaluate calls."""

    def __init__(self, program: Recorded, source: Source) -> None:
        self.program, self.source = program, source
        self.trail = Trail([])
        self.matches = 0
        """The number of calls matched with an operation by an operand that was known before."""
        self._deep = 0
        self._followed = 0

    def value(self, node: ast.expr, scope: Scope) -> Held:
        """Return the abstract value of an expression."""
        self._followed += 1
        if self._deep > DEEPEST or self._followed > MOST:
            return UNFOLLOWED
        self._deep += 1
        try:
            follow = _FOLLOW.get(type(node))
            return UNFOLLOWED if follow is None else follow(self, node, scope)
        finally:
            self._deep -= 1

    def items(self, held: Held, scope: Scope, count: int | None = None) -> list[Held] | None:
        """Return the items of a value, ``count`` ones if their number is unknown; None if that is unknown too."""
        if isinstance(held, Several):
            if held.items is None:
                return None if count is None else [UNFOLLOWED] * count
            return list(held.items)
        if isinstance(held, Module):
            if count is None:
                count = self._children(held, scope)
            return [Module(join(held, str(i))) for i in range(count)] if count else None
        return None if count is None else [UNFOLLOWED] * count

    def looped(self, node: ast.expr, scope: Scope, count: int | None = None) -> list[Held] | None:
        """Return the items that a loop over an expression visits; supports zip, enumerate and range."""
        name = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
        if isinstance(node, ast.Call) and not node.keywords and name in ("zip", "enumerate", "range", "reversed"):
            if name == "range":
                end = self.value(node.args[0], scope) if len(node.args) == 1 else UNFOLLOWED
                if isinstance(end, Constant) and isinstance(end.value, int) and end.value <= LONGEST_LOOP:
                    return [Constant(i) for i in range(end.value)]
                return None if count is None else [UNFOLLOWED] * count
            held = [(arg, self.value(arg, scope)) for arg in node.args]
            known = [len(h.items) for _, h in held if isinstance(h, Several) and h.items is not None]
            shortest = min(known) if known and name == "zip" else count
            parts = [self.items(h, scope, shortest) for _, h in held]
            if not parts or any(p is None for p in parts):
                return None
            lists = [p for p in parts if p is not None]
            if name == "zip":
                return [Several(list(row)) for row in zip(*lists)]
            if name == "reversed":
                return lists[0][::-1] if isinstance(held[0][1], Several) else None
            return [Several([Constant(i), item]) for i, item in enumerate(lists[0])] if len(lists) == 1 else None
        return self.items(self.value(node, scope), scope, count)

    def _children(self, held: Module, scope: Scope) -> int:
        """Return how many modules of a list ran, if these are its first ones."""
        start = f"{join(held)}."
        found = {
            m.path[len(start) :].partition(".")[0]
            for step in scope.window.rest()
            for m in step.operation.modules
            if m.path.startswith(start)
        }
        return len(found) if found == {str(i) for i in range(len(found))} else 0

    # Kinds of expressions.

    def _name(self, node: ast.Name, scope: Scope) -> Held:
        return scope.variables.get(node.id) or Name(node.id)

    def _constant(self, node: ast.Constant, _: Scope) -> Held:
        return Constant(node.value)

    def _tuple(self, node: ast.Tuple | ast.List, scope: Scope) -> Held:
        found: list[Held] = []
        for element in node.elts:
            if isinstance(element, ast.Starred):
                inner = self.value(element.value, scope)
                if not isinstance(inner, Several) or inner.items is None:
                    return Several(None)
                found += inner.items
            else:
                found.append(self.value(element, scope))
        return Several(found, isinstance(node, ast.Tuple))

    def _attribute(self, node: ast.Attribute, scope: Scope) -> Held:
        held = self.value(node.value, scope)
        name = node.attr
        if isinstance(held, Module):
            found = self.program.parameter(join(held, name))
            return Module(join(held), name) if found is None else found
        if isinstance(held, Name):
            return Name(f"{held.dotted}.{name}")
        if isinstance(held, Several):
            at = {"values": 0, "indices": 1}.get(name)
            return held.items[at] if at is not None and held.items and len(held.items) == 2 else UNFOLLOWED
        if isinstance(held, Variable):
            if name == "shape":
                return ShapeOf(held)
            if name == "dtype":
                return DtypeOf(held)
            if name == "data":
                return held
            if name in ("T", "mT"):
                return self.call(name, [held], {}, scope)
        return UNFOLLOWED

    def _binary(self, node: ast.BinOp, scope: Scope) -> Held:
        name = BINARY.get(type(node.op)) or _BITWISE.get(type(node.op), "")
        left, right = self.value(node.left, scope), self.value(node.right, scope)
        return self.operation(name, left, right, node, scope)

    def operation(self, name: str, left: Held, right: Held, node: ast.AST, scope: Scope) -> Held:
        """Return what a binary operator computes."""
        if isinstance(left, Several) or isinstance(right, Several):
            if name == "add" and isinstance(left, Several) and isinstance(right, Several):
                found = None if left.items is None or right.items is None else [*left.items, *right.items]
                if isinstance(node, ast.AugAssign):
                    left.items = found
                    return left
                return Several(found)
            self.taint((left, right))
            return Several(None)
        if isinstance(left, Variable) or isinstance(right, Variable):
            return self.call(name, [left, right], {}, scope)
        return UNFOLLOWED

    def _unary(self, node: ast.UnaryOp, scope: Scope) -> Held:
        held = self.value(node.operand, scope)
        if isinstance(held, Constant) and isinstance(held.value, (int, float)) and isinstance(node.op, ast.USub):
            return Constant(-held.value)
        name = _UNARY.get(type(node.op))
        return self.call(name, [held], {}, scope) if isinstance(held, Variable) and name else UNFOLLOWED

    def _compare(self, node: ast.Compare, scope: Scope) -> Held:
        if len(node.ops) != 1:
            return UNFOLLOWED
        left, right = self.value(node.left, scope), self.value(node.comparators[0], scope)
        op = node.ops[0]
        if isinstance(op, (ast.Is, ast.IsNot)):
            none = right == Constant(None)
            unsure = isinstance(left, Variable) and not (left.is_certain or left.name or left.like)
            if isinstance(left, Module) and none and self.program.has_run(join(left)):
                return Constant(isinstance(op, ast.IsNot))
            if none and not unsure and not isinstance(left, (Unfollowed, Module, Name)):
                return Constant((left == Constant(None)) == isinstance(op, ast.Is))
            return UNFOLLOWED
        if isinstance(left, Constant) and isinstance(right, Constant) and isinstance(op, (ast.Eq, ast.NotEq)):
            return Constant((left.value == right.value) == isinstance(op, ast.Eq))
        name = _COMPARED.get(type(op))
        return self.operation(name, left, right, node, scope) if name else UNFOLLOWED

    def truth(self, node: ast.expr, scope: Scope) -> bool | None:
        """Return whether a condition holds, None where that is not known."""
        if isinstance(node, ast.BoolOp):
            parts = [self.truth(v, scope) for v in node.values]
            decisive = isinstance(node.op, ast.Or)
            if decisive in parts:
                return decisive
            return None if None in parts else not decisive
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self.truth(node.operand, scope)
            return None if inner is None else not inner
        held = self.value(node, scope)
        return bool(held.value) if isinstance(held, Constant) else None

    def _either(self, node: ast.IfExp, scope: Scope) -> Held:
        truth = self.truth(node.test, scope)
        return UNFOLLOWED if truth is None else self.value(node.body if truth else node.orelse, scope)

    def _listed(self, node: ast.ListComp | ast.GeneratorExp, scope: Scope) -> Held:
        (loop, *more) = node.generators
        items = self.looped(loop.iter, scope)
        if more or loop.ifs or items is None or len(items) > LONGEST_LOOP:
            return Several(None)
        hidden = dict(scope.variables)
        found = []
        for item in items:
            self.bind(loop.target, item, scope)
            found.append(self.value(node.elt, scope))
        scope.variables = hidden
        return Several(found)

    def _walrus(self, node: ast.NamedExpr, scope: Scope) -> Held:
        held = self.value(node.value, scope)
        self.bind(node.target, held, scope)
        return held

    def _subscript(self, node: ast.Subscript, scope: Scope) -> Held:
        held = self.value(node.value, scope)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if isinstance(held, (Several, Module)):
            index = self.value(node.slice, scope) if not isinstance(node.slice, ast.Slice) else None
            at = index.value if isinstance(index, Constant) else None
            if isinstance(held, Module):
                return Module(join(held, str(at))) if isinstance(at, int) and at >= 0 else held
            if isinstance(at, int) and held.items is not None and -len(held.items) <= at < len(held.items):
                return held.items[at]
            return UNFOLLOWED
        if not isinstance(held, Variable):
            return UNFOLLOWED
        read = [p if isinstance(p, ast.Slice) else self.value(p, scope) for p in parts]
        return self._indexed(held, read, scope)

    def _indexed(self, base: Variable, parts: Sequence[ast.Slice | Held], scope: Scope) -> Held:
        """Return what an index takes from a tensor: each part of it is an operation of its own."""
        found = Variable(like=indexed(self.fact(base), parts))
        wanted = sum(not _is_whole(p) for p in parts)
        current, steps = base.name, 0
        for at in range(scope.window.at, len(scope.window.steps)):
            step = scope.window.steps[at]
            if base.name is None or step.operator not in _INDEXING or not scope.place.has(step):
                continue
            (read, *_) = step.operation.operands or ("",)
            whole = found.like is not None and self.program.is_slice(read) and any(map(_is_whole, parts))
            if (read == current or whole) and _is_still(step, wanted, steps):
                current = step.operation.name
                steps += step.operator != "alias"
                scope.window.at = at + 1
        if steps >= max(1, wanted):
            found.name = current
        return found

    def taint(self, args: Iterable[Held] | None) -> Held:
        """Return the result of an unknown function; the items of lists passed to it become unknown."""
        pending = [*(args or ())]
        while pending:
            held = pending.pop()
            if isinstance(held, Several):
                pending += held.items or ()
                held.items = held.items if held.is_tuple else None
        return UNFOLLOWED

    # Implemented by subclasses.

    def called(self, node: ast.Call, scope: Scope) -> Held:
        raise NotImplementedError

    def call(self, name: str, args: Sequence[Held], keywords: Mapping[str, Held], scope: Scope) -> Held:
        raise NotImplementedError

    def fact(self, variable: Variable) -> Fact | None:
        raise NotImplementedError

    def bind(self, target: ast.expr, held: Held, scope: Scope) -> None:
        raise NotImplementedError


_FOLLOW: dict[type[ast.expr], Callable[..., Held]] = {
    ast.Name: Expressions._name,
    ast.Constant: Expressions._constant,
    ast.Tuple: Expressions._tuple,
    ast.List: Expressions._tuple,
    ast.Attribute: Expressions._attribute,
    ast.BinOp: Expressions._binary,
    ast.UnaryOp: Expressions._unary,
    ast.Compare: Expressions._compare,
    ast.IfExp: Expressions._either,
    ast.ListComp: Expressions._listed,
    ast.GeneratorExp: Expressions._listed,
    ast.NamedExpr: Expressions._walrus,
    ast.Subscript: Expressions._subscript,
    ast.Call: lambda self, node, scope: self.called(node, scope),
}


def join(module: Module, *more: str) -> str:
    """Return the path of an attribute of a module."""
    return ".".join(filter(None, (module.path, module.attribute, *more)))


def _is_whole(part: ast.Slice | Held) -> bool:
    """Whether a part of an index takes a whole axis."""
    if isinstance(part, ast.Slice):
        return part.lower is None and part.upper is None and part.step is None
    return part == Constant(Ellipsis)


def _is_still(step: Step, wanted: int, taken: int) -> bool:
    return step.operator in ("slice", "alias") or taken <= wanted
