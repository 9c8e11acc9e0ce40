"""What a caller fixes of the sizes of a model's inputs: numbers, whole shapes, ranges and assumptions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Integral

from attrs import define, field, frozen

from shapeinfer.budget import OverBudget
from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.diagnostics.finding import Claim
from shapeinfer.diagnostics.nearest import did_you_mean
from shapeinfer.dims import Dim, DimSyntaxError, Equal, Size, parse_condition, parse_with, substitute, text_of
from shapeinfer.facts import Fact, SparseTensor, Tensor, resized
from shapeinfer.graph import Graph
from shapeinfer.infer.constraints.contract import at_least_two
from shapeinfer.infer.constraints.fixed_sizes import constraint_notes
from shapeinfer.infer.constraints.redeclared import GivenShapes, named_dims, read_dims
from shapeinfer.infer.constraints.solver import Solver
from shapeinfer.ops.limits import MOST

_WORD = re.compile(r"[^\W\d]\w*")


def _several(given: str | Sequence[str]) -> Sequence[str]:
    """Return a list of texts; one alone is a list of one."""
    return [given] if isinstance(given, str) else given


@frozen(repr=False)
class Constraints:
    """What a caller fixes of the sizes of a model's inputs.

    ``bind`` gives dims by name, or by the expression that an input has for one, ``shapes`` whole inputs, where names
    beside numbers declare dims anew, which ``redeclared`` does before the inference. ``ranges`` bounds dims, both ends
    included, None for no upper one; ``assume`` lists conditions such as ``seq % 8 == 0``. ``in_general`` takes every
    dim of which nothing else is given to be at least 2.
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


UNCONSTRAINED = Constraints()


@define(eq=False, repr=False)
class ConstrainedInputs:
    """A model's inputs under the caller's constraints."""

    facts: Mapping[str, Fact]
    sizes: Mapping[Dim, Size] = field(factory=dict)
    """The sizes given for dims of inputs, which declarations mean too."""
    notes: dict[str, str] = field(factory=dict)
    """What the caller fixes of dims of inputs, by name: ``N = 3`` or ``1 <= N <= 8``."""
    diagnostics: list[Diagnostic] = field(factory=list)
    """The constraints that the model's inputs cannot meet."""
    over: OverBudget | None = None
    """Why the constraints were not followed to the end: then the facts are those that the model declares."""


def constrain(graph: Graph, constraints: Constraints, solver: Solver) -> ConstrainedInputs:
    """Teach the solver what the caller fixes, and return the graph's inputs under it."""
    inputs = ConstrainedInputs(graph.inputs)
    reading = _Reading(graph, solver, inputs)
    try:
        inputs.facts = reading.bound_facts(constraints.bind, constraints.shapes)
        for name, (low, high) in constraints.ranges.items():
            reading.learn_range(name, low, high)
        for text in constraints.assume:
            reading.learn_assumption(text)
        for symbol in free_dims(graph, constraints) if constraints.in_general else ():
            if isinstance(larger := at_least_two(symbol), Dim) and larger is not symbol and larger.low is not None:
                solver.narrow(symbol, larger.low, larger.high)
    except OverBudget as over:
        inputs.facts, inputs.over = graph.inputs, over
    return inputs


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
    return frozenset(s for size in sized for s in size.symbols)


