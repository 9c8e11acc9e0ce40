"""What a condition can do by itself: ``&`` and ``|``, its truth where that is decided, and sizes for its symbols."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from shapeinfer.dims.conditions.decisions import Answer
from shapeinfer.dims.terms.dim import Dim
from shapeinfer.dims.terms.names import LONG, public_names, shortened
from shapeinfer.dims.terms.operators import call, replacements

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from shapeinfer.dims.conditions.condition import Condition
    from shapeinfer.dims.terms.operators import ByName, Number, Numbers

_PUBLIC = frozenset({"answer", "evaluate", "expr", "from_sympy", "subs", "symbols", "text"})
"""The public names of a condition; the others are for the algebra."""


class Logic:
    """The operators of a ``Condition``.

    ``&`` and ``|`` join conditions, one of which may be a bool. ``bool()`` is for conditions that are decided whatever
    the symbols stand for; of others it raises, so that no ``if`` takes a maybe for a yes.
    """

    __slots__ = ()

    symbols: frozenset[Dim]

    def answer(self) -> Answer:
        raise NotImplementedError

    @property
    def text(self) -> str:
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"Condition({shortened(self.text, LONG)})"

    def __str__(self) -> str:
        return self.text

    def __dir__(self) -> list[str]:
        return public_names(self, _PUBLIC)

    def __format__(self, spec: str) -> str:
        return format(self.text, spec)

    def __bool__(self) -> bool:
        answer = self.answer()
        if not answer.is_maybe:
            return answer.is_yes
        names = ", ".join(sorted(s.name for s in self.symbols))
        raise TypeError(
            f"whether {shortened(self.text)} depends on {names}: call .evaluate() with sizes, or .answer() for yes, no"
            " or maybe; join conditions by & and |, not by 'and', 'or' or a < b < c; instead of max() and min() use"
            " shapeinfer.maximum() and shapeinfer.minimum()"
        )

    def __and__(self, other: Condition | bool) -> Condition:
        return _joined("all_of", self, other)

    def __rand__(self, other: bool) -> Condition:
        return _joined("all_of", other, self)

    def __or__(self, other: Condition | bool) -> Condition:
        return _joined("any_of", self, other)

    def __ror__(self, other: bool) -> Condition:
        return _joined("any_of", other, self)

    @overload
    def evaluate(self, values: ByName[Number] = ..., /, **named: Number) -> bool: ...
    @overload
    def evaluate(self, values: ByName[Numbers], /) -> NDArray[np.bool_]: ...
    @overload
    def evaluate(self, values: ByName[Any] = ..., /, **named: Number | Numbers) -> Any: ...
    def evaluate(self, values: ByName[Any] | None = None, /, **named: Any) -> Any:
        """Return whether it holds for sizes, by name or symbol; for arrays an array of bools, see ``Dim.evaluate``.

        >>> (N + M <= 8).evaluate(N=4, M=5)
        False
        >>> N.divisible_by(8).evaluate(N=[8, 12, 16])
        array([ True, False,  True])

        A comparison with what has no value, since it divides by 0 or does not broadcast, does not hold.

        Raises ValueError for a symbol without a value and for one out of its range.
        """
        return call("holds", self, values, named)

    @overload
    def subs(self, /, **named: Any) -> Condition: ...
    @overload
    def subs(self, values: ByName[Any] | None, /, **named: Any) -> Condition: ...
    @overload
    def subs(self, symbol: Any, size: Any, /) -> Condition: ...
    def subs(self, /, *values: Any, **named: Any) -> Condition:
        """Return it with symbols replaced, all at once, by ints, Dims or text; see ``Dim.subs``.

        >>> (N <= 8).subs(N="2*M")
        Condition(2*M <= 8)
        """
        found: Condition = call("subs", self, replacements(values), named)
        return found


def _joined(kind: str, one: object, other: object) -> Condition:
    if not isinstance(one, (Logic, bool)) or not isinstance(other, (Logic, bool)):
        return NotImplemented  # type: ignore[no-any-return]
    found: Condition = call(kind, one, other)
    return found
