"""What a caller sees of a model: its inputs and outputs, and every condition on the sizes of the inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath

from attrs import field, frozen

from shapeinfer.api.report import Report
from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.printable import printable
from shapeinfer.dims import (
    AtMost,
    Condition,
    Dim,
    DimSyntaxError,
    Divides,
    Equal,
    Size,
    at_least,
    mul,
    parse_condition,
    parse_with,
    simplest,
    solve_for_symbol,
    sub,
    substitute,
    symbol,
)
from shapeinfer.facts import Fact, SparseTensor, Tensor, Unknown
from shapeinfer.infer.constraints.caller import Constraints, constrain
from shapeinfer.infer.constraints.redeclared import named_dims
from shapeinfer.infer.constraints.solver import Solver
from shapeinfer.infer.result import Result
from shapeinfer.version import __version__

GIVEN = "given when the contract was written"
"""The reason for a condition that the caller's own sizes, ranges and assumptions are."""
DECLARED = "declared by the model"


@frozen(repr=False)
class Demand:
    """A condition on the sizes of the inputs, and why it is one. Names in both are those of the model, untrusted."""

    condition: Condition
    reason: str

    @property
    def text(self) -> str:
        return self.condition.text

    def to_dict(self) -> dict[str, str]:
        return {"condition": self.text, "reason": self.reason}


@frozen(repr=False)
class Interface:
    """A model's inputs and outputs, under what the caller gave, and what must hold of the inputs' sizes.

    ``demands`` has every condition, those that only the sizes 0 and 1 break too. ``unchecked`` lists, as text, what
    must hold and no sizes can show.
    """

    name: str
    inputs: Mapping[str, Fact]
    outputs: Mapping[str, Fact]
    demands: Sequence[Demand]
    unchecked: Sequence[str] = ()
    defaults: Mapping[str, Fact] = field(factory=dict)
    """What is used where the caller leaves one of these inputs out."""
    format: str = ""
    """The name of the model's format."""
    written_by: str = ""
    """The program that writes the contract, with its version."""

    @property
    def symbols(self) -> list[Dim]:
        """The symbols of the inputs' dims, in the order of the inputs and their axes."""
        sizes = [size for _, _, size in self.axes() if isinstance(size, Dim)]
        found = [s for size in sizes for s in sorted(size.symbols, key=str)]
        rest = sorted((s for fact in self.inputs.values() for s in fact.symbols if not s.is_fresh), key=str)
        return list({s.name: s for s in [*found, *rest]}.values())

    def axes(self) -> Iterator[tuple[str, int, Size]]:
        """Yield the input, the number and the size of each axis."""
        for name, fact in self.inputs.items():
            for axis, size in enumerate(shape_of(fact) or ()):
                yield name, axis, size


def is_tensor(fact: Fact) -> bool:
    """Whether a value is a tensor, dense or sparse: other values have no shape."""
    return isinstance(fact, (Tensor, SparseTensor))


def shape_of(fact: Fact) -> tuple[Size, ...] | None:
    """Return the shape of a tensor; None where its rank is unknown, and of what is no tensor."""
    return fact.shape if is_tensor(fact) else None


def interface_of(report: Report, name: str = "") -> Interface:
    """Return what a caller sees of a checked model.

    Raises ValueError for a model with errors, and for a report in its light form: what the caller gave is no part of
    that, and a contract without it would accept too much.
    """
    if report.errors:
        first = printable(report.errors[0].message)
        raise ValueError(f"a model with errors has no contract; the first is: {first}")
    result = report.result
    if result is None and _gave_up(report):
        raise ValueError("the check of the model exceeded its limits; raise max_seconds or max_memory")
    if result is None:
        raise ValueError("this report holds no nodes; check the model again in this process")
    graph, given = result.graph, result.given
    constrained = constrain(graph, given, Solver())
    inputs = {n: f for n, f in constrained.facts.items() if n not in graph.initializers}
    demands = [*_declared(inputs), *_given(result, constrained.sizes), *_required(report)]
    outputs = {n: report.values.get(n, Unknown()) for n in graph.outputs}
    # What the ranges of symbols say, the demands say too: from here on one name is one symbol.
    symbols = {s for x in (*inputs.values(), *outputs.values()) for s in x.symbols}
    symbols.update(*(d.condition.symbols for d in demands))
    free = {s: _free(s) for s in symbols if not s.is_fresh}
    demands = [Demand(d.condition.substitute(free), d.reason) for d in demands]
    known = {value: other for other, value in reversed(list(graph.aliases.items()))}
    return Interface(
        name or PurePath(report.path or "model").name,
        {known.get(n, n): f.substitute(free) for n, f in inputs.items()},
        {known.get(n, n): f.substitute(free) for n, f in outputs.items()},
        list({d.condition: d for d in reversed(demands)}.values())[::-1],
        tuple(_unchecked(report, result)),
        {n: f for n, f in graph.defaults.items() if n in inputs and _fits(f, inputs[n].substitute(free), demands)},
        graph.format,
        f"shapeinfer {__version__}",
    )


