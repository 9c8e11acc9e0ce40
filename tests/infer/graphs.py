"""Small random models that are well typed, built a few nodes at a time and tried in the runtime as they grow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, TypeAlias

import numpy as np
import onnx
from attrs import field, frozen, mutable
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from tests.infer.running import Array, session

NAMES = ("N", "S", "H", "W")
LENGTHS = (1, 2, 2, 3, 4, 4, 5, 6, 8, 8, 12, 16)
OPSETS = (20, 20, 18, 17, 13)
MAX_ENTRIES = 4096


randoms = st.randoms(use_true_random=False)
"""Sources of random choices that hypothesis makes, and makes smaller where a law fails."""


def for_each(count: int) -> settings:
    """Settings of a law that is tried on so many models, the same each time."""
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]
    return settings(derandomize=True, deadline=None, max_examples=count, suppress_health_check=slow)


Step: TypeAlias = "Callable[[Builder], object]"


class Unfit(Exception):
    """A step has no value to work on, or the runtime refuses it for the model's sample."""


def run_here(model: onnx.ModelProto, feeds: Mapping[str, Array]) -> Sequence[Array]:
    """Run a model in this process."""
    made: Sequence[Array] = session(model).run(None, dict(feeds))
    return made


@mutable
class Builder:
    """A model in the making, with a sample of every value: what it is for one binding of the inputs' dims."""

    random: Random
    opset: int
    nodes: list[onnx.NodeProto] = field(factory=list)
    inputs: list[onnx.ValueInfoProto] = field(factory=list)
    initializers: list[onnx.TensorProto] = field(factory=list)
    values: dict[str, Array] = field(factory=dict)
    lengths: dict[str, int] = field(factory=dict)
    """What each named dim is in the sample."""
    count: int = 0
    run: Callable[[onnx.ModelProto, Mapping[str, Array]], Sequence[Array]] = run_here
    """Runs one node on the sample. Raises whatever the runtime does where it refuses."""

    # Choices

    def pick(self, choices: Sequence[Any]) -> Any:
        return choices[self.random.randrange(len(choices))]

    def number(self, low: int, high: int) -> int:
        return self.random.randint(low, high)

    def chance(self, percent: int) -> bool:
        return self.random.randrange(100) < percent

    def near(self, length: int) -> int:
        """A length, seldom one beside it."""
        return max(0, length + self.pick((-1, 1))) if self.chance(6) else length

    def signed(self, axis: int, rank: int) -> int:
        """The same axis, at times counted from the end."""
        return axis - rank if self.chance(25) else axis

    # Values

    def shape(self, name: str) -> tuple[int, ...]:
        return tuple(self.values[name].shape)

    def rank(self, name: str) -> int:
        return self.values[name].ndim

    def floats(self, least: int = 0, most: int = 5) -> str:
        """One of the tensors of floats of some ranks, rather a late one."""
        constants = {i.name for i in self.initializers}
        fit = [
            n
            for n, v in self.values.items()
            if v.dtype == np.float32 and least <= v.ndim <= most and n not in constants
        ]
        if not fit:
            raise Unfit
        return str(self.pick(fit[-3:] if self.chance(50) else fit))

    def partner(self, name: str) -> str:
        """Another tensor of the same rank, if there is one."""
        rank = self.rank(name)
        return self.floats(rank, rank)

    def constant(self, entries: Any, dtype: Any = np.int64) -> str:
        array = np.asarray(entries, dtype=dtype)
        name = self.fresh("c")
        self.initializers.append(onnx.numpy_helper.from_array(array, name))
        self.values[name] = array
        return name

    def weights(self, *shape: int) -> str:
        if int(np.prod(shape)) > MAX_ENTRIES:
            raise Unfit
        return self.constant(np.ones(shape), np.float32)

    def fresh(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    # Growth

    def add(self, op: str, *inputs: str, outputs: int = 1, **attributes: Any) -> str:
        """Add a node, try it on the sample, and return its first output."""
        return self.add_many(op, *inputs, outputs=outputs, **attributes)[0]

    def add_many(self, op: str, *inputs: str, outputs: int, **attributes: Any) -> list[str]:
        names = [self.fresh("v") for _ in range(outputs)]
        node = onnx.helper.make_node(op, inputs, names, **attributes)
        self.nodes.append(node)
        fed = {i: self.values[i] for i in inputs if i}
        given = [
            onnx.helper.make_tensor_value_info(n, onnx.helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
            for n, a in fed.items()
        ]
        model = model_of([node], given, [], self.opset)
        try:
            made = self.run(model, fed)
        except Exception as error:
            raise Unfit from error
        if any(m.size > MAX_ENTRIES for m in made):
            raise Unfit
        self.values.update(zip(names, made))
        return names

    def grow(self, step: Callable[[Any], object]) -> bool:
        """Take a step, whole or not at all; one that the runtime refuses is kept at times. Tell if it can go on."""
        nodes, inputs, initializers = len(self.nodes), len(self.inputs), len(self.initializers)
        values, lengths = dict(self.values), dict(self.lengths)
        try:
            step(self)
        except Unfit as error:
            if error.__cause__ is not None and nodes and self.chance(25):
                return False
            del self.nodes[nodes:], self.inputs[inputs:], self.initializers[initializers:]
            self.values, self.lengths = values, lengths
        return True

    def input(self, *dims: int | str | None) -> str:
        """Add an input of floats; a dim of None has no name."""
        name = self.fresh("x")
        self.inputs.append(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, dims))
        shape = [d if isinstance(d, int) else self.pick(LENGTHS) if d is None else self.length(d) for d in dims]
        self.values[name] = np.ones(shape, np.float32)
        if self.values[name].size > MAX_ENTRIES:
            raise Unfit
        return name

    def length(self, name: str) -> int:
        return self.lengths.setdefault(name, self.pick(LENGTHS))

    def model(self) -> onnx.ModelProto:
        return model_of(self.nodes, self.inputs, self.initializers, self.opset)


def model_of(
    nodes: Sequence[onnx.NodeProto],
    inputs: Sequence[onnx.ValueInfoProto],
    initializers: Sequence[onnx.TensorProto],
    opset: int,
) -> onnx.ModelProto:
    """A model with every value that a node makes as an output of no declared type."""
    outputs = [onnx.ValueInfoProto(name=o) for n in nodes for o in n.output if o]
    graph = onnx.helper.make_graph(nodes, "g", inputs, outputs, initializer=initializers)
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", opset)], ir_version=9)


@frozen
class Drawn:
    """A random model, and for each axis of its inputs that is not a number its length in the sample it was made by."""

    model: onnx.ModelProto
    sample: Mapping[str, tuple[int, ...]]


def drawn(random: Random, steps: Sequence[Step], most: int = 7) -> Drawn:
    """Make a model of one to three inputs and a few steps."""
    while True:
        b = Builder(random, OPSETS[random.randrange(len(OPSETS))])
        try:
            _inputs(b)
        except Unfit:
            continue
        for _ in range(b.number(1, most) + 4):
            if len(b.nodes) >= most or not b.grow(b.pick(steps)):
                break
        if b.nodes:
            return Drawn(b.model(), {i.name: b.shape(i.name) for i in b.inputs})


def _inputs(b: Builder) -> None:
    dims = [_dim(b) for _ in range(b.pick((1, 2, 2, 3, 3, 4, 4, 4, 5)))]
    b.input(*dims)
    for _ in range(b.pick((0, 0, 1, 1, 2))):
        if b.chance(75):
            dims = [_dim(b) if b.chance(25) else d for d in dims]
        else:
            dims = [_dim(b) for _ in range(b.number(0, 4))]
        b.input(*dims)


def _dim(b: Builder) -> int | str | None:
    kind = b.number(0, 9)
    return b.pick(NAMES) if kind < 6 else b.pick((1, 2, 3, 4, 6, 8)) if kind < 9 else None
