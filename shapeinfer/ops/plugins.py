"""Rules from a user's own file: a Python module with ``@rule`` functions, or a TOML file with formulas."""

from __future__ import annotations

import importlib.util
import sys
import threading
from pathlib import Path
from typing import Any

from shapeinfer.ops import registry, signature
from shapeinfer.ops.formula import FormulaError, declare_formula

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_loaded: set[Path] = set()
_loading = threading.RLock()
"""Held while a file is loaded, which may load another: of several threads one registers its rules."""


class RulesError(ValueError):
    """A file of rules cannot be read; the message says which file and why."""


def load_file(path: Path) -> None:
    """Register the rules of a file, once. Raises RulesError."""
    path = path.resolve()
    with _loading:
        if path in _loaded:
            return
        registry.load()
        if path.suffix == ".py":
            _run(path)
        elif path.suffix == ".toml":
            _declare(path)
        else:
            raise RulesError(f"{path.name}: rules are Python (.py) or formulas (.toml)")
        _loaded.add(path)
        signature.forget()


def _run(path: Path) -> None:
    spec = importlib.util.spec_from_file_location(f"shapeinfer_rules_{path.stem}", path)
    assert spec is not None, "a path that ends in .py has a loader"
    assert spec.loader is not None, "a path that ends in .py has a loader"
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise RulesError(f"{path.name}: {type(error).__name__}: {error}") from error


def _declare(path: Path) -> None:
    try:
        table: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise RulesError(f"{path.name}: {error}") from error
    lines = table.get("operators")
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise RulesError(f'{path.name}: expected operators = ["my::Op(x[N, K]) -> [N]", ...]')
    for line in lines:
        try:
            declare_formula(line)
        except (FormulaError, ValueError) as error:
            raise RulesError(f"{path.name}: {error}") from error
