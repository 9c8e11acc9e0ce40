"""Check many hostile models in one process: ``python -m tests.hostile.many --models 100000``.

No two of them share names, sizes, attributes or expressions, so that whatever is remembered of one helps no other.
Each has a number, and the same number makes the same model. Ends with exit code 1 if the process takes too much memory.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import click
from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto, helper

from shapeinfer import check
from tests.benchmarks.lasting import resident

MEGABYTES = 1000
"""A process that meets 100,000 of these models takes no more."""
UNARY = ("Relu", "Identity", "Shape", "NonZero", "Size", "Not", "Cast", "Flatten", "Transpose", "Unsqueeze", "Softmax")
BINARY = ("Add", "Concat", "MatMul", "Reshape", "Expand", "Tile", "Gather", "Einsum", "Pad", "Conv", "Where", "Slice")
TYPES = (TensorProto.FLOAT, TensorProto.INT64, TensorProto.STRING, TensorProto.BOOL, TensorProto.FLOAT16, 9999)


class Hostile:
    """Makes the parts of one model, from its number."""

    def __init__(self, number: int) -> None:
        self.random = Random(number)
        self.count = itertools.count()
        self.stem = f"{number:x}"
        self.long = "_" * self.random.choice((0, 0, 0, 40, 300, 3000))

    def name(self) -> str:
        odd = self.random.choice(("", "", "\x1b[2J", "é", "\u202e", " ", "::error::", "<b>"))
        return f"{odd}n{self.stem}_{next(self.count)}{self.long}"

    def number(self) -> int:
        return self.random.choice(
            (self.random.randrange(1 << 8), self.random.getrandbits(40), -self.random.getrandbits(9))
        )

    def expression(self, deep: int = 3) -> str:
        if not deep or self.random.random() < 0.3:
            return f"s{self.stem}_{next(self.count)}" if self.random.random() < 0.7 else str(abs(self.number()))
        a, b = self.expression(deep - 1), self.expression(deep - 1)
        return self.random.choice((f"({a} + {b})", f"({a} - {b})", f"({a})*({b})", f"floor(({a})/7)", f"Max({a}, {b})"))

    def dim(self) -> int | str | None:
        return self.random.choice((self.name(), self.expression(), abs(self.number()), None))

    def value(self, name: str) -> ValueInfoProto:
        dims = [self.dim() for _ in range(self.random.randrange(5))]
        made = helper.make_tensor_type_proto(self.random.choice(TYPES), dims)
        if self.random.random() < 0.1:
            made = self.random.choice((helper.make_sequence_type_proto, helper.make_optional_type_proto))(made)
        return helper.make_value_info(name, made)

    def tensor(self, name: str) -> TensorProto:
        numbers = [self.random.getrandbits(30) for _ in range(self.random.choice((1, 2, 4, 60)))]
        if self.random.random() < 0.2:
            texts: list[Any] = [self.name().encode() for _ in numbers]
            return helper.make_tensor(name, TensorProto.STRING, [len(numbers)], texts)
        return helper.make_tensor(name, TensorProto.INT64, [len(numbers)], numbers)

    def attribute(self) -> AttributeProto:
        key = self.random.choice(
            (self.name(), "axis", "axes", "perm", "equation", "to", "value", "kernel_shape", "pads")
        )
        numbers = [self.number() for _ in range(self.random.randrange(1, 30))]
        value = self.random.choice(
            (self.number(), numbers, self.name(), self.random.random(), self.tensor(self.name()))
        )
        return helper.make_attribute(key, value)

    def node(self, values: list[str], functions: list[str], domains: list[str]) -> NodeProto:
        chosen = self.random.random()
        inputs = [self.random.choice(values) for _ in range(self.random.randrange(4))]
        op, domain = self.random.choice(UNARY), ""
        if chosen < 0.4:
            op, inputs = self.random.choice(BINARY), inputs or [values[0]] * 2
        elif chosen < 0.5:
            op, domain = self.name(), self.random.choice(domains)
        elif chosen < 0.6:
            op, domain = self.random.choice(functions), "my"
        elif chosen < 0.7:
            op, inputs = "Constant", []
        node = helper.make_node(op, inputs, [self.name()], name=self.name(), domain=domain)
        node.attribute.extend(self.attribute() for _ in range(self.random.randrange(3)))
        if op == "Constant":
            del node.attribute[:]
            node.attribute.append(helper.make_attribute("value", self.tensor(self.name())))
        if chosen > 0.95:
            node.op_type = "If"
            node.attribute.append(helper.make_attribute("then_branch", self.graph(values, functions, domains, 2)))
            node.attribute.append(helper.make_attribute("else_branch", self.graph(values, functions, domains, 2)))
        return node

    def graph(self, outer: list[str], functions: list[str], domains: list[str], count: int) -> GraphProto:
        inputs = [] if outer else [self.value(self.name()) for _ in range(self.random.randrange(1, 4))]
        stored = [self.tensor(self.name()) for _ in range(self.random.randrange(2))]
        values = [*outer, *(v.name for v in inputs), *(t.name for t in stored)]
        nodes = []
        for _ in range(count):
            nodes.append(self.node(values, functions, domains))
            values.extend(nodes[-1].output)
        declared = [self.value(self.random.choice(values)) for _ in range(self.random.randrange(3))]
        return helper.make_graph(nodes, self.name(), inputs, [self.value(values[-1])], stored, value_info=declared)

    def model(self) -> ModelProto:
        functions, domains = [self.name(), self.name()], [self.name(), "", "com.microsoft"]
        imports = [helper.make_opsetid("", self.random.randrange(30)), helper.make_opsetid("my", 1)]
        imports += [helper.make_opsetid(d, abs(self.number()) % 2**40 + 1) for d in domains if d]
        own = [
            helper.make_function(
                "my", f, ["a"], ["b"], [helper.make_node(self.random.choice(UNARY), ["a"], ["b"])], imports[:1]
            )
            for f in functions
        ]
        made = helper.make_model(
            self.graph([], functions, domains, self.random.randrange(1, 16)), opset_imports=imports, functions=own
        )
        made.ir_version = self.random.choice((3, 8, 10))
        helper.set_model_props(made, {self.name(): self.name(), "shapeinfer.ignore": self.name()})
        return made


def hostile(number: int) -> ModelProto:
    """Return the hostile model of a number."""
    return Hostile(number).model()


def measured(first: int, count: int, make: Callable[[int], ModelProto] = hostile) -> Iterator[tuple[int, float]]:
    """Check models one after another; yield after each how many there were, and the megabytes of this process."""
    for number in range(first, first + count):
        check(make(number))
        yield number - first + 1, resident()


@click.command(help=__doc__)
@click.option("--models", default=100_000, show_default=True, help="How many models.")
@click.option("--first", default=0, show_default=True, help="The number of the first.")
@click.option("--every", default=1000, show_default=True, help="Print the memory once in so many models.")
def main(models: int, first: int, every: int) -> None:
    begun, most = time.perf_counter(), 0.0
    for count, megabytes in measured(first, models):
        most = max(most, megabytes)
        if not count % every or count == models:
            seconds = time.perf_counter() - begun
            print(f"{count:7} models {seconds:7.0f} s {megabytes:6.0f} MB, {most:.0f} at most", flush=True)
    sys.exit(1 if most > MEGABYTES else 0)


if __name__ == "__main__":
    main()
