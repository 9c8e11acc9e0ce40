"""What a caller says of the sizes of a model's inputs: numbers, whole shapes, ranges and assumptions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any

from attrs import field, frozen

from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.diagnostics.finding import Claim
from shapeinfer.diagnostics.nearest import did_you_mean
from shapeinfer.dims import Dim, DimSyntaxError, Equal, Size, parse_condition, parse_with, substitute, text_of
from shapeinfer.facts import Fact, SparseTensor, Tensor, resized
from shapeinfer.graph import Graph
from shapeinfer.infer.constraints.contract import at_least_two
from shapeinfer.infer.constraints.redeclared import GivenShapes, named_dims, read_dims
from shapeinfer.infer.diagnosis.fault_symbols import constraint_notes
from shapeinfer.infer.driver import Run
from shapeinfer.ops.limits import MOST

_WORD = re.compile(r"[^\W\d]\w*")


def _several(given: str | Sequence[str]) -> Sequence[str]:
    """Return a list of texts; one alone is a list of one."""
    return [given] if isinstance(given, str) else given


@frozen(repr=False)
class Constraints:
    """What a caller says of the sizes of a model's inputs.

    ``bind`` gives dims by name, or by the formula that an input bears for one, ``shapes`` whole inputs, where names
    beside numbers declare a dim anew, as ``redeclared`` does before the inference; ``ranges``
    bounds dims, both ends included, None for no upper one; ``assume`` lists conditions such as ``seq % 8 == 0``.
    ``in_general`` takes every dim of which nothing else is given to be at least 2.
    """

    bind: Mapping[str, int] = field(factory=dict)
    shapes: GivenShapes = field(factory=dict)
    ranges: Mapping[str, tuple[int, int | None]] = field(factory=dict)
    assume: Sequence[str] = field(default=(), converter=_several)
    in_general: bool = False

    @property
    def has_sizes(self) -> bool:
        """Whether anything is given that may make a number of a dim."""
        return bool(self.bind or self.shapes or self.assume)

    def enter(self, run: Run, graph: Graph) -> dict[str, Fact]:
        """Return the inputs as they are given; what cannot be so is reported."""
        named = named_dims(graph)
        inputs = _bound_inputs(run, graph, named, self.bind, self.shapes)
        for name, (low, high) in self.ranges.items():
            _bound_range(run, graph, named, name, low, high)
        for text in self.assume:
            _assumed(run, named, text)
        for symbol in free_dims(graph, self) if self.in_general else ():
            if isinstance(larger := at_least_two(symbol), Dim) and larger is not symbol and larger.low is not None:
                run.solver.narrow(symbol, larger.low, larger.high)
        return inputs


UNCONSTRAINED = Constraints()


def free_dims(graph: Graph, given: Constraints) -> list[Dim]:
    """Return the symbols of a graph's inputs of which nothing is given, in the order of the inputs."""
    words = {word for text in given.assume for word in _WORD.findall(text)}
    symbols = [s for name, fact in graph.inputs.items() for s in sorted(fact.symbols, key=str)]
    sized = {s for name, dims in given.shapes.items() if name in graph.inputs for s in _sized(graph.inputs[name], dims)}
    bound = {word for text in given.bind for word in _WORD.findall(text)} | set(given.bind)
    fixed = {*bound, *given.ranges, *words}
    return [s for s in dict.fromkeys(symbols) if s.name not in fixed and s not in sized]


def _sized(fact: Fact, dims: Sequence[object]) -> frozenset[Dim]:
    """Return the symbols of an input for whose axes numbers are given."""
    if all(isinstance(dim, Integral) for dim in dims):
        return fact.symbols
    sized = [size for size, dim in zip(fact.shape or (), dims) if isinstance(dim, Integral) and isinstance(size, Dim)]
    return frozenset().union(*(size.symbols for size in sized))


