"""What a caller says of the sizes of a model's inputs: numbers, whole shapes, ranges and assumptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import field, frozen

from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.diagnostics.finding import Claim
from shapeinfer.dims import Dim, DimSyntaxError, Equal, Size, parse_condition, text_of
from shapeinfer.facts import Fact, SparseTensor, Tensor
from shapeinfer.graph import Graph
from shapeinfer.infer.driver import Run
from shapeinfer.infer.spoken import in_force


@frozen(repr=False)
class Given:
    """What a caller says of the sizes of a model's inputs.

    ``bind`` gives dims by name, ``shapes`` whole inputs; ``ranges`` bounds dims, both ends included, None for
    no upper one; ``assume`` lists conditions such as ``seq % 8 == 0``.
    """

    bind: Mapping[str, int] = field(factory=dict)
    shapes: Mapping[str, Sequence[int]] = field(factory=dict)
    ranges: Mapping[str, tuple[int, int | None]] = field(factory=dict)
    assume: Sequence[str] = ()

    @property
    def has_sizes(self) -> bool:
        """Whether anything is given that may make a number of a dim."""
        return bool(self.bind or self.shapes or self.assume)

    def enter(self, run: Run, graph: Graph) -> dict[str, Fact]:
        """Return the inputs as they are given; what cannot be so is reported."""
        named = {s.name: s for f in graph.inputs.values() for s in sorted(f.symbols, key=str)}
        inputs = _bound_inputs(run, graph, named, self.bind, self.shapes)
        for name, (low, high) in self.ranges.items():
            _bound_range(run, named, name, low, high)
        for text in self.assume:
            _assumed(run, named, text)
        return inputs


NOTHING = Given()


def _bound_inputs(
    run: Run, graph: Graph, named: Mapping[str, Dim], bind: Mapping[str, int], shapes: Mapping[str, Sequence[int]]
) -> dict[str, Fact]:
    mapping: dict[Dim, Size] = {}
    shapes = {graph.aliases.get(name, name): dims for name, dims in shapes.items()}
    for name, value in bind.items():
        if name not in named:
            _refuse_name(run, named, name)
        elif value < 0:
            _refuse(run, codes.BINDING_CONFLICT, f"{name} cannot be {value}; a length is at least 0")
        else:
            mapping[named[name]] = value
    given = {name: dims for name, dims in shapes.items() if _fits(run, graph, name, dims)}
    for name, dims in given.items():
        for declared, size in zip(getattr(graph.inputs[name], "shape", None) or (), dims):
            if isinstance(declared, Dim) and declared.is_symbol:
                mapping.setdefault(declared, size)
    run.bound = mapping
    run.said.update({s.name: f"{s.name} = {text_of(size)}" for s, size in mapping.items()})
    inputs = {name: fact.substitute(mapping) for name, fact in graph.inputs.items()}
    return inputs | {name: _of_shape(run, name, inputs[name], graph.inputs[name], dims) for name, dims in given.items()}


def _fits(run: Run, graph: Graph, name: str, dims: Sequence[int]) -> bool:
    """Whether a shape can be given to an input of this name."""
    fact = graph.inputs.get(name)
    if fact is None:
        names = {value: name for name, value in graph.aliases.items()}
        known = ", ".join(names.get(n, n) for n in graph.inputs) or "none"
        _refuse(run, codes.UNKNOWN_BINDING, f"{name} is no input; the inputs are {known}")
        return False
    if min(dims, default=0) < 0:
        _refuse(run, codes.BINDING_CONFLICT, f"{name} cannot be {list(dims)}; a length is at least 0")
        return False
    shape = fact.shape if isinstance(fact, (Tensor, SparseTensor)) else None
    if shape is not None and len(shape) != len(dims):
        message = f"{name} is declared {fact.text}, of rank {len(shape)}; the shape given has {len(dims)} axes"
        _refuse(run, codes.BINDING_CONFLICT, message)
        return False
    return True


def _of_shape(run: Run, name: str, bound: Fact, declared: Fact, dims: Sequence[int]) -> Fact:
    """An input of a shape that was given; where its dims are formulas, those are conditions."""
    if not isinstance(bound, Tensor) or not isinstance(declared, Tensor):
        return bound
    for axis, (size, said, given) in enumerate(zip(bound.shape or (), declared.shape or (), dims)):
        which = "" if said is size else f", which is {text_of(size)}"
        message = f"axis {axis} of {name} is declared {text_of(said)}{which}; it cannot be {given}"
        answer, _ = run.solver.settle(Claim(Equal(size, given), codes.BINDING_CONFLICT, message), None)
        if answer.is_no:
            _refuse(run, codes.BINDING_CONFLICT, message)
            return bound
    return bound.of(*dims)


def _bound_range(run: Run, named: Mapping[str, Dim], name: str, low: int, high: int | None) -> None:
    if name not in named:
        _refuse_name(run, named, name)
        return
    symbol = named[name]
    if symbol in run.bound:
        return
    text = f"{low} <= {name}" + ("" if high is None else f" <= {high}")
    if low < 0 or (high is not None and high < low):
        _refuse(run, codes.BINDING_CONFLICT, f"no length satisfies {text}")
        return
    run.said[name] = text
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
        notes = (*because, *in_force(run.said, (s.name for s in condition.symbols)))
        run.diagnostics.append(
            Diagnostic(codes.ASSUMPTION_FALSE, codes.ASSUMPTION_FALSE.severity, message, notes=notes)
        )


def _refuse_name(run: Run, named: Mapping[str, Dim], name: str) -> None:
    known = ", ".join(sorted(named)) or "none"
    _refuse(run, codes.UNKNOWN_BINDING, f"{name} is no dim of any input; the inputs' dims are {known}")


def _refuse(run: Run, code: codes.Code, message: str) -> None:
    run.diagnostics.append(Diagnostic(code, code.severity, message))