class _Reading:
    """Reads constraints against the inputs of a graph; what they come to goes to the solver and ``inputs``."""

    def __init__(self, graph: Graph, solver: Solver, inputs: ConstrainedInputs) -> None:
        self.graph = graph
        self.solver = solver
        self.inputs = inputs
        self.named = named_dims(graph)

    def bound_facts(self, bind: Mapping[str, int], shapes: GivenShapes) -> dict[str, Fact]:
        """Return the inputs with the sizes and shapes given, as far as they can have them."""
        declared = self.graph.inputs
        sizes, expressions = self._sizes(bind)
        given = dict(self._shapes({self.graph.aliases.get(name, name): dims for name, dims in shapes.items()}))
        for name, dims in given.items():
            for size, number in zip(getattr(declared[name], "shape", None) or (), dims):
                if isinstance(size, Dim) and size.is_symbol and isinstance(number, int):
                    sizes.setdefault(size, number)
        self.inputs.sizes = sizes
        self.inputs.notes.update({s.name: f"{s.name} = {text_of(size)}" for s, size in sizes.items()})
        held = {dim: value for dim, value in expressions.items() if self._can_equal(dim, value)}

        def sized(size: Size) -> Size:
            return held.get(size, size) if isinstance(size, Dim) else size

        facts = {name: resized(fact, sized).substitute(sizes) for name, fact in declared.items()}
        for name, fact in facts.items():
            for s in sorted(fact.symbols & sizes.keys(), key=str):  # what is left of it divides
                self._refuse(codes.BINDING_CONFLICT, f"{s.name} cannot be 0: {name} is declared {fact.text}")
        return facts | {name: self._of_shape(name, facts[name], declared[name], dims) for name, dims in given.items()}

    def _sizes(self, bind: Mapping[str, int]) -> tuple[dict[Dim, Size], dict[Dim, int]]:
        """Return the sizes given of symbols, and of expressions that inputs have for a length."""
        sizes: dict[Dim, Size] = {}
        expressions: dict[Dim, int] = {}
        for name, value in bind.items():
            dim = self.named[name] if name in self.named else self._expression(name)
            if dim is None:
                self._refuse_name(name)
            elif fault := _beyond([value]):
                self._refuse(codes.BINDING_CONFLICT, f"{name} cannot be {value!r}; {fault}")
            elif dim.is_symbol:
                sizes[dim] = int(value)
            else:
                expressions[dim] = int(value)
        return sizes, expressions

    def _shapes(self, shapes: GivenShapes) -> Iterator[tuple[str, list[Size]]]:
        """The shapes given that inputs can have, the others are refused."""
        for name, dims in shapes.items():
            fault = self._shape_fault(name, dims)
            if fault is None:
                yield name, [d if isinstance(d, Dim) else int(d) for d in read_dims(self.graph, dims)]
            else:
                self._refuse(*fault)

    def _expression(self, text: str) -> Dim | None:
        """Return the length that an expression stands for, None where no input has it."""
        try:
            found = parse_with(text, {**self.named})
        except DimSyntaxError:
            return None
        return found if isinstance(found, Dim) and found in self._expressions() else None

    def _expressions(self) -> set[Dim]:
        """Return the lengths of inputs' axes that are neither numbers nor symbols."""
        shapes = (f.shape for f in self.graph.inputs.values() if isinstance(f, (Tensor, SparseTensor)))
        return {size for shape in shapes for size in shape or () if isinstance(size, Dim) and not size.is_symbol}

    def _can_equal(self, expression: Dim, value: int) -> bool:
        """Learn that an expression has the value given; where it cannot, that is refused."""
        now = substitute(expression, self.inputs.sizes)
        which = "" if now is expression else f", which is {text_of(now)},"
        message = f"{expression.text}{which} cannot be {value}"
        # What the caller fixes is no condition of the model: ASSUMPTION_FALSE keeps it out of the contract.
        answer, because = self.solver.decide(Claim(Equal(now, value), codes.ASSUMPTION_FALSE, message), None)
        if answer.is_no:
            self._refuse(codes.BINDING_CONFLICT, message, because)
            return False
        for s in expression.symbols:
            self.inputs.notes.setdefault(s.name, f"{expression.text} = {value}")
        return True

    def _shape_fault(self, name: str, dims: object) -> tuple[codes.Code, str] | None:
        """Return why an input of this name cannot have a shape, None where it can."""
        fact = self.graph.inputs.get(name)
        if fact is None:
            names = {value: name for name, value in self.graph.aliases.items()}
            known = ", ".join(names.get(n, n) for n in self.graph.inputs) or "none"
            return codes.UNKNOWN_BINDING, f"{name} is not an input; the inputs are {known}"
        if not isinstance(dims, Iterable):
            return codes.BINDING_CONFLICT, f"{name} cannot be {dims!r}; a shape is a list of dims"
        dims = list(dims)
        try:
            numbers = [dim for dim in read_dims(self.graph, dims) if not isinstance(dim, Dim)]
        except DimSyntaxError as error:
            return codes.BINDING_CONFLICT, f"{name} cannot be {dims}: {error}"
        if fault := _beyond(numbers):
            return codes.BINDING_CONFLICT, f"{name} cannot be {dims}; {fault}"
        shape = fact.shape if isinstance(fact, (Tensor, SparseTensor)) else None
        if shape is not None and len(shape) != len(dims):
            message = f"{name} is declared {fact.text}, of rank {len(shape)}; the shape given has {len(dims)} axes"
            return codes.BINDING_CONFLICT, message
        return None

    def _of_shape(self, name: str, bound: Fact, declared: Fact, dims: Sequence[Size]) -> Fact:
        """Return an input with the shape given; where its dims are expressions, the solver learns from them."""
        if not isinstance(bound, Tensor) or not isinstance(declared, Tensor):
            return bound
        for axis, (size, written, given) in enumerate(zip(bound.shape or (), declared.shape or (), dims)):
            if isinstance(given, Dim):
                continue
            which = "" if written is size else f", which is {text_of(size)}"
            message = f"axis {axis} of {name} is declared {text_of(written)}{which}; it cannot be {given}"
            answer, _ = self.solver.decide(Claim(Equal(size, given), codes.BINDING_CONFLICT, message), None)
            if answer.is_no:
                self._refuse(codes.BINDING_CONFLICT, message)
                return bound
        return bound.of(*(size if isinstance(given, Dim) else given for size, given in zip(bound.shape or dims, dims)))

    def learn_range(self, name: str, low: int, high: int | None) -> None:
        """Learn the range of a dim, unless no dim has it."""
        if name not in self.named:
            self._refuse_name(name)
            return
        symbol = self.named[name]
        if symbol in self.inputs.sizes:
            return
        text = f"{low} <= {name}" + ("" if high is None else f" <= {high}")
        if not _are_whole([low] if high is None else [low, high]):
            self._refuse(codes.BINDING_CONFLICT, f"{text} cannot be; a dim is a whole number")
            return
        if low < 0 or (high is not None and high < low):
            self._refuse(codes.BINDING_CONFLICT, f"no size satisfies {text}")
            return
        self.inputs.notes[name] = text
        self.solver.narrow(symbol, low, high)

    def learn_assumption(self, text: str) -> None:
        """Learn a condition that the caller assumes, unless it cannot hold."""
        try:
            condition = parse_condition(text, self.named)
        except DimSyntaxError as error:
            self._refuse(codes.UNKNOWN_BINDING, f"the assumption {text!r} cannot be read: {error}")
            return
        condition = condition.substitute(self.inputs.sizes)
        message = f"the assumption {text} cannot hold"
        answer, because = self.solver.decide(Claim(condition, codes.ASSUMPTION_FALSE, message), None)
        if answer.is_no:
            fixed = constraint_notes(self.inputs.notes, (s.name for s in condition.symbols))
            self._refuse(codes.ASSUMPTION_FALSE, message, (*because, *fixed))

    def _refuse_name(self, name: str) -> None:
        known = sorted({*self.named, *(size.text for size in self._expressions())})
        there = f"the input dims are {', '.join(known) or 'none'}"
        self._refuse(codes.UNKNOWN_BINDING, f"{name} is not a dim of any input; {there}{did_you_mean(name, known)}")

    def _refuse(self, code: codes.Code, message: str, notes: Sequence[str] = ()) -> None:
        self.inputs.diagnostics.append(Diagnostic(code, code.severity, message, notes=tuple(notes)))


def _beyond(sizes: Sequence[int]) -> str:
    """Return what keeps sizes from being dims; nothing where they may be."""
    if not _are_whole(sizes):
        return "a dim is a whole number"
    if min(sizes, default=0) < 0:
        return "a dim must be at least 0"
    return f"a dim is at most {MOST}" if max(sizes, default=0) > MOST else ""


def _are_whole(sizes: Iterable[object]) -> bool:
    return all(isinstance(size, Integral) for size in sizes)