def _bound_inputs(
    run: Run, graph: Graph, named: Mapping[str, Dim], bind: Mapping[str, int], shapes: GivenShapes
) -> dict[str, Fact]:
    mapping: dict[Dim, Size] = {}
    formulas: dict[Dim, int] = {}
    for name, value in bind.items():
        dim = named[name] if name in named else _formula(graph, named, name)
        if dim is None:
            _refuse_name(run, graph, named, name)
        elif fault := _beyond([value]):
            _refuse(run, codes.BINDING_CONFLICT, f"{name} cannot be {value!r}; {fault}")
        elif dim.is_symbol:
            mapping[dim] = int(value)
        else:
            formulas[dim] = int(value)
    of = {graph.aliases.get(name, name): dims for name, dims in shapes.items()}
    given = {name: fitting for name, dims in of.items() if (fitting := _fitting(run, graph, name, dims)) is not None}
    for name, fitting in given.items():
        for declared, size in zip(graph.inputs[name].shape or (), fitting):
            if isinstance(declared, Dim) and declared.is_symbol and isinstance(size, int):
                mapping.setdefault(declared, size)
    run.bound = mapping
    run.constraint_notes.update({s.name: f"{s.name} = {text_of(size)}" for s, size in mapping.items()})
    held = {dim: value for dim, value in formulas.items() if _holds(run, dim, value)}

    def sized(size: Size) -> Size:
        return held.get(size, size) if isinstance(size, Dim) else size

    inputs = {name: resized(fact, sized).substitute(mapping) for name, fact in graph.inputs.items()}
    for name, fact in inputs.items():
        for s in sorted(fact.symbols & mapping.keys(), key=str):  # what is left of it divides
            _refuse(run, codes.BINDING_CONFLICT, f"{s.name} cannot be 0: {name} is declared {fact.text}")
    return inputs | {name: _of_shape(run, name, inputs[name], graph.inputs[name], dims) for name, dims in given.items()}


def _formula(graph: Graph, named: Mapping[str, Dim], text: str) -> Dim | None:
    """Return the length that a formula stands for, None where no input bears it."""
    try:
        found = parse_with(text, {**named})
    except DimSyntaxError:
        return None
    return found if isinstance(found, Dim) and found in _formulas(graph) else None


def _formulas(graph: Graph) -> set[Dim]:
    """Return the lengths of inputs' axes that are no symbols."""
    shapes = (f.shape for f in graph.inputs.values() if isinstance(f, (Tensor, SparseTensor)))
    return {size for shape in shapes for size in shape or () if isinstance(size, Dim) and not size.is_symbol}


def _holds(run: Run, formula: Dim, value: int) -> bool:
    """Take a formula to be a number, as the caller says, unless it cannot be; that is reported."""
    now = substitute(formula, run.bound)
    which = "" if now is formula else f", which is {text_of(now)},"
    message = f"{formula.text}{which} cannot be {value}"
    # What the caller says is no condition of the model, of whatever it is said.
    answer, because = run.solver.settle(Claim(Equal(now, value), codes.ASSUMPTION_FALSE, message), None)
    if answer.is_no:
        _refuse(run, codes.BINDING_CONFLICT, message, because)
        return False
    for s in formula.symbols:
        run.constraint_notes.setdefault(s.name, f"{formula.text} = {value}")
    return True


def _beyond(sizes: Sequence[Any]) -> str:
    """Say what keeps sizes from being dims; nothing where they may be."""
    if not _are_whole(sizes):
        return "a dim is a whole number"
    if min(sizes, default=0) < 0:
        return "a dim must be at least 0"
    return f"a dim is at most {MOST}" if max(sizes, default=0) > MOST else ""


def _are_whole(sizes: Iterable[object]) -> bool:
    return all(isinstance(size, Integral) for size in sizes)


