"""A Python module that checks the inputs of a model, and needs nothing but Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import define, field

from shapeinfer.diagnostics.printable import printable
from shapeinfer.dims import Dim, mul, sub
from shapeinfer.dims.terms.dim import ATOM
from shapeinfer.facts import DType, Fact
from shapeinfer.report.contract_formats.expressions import Expressions, identifiers, literal
from shapeinfer.report.contract_formats.interface import DECLARED, Interface, shape_of

_RESERVED = (
    "annotations", "check_inputs", "dims", "holds", "index", "inputs", "shapes",
    "math", "struct", "Any", "Mapping", "DEFAULTS", "INPUTS", "MODEL", "UNCHECKED",
)  # fmt: skip

_HEAD = '''\
"""Check the inputs of a model before it runs, with nothing but Python 3.8 or newer.

Written by {written_by}: shapeinfer contract --format python.
"""

# fmt: off
from __future__ import annotations

{imports}from collections.abc import Mapping
from operator import index
from typing import Any

MODEL = {model}
'''

_CHECK = '''

def check_inputs(inputs: Mapping[str, Any]) -> dict[str, int]:
    """Return the sizes of the dims by name. Raises ValueError for inputs that the model does not accept.

    ``inputs`` maps the name of each input to an array, or anything else with ``shape`` and ``dtype``; or to a shape
    alone, as a tuple or list of integers.
    """
    shapes = _shapes(inputs)
'''

_CHECKERS = '''

def _shapes(inputs: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """Return the shape of every tensor, of the rank, element type and fixed sizes that the model declares."""
    for name in inputs:
        if name not in INPUTS:
            raise ValueError(f"{name!r} is not an input; the inputs are {', '.join(map(repr, INPUTS)) or 'none'}")
    shapes: dict[str, tuple[int, ...]] = {}
    for name, (dtype, declared) in INPUTS.items():
        if name not in inputs:
            if name not in DEFAULTS:
                raise ValueError(f"the input {name!r} is missing")
            shapes[name] = DEFAULTS[name]
            continue
        found = _type_of(inputs[name])
        if dtype is not None and found is not None and found != dtype:
            raise ValueError(f"the element type of {name!r} is {found}; it must be {dtype}")
        if dtype is None and declared is None:
            continue
        shape = shapes[name] = _shape_of(name, inputs[name])
        if declared is None:
            continue
        if len(shape) != len(declared):
            raise ValueError(f"the rank of {name!r} is {len(shape)}, of shape {shape}; it must be {len(declared)}")
        for axis, fixed in enumerate(declared):
            if isinstance(fixed, int) and shape[axis] != fixed:
                raise ValueError(f"axis {axis} of {name!r} is {shape[axis]}; it must be {fixed}")
    return shapes


def _sizes(shapes: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
    """Return the size of each dim that is an axis, which one name has everywhere."""
    dims: dict[str, int] = {}
    first: dict[str, str] = {}
    for name, (_, declared) in INPUTS.items():
        for axis, dim in enumerate(declared or ()):
            if not isinstance(dim, str):
                continue
            size = shapes[name][axis]
            if dims.setdefault(dim, size) != size:
                known = f"{dims[dim]} in axis {first[dim]}"
                raise ValueError(f"the dim {dim!r} is {size} in axis {axis} of {name!r}, but {known}; it has one size")
            first.setdefault(dim, f"{axis} of {name!r}")
    return dims


def _type_of(value: Any) -> str | None:
    """Return the name of an array's element type, None of what is a shape alone."""
    dtype = getattr(value, "dtype", None)
    if dtype is None:
        return None
    name = str(getattr(dtype, "name", dtype)).rpartition(".")[2]
    return "string" if name == "object" or name.startswith(("str", "bytes")) else name


def _shape_of(name: str, value: Any) -> tuple[int, ...]:
    shape = value if isinstance(value, (tuple, list)) else getattr(value, "shape", None)
    try:
        sizes = None if shape is None else tuple(index(size) for size in shape)
    except TypeError:
        sizes = None
    if sizes is None or min(sizes, default=0) < 0:
        raise ValueError(f"{name!r} has the shape {shape!r}, which is no tuple of integers that are at least 0")
    return sizes


def _require(holds: bool, condition: str, dims: Mapping[str, int], reason: str) -> None:
    if not holds:
        sizes = ", ".join(f"{name} = {size}" for name, size in dims.items())
        raise ValueError(f"{condition} does not hold for {sizes}; {reason}" if sizes else f"{condition}; {reason}")
'''

_BROADCAST = '''

def _broadcast(*sizes: int) -> int:
    """Return the first size that is not 1, or 1."""
    return next((size for size in sizes if size != 1), 1)
'''


_SINGLE = '''

def _f32(number: float) -> float:
    """Return the nearest float of single precision."""
    return float(struct.unpack("f", struct.pack("f", number))[0])
