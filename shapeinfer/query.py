"""Questions that a program asks of a report: of one value, of lengths, and of all values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from shapeinfer.diagnostics.nearest import did_you_mean
from shapeinfer.dims import (
    Answer,
    Dim,
    DimSyntaxError,
    Divides,
    Equal,
    Floating,
    Ratio,
    Size,
    parse_with,
    substitute,
)
from shapeinfer.facts import Contents, DType, Element, Fact, Shape, Tensor
from shapeinfer.graph import Graph
from shapeinfer.infer.constraints.contract import Contract
from shapeinfer.infer.constraints.known_conditions import KnownConditions
from shapeinfer.infer.result import Result

if TYPE_CHECKING:
    from shapeinfer.cost import Cost

Length: TypeAlias = "Size | str"
"""A dim as an argument: an int, a Dim, an expression of the model's dims, or an axis such as ``"logits[1]"``."""

_AXIS = re.compile(r"(.+)\[(-?[0-9]{1,3})\]")


class Questions:
    """Questions that a report answers.

    Answers hold for all inputs that meet the contract and what the caller said of sizes, as far as the assumptions of
    the report are true. YES and NO are proven; MAYBE says that it depends on the input or could not be decided, so what
    rewrites a model acts on YES or NO alone.
    An Answer refuses to be a bool, so that ``if`` cannot take MAYBE for one of them.

    Values are those of the main graph, initializers too. All methods raise ValueError for a name that the model
    does not have. A report in its light form knows no initializers, and decides less.
    """

    __slots__ = ()

    values: Mapping[str, Fact]
    graph: Graph | None
    result: Result | None

    @property
    def contract(self) -> Contract:
        raise NotImplementedError

    def shape(self, value: str) -> Shape | None:
        """Return the shape of a tensor, None if its rank is unknown or it is not a tensor."""
        return _fact(self, value).shape

    def dtype(self, value: str) -> DType | None:
        """Return the element type of a tensor, None if it is unknown or the value is not a tensor."""
        return _fact(self, value).dtype or None

    def contents(self, value: str) -> Contents | None:
        """Return the entries of a small tensor in row-major order, unknown ones as None; None if all are unknown."""
        fact = _fact(self, value)
        return fact.value if isinstance(fact, Tensor) else None

    def same_dim(self, a: Length, b: Length) -> Answer:
        """Return whether two dims are equal."""
        premises = _known_conditions(self)
        return premises.answer(Equal(premises.current(_read(self, a)), premises.current(_read(self, b))))

    def divisible(self, dim: Length, divisor: Length) -> Answer:
        """Return whether a dim is divisible by ``divisor``; only 0 is divisible by 0."""
        premises = _known_conditions(self)
        return premises.answer(Divides(premises.current(_read(self, divisor)), premises.current(_read(self, dim))))

    def bounds(self, dim: Length) -> tuple[int | None, int | None]:
        """Return the lower and the upper bound of a dim, None for unknown ones."""
        size = _known_conditions(self).current(_read(self, dim))
        return (size, size) if isinstance(size, int) else size.bounds()

    def numel(self, value: str, *, bind: Mapping[str, int] | None = None) -> Size | None:
        """Return the number of elements of a dense tensor, None if its rank is unknown or it is not a dense tensor.

        With ``bind`` dims are replaced by sizes. Raises ValueError for sizes with which the model does not run.
        """
        from shapeinfer.cost import elements_of

        return _bound(self, elements_of(_fact(self, value)), bind)

    def bytes(self, value: str, *, bind: Mapping[str, int] | None = None) -> Size | None:
        """Return the size of a dense tensor in bytes, elements below a byte packed; None if unknown.

        ``bind`` and what is raised are as for ``numel``. Nobody knows the bytes of strings.
        """
        from shapeinfer.cost import bytes_of

        return _bound(self, bytes_of(_fact(self, value)), bind)

    def cost(self, *, bind: Mapping[str, int] | None = None) -> Cost:
        """Return the parameters, multiply-adds and memory of each node and of the whole model, see ``Cost``.

        ``bind`` and what is raised are as for ``numel``. Raises ValueError, too, for a report in its light form, which
        has no nodes.
        """
        from shapeinfer.cost import cost_of

        result = self.result
        if result is None:
            raise ValueError("this report has no nodes to count; check the model again in this process")
        cost = cost_of(result.graph, result.scopes)
        sizes = _sizes(self, bind) if bind else {}
        return cost.bound(lambda size: substitute(size, sizes)) if sizes else cost

    def equal_dims(self) -> dict[Dim, tuple[tuple[str, int], ...]]:
        """Return the axes with each symbolic dim, as pairs of a value and an axis.

        All axes of a group are equal. Those of two groups may be so too, where that is not proven.
        """
        found: dict[Dim, list[tuple[str, int]]] = {}
        premises = _known_conditions(self)
        for name in self.values:
            for axis, size in enumerate(self.shape(name) or ()):
                known = premises.current(size)
                if isinstance(known, Dim):
                    found.setdefault(known, []).append((name, axis))
        return {premises.declared(size): tuple(axes) for size, axes in found.items()}

    def constants(self) -> dict[str, Contents]:
        """Return the node outputs that are constant for all inputs, with their entries.

        Only small tensors are followed, see ``contents``.
        """
        given = self.graph.inputs if self.graph else {}
        known = {n: self.contents(n) for n in self.values if n not in given}
        return {n: v for n, v in known.items() if v is not None and not any(map(_is_open, v))}

    def depends_on(self, value: str) -> tuple[Dim, ...]:
        """Return the symbols in the shape and the known entries of a value, by name.

        A symbol that is ``made`` stands for what only data decides; the others are dims of the inputs.
        """
        return tuple(sorted(_fact(self, value).symbols, key=lambda s: s.name))


