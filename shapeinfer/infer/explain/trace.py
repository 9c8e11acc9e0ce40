"""Why an axis has the size it has: the way back to inputs and initializers, and where its symbols come from."""

from __future__ import annotations

import functools

from attrs import field, frozen

from shapeinfer.dims import Dim, Size, text_of
from shapeinfer.facts import SparseTensor, Tensor
from shapeinfer.graph import Graph
from shapeinfer.infer.diagnosis.origins import Axis, Origins, Step
from shapeinfer.infer.result import Result
from shapeinfer.infer.scope import Scope


class NoSuchAxis(ValueError):
    """The graph has no value of this name, or the value no such axis; the message says which."""


@frozen
class Trace:
    """Why an axis of a value has the size it has; ``str`` of it is what ``shapeinfer why`` prints."""

    value: str
    axis: int
    """Counted from the front."""
    size: Size
    _origins: Origins = field(repr=False, eq=False)
    _main: Graph = field(repr=False, eq=False)

    @functools.cached_property
    def steps(self) -> tuple[Step, ...]:
        """The nodes that compute the size, the last one first; the last step says where the way ends.

        Where a size is computed from several axes the way ends, and the step names them in ``sources``.
        """
        return tuple(self._origins.steps(self.value, self.axis))

    @functools.cached_property
    def axes(self) -> tuple[Axis, ...]:
        """All axes that the size is computed from, itself first, as pairs of a value and an axis."""
        return tuple(self._origins.axes(self.value, self.axis))

    @property
    def lines(self) -> list[str]:
        """The size, each step, and where each symbol comes from, a line each."""
        symbols = sorted(self.size.symbols, key=lambda s: s.name) if isinstance(self.size, Dim) else ()
        return [
            f"axis {self.axis} of {self.value} is {text_of(self.size)}",
            *(f"  {step.text}" for step in self.steps),
            *(f"{symbol.name}: {_source(self._main, symbol)}" for symbol in symbols),
        ]

    def __str__(self) -> str:
        return "\n".join(self.lines)


class Tracer:
    """Traces axes through the graphs of one inference, each of which it indexes once."""

    def __init__(self, result: Result) -> None:
        self._result = result
        self._origins: dict[Graph, Origins] = {}

    def trace(self, value: str, axis: int, graph: Graph | None = None) -> Trace:
        """Return why an axis of a value has its size, of the main graph or of another one. Raises NoSuchAxis."""
        main = self._result.graph
        graph = main if graph is None else graph
        facts = self._result.scopes.get(graph, {})
        value = graph.aliases.get(value, value)
        fact = facts.get(value)
        if fact is None:
            raise NoSuchAxis(f"the model has no value {value}")
        if not isinstance(fact, Tensor) or fact.shape is None:
            raise NoSuchAxis(f"{value} is {fact.text}: its rank is unknown")
        if not -len(fact.shape) <= axis < len(fact.shape):
            raise NoSuchAxis(f"{value} is {fact.text}: it has no axis {axis}")
        axis %= len(fact.shape)
        return Trace(value, axis, fact.shape[axis], self._of_graph(graph), main)

    def _of_graph(self, graph: Graph) -> Origins:
        origins = self._origins.get(graph)
        if origins is None:
            scope = Scope(graph, self._result.inferred[graph].path)
            scope.update(self._result.scopes[graph])
            origins = self._origins[graph] = Origins(scope)
        return origins


def _source(main: Graph, symbol: Dim) -> str:
    """Return where a symbol comes from."""
    if symbol.is_fresh:
        return "data-dependent"
    for name, fact in main.inputs.items():
        shape = fact.shape if isinstance(fact, (Tensor, SparseTensor)) else None
        for axis, size in enumerate(shape or ()):
            if size is symbol:
                return f"axis {axis} of input {name}"
    return "a dim of the inputs"