'''


def render(interface: Interface, max_size: int | None) -> str:  # noqa: ARG001 - only some formats need one
    """Return the source of a module with ``check_inputs``, the same for the same contract."""
    body = _Body(interface)
    defaults = [(name, shape) for name, f in interface.defaults.items() if (shape := shape_of(f)) is not None]
    unchecked = [*interface.unchecked, *body.unchecked]
    return "".join(
        [
            _HEAD.format(
                written_by=interface.written_by,
                imports="import math\nimport struct\n" if body.source.floats else "",
                model=literal(interface.name),
            ),
            "\nINPUTS: dict[str, tuple[str | None, tuple[int | str | None, ...] | None]] = ",
            _rows("{", (f"{literal(name)}: {_declared(fact)}" for name, fact in interface.inputs.items()), "}"),
            '"""The element type and shape of each input: sizes and names of dims, None for what is neither."""\n',
            "\nDEFAULTS: dict[str, tuple[int, ...]] = ",
            _rows("{", (f"{literal(name)}: {_tuple(map(str, shape))}" for name, shape in defaults), "}"),
            '"""The shapes of what is used where these inputs are left out."""\n',
            "\nUNCHECKED: tuple[str, ...] = ",
            _rows("(", map(literal, map(printable, unchecked)), ")"),
            '"""What the model requires, too, and the shapes of its inputs do not show."""\n',
            _CHECK,
            *(f"    {line}\n" for line in body.lines),
            "    return dims\n",
            _CHECKERS,
            _BROADCAST if body.source.broadcasts else "",
            _SINGLE if body.source.floats else "",
        ]
    )


def _rows(opening: str, rows: Iterable[str], closing: str) -> str:
    written = "".join(f"    {row},\n" for row in rows)
    return f"{opening}\n{written}{closing}\n" if written else f"{opening}{closing}\n"


def _tuple(entries: Iterable[str]) -> str:
    listed = list(entries)
    return f"({listed[0]},)" if len(listed) == 1 else f"({', '.join(listed)})"


def _declared(fact: Fact) -> str:
    dtype = literal(fact.dtype.spelled) if fact.dtype is not DType.UNDEFINED else "None"
    shape = shape_of(fact)
    if shape is None:
        return f"({dtype}, None)"
    sizes = (str(d) if isinstance(d, int) else literal(d.name) if d.is_symbol else "None" for d in shape)
    return f"({dtype}, {_tuple(sizes)})"


@define(repr=False)
class _Body:
    """The lines of ``check_inputs`` after the shapes are known."""

    interface: Interface
    source: Expressions = field(init=False)
    lines: list[str] = field(factory=list, init=False)
    unchecked: list[str] = field(factory=list, init=False)
    """The conditions on dims whose size no input shows."""
    _known: dict[Dim, str] = field(factory=dict, init=False)
    """The symbols whose size the inputs show, each with its identifier."""
    _hoisted: int = field(default=0, init=False)

    def __attrs_post_init__(self) -> None:
        names = identifiers((s.name for s in self.interface.symbols), _RESERVED)
        self.source = Expressions({s: names[s.name] for s in self.interface.symbols})
        formulas = self._sizes()
        for name, axis, size in formulas:
            here, what = f"shapes[{literal(name)}][{axis}]", f"axis {axis} of {name}"
            text = f"{what} == {size.text}"
            if size.symbols <= self._known.keys():
                holds = f"{self.source.size(size)} == {here}"
                self._require(holds, text, size.symbols, DECLARED, {what: here})
            else:
                self.unchecked.append(f"{text}, {DECLARED}")
        for demand in self.interface.demands:
            symbols = demand.condition.symbols
            if symbols <= self._known.keys():
                self._require(self.source.condition(demand.condition), demand.text, symbols, demand.reason)
            else:
                self.unchecked.append(f"{demand.text}, {demand.reason}")

    def _sizes(self) -> list[tuple[str, int, Dim]]:
        """Assign the sizes of dims to their identifiers, and return the axes that are formulas of them."""
        axes = [(name, axis, size) for name, axis, size in self.interface.axes() if isinstance(size, Dim)]
        formulas = [(name, axis, size) for name, axis, size in axes if not size.is_symbol]
        used = {s for d in self.interface.demands for s in d.condition.symbols}
        used.update(*(size.symbols for _, _, size in formulas))
        self.lines.append("dims = _sizes(shapes)")
        for s in dict.fromkeys(size for _, _, size in axes if size.is_symbol):
            self._known[s] = self.source.names[s]
            if s in used:
                self.lines.append(f"{self._known[s]} = dims[{literal(s.name)}]")
        while found := next(filter(None, (self._solved(*axis) for axis in formulas)), None):
            s, value = found
            self._known[s] = own = self.source.names[s]
            self.lines.append(f"dims[{literal(s.name)}] = {own} = {value}")
            self._require(f"{own} >= 0", f"{s.name} >= 0", [s], DECLARED)
        return formulas

    def _solved(self, name: str, axis: int, size: Dim) -> tuple[Dim, str] | None:
        """Return the one symbol of a formula that is not known yet, and its value by the size of the axis.

        Where the size is none that the formula has, the check of the formula fails.
        """
        new = [s for s in size.symbols if s not in self._known]
        if len(new) != 1:
            return None
        terms, _ = size.as_terms()
        factor = next((c for c, t in terms if t is new[0]), 0)
        rest = sub(size, mul(factor, new[0]))
        if not factor or (isinstance(rest, Dim) and new[0] in rest.symbols):
            return None
        value = (
            f"(shapes[{literal(name)}][{axis}] - {self.source.size(rest, ATOM)}) // {self.source.size(factor, ATOM)}"
        )
        return new[0], value

    def _require(
        self, holds: str, text: str, symbols: Iterable[Dim], reason: str, others: Mapping[str, str] | None = None
    ) -> None:
        self.lines += self.source.lines[self._hoisted :]
        self._hoisted = len(self.source.lines)
        sizes = {s.name: self.source.names[s] for s in sorted(symbols, key=str)} | dict(others or {})
        shown = ", ".join(f"{literal(printable(name))}: {value}" for name, value in sizes.items())
        self.lines += ["_require(", f"    {holds},", f"    {literal(printable(text))},", f"    {{{shown}}},"]
        self.lines += [f"    {literal(printable(reason))},", ")"]
