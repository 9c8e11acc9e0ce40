"""Grow a model node by node, with a sample of every value: integers that become lengths, floats, sequences."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np
import onnx
from attrs import field, mutable

from shapeinfer.dims import Dim, evaluate, parse
from tests.fuzz.runtime import Refused
from tests.infer.graphs import LENGTHS, MAX_ENTRIES, Builder, Unfit, model_of

NAMES = ("N", "M", "H", "W", "T", "N", "M")
OPSETS = (20, 20, 18, 17, 13, 21, 23)
INT = np.dtype(np.int64)
FLOAT = np.dtype(np.float32)
MOST = 8
"""A vector of more entries than this is not taken for a shape."""

Step: TypeAlias = "Callable[[Grower], object]"


@mutable
class Grower(Builder):
    """A builder whose values may be of any type, and whose nodes may hold graphs that read what stands before them."""

    kinds: dict[str, Any] = field(factory=dict)
    """The element types of sequences, which the samples of empty ones do not tell."""

    # Values to work on

    def fit(self, accepts: Callable[[Any], bool], *, late: int = 60, constants: bool = False) -> str:
        """Return a tensor whose sample is accepted, rather a late one. Raises Unfit where there is none."""
        weights = () if constants else {i.name for i in self.initializers}
        every: dict[str, Any] = dict(self.values)
        names = [n for n, v in every.items() if n not in weights and isinstance(v, np.ndarray) and accepts(v)]
        if not names:
            raise Unfit
        return str(self.pick(names[-4:] if self.chance(late) else names))

    def vector(self, dtype: Any = INT, least: int = 0, most: int = MOST) -> str:
        """Return a vector of few entries that is computed."""
        return self.fit(lambda v: _is(v, dtype) and v.ndim == 1 and least <= v.size <= most)

    def scalar(self, dtype: Any = INT) -> str:
        """Return a tensor of no axes that is computed."""
        return self.fit(lambda v: _is(v, dtype) and v.ndim == 0)

    def small(self, dtype: Any = INT) -> str:
        """Return a tensor of few entries and of at most two axes that is computed."""
        return self.fit(lambda v: _is(v, dtype) and v.ndim <= 2 and v.size <= 2 * MOST)

    def floats(self, least: int = 0, most: int = 5) -> str:
        return self.data(least, most)

    def data(self, least: int = 1, most: int = 4) -> str:
        """Return a tensor of floats of some ranks that is no constant."""
        return self.fit(lambda v: _is(v, FLOAT) and least <= v.ndim <= most)

    def entry(self, accepts: Callable[[int], bool]) -> str:
        """Return a vector of one entry whose sample is accepted, or make it of a scalar or of an entry of a vector."""
        name = self.fit(lambda v: _is(v, INT) and v.ndim <= 1 and 0 < v.size <= MOST and any(map(accepts, v.ravel())))
        value = self.values[name]
        if value.ndim == 0:
            return self.add("Unsqueeze", name, self.constant([0])) if self.chance(60) else self.as_vector(name)
        if value.size == 1:
            return name
        at = self.pick([i for i, n in enumerate(value) if accepts(n)])
        return self.add("Gather", name, self.constant([self.signed(at, value.size)]))

    def single(self, accepts: Callable[[int], bool]) -> str:
        """Return the same as a scalar."""
        name = self.fit(lambda v: _is(v, INT) and v.ndim <= 1 and 0 < v.size <= MOST and any(map(accepts, v.ravel())))
        value = self.values[name]
        if value.ndim == 0:
            return name
        if value.size == 1 and self.chance(50):
            return self.add("Squeeze", name, self.constant([0])) if self.chance(50) else self.add("Squeeze", name)
        at = self.pick([i for i, n in enumerate(value) if accepts(n)])
        return self.add("Gather", name, self.constant(at))

    def as_vector(self, scalar: str) -> str:
        return self.add("Reshape", scalar, self.constant([1] if self.chance(50) else [-1]))

    def joined(self, parts: Iterable[str]) -> str:
        """Return the concatenation of vectors."""
        every = list(parts)
        if not every:
            return self.constant(np.zeros(0, np.int64))
        return every[0] if len(every) == 1 and self.chance(70) else self.add("Concat", *every, axis=0)

    # Growth

    def add_many(self, op: str, *inputs: str, outputs: int, **attributes: Any) -> list[str]:
        names = [self.fresh("v") for _ in range(outputs)]
        node = onnx.helper.make_node(op, inputs, names, **attributes)
        reads = [i for i in dict.fromkeys((*inputs, *read_inside(node))) if i in self.values]
        given = [type_of(name, self.values[name], self.kinds.get(name, FLOAT)) for name in reads]
        made = self._made(model_of([node], given, [], self.opset), {i: self.values[i] for i in reads})
        if any(np.size(m) > MAX_ENTRIES for m in made if not isinstance(m, list)):
            raise Unfit
        self.nodes.append(node)
        self.values.update(zip(names, made))
        return names

    def _made(self, model: onnx.ModelProto, feeds: dict[str, Any]) -> list[Any]:
        try:
            return list(self.run(model, feeds))
        except Refused as error:
            raise Unfit from error

    def given(self, dtype: Any, dims: Iterable[int | str], sample: Any) -> str:
        """Add an input of any type, with its sample."""
        name = self.fresh("x")
        kind = onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        self.inputs.append(onnx.helper.make_tensor_value_info(name, kind, list(dims)))
        self.values[name] = np.asarray(sample, dtype)
        return name

    def length(self, name: str) -> int:
        """Return the sample's length of a dim; a formula's is that of its symbols'."""
        size = parse(name)
        if isinstance(size, Dim) and not size.is_symbol:
            return evaluate(size, {s.name: self.length(s.name) for s in size.symbols})
        return self.lengths.setdefault(name, self.pick(LENGTHS))

    # Graphs inside

    def inner(self) -> Grower:
        """Return a builder of a graph inside this one: it reads what is here, and its nodes are its own."""
        self.count += 1000
        return Grower(
            self.random, self.opset, initializers=self.initializers, values=dict(self.values),
            lengths=self.lengths, count=self.count - 500, run=self.run, kinds=dict(self.kinds),
        )  # fmt: skip


def _is(value: Any, dtype: Any) -> bool:
    return bool(value.dtype == dtype)


def type_of(name: str, value: Any, of_empty: Any) -> onnx.ValueInfoProto:
    """Return the type of a value of a sample; ``of_empty`` is that of the elements of an empty sequence."""
    if isinstance(value, list):
        kind = onnx.helper.np_dtype_to_tensor_dtype(value[0].dtype if value else of_empty)
        return onnx.helper.make_tensor_sequence_value_info(name, kind, None)
    array = np.asarray(value)
    kind = onnx.helper.np_dtype_to_tensor_dtype(array.dtype)
    return onnx.helper.make_tensor_value_info(name, kind, array.shape)


def read_inside(node: onnx.NodeProto) -> list[str]:
    """Return the names that the graphs of a node read."""
    return [
        name
        for a in node.attribute
        if a.HasField("g")
        for name in (*(i for n in a.g.node for i in (*n.input, *read_inside(n))), *(o.name for o in a.g.output))
    ]