def _is_open(entry: Element) -> bool:
    return entry is None or isinstance(entry, (Dim, Ratio, Floating))


def _bound(report: Questions, size: Size | None, bind: Mapping[str, int] | None) -> Size | None:
    """Return a dim with sizes substituted. Raises ValueError for unknown names and invalid sizes."""
    return substitute(size, _sizes(report, bind)) if bind and size is not None else size


def _sizes(report: Questions, bind: Mapping[str, int]) -> dict[Dim, Size]:
    """Check sizes by name, and return them by symbol."""
    dims = _dims(report)
    for name, size in bind.items():
        if name not in dims:
            raise ValueError(f"the model has no dim {name}{did_you_mean(name, dims, 3)}")
        if size < 0:
            raise ValueError(f"a dim cannot be negative: {name} = {size}")
    sizes: dict[Dim, Size] = {dims[name]: size for name, size in bind.items()}
    for requirement in report.contract.all_sizes:
        if requirement.asked.substitute(sizes).answer().is_no:
            said = ", ".join(f"{name} = {size}" for name, size in sorted(bind.items()))
            raise ValueError(f"the model does not run with {said}: it requires {requirement.condition}")
    return sizes


def _fact(report: Questions, value: str) -> Fact:
    graph = report.graph
    value = graph.aliases.get(value, value) if graph else value
    fact = report.values.get(value) or (graph.initializers.get(value) if graph else None)
    if fact is None:
        raise ValueError(f"the model has no value {value}{did_you_mean(value, report.values, 3)}")
    return fact


def _dims(report: Questions) -> dict[str, Dim]:
    return {s.name: s for fact in report.values.values() for s in fact.symbols}


def _known_conditions(report: Questions) -> KnownConditions:
    return (
        KnownConditions(tuple(r.asked for r in report.contract.all_sizes))
        if report.result is None
        else report.result.premises
    )


def _read(report: Questions, length: Length) -> Size:
    if not isinstance(length, str):
        return length
    axis = _AXIS.fullmatch(length)
    if axis:
        return _axis(axis[1], report.shape(axis[1]), int(axis[2]))
    dims: dict[str, Size] = {**_dims(report)}
    if length in dims:
        return dims[length]
    try:
        return parse_with(length, dims)
    except DimSyntaxError as error:
        raise ValueError(f"{length!r} is neither a dim expression nor an axis such as x[1]: {error}") from None


def _axis(value: str, shape: Sequence[Size] | None, axis: int) -> Size:
    if shape is None:
        raise ValueError(f"the rank of {value} is unknown")
    if not -len(shape) <= axis < len(shape):
        raise ValueError(f"axis {axis} is out of range for {value}, which has rank {len(shape)}")
    return shape[axis]
