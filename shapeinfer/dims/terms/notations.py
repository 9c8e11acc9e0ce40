"""Sizes and conditions as sympy expressions, for classes below the module that knows sympy; nothing here loads it."""

from __future__ import annotations

from typing import Any, Protocol


class Algebra(Protocol):
    """Another algebra: how sizes and conditions are written in it, and read from it."""

    def expression_of(self, converted: Any) -> Any:
        """Return the expression of a Dim or a Condition."""

    def size_of(self, expression: Any) -> Any:
        """Return the size that an expression is."""

    def condition_of(self, expression: Any) -> Any:
        """Return the condition that an expression is."""

    def latex_of(self, converted: Any) -> str | None:
        """Return the LaTeX of a Dim or a Condition, None for one that is too large."""


_algebras: dict[str, Algebra] = {}


def register_algebra(name: str, algebra: Algebra) -> None:
    """Register an algebra, so that no term imports it."""
    _algebras[name] = algebra


def algebra(name: str) -> Algebra:
    """Return a registered algebra."""
    return _algebras[name]


class InSympy:
    """What has the same meaning as a sympy expression, and is printed as that by sympy's printers."""

    __slots__ = ()

    @property
    def expr(self) -> Any:
        """It as a sympy expression, from which ``from_sympy`` returns this very object.

        A floor division is a ``FloorDiv``, a broadcast a ``Broadcast``, sympy functions that are in
        ``shapeinfer.dims.notation.sympified.functions``. The range and the divisor of a symbol are its assumptions, as
        far as sympy has such. An operator between this and a sympy expression gives a sympy expression, too. Raises
        ``sympy.SympifyError``, a ValueError, for what is too large to be printed.
        """
        return algebra("sympy").expression_of(self)

    def _sympy_(self) -> Any:
        """Return ``expr``, which sympy asks for: without this it could run the text as Python."""
        return self.expr

    def _repr_latex_(self) -> str | None:
        """Return its formula as a notebook shows it, None for one that is too large."""
        latex = algebra("sympy").latex_of(self)
        return None if latex is None else f"$\\displaystyle {latex}$"

    def _printed(self, printer: Any, **options: Any) -> Any:
        return printer._print(self.expr, **options)

    # sympy's printers do not ask for _sympy_; each looks for its own method first
    _latex = _pretty = _sympystr = _printed
    _pythoncode = _numpycode = _scipycode = _cupycode = _jaxcode = _mpmathcode = _lambdacode = _printed
