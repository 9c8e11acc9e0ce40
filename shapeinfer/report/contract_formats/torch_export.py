"""``dynamic_shapes`` for ``torch.export.export``: a Python module that creates the Dims and names them for each input.

A Dim has a range, and other dims are ``a*dim + b`` of it: so equal sizes share a Dim, and a size that must be a
multiple of 8 is ``8*Dim(...)``. What Dims cannot express is in comments.
"""

from __future__ import annotations

import math

from attrs import define, field

from shapeinfer.diagnostics.printable import printable
from shapeinfer.dims import AtMost, Condition, Dim, Divides, Size, simplest, substitute
from shapeinfer.facts import Fact
from shapeinfer.report.contract_formats.expressions import identifiers, literal
from shapeinfer.report.contract_formats.interface import Interface, affine, equalities, shape_of

STATIC = "Dim.STATIC"
"""What stands for an axis of one size."""
_RESERVED = ("Dim", "dynamic_shapes")
MOST_TRIED = 10_000
"""Remainders of so many sizes are tried where two divisors meet."""


def render(interface: Interface, max_size: int | None) -> str:  # noqa: ARG001 - only some formats need one
    """Return the source of a module with ``dynamic_shapes``, by the names of the inputs."""
    dims = _Dims(interface)
    rows = [f"    {literal(name)}: {dims.shape(name, fact)},\n" for name, fact in interface.inputs.items()]
    return "".join(
        [
            '"""Dynamic shapes: torch.export.export(module, args, dynamic_shapes=dynamic_shapes).\n\n',
            f'Written by {interface.written_by}: shapeinfer contract --format torch-export.\n"""\n\n',
            "from torch.export import Dim\n\n" if "Dim" in "".join((*dims.created, *rows)) else "",
            *(f"{line}\n" for line in dims.created),
            "\n" if dims.created else "",
            *(f"# not expressed: {printable(text)}\n" for text in (*dims.unexpressed, *interface.unchecked)),
            "dynamic_shapes = {\n",
            *rows,
            "}\n",
        ]
    )


@define(repr=False)
class _Range:
    """The sizes of one symbol: those from ``low`` to ``high`` that leave ``remainder`` when divided by ``divisor``."""

    low: int = 0
    high: int | None = None
    divisor: int = 1
    remainder: int = 0

    def meet(self, condition: Condition) -> bool:
        """Keep the sizes of which a condition on the symbol holds; False where those are no such range."""
        found = condition.symbol_range()
        if found is not None and found.divisor == 1:
            self.low = max(self.low, self.low if found.low is None else found.low)
            highs = [high for high in (self.high, found.high) if high is not None]
            self.high = min(highs, default=None)
            return True
        return isinstance(condition, Divides) and isinstance(condition.divisor, int) and self._divide(condition)

    def _divide(self, condition: Divides) -> bool:
        form = affine(condition.a)
        if form is None or abs(form[0]) != 1 or not isinstance(condition.divisor, int) or condition.divisor < 1:
            return False
        factor, _, number = form
        remainder = -number * factor % condition.divisor
        both = math.lcm(self.divisor, condition.divisor)
        fits = (n for n in range(self.remainder, both, self.divisor) if n % condition.divisor == remainder)
        found = next(fits, None) if both // self.divisor <= MOST_TRIED else None
        if found is None:
            return False
        self.divisor, self.remainder = both, found
        return True

    @property
    def multiples(self) -> tuple[int, int | None]:
        """The least and the greatest number of times that the divisor is taken."""
        least = -((self.remainder - self.low) // self.divisor)
        return max(0, least), None if self.high is None else (self.high - self.remainder) // self.divisor


def _is_of_one_dim(size: Size) -> bool:
    form = affine(size)
    return form is not None and form[0] >= 0


@define(repr=False)
class _Dims:
    """The Dims of an interface, and what of its conditions they cannot express."""

    interface: Interface
    created: list[str] = field(factory=list, init=False)
    """The lines that create Dims, each before it is used."""
    unexpressed: list[str] = field(factory=list, init=False)
    _equal: dict[Dim, Size] = field(factory=dict, init=False)
    """What symbols must be equal to."""
    _ranges: dict[Dim, _Range] = field(factory=dict, init=False)
    _names: dict[object, str] = field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        demands = [(part, d.text) for d in self.interface.demands for part in d.condition.conjuncts]
        self._equal = equalities((condition for condition, _ in demands), _is_of_one_dim)
        # A symbol is at least 0, and so is what it is equal to.
        demands += [(AtMost(0, size), f"{s.name} >= 0") for s, size in self._equal.items()]
        for condition, text in demands:
            now = simplest(condition.substitute(self._equal))
            if not all(part.answer().is_yes or self._meet(part) for part in now.conjuncts):
                self._leave_out(text)

    def _leave_out(self, text: str) -> None:
        if text not in self.unexpressed:
            self.unexpressed.append(text)

    def _meet(self, condition: Condition) -> bool:
        """Narrow the range of the symbol that a condition is on; False where no range says so."""
        if len(condition.symbols) != 1:
            return False
        (s,) = condition.symbols
        return self._ranges.setdefault(s, _Range()).meet(condition)

    def shape(self, name: str, fact: Fact) -> str:
        """Return the Dims of an input's axes."""
        shape = shape_of(fact)
        if shape is None:
            self._leave_out(f"{name} is {fact.text}")
            return "None"
        axes = [self._axis(name, axis, size) for axis, size in enumerate(shape)]
        return f"({axes[0]},)" if len(axes) == 1 else f"({', '.join(axes)})"

    def _axis(self, name: str, axis: int, size: Size) -> str:
        form = affine(substitute(size, self._equal))
        if form is None or form[0] < 0:
            self._leave_out(f"axis {axis} of {name} == {size}")
            return self._dim((name, axis), f"{name}_{axis}", _Range())
        factor, s, number = form
        if s is None:
            return STATIC
        sizes = self._ranges.get(s, _Range())
        least, most = sizes.multiples
        if least == most:
            return STATIC
        dim = self._dim(s, s.name if sizes.divisor == 1 else f"{s.name}{sizes.divisor}", sizes)
        factor, number = factor * sizes.divisor, factor * sizes.remainder + number
        text = dim if factor == 1 else f"{factor} * {dim}"
        return text if not number else f"{text} + {number}" if number > 0 else f"{text} - {-number}"

    def _dim(self, key: object, name: str, sizes: _Range) -> str:
        """Return the name of a Dim, which is created where it is new."""
        if key not in self._names:
            own = identifiers([name], {*_RESERVED, *self._names.values()})[name]
            least, most = sizes.multiples
            bounds = (f", min={least}" if least else "") + ("" if most is None else f", max={most}")
            self._names[key] = own
            self.created.append(f"{own} = Dim({literal(own)}{bounds})")
        return self._names[key]
