"""Rules from a user's own file: a Python module with ``@rule`` functions, or a TOML file with formulas."""

from __future__ import annotations

import importlib.util
import os
import threading
from importlib.abc import SourceLoader
from pathlib import Path

from shapeinfer import regular, toml
from shapeinfer.ops import registry, signature
from shapeinfer.ops.formula import FormulaError, declare_formula

MOST = 1 << 20
"""No file of rules has more bytes than this."""
_loaded: set[Path] = set()
_loading = threading.RLock()
"""Held while a file is loaded, which may load another: of several threads one registers its rules."""


class RulesError(ValueError):
    """A file of rules cannot be read; the message names the file and the reason."""


def load_file(path: Path) -> None:
    """Register the rules of a file, once. Raises RulesError."""
    load_source(*content(path))


def content(path: Path) -> tuple[Path, bytes]:
    """Return the file of rules that a path leads to, and what it holds. Raises RulesError."""
    path = Path(os.path.realpath(path))  # Path.resolve raises what it likes where links lead round in circles
    if path.suffix not in (".py", ".toml"):
        raise RulesError(f"{path.name}: rules must be Python (.py) or formulas (.toml)")
    try:
        return path, regular.read(path, MOST)
    except OSError as error:
        raise RulesError(f"{path.name}: {error.strerror or error}") from error


def load_source(path: Path, data: bytes) -> None:
    """Register the rules of a file as it was read, unless it was registered before. Raises RulesError."""
    with _loading:
        if path in _loaded:
            return
        registry.load()
        if path.suffix == ".py":
            _run(path, data)
        else:
            _declare(path, data)
        _loaded.add(path)
        signature.clear_caches()


class _Source(SourceLoader):
    """Runs the source as it was read; never reads or writes cached bytecode."""

    def __init__(self, path: Path, data: bytes) -> None:
        self._path = path
        self._data = data

    def get_filename(self, fullname: str) -> str:  # noqa: ARG002 - of the one module that it loads
        """Return the path of the file."""
        return str(self._path)

    def get_data(self, path: str | bytes) -> bytes:  # noqa: ARG002 - likewise
        """Return the source."""
        return self._data


def _run(path: Path, data: bytes) -> None:
    loader = _Source(path, data)
    spec = importlib.util.spec_from_file_location(f"shapeinfer_rules_{path.stem}", path, loader=loader)
    assert spec is not None, "a loader is set"
    module = importlib.util.module_from_spec(spec)
    try:
        loader.exec_module(module)
    except Exception as error:
        raise RulesError(f"{path.name}: {type(error).__name__}: {error}") from error


def _declare(path: Path, data: bytes) -> None:
    try:
        table = toml.read(data)
    except (UnicodeDecodeError, toml.TOMLDecodeError) as error:
        raise RulesError(f"{path.name}: {error}") from error
    lines = table.get("operators")
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise RulesError(f'{path.name}: expected operators = ["my::Op(x[N, K]) -> [N]", ...]')
    for line in lines:
        try:
            declare_formula(line)
        except (FormulaError, ValueError) as error:
            raise RulesError(f"{path.name}: {error}") from error