def _fitting(run: Run, graph: Graph, name: str, dims: object) -> list[Size] | None:
    """Return a shape that is given to an input of this name; None, and a report, if it cannot be."""
    fact = graph.inputs.get(name)
    if fact is None:
        names = {value: name for name, value in graph.aliases.items()}
        known = ", ".join(names.get(n, n) for n in graph.inputs) or "none"
        _refuse(run, codes.UNKNOWN_BINDING, f"{name} is not an input; the inputs are {known}")
        return None
    if not isinstance(dims, Iterable):
        _refuse(run, codes.BINDING_CONFLICT, f"{name} cannot be {dims!r}; a shape is a list of dims")
        return None
    given = list(dims)
    try:
        read = read_dims(graph, given)
    except DimSyntaxError as error:
        _refuse(run, codes.BINDING_CONFLICT, f"{name} cannot be {given}; {error}")
        return None
    if fault := _beyond([dim for dim in read if not isinstance(dim, Dim)]):
        _refuse(run, codes.BINDING_CONFLICT, f"{name} cannot be {given}; {fault}")
        return None
    shape = fact.shape if isinstance(fact, (Tensor, SparseTensor)) else None
    if shape is not None and len(shape) != len(read):
        message = f"{name} is declared {fact.text}, of rank {len(shape)}; the shape given has {len(read)} axes"
        _refuse(run, codes.BINDING_CONFLICT, message)
        return None
    return [dim if isinstance(dim, Dim) else int(dim) for dim in read]  # type: ignore[call-overload]


def _of_shape(run: Run, name: str, bound: Fact, declared: Fact, dims: Sequence[Size]) -> Fact:
    """An input of a shape that was given; where its dims are formulas, those are conditions."""
    if not isinstance(bound, Tensor) or not isinstance(declared, Tensor):
        return bound
    for axis, (size, said, given) in enumerate(zip(bound.shape or (), declared.shape or (), dims)):
        if isinstance(given, Dim):
            continue
        which = "" if said is size else f", which is {text_of(size)}"
        message = f"axis {axis} of {name} is declared {text_of(said)}{which}; it cannot be {given}"
        answer, _ = run.solver.settle(Claim(Equal(size, given), codes.BINDING_CONFLICT, message), None)
        if answer.is_no:
            _refuse(run, codes.BINDING_CONFLICT, message)
            return bound
    sizes = bound.shape or dims
    return bound.of(*(size if isinstance(given, Dim) else given for size, given in zip(sizes, dims)))


def _bound_range(run: Run, graph: Graph, named: Mapping[str, Dim], name: str, low: int, high: int | None) -> None:
    if name not in named:
        _refuse_name(run, graph, named, name)
        return
    symbol = named[name]
    if symbol in run.bound:
        return
    text = f"{low} <= {name}" + ("" if high is None else f" <= {high}")
    if not _are_whole([low] if high is None else [low, high]):
        _refuse(run, codes.BINDING_CONFLICT, f"{text} cannot be; a dim is a whole number")
        return
    if low < 0 or (high is not None and high < low):
        _refuse(run, codes.BINDING_CONFLICT, f"no size satisfies {text}")
        return
    run.constraint_notes[name] = text
    run.solver.narrow(symbol, low, high)


def _assumed(run: Run, named: Mapping[str, Dim], text: str) -> None:
    try:
        condition = parse_condition(text, named)
    except DimSyntaxError as error:
        _refuse(run, codes.UNKNOWN_BINDING, f"the assumption {text!r} cannot be read: {error}")
        return
    condition = condition.substitute(run.bound)
    message = f"the assumption {text} cannot hold"
    answer, because = run.solver.settle(Claim(condition, codes.ASSUMPTION_FALSE, message), None)
    if answer.is_no:
        notes = (*because, *constraint_notes(run.constraint_notes, (s.name for s in condition.symbols)))
        run.diagnostics.append(
            Diagnostic(codes.ASSUMPTION_FALSE, codes.ASSUMPTION_FALSE.severity, message, notes=notes)
        )


def _refuse_name(run: Run, graph: Graph, named: Mapping[str, Dim], name: str) -> None:
    known = sorted({*named, *(size.text for size in _formulas(graph))})
    there = f"the input dims are {', '.join(known) or 'none'}"
    _refuse(run, codes.UNKNOWN_BINDING, f"{name} is not a dim of any input; {there}{did_you_mean(name, known)}")


def _refuse(run: Run, code: codes.Code, message: str, notes: Sequence[str] = ()) -> None:
    run.diagnostics.append(Diagnostic(code, code.severity, message, notes=tuple(notes)))
