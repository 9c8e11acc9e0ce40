"""Operators described by one line of text: ``my::Op(x[N, K], w[M, K]) -> [N, M] where K % 32 == 0``.

The same letter is the same size, a number is that number, and ``...`` before the rest stands for leading axes,
which broadcast where several operands have them. An operand may be optional (``bias?[M]``) and typed
(``x: f32[N, K]``), an output too; one that is not has the element type of the first operand. Outputs may use any
expression of the letters. What is written is checked at each call, like any rule.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from attrs import frozen

from shapeinfer.diagnostics.codes import (
    DIM_MISMATCH,
    DIVISION_BY_ZERO,
    ELEMENT_TYPE_NOT_ALLOWED,
    MISSING_INPUT,
    NOT_DIVISIBLE,
    RANK_MISMATCH,
)
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import (
    DimSyntaxError,
    Divides,
    Size,
    divisors_of,
    nonzero,
    parse,
    parse_condition,
    parse_with,
    text_of,
)
from shapeinfer.facts import DType, Fact, Shape, Tensor, dtype_of, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import Rule, RuleFunction, add
from shapeinfer.shapes.elementwise.broadcast import joined, side

T = TypeVar("T")

_HEAD = re.compile(r"(?P<domain>[\w.]+)::(?P<name>\w+)\s*\(")
_ARROW = re.compile(r"\)\s*->")
_WHERE = re.compile(r"\swhere\s")
_OPERAND = re.compile(r"(?:(?P<name>[A-Za-z_]\w*)(?P<mark>\??)\s*(?::\s*(?P<dtype>\w+)\s*)?)?\[(?P<dims>[^\]]*)\]")
_SPLIT = re.compile(r"[\[\],]")

ELEMENT_TYPES = frozenset(name for d in DType if d for name in (d.text, d.spelled))
"""``f32[N]`` is an output of that type, not one of that name."""


class FormulaError(ValueError):
    """A line does not describe an operator; the message names the invalid part."""


@frozen
class Pattern:
    """An operand or output: its dims as text, after leading axes if ``open``."""

    name: str
    dims: tuple[str, ...]
    open: bool
    optional: bool
    dtype: DType | None


@frozen
class Formula:
    """One operator as its line describes it."""

    domain: str
    name: str
    inputs: tuple[Pattern, ...]
    outputs: tuple[Pattern, ...]
    conditions: tuple[str, ...]

    def infer(self, ctx: Context, *operands: Fact | None) -> list[Fact]:
        """Bind the letters to the operands' sizes, require the conditions, and return the outputs."""
        sizes: dict[str, Size] = {}
        places: dict[str, str] = {}
        leading: dict[str, Shape] = {}
        for pattern, operand in zip(self.inputs, operands):
            if operand is None and not pattern.optional:
                ctx.fail(MISSING_INPUT, f"{self.name} requires input {pattern.name}", pattern.name)
            if isinstance(operand, Tensor):
                outer_axes = _bind(ctx, pattern, operand, sizes, places)
                leading |= {pattern.name: outer_axes} if pattern.open else {}
        letters = {d for pattern in self.inputs for d in pattern.dims if d.isidentifier()}
        for letter in sorted(letters - set(sizes)):
            sizes[letter] = ctx.fresh()  # of an operand that is absent
        for condition in self.conditions:
            asked = _read(ctx, parse_condition, condition, sizes)
            if any(s.is_slot for s in asked.symbols):
                continue
            code = NOT_DIVISIBLE if isinstance(asked, Divides) else DIM_MISMATCH
            at = " ".join(places[word] for word in dict.fromkeys(re.findall(r"\w+", condition)) if word in places)
            ctx.require(asked, code, f"{self.name} requires {condition}, here {asked.text}", at)
        first = operands[0] if operands else None
        dtype = first.dtype if isinstance(first, Tensor) else DType.UNDEFINED
        outer = joined(ctx, [side(shape, name) for name, shape in leading.items()]).shape
        return [
            tensor(o.dtype or dtype, (*(outer if o.open else ()), *(_evaluated(ctx, d, sizes) for d in o.dims)))
            for o in self.outputs
        ]


def _evaluated(ctx: Context, text: str, sizes: Mapping[str, Size]) -> Size:
    """Return the size that an expression of the letters evaluates to; its divisors must not be 0."""
    size = _read(ctx, parse_with, text, sizes)
    for divisor in sorted(divisors_of(size), key=text_of):
        message = f"{text} is {text_of(size)}; {text_of(divisor)} must not be 0"
        ctx.require(nonzero(divisor), DIVISION_BY_ZERO, message)
    return size


def _read(ctx: Context, how: Callable[[str, Mapping[str, Size]], T], text: str, sizes: Mapping[str, Size]) -> T:
    """Read an expression or condition, which ends the rule where it divides by a letter that is 0 here."""
    try:
        return how(text, sizes)
    except DimSyntaxError as error:
        ctx.fail(DIVISION_BY_ZERO, f"{text} cannot be evaluated: {error}")


