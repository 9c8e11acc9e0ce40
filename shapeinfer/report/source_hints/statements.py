"""The statements of a Python program, as far as hints need them: which lines, which value, whether it repeats."""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from attrs import evolve, field, frozen

BINARY: Mapping[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.FloorDiv: "floor_divide",
    ast.Mod: "remainder",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
}
LONGEST = 200
"""Lines that an exporter recorded of other files are parsed up to so many characters: they are a stranger's text."""
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_REPEATING = (
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
    ast.Lambda,
    ast.Yield,
    ast.YieldFrom,
    ast.Await,
)
_COLLECTIONS = (ast.Tuple, ast.List, ast.Dict, ast.Set, ast.Starred, ast.JoinedStr, ast.Constant, ast.BoolOp)
_BUILTINS = frozenset(vars(builtins))


@frozen(eq=False, repr=False)
class Function:
    """A function of the program, or what is outside of any."""

    body: list[ast.stmt] = field(factory=list)

    @property
    def returns_one(self) -> bool:
        """Whether no ``return`` of it gives several values, as far as its own text says."""
        every = [*inside(self.body)]
        several = {
            target.id
            for s in every
            if isinstance(s, (ast.Assign, ast.AugAssign, ast.AnnAssign)) and s.value and _is_several(s.value, set())
            for target in _targets(s)
            if isinstance(target, ast.Name)
        }
        return not any(isinstance(s, ast.Return) and s.value and _is_several(s.value, several) for s in every)


@frozen(eq=False, repr=False)
class Place:
    """What is around a statement: its function, the name of the class that this is a method of, loops, conditions."""

    function: Function = field(factory=Function)
    type: str = ""
    in_loop: bool = False
    is_conditional: bool = False
    """Whether it may not run although its function does."""


@frozen(eq=False, repr=False)
class Statement:
    """A statement that computes a value and keeps or returns it: where it stands and what it does last.

    ``targets`` is how many names the value is unpacked into, None where it is not and -1 where they are nested.
    ``operation`` is the name of what is called last, or of the operator in torch's words; ``operations`` counts all.
    """

    first: int
    last: int
    operation: str
    operations: Counter[str]
    targets: int | None
    calls: int
    place: Place
    is_several: bool = False
    """Whether its text says that the value is, or may be, no tensor."""


def parsed(source: bytes) -> ast.Module:
    """Return the syntax tree of a program. Raises SyntaxError, with Python's reason, for what is no program."""
    try:
        return ast.parse(source)
    except (ValueError, RecursionError, MemoryError) as error:
        raise SyntaxError(str(error) or "it is nested too deeply") from None


def statements(tree: ast.Module) -> dict[int, Statement | None]:
    """Return the statements of a program by their lines; None for a line of several."""
    found: dict[int, Statement | None] = {}
    for statement in _of_block(tree.body):
        for line in range(statement.first, statement.last + 1):
            found[line] = None if line in found else statement
    return found


def _of_block(body: Iterable[ast.stmt]) -> Iterator[Statement]:
    """Walk blocks in blocks without recursion."""
    pending = [(s, Place()) for s in body]
    while pending:
        node, place = pending.pop()
        if isinstance(node, ast.ClassDef):
            pending += [(s, Place(place.function, node.name)) for s in node.body]
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            inner = Place(Function(node.body), place.type)
            pending += [(s, inner) for s in node.body]
        elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return)):
            if node.value is not None:
                yield _statement(node, node.value, place)
        else:
            is_with = isinstance(node, (ast.With, ast.AsyncWith))
            inner = evolve(
                place,
                in_loop=place.in_loop or isinstance(node, _LOOPS),
                is_conditional=place.is_conditional or not is_with,
            )
            pending += [(s, inner) for s in _blocks(node)]


def _statement(
    node: ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Return, value: ast.expr, place: Place
) -> Statement:
    parts = [*ast.walk(value)]
    operations = Counter(map(operation_of, parts))
    del operations[""]
    operation = operation_of(value)
    if isinstance(node, ast.AugAssign):
        operation = BINARY.get(type(node.op), "")
        operations[operation] += 1
    targets = [t for t in _targets(node) if isinstance(t, (ast.Tuple, ast.List))]
    unpacked = [len(t.elts) if _is_flat(t) else -1 for t in targets]
    repeats = place.in_loop or any(isinstance(n, _REPEATING) for n in parts)
    return Statement(
        node.lineno,
        node.end_lineno or node.lineno,
        operation,
        operations,
        unpacked[0] if unpacked else None,
        sum(isinstance(n, ast.Call) for n in parts),
        evolve(place, in_loop=repeats),
        _is_several(value, set()),
    )


def _targets(node: ast.stmt) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, (ast.AnnAssign, ast.AugAssign)) else []


def _is_flat(target: ast.Tuple | ast.List) -> bool:
    return not any(isinstance(e, (ast.Tuple, ast.List, ast.Starred)) for e in target.elts)


def operation_of(node: ast.AST) -> str:
    """Return the name of the function that an expression calls, or torch's name of its operator."""
    if isinstance(node, ast.Call):
        return _called(node.func)
    return BINARY.get(type(node.op), "") if isinstance(node, ast.BinOp) else ""


def _called(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _is_several(value: ast.expr, names: set[str]) -> bool:
    """Whether a value is, or may be, no tensor but a collection of them or an object of a class.

    ``names`` are the variables that hold such. A call of a class is told by its name.
    """
    if isinstance(value, ast.Name):
        return value.id in names
    if isinstance(value, ast.Call):
        called = _called(value.func)
        if isinstance(value.func, ast.Name):
            return called[:1].isupper() or called in _BUILTINS
        # A module may be kept in an attribute of any name.
        return called[:1].isupper() and not _is_of_self(value.func)
    if isinstance(value, ast.IfExp):
        return _is_several(value.body, names) or _is_several(value.orelse, names)
    if isinstance(value, ast.BinOp):
        return _is_several(value.left, names) and not isinstance(value.left, ast.Constant)
    return isinstance(value, (*_COLLECTIONS, *_REPEATING))


def _is_of_self(function: ast.expr) -> bool:
    return isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "self"


def returns_tensor(line: str) -> bool:
    """Whether a line of another file is a whole ``return`` of one value."""
    if not line.startswith("return ") or len(line) > LONGEST:
        return False
    try:
        (statement,) = ast.parse(line).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    value = statement.value if isinstance(statement, ast.Return) else None
    return isinstance(value, (ast.Call, ast.BinOp)) and not _is_several(value, set())


def inside(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Iterate over the statements of a function, without those of functions inside it."""
    pending = [*body]
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            pending += _blocks(node)


def _blocks(node: ast.stmt) -> Iterator[ast.stmt]:
    """Iterate over the statements directly inside a compound one."""
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.stmt):
            yield part
        elif isinstance(part, (ast.ExceptHandler, ast.match_case)):
            yield from part.body
