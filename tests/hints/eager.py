"""Run a program and write down, for every statement, the values it computed.

Needs torch alone. The program is rewritten before it is compiled: ``x = f(y)`` becomes ``x = seen(line, f(y))``, so
what is written down is the very object that was assigned or returned, and nothing else about the program changes.
"""

from __future__ import annotations

import ast
import importlib.machinery
import importlib.util
import sys
from types import ModuleType
from typing import Any

SEEN = "__seen__"
NAMES = {
    "float16": "f16",
    "bfloat16": "bf16",
    "float32": "f32",
    "float64": "f64",
    "complex64": "c64",
    "complex128": "c128",
    "bool": "bool",
    **{f"{u}int{n}": f"{u[:1] or 'i'}{n}" for u in ("", "u") for n in (8, 16, 32, 64)},
}


class Seen:
    """What statements computed while ``on``: by file and first line, the module that it ran in and the value."""

    def __init__(self) -> None:
        self.on = False
        self.paths: dict[int, str] = {}
        self.found: dict[str, dict[int, list[list[Any]]]] = {}

    def __call__(self, line: int, value: Any) -> Any:
        if self.on:
            frame = sys._getframe(1)
            own = self.paths.get(id(frame.f_locals.get("self")), None)
            of_file = self.found.setdefault(frame.f_code.co_filename, {})
            of_file.setdefault(line, []).append([own, described(value)])
        return value


def described(value: Any) -> Any:
    """A tensor as ``f32[2, 3]``, a tuple or list as a list, another object as None."""
    import torch

    if isinstance(value, torch.Tensor):
        return f"{NAMES[str(value.dtype).removeprefix('torch.')]}[{', '.join(map(str, value.shape))}]"
    if type(value) in (tuple, list, torch.Size) or (isinstance(value, tuple) and hasattr(value, "_fields")):
        return [described(v) for v in value]
    if type(value).__module__ == "torch.return_types":
        return [described(v) for v in value]
    return None


class Rewriter(ast.NodeTransformer):
    """Wraps the value of every assignment and return."""

    def _seen(self, line: int, value: ast.expr) -> ast.expr:
        call = ast.Call(ast.Name(SEEN, ast.Load()), [ast.Constant(line), value], [])
        return ast.copy_location(call, value)

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        self.generic_visit(node)
        node.value = self._seen(node.lineno, node.value)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AnnAssign:
        self.generic_visit(node)
        if node.value is not None:
            node.value = self._seen(node.lineno, node.value)
        return node

    def visit_Return(self, node: ast.Return) -> ast.Return:
        self.generic_visit(node)
        if node.value is not None:
            node.value = self._seen(node.lineno, node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        self.generic_visit(node)
        if not isinstance(node.target, ast.Name):
            return node
        after = ast.Expr(self._seen(node.lineno, ast.Name(node.target.id, ast.Load())))
        return [node, ast.copy_location(after, node)]


class Loader(importlib.machinery.SourceFileLoader):
    """Loads a module with its statements written down."""

    seen: Seen

    def source_to_code(self, data: Any, path: Any, *, _optimize: int = -1) -> Any:  # type: ignore[override]
        tree = ast.fix_missing_locations(Rewriter().visit(ast.parse(data, path)))
        return compile(tree, path, "exec", dont_inherit=True)

    def get_code(self, fullname: str) -> Any:  # never from or into __pycache__
        return self.source_to_code(self.get_data(self.path), self.path)

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__[SEEN] = self.seen
        super().exec_module(module)


class Finder:
    """Finds modules whose names start alike, before others do, to be loaded with statements written down."""

    def __init__(self, prefixes: tuple[str, ...], seen: Seen) -> None:
        self.prefixes, self.seen = prefixes, seen

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if not name.startswith(self.prefixes):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = Loader(spec.loader.name, spec.loader.path)
            spec.loader.seen = self.seen
        return spec


def watch(*prefixes: str) -> Seen:
    """Write down what statements of modules compute, from their import on."""
    seen = Seen()
    sys.meta_path.insert(0, Finder(prefixes, seen))
    return seen


def run(seen: Seen, net: Any, *args: Any, **kwargs: Any) -> dict[str, dict[int, list[list[Any]]]]:
    """Run a net once and return what its statements computed."""
    import torch

    seen.found = {}
    seen.paths = {id(module): path for path, module in net.named_modules()}
    seen.on = True
    try:
        with torch.no_grad():
            net(*args, **kwargs)
    finally:
        seen.on = False
    return seen.found
