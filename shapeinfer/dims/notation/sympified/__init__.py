"""Sizes and conditions as sympy expressions, and back. sympy is loaded when the first one is converted.

Both directions are exact: an expression read back is the very object that it was made from. sympy never reads a name of
a model as code: expressions are composed part by part, and no text is handed to it.
"""

from __future__ import annotations

import sys
from typing import Any

from shapeinfer.dims.conditions.condition import Condition
from shapeinfer.dims.terms.dim import Dim, Size
from shapeinfer.dims.terms.notations import register_algebra


def is_expression(passed: object) -> bool:
    """Return whether something is an object of sympy's, which then is loaded already."""
    return isinstance(passed, getattr(sys.modules.get("sympy"), "Basic", ()))


class _Sympy:
    def expression_of(self, converted: Dim | Condition) -> Any:
        from shapeinfer.dims.notation.sympified.written import expression_of

        return expression_of(converted)

    def size_of(self, expression: object) -> Size:
        from shapeinfer.dims.notation.sympified.sizes import size_of

        return size_of(expression)

    def condition_of(self, expression: object) -> Condition:
        from shapeinfer.dims.notation.sympified.conditions import condition_of

        return condition_of(expression)

    def latex_of(self, converted: Dim | Condition) -> str | None:
        from shapeinfer.dims.notation.sympified.written import latex_of

        return latex_of(converted)


register_algebra("sympy", _Sympy())
