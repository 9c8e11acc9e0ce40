"""The folder stands in layers: import-linter checks them, and only imports of what loads sympy hide in functions."""

import ast
from pathlib import Path

import pytest

from shapeinfer import dims

FOLDER = Path(dims.__file__).parent
MODULES = sorted(FOLDER.rglob("*.py"))
LOADS_SYMPY = "shapeinfer.dims.notation.sympified."


def imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return ["." * node.level + (node.module or "")]
    return [name.name for name in node.names] if isinstance(node, ast.Import) else []


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(FOLDER).as_posix())
def test_a_module_imports_others_of_the_package_at_its_top(module: Path) -> None:
    tree = ast.parse(module.read_text(encoding="utf-8"))
    for_types = [s for s in tree.body if isinstance(s, ast.If) and ast.unparse(s.test) == "TYPE_CHECKING"]
    at_top = {id(s) for body in (tree.body, *(s.body for s in for_types)) for s in body}
    hidden = [
        f"line {node.lineno}: {name}"
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom)) and id(node) not in at_top
        for name in imported(node)
        if name.startswith((".", "shapeinfer")) and not name.startswith(LOADS_SYMPY)
    ]
    assert hidden == []