def _bind(ctx: Context, pattern: Pattern, x: Tensor, sizes: dict[str, Size], places: dict[str, str]) -> Shape:
    """Match an operand with its pattern and return its leading axes; record the place of each letter."""
    if pattern.dtype is not None and x.dtype and x.dtype is not pattern.dtype:
        message = f"{pattern.name} must be {pattern.dtype.spelled}; it is {x.dtype.spelled}"
        ctx.report(ELEMENT_TYPE_NOT_ALLOWED, message, pattern.name, detail=Detail(allowed=(pattern.dtype.spelled,)))
    outer = x.rank - len(pattern.dims)
    if outer < 0 or (outer and not pattern.open):
        expected = f"at least {len(pattern.dims)}" if pattern.open else str(len(pattern.dims))
        ctx.fail(RANK_MISMATCH, f"{pattern.name} must have rank {expected}; it has rank {x.rank}", pattern.name)
    for axis, (letter, size) in enumerate(zip(pattern.dims, x.dims[outer:]), outer):
        wanted = sizes.get(letter, size) if letter.isidentifier() else _evaluated(ctx, letter, sizes)
        message = f"axis {axis} of {pattern.name} is {text_of(size)} but {letter} is {text_of(wanted)}"
        here = f"{pattern.name}[{axis}]"
        best = ctx.equal(wanted, size, DIM_MISMATCH, f"{here} {places.get(letter, '')}", message)
        places[letter] = here if best is size and best is not wanted else places.get(letter, here)
        sizes[letter] = best
    return x.dims[:outer]


def read(line: str) -> Formula:
    """Read a line. Raises FormulaError for one that describes no operator."""
    text = line.strip()
    head = _HEAD.match(text)
    arrow = None if head is None else _ARROW.search(text, head.end())
    if head is None or arrow is None:
        raise FormulaError(f"not of the form 'domain::Name(x[N, K], ...) -> [N] where ...': {line!r}")
    where = _WHERE.search(text, arrow.end())
    inputs = _patterns(text[head.end() : arrow.start()], line)
    outputs = _patterns(text[arrow.end() : where.start() if where else None], line)
    if not outputs or any(not p.name for p in inputs):
        raise FormulaError(f"an operand has no name, or the output is missing: {line!r}")
    where_text = text[where.end() :] if where else ""
    conditions = tuple(c.strip() for c in re.split(r"\band\b", where_text) if c.strip())
    formula = Formula(head["domain"], head["name"], inputs, outputs, conditions)
    _try(formula, line)
    return formula


def _items(listed: str) -> Iterator[str]:
    """Yield what stands between the commas outside of brackets, without what is blank."""
    inside, start = False, 0
    for found in _SPLIT.finditer(listed):
        if found[0] != ",":
            inside = found[0] == "["
        elif not inside:
            yield listed[start : found.start()].strip()
            start = found.end()
    yield listed[start:].strip()


def _patterns(listed: str, line: str) -> tuple[Pattern, ...]:
    out = []
    for item in filter(None, _items(listed)):
        found = _OPERAND.fullmatch(item)
        if found is None:
            raise FormulaError(f"{item!r} is not an operand such as 'x[N, K]' or 'x: f32[N, K]' in {line!r}")
        dims = [d.strip() for d in found["dims"].split(",") if d.strip()]
        leading = dims[:1] == ["..."]
        name, kind = found["name"] or "", found["dtype"]
        if name in ELEMENT_TYPES and kind is None:
            name, kind = "", name
        out.append(
            Pattern(name, tuple(dims[1:] if leading else dims), leading, bool(found["mark"]), _dtype(kind, line))
        )
    return tuple(out)


def _dtype(text: str | None, line: str) -> DType | None:
    try:
        return None if text is None else dtype_of(text)
    except ValueError as error:
        raise FormulaError(f"{error}, in {line!r}") from None


def _try(formula: Formula, line: str) -> None:
    """Read every expression once, so that what is misspelt is found when it is declared."""
    letters: dict[str, Size] = {}
    try:
        for pattern in formula.inputs:
            for dim in pattern.dims:
                letters[dim] = parse(dim) if dim.isidentifier() else parse_with(dim, letters)
        for pattern in formula.outputs:
            for dim in pattern.dims:
                parse_with(dim, letters)
        for condition in formula.conditions:
            parse_condition(condition, letters)
    except DimSyntaxError as error:
        raise FormulaError(f"{error}, in {line!r}") from None


def _named(formula: Formula) -> RuleFunction:
    """Return a rule's function whose parameters are those that the line names."""

    def infer(ctx: Context, *inputs: Fact | None) -> list[Fact]:
        return formula.infer(ctx, *inputs)

    names = ["ctx", *(p.name for p in formula.inputs)]
    parameters = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in names]
    infer.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return infer


def declare_formula(line: str) -> Formula:
    """Register the operator that a line describes. Raises FormulaError, or ValueError if it has a rule already."""
    formula = read(line)
    ranks: list[int | None] = [None if o.open else len(o.dims) for o in formula.outputs]
    add(Rule(_named(formula), formula.domain, formula.name, 1, ranks))
    return formula