def _fits(default: Fact, declared: Fact, demands: Iterable[Demand]) -> bool:
    """Whether what stands in for an input has sizes that it may have, as far as those of no other input matter."""
    known, shape = shape_of(default), shape_of(declared)
    if known is None or shape is None:
        return True
    sizes = dict(zip(shape, known))
    if len(known) != len(shape) or any(isinstance(d, int) and d != size for d, size in sizes.items()):
        return False
    numbers = {d: size for d, size in sizes.items() if isinstance(d, Dim)}
    return not any(
        d.condition.substitute(numbers).answer().is_no for d in demands if d.condition.symbols <= numbers.keys()
    )


def _required(report: Report) -> Iterator[Demand]:
    """The conditions that nodes require, for all sizes."""
    for r in report.contract.all_sizes:
        node = "required" if r.node is None else f"required by {r.node.text}"
        yield Demand(r.asked, f"{node}: {r.message}")


def _declared(inputs: Mapping[str, Fact]) -> Iterator[Demand]:
    """The ranges that a model declares of its dims: no condition of the contract repeats them."""
    for s in sorted({s for fact in inputs.values() for s in fact.symbols}, key=str):
        low, high = s.bounds()
        if low:
            yield Demand(at_least(_free(s), low), DECLARED)
        if high is not None:
            yield Demand(AtMost(_free(s), high), DECLARED)
        if s.divisor > 1:
            yield Demand(Divides(s.divisor, _free(s)), DECLARED)


def _given(result: Result, sizes: Mapping[Dim, Size]) -> Iterator[Demand]:
    """What the caller gave of dims: conditions that follow from it are not in the contract."""
    given: Constraints = result.given
    named = named_dims(result.graph)
    for text, value in given.bind.items():
        if text not in named:
            yield from _of_formula(Equal(_parsed(text, named), int(value)), sizes)
    for name, dims in given.shapes.items():
        fact = result.graph.inputs.get(result.graph.aliases.get(name, name))
        for size, number in zip(shape_of(fact) or () if fact is not None else (), dims):
            if isinstance(size, Dim) and not size.is_symbol and not isinstance(number, (str, Dim)):
                yield from _of_formula(Equal(size, int(number)), sizes)
    for name, (low, high) in given.ranges.items():
        s = named.get(name)
        if s is None or s in sizes:
            continue
        if low:
            yield Demand(at_least(s, int(low)), GIVEN)
        if high is not None:
            yield Demand(AtMost(s, int(high)), GIVEN)
    for text in given.assume:
        yield from _of_formula(parse_condition(text, named), sizes)


def _of_formula(condition: Condition, sizes: Mapping[Dim, Size]) -> Iterator[Demand]:
    for part in simplest(condition.substitute(sizes)).conjuncts:
        if not part.answer().is_yes:
            yield Demand(part, GIVEN)


def _parsed(text: str, named: Mapping[str, Dim]) -> Size:
    try:
        return parse_with(text, {**named})
    except DimSyntaxError as error:  # it would have been refused before
        raise ValueError(f"{printable(text)} is no dim of the model: {error}") from None


def _unchecked(report: Report, result: Result) -> Iterator[str]:
    for r in result.at_run_time.all_sizes:
        node = "" if r.node is None else f", required by {r.node.text}"
        yield f"{r.condition}, which depends on data{node}"
    if _gave_up(report):
        yield "conditions that were not found: the check of the model exceeded its limits"


def _gave_up(report: Report) -> bool:
    return any(d.code is codes.BUDGET_EXCEEDED for d in report.diagnostics)


def _free(s: Dim) -> Dim:
    """Return the symbol of the same name without its range, of which conditions on that range say something."""
    free = symbol(s.name)
    assert isinstance(free, Dim)
    return free


def affine(size: Size) -> tuple[int, Dim | None, int] | None:
    """Return ``a, s, b`` of a size that is ``a*s + b`` of one symbol, None for it where it is ``b`` alone.

    None for any other size.
    """
    if isinstance(size, int):
        return 0, None, size
    terms, number = size.as_terms()
    if len(terms) != 1 or not terms[0][1].is_symbol:
        return None
    (factor, s), *_ = terms
    return factor, s, number


def equalities(conditions: Iterable[Condition], accepts: Callable[[Size], bool] | None = None) -> dict[Dim, Size]:
    """Return what symbols must be equal to by equations among conditions, each in symbols that stay free.

    ``accepts`` says of a size whether a symbol may be replaced by it; by default it may.
    """
    found: dict[Dim, Size] = {}
    for condition in conditions:
        now = simplest(condition.substitute(found))
        for s, size in _solutions(now) if isinstance(now, Equal) else ():
            if accepts is None or accepts(size):
                found = {other: substitute(known, {s: size}) for other, known in found.items()} | {s: size}
                break
    return found


def _solutions(equation: Equal) -> Iterator[tuple[Dim, Size]]:
    """Yield symbols and what each must be equal to by an equation, in other symbols."""
    solved = solve_for_symbol(equation)
    if solved is not None and not (isinstance(solved[1], Dim) and solved[1].name == solved[0].name):
        yield solved  # what has its name is the same symbol in a narrower range
    difference = sub(equation.a, equation.b)
    for factor, s in difference.as_terms()[0] if isinstance(difference, Dim) else ():
        rest = sub(difference, mul(factor, s))
        if abs(factor) == 1 and s.is_symbol and (isinstance(rest, int) or s not in rest.symbols):
            yield s, mul(-factor, rest)
