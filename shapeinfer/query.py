"""Questions that a program asks of a report: of one value, of lengths, and of all values."""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from shapeinfer.diagnostics.nearest import did_you_mean
from shapeinfer.dims import (
    AllOf,
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
from shapeinfer.dims.notation.arguments import ByDim, SympyExpression, read_dim, whole_numbers_by_name
from shapeinfer.facts import (
    Contents,
    DType,
    Element,
    Fact,
    MapType,
    OptionalType,
    SequenceType,
    Shape,
    SparseTensor,
    Tensor,
    Type,
)
from shapeinfer.graph import Graph
from shapeinfer.infer.constraints.contract import Contract
from shapeinfer.infer.constraints.known_conditions import KnownConditions
from shapeinfer.infer.result import Result

if TYPE_CHECKING:
    from shapeinfer.cost import Cost, LiveSet

Length: TypeAlias = "Size | str | SympyExpression"
"""A dim as an argument: an int, a Dim, an expression of the model's dims, as text or of sympy's, or an axis such as
``"logits[1]"``."""

ShapeLike: TypeAlias = "str | Sequence[Length]"
"""A shape as an argument: the name of a value that has it, or its dims, such as ``["batch", 2, "up[2]"]``."""

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

    values: Mapping[str, Type]
    graph: Graph | None
    result: Result | None

    @property
    def contract(self) -> Contract:
        raise NotImplementedError

    def shape(self, value: str, *, bind: ByDim[int] | None = None) -> Shape | None:
        """Return the shape of a tensor, None if its rank is unknown or it is not a tensor.

        With ``bind`` dims are replaced by sizes. Raises ValueError for sizes with which the model does not run.
        """
        shape = _fact(self, value).shape
        sizes = _sizes(self, bind) if bind else {}
        return shape if shape is None or not sizes else tuple(substitute(size, sizes) for size in shape)

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

    def same_shape(self, a: ShapeLike, b: ShapeLike) -> Answer:
        """Return whether two values have the same rank and equal dims; a shape given as dims counts as one.

        MAYBE, too, where a rank is unknown or a value is not a tensor, except for a value and itself.
        """
        one, other = _shape_of(self, a), _shape_of(self, b)
        if one is None or other is None:
            graph = self.graph
            names = [graph.aliases.get(v, v) if graph and isinstance(v, str) else v for v in (a, b)]
            return Answer.YES if names[0] == names[1] else Answer.MAYBE
        if len(one) != len(other):
            return Answer.NO
        known = _known_conditions(self)
        pairs = tuple(Equal(known.current(x), known.current(y)) for x, y in zip(one, other))
        together = known.answer(AllOf(pairs))  # N == 3 and N == 4 may each hold, but not both
        return functools.reduce(operator.and_, map(known.answer, pairs)) if together.is_maybe else together

    def divisible(self, dim: Length, divisor: Length) -> Answer:
        """Return whether a dim is divisible by ``divisor``; only 0 is divisible by 0."""
        premises = _known_conditions(self)
        return premises.answer(Divides(premises.current(_read(self, divisor)), premises.current(_read(self, dim))))

    def bounds(self, dim: Length) -> tuple[int | None, int | None]:
        """Return the lower and the upper bound of a dim, None for unknown ones."""
        size = _known_conditions(self).current(_read(self, dim))
        return (size, size) if isinstance(size, int) else size.bounds()

    def numel(self, value: str, *, bind: ByDim[int] | None = None) -> Size | None:
        """Return the number of elements of a dense tensor, None if its rank is unknown or it is not a dense tensor.

        ``bind`` and what is raised are as for ``shape``.
        """
        from shapeinfer.cost import elements_of

        return _bound(self, elements_of(_fact(self, value)), bind)

    def bytes(self, value: str, *, bind: ByDim[int] | None = None) -> Size | None:
        """Return the size of a dense tensor in bytes, elements below a byte packed; None if unknown.

        ``bind`` and what is raised are as for ``shape``. The bytes of strings are unknown.
        """
        from shapeinfer.cost import bytes_of

        return _bound(self, bytes_of(_fact(self, value)), bind)

    def cost(self, *, bind: ByDim[int] | None = None) -> Cost:
        """Return the parameters, multiply-adds and memory of each node and of the whole model, see ``Cost``.

        ``bind`` and what is raised are as for ``shape``. Raises ValueError, too, for a report in its light form, which
        has no nodes.
        """
        from shapeinfer.cost import cost_of

        result = _result_with_nodes(self)
        cost = cost_of(result.graph, result.scopes)
        sizes = _sizes(self, bind) if bind else {}
        return cost.bound(lambda size: substitute(size, sizes)) if sizes else cost

    def live_sets(self, *, bind: ByDim[int] | None = None) -> Iterator[LiveSet]:
        """Return for each node of the main graph, in their order, the values alive while it runs, with their bytes.

        Alive are the inputs of the model, what the node reads and computes, what a later node reads, and outputs of the
        model from the node that computes them; weights are not among them. The greatest ``bytes`` of them is
        ``Cost.peak_bytes``. Each is computed when the iterator gets there, since together they may be many more than
        the nodes. ``bind`` and what is raised are as for ``cost``.
        """
        from shapeinfer.cost import live_sets_of

        result = _result_with_nodes(self)
        sizes = _sizes(self, bind) if bind else {}
        return live_sets_of(result.graph, result.scopes, lambda size: substitute(size, sizes))

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

    def depends_on(self, value: str, *, contents: bool = True) -> tuple[Dim, ...]:
        """Return the symbols in the shape and the known entries of a value, by name; without ``contents`` in the shape.

        Of a sequence, an optional or a map that is the shape of its elements, and how many a sequence has. A symbol
        that ``is_fresh`` stands for what only data decides; the others are dims of the inputs.
        """
        fact = _fact(self, value)
        return tuple(sorted(fact.symbols if contents else _shape_symbols(fact), key=lambda s: s.name))


def _is_open(entry: Element) -> bool:
    return entry is None or isinstance(entry, (Dim, Ratio, Floating))


def _shape_symbols(fact: Fact) -> frozenset[Dim]:
    """Return the symbols in a shape, of containers in the shapes of their elements and in their length."""
    if isinstance(fact, (Tensor, SparseTensor)):
        sizes = [size for size in fact.shape or () if isinstance(size, Dim)]
        return frozenset().union(*(size.symbols for size in sizes))
    if isinstance(fact, SequenceType):
        own = fact.length.symbols if isinstance(fact.length, Dim) else frozenset()
        return own.union(*map(_shape_symbols, (fact.element, *(fact.elements or ()))))
    if isinstance(fact, OptionalType):
        return _shape_symbols(fact.element)
    return _shape_symbols(fact.value) if isinstance(fact, MapType) else frozenset()


def _result_with_nodes(report: Questions) -> Result:
    if report.result is None:
        raise ValueError("this report has no nodes to count; check the model again in this process")
    return report.result


def _bound(report: Questions, size: Size | None, bind: ByDim[int] | None) -> Size | None:
    """Return a dim with sizes substituted. Raises ValueError for unknown names and invalid sizes."""
    return substitute(size, _sizes(report, bind)) if bind and size is not None else size


def _sizes(report: Questions, bind: ByDim[int]) -> dict[Dim, Size]:
    """Check sizes by name, and return them by symbol."""
    dims, given = _dims(report), whole_numbers_by_name(bind, "bind")
    for name, size in given.items():
        if name not in dims:
            raise ValueError(f"the model has no dim {name}{did_you_mean(name, dims, 3)}")
        if size < 0:
            raise ValueError(f"a dim cannot be negative: {name} = {size}")
    sizes: dict[Dim, Size] = {dims[name]: size for name, size in given.items()}
    # Of an inference that goes on, its own contract is at hand, which has the same conditions for all sizes.
    contract = report.contract if report.result is None else report.result.contract
    for requirement in contract.all_sizes:
        if requirement.asked.substitute(sizes).answer().is_no:
            said = ", ".join(f"{name} = {size}" for name, size in sorted(given.items()))
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


def _shape_of(report: Questions, like: ShapeLike) -> Shape | None:
    if isinstance(like, str):
        return report.shape(like)
    if not isinstance(like, Sequence):
        raise ValueError(f"{like!r} is no shape; give the name of a value or a list of dims")
    return tuple(_read(report, length) for length in like)


def _read(report: Questions, length: Length) -> Size:
    if isinstance(length, (int, Dim)):
        return length
    if not isinstance(length, str):
        return _named_dim(report, read_dim(length, "the dim"))
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


def _named_dim(report: Questions, size: Size) -> Size:
    """Return a size of the report's dims of the same names. Raises ValueError for a name that no dim has."""
    if isinstance(size, int):
        return size
    dims = _dims(report)
    own = {*dims.values()}
    for s in sorted(size.symbols - own, key=str):
        if s.name not in dims:
            raise ValueError(f"the model has no dim {s.name}{did_you_mean(s.name, dims, 3)}")
    return substitute(size, {s: dims[s.name] for s in size.symbols - own})


def _axis(value: str, shape: Sequence[Size] | None, axis: int) -> Size:
    if shape is None:
        raise ValueError(f"the rank of {value} is unknown")
    if not -len(shape) <= axis < len(shape):
        raise ValueError(f"axis {axis} is out of range for {value}, which has rank {len(shape)}")
    return shape[axis]
