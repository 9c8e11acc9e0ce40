"""Why an axis has the length it has: the way back to inputs and initializers, and where its symbols come from."""

from __future__ import annotations

from shapeinfer.dims import Dim, text_of
from shapeinfer.facts import SparseTensor, Tensor
from shapeinfer.infer.diagnosis.origins import Origins
from shapeinfer.infer.result import Result
from shapeinfer.infer.scope import Scope


class NoSuchAxis(ValueError):
    """The model has no value of this name, or the value no such axis; the message says which."""


def why(result: Result, value: str, axis: int) -> list[str]:
    """Return the derivation of one axis of a value of the main graph, a line each. Raises NoSuchAxis."""
    scope = Scope(result.graph)
    scope.update(result.scopes[result.graph])
    value = result.graph.aliases.get(value, value)
    if value not in scope:
        raise NoSuchAxis(f"the model has no value {value}")
    fact = scope.fact(value)
    if not isinstance(fact, Tensor) or fact.shape is None:
        raise NoSuchAxis(f"{value} is {fact.text}: its rank is unknown")
    if not -len(fact.shape) <= axis < len(fact.shape):
        raise NoSuchAxis(f"{value} is {fact.text}: it has no axis {axis}")
    axis %= len(fact.shape)
    size = fact.shape[axis]
    lines = [f"axis {axis} of {value} is {text_of(size)}"]
    lines += [f"  {line}" for line in Origins(scope).derivation(value, axis)]
    if isinstance(size, Dim):
        lines += [_symbol(result, s) for s in sorted(size.symbols, key=lambda s: s.name)]
    return lines


def _symbol(result: Result, symbol: Dim) -> str:
    """Tell where a symbol comes from."""
    if symbol.is_fresh:
        return f"{symbol.name}: data-dependent"
    for name, fact in result.graph.inputs.items():
        shape = fact.shape if isinstance(fact, (Tensor, SparseTensor)) else None
        for axis, size in enumerate(shape or ()):
            if size is symbol:
                return f"{symbol.name}: axis {axis} of input {name}"
    return f"{symbol.name}: a dim of the inputs"
