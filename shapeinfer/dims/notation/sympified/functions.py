"""Division that rounds down and broadcasting as sympy functions, exact for integers of any length."""

from __future__ import annotations

from typing import Any

import sympy
from sympy.core.logic import fuzzy_and
from sympy.printing.numpy import NumPyPrinter
from sympy.printing.precedence import PRECEDENCE


class Printed(sympy.Function):  # type: ignore[misc] # sympy has no types
    """A function with ``_pythoncode``, which is also what the printers of Python's libraries print."""

    def _pythoncode(self, printer: Any) -> str:
        raise NotImplementedError

    def _printed(self, printer: Any) -> str:
        return self._pythoncode(printer)

    _numpycode = _scipycode = _cupycode = _jaxcode = _mpmathcode = _torchcode = _lambdacode = _printed

    def _eval_derivative(self, s: Any) -> Any:
        # it has steps: where it has a derivative depends on the arguments
        return sympy.Derivative(self, s, evaluate=False) if s in self.free_symbols else sympy.S.Zero


class FloorDiv(Printed):
    """``a//n``, rounded toward minus infinity; nan where ``n`` is 0. It is printed as ``a//n``."""

    @classmethod
    def eval(cls, a: Any, n: Any) -> Any:
        if n.is_zero or {sympy.nan, sympy.zoo} & {a, n}:
            return sympy.nan
        if a.is_number and n.is_number:
            rounded = sympy.floor(_exact(a) / _exact(n))
            return rounded if rounded.is_Integer or rounded.is_infinite else None
        if n.is_Integer and n < 0:
            return cls(-a, -n)
        if n == 1:
            return a if a.is_integer else None
        if a.is_zero and n.is_nonzero:
            return sympy.S.Zero
        whole, rest = _shared_out(a, n)
        return sympy.Add(*whole, cls(sympy.Add(*rest), n)) if whole else None

    def _eval_is_real(self) -> bool | None:
        return self._is_defined()

    def _eval_is_integer(self) -> bool | None:
        return self._is_defined()

    def _eval_is_finite(self) -> bool | None:
        return self._is_defined()

    def _is_defined(self) -> bool | None:
        a, n = self.args
        return True if a.is_real and n.is_real and n.is_nonzero else None

    def _eval_is_nonnegative(self) -> bool | None:
        a, n = self.args
        return True if a.is_nonnegative and n.is_positive else None

    def _eval_is_negative(self) -> bool | None:
        a, n = self.args
        return True if a.is_negative and n.is_positive else None

    def _eval_is_positive(self) -> bool | None:
        a, n = self.args
        return True if n.is_positive and (a - n).is_nonnegative else None

    def _eval_is_zero(self) -> bool | None:
        a, n = self.args
        return True if a.is_nonnegative and (n - a).is_positive else None

    def _eval_rewrite_as_floor(self, a: Any, n: Any, **_: Any) -> Any:
        return sympy.floor(a / n)

    def _sympystr(self, printer: Any) -> str:
        a, n = self.args
        level = PRECEDENCE["Mul"]
        text = f"{printer.parenthesize(a, level, strict=True)}//{printer.parenthesize(n, level)}"
        # to sympy it is a function, which needs no brackets
        return text if printer._print_level == 1 else f"({text})"

    _pythoncode = _sympystr

    def _ccode(self, printer: Any) -> str:
        """Write it for C's integers, whose division rounds toward 0."""
        a, n = (f"({printer._print(arg)})" for arg in self.args)
        if all(arg.is_nonnegative for arg in self.args):
            return f"({a}/{n})"
        return f"({a}/{n} - ({a} % {n} != 0 && ({a} < 0) != ({n} < 0)))"

    _cxxcode = _ccode

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        a, n = map(printer._print, self.args)
        text = rf"\left\lfloor{{\frac{{{a}}}{{{n}}}}}\right\rfloor"
        return text if exp is None else f"{text}^{{{exp}}}"

    def _pretty(self, printer: Any) -> Any:
        a, n = self.args
        return printer._print(sympy.floor(sympy.Mul(a, sympy.Pow(n, -1), evaluate=False), evaluate=False))


def _exact(number: Any) -> Any:
    return sympy.Rational(number) if number.is_Float else number


def _shared_out(a: Any, n: Any) -> tuple[list[Any], list[Any]]:
    """Return the terms of ``a`` that ``n`` divides, divided by it, and the others."""
    whole: list[Any] = []
    rest: list[Any] = []
    for term in sympy.Add.make_args(a):
        coefficient, core = term.as_coeff_Mul()
        divided = None
        if n.is_Integer and coefficient.is_Integer and coefficient % n == 0:
            divided = coefficient / n * core
        elif n.is_Symbol and n.is_positive and n in term.as_powers_dict():
            divided = term / n
        is_whole = divided is not None and divided.is_integer
        (whole if is_whole else rest).append(divided if is_whole else term)
    return whole, rest


class Broadcast(Printed):
    """What compatible sizes broadcast to: the first argument that is not 1, or 1."""

    @classmethod
    def eval(cls, *args: Any) -> Any:
        flat = [part for arg in args for part in (arg.args if isinstance(arg, cls) else (arg,))]
        kept: list[Any] = []
        for arg in flat:
            if arg in (1, 1.0) or arg in kept:
                continue
            kept.append(arg)
            if arg.is_number:  # it is not 1, so nothing after it counts
                break
        if len(kept) < 2:
            return kept[0] if kept else sympy.S.One
        return cls(*kept) if kept != list(args) else None

    def _eval_is_real(self) -> bool | None:
        return _all(arg.is_real for arg in self.args)

    def _eval_is_integer(self) -> bool | None:
        return _all(arg.is_integer for arg in self.args)

    def _eval_is_finite(self) -> bool | None:
        return _all(arg.is_finite for arg in self.args)

    def _eval_is_nonnegative(self) -> bool | None:
        return _all(arg.is_nonnegative for arg in self.args)

    def _eval_is_positive(self) -> bool | None:
        return _all(arg.is_positive for arg in self.args)

    def _eval_rewrite_as_Piecewise(self, *args: Any, **_: Any) -> Any:  # noqa: N802 - sympy's name
        *others, last = args
        # the last is the result whatever it is: where it is 1, all of them are
        return sympy.Piecewise(*((p, sympy.Ne(p, 1)) for p in others), (last, True))

    def _pythoncode(self, printer: Any) -> str:
        others, text = self._printed_parts(printer)
        for arg in reversed(others):
            if isinstance(printer, NumPyPrinter):
                where = printer._module_format(f"{printer._module}.where")
                text = f"{where}(({arg}) != 1, {arg}, {text})"
            else:
                text = f"(({arg}) if ({arg}) != 1 else {text})"
        return text

    def _ccode(self, printer: Any) -> str:
        others, text = self._printed_parts(printer)
        for arg in reversed(others):
            text = f"((({arg}) != 1) ? ({arg}) : ({text}))"
        return text

    _cxxcode = _ccode

    def _printed_parts(self, printer: Any) -> tuple[list[str], str]:
        *others, last = (str(printer._print(arg)) for arg in self.args)
        return others, last

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        args = ", ".join(map(printer._print, self.args))
        power = "" if exp is None else f"^{{{exp}}}"
        return rf"\operatorname{{broadcast}}{power}\left({args}\right)"


def _all(known: Any) -> bool | None:
    return True if fuzzy_and(known) else None
