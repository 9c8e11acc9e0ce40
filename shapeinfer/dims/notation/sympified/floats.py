"""Integers that floats are rounded to, as sympy functions of the sizes that the floats are computed from."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any
from weakref import WeakValueDictionary

import sympy

from shapeinfer.dims.notation.sympified.functions import Printed
from shapeinfer.dims.terms.dim import Dim, Size
from shapeinfer.dims.terms.ieee import NoValueError

_functions: WeakValueDictionary[Dim, Any] = WeakValueDictionary()


class RoundedFloat(Printed):
    """A float rounded to an integer, exactly as IEEE 754 has it; nan where it has no finite value.

    The arguments stand for the sizes in ``term``, the size that this function is of them. sympy knows no rounding to a
    precision, so that nothing is simplified in it.
    """

    term: Dim

    @classmethod
    def eval(cls, *args: Any) -> Any:
        if not all(a.is_Integer for a in args):
            return sympy.nan if sympy.nan in args else None
        try:
            return sympy.Integer(cls.term.compute([int(a) for a in args]))
        except NoValueError:
            return sympy.nan

    def size(self, args: Sequence[Size]) -> Size:
        """Return it as a size of these sizes."""
        return self.term.rebuilt(args)

    def _eval_is_integer(self) -> bool | None:
        return True if not self.term.denominators and all(a.is_integer for a in self.args) else None

    _eval_is_real = _eval_is_finite = _eval_is_integer

    def _sympystr(self, printer: Any) -> str:
        own = ", ".join(str(part) for part in self.term.parts)
        args = ", ".join(map(printer._print, self.args))
        return self.term.text if own == args else f"({self.term.text} where {own} = {args})"

    def _pythoncode(self, printer: Any) -> str:
        return f"{type(self).__name__}({', '.join(map(printer._print, self.args))})"

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        text = rf"\mathtt{{{printer._print(sympy.Symbol(self._sympystr(sympy.StrPrinter())))}}}"
        return text if exp is None else f"{text}^{{{exp}}}"


def function_of(term: Dim) -> Any:
    """Return the function of its parts that a term of rounded floats is; while one is in use, the same again."""
    found = _functions.get(term)
    if found is None:
        name = f"rounded_{zlib.crc32(repr(term.order).encode()):08x}"
        members = {"term": term, "nargs": len(term.parts), "_imp_": staticmethod(_computed_by(term))}
        found = _functions.setdefault(term, type(name, (RoundedFloat,), members))
    return found


def _computed_by(term: Dim) -> Any:
    def computed(*values: Any) -> Any:
        import numpy as np

        one = np.frompyfunc(lambda *numbers: term.compute([int(n) for n in numbers]), len(values), 1)
        return one(*values)

    return computed
