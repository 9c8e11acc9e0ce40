"""The types of the results of recorded operations, by the exporter's names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from shapeinfer.facts import DType, Fact, tensor
from shapeinfer.graph import Graph
from shapeinfer.report.source_hints.operators import COMPLEX, KEPT_BY_RECORDED, REAL
from shapeinfer.report.source_hints.runs import GETITEM, Program, Step, is_tensor
from shapeinfer.report.source_hints.shapes import FLOATS, unmoved
from shapeinfer.report.source_hints.values import Held, Several, Variable

_NUMBER = re.compile(r"(sym_|item|_local_scalar|scalar_tensor|floordiv|truediv|pow_|lift_fresh|obj_)\w*")
_COPY = re.compile(r"clone(_\d+)?")
_SLICE = re.compile(r"slice_\d+")
_ARITHMETIC = frozenset({"Add", "Sub", "Mul", "Div"})
_COMPLEX = {DType.FLOAT: DType.COMPLEX64, DType.DOUBLE: DType.COMPLEX128}
_PAIRS = frozenset({"topk", "sort", "max", "min", "kthvalue", "median", "mode", "cummax", "cummin"})
"""Operators that return values and indices."""


SEQUENTIAL = "torch.nn.modules.container.Sequential"


class Recorded(Program):
    """The operations of one graph and the facts of its values."""

    def __init__(self, graph: Graph, facts: Mapping[str, Fact | None]) -> None:
        super().__init__(graph)
        self.facts = facts
        self._parameters = dict(graph.initializers)
        self._paths = {m.path for step in self.steps for m in step.operation.modules}
        self._inputs = frozenset(graph.inputs)
        self._constants = self._inputs | graph.initializers.keys()
        """The inputs, and folded results: initializers named like an operation."""
        self._numbers: set[str] = set()
        self._complex: dict[str, bool | None] = {}
        """The operations whose results are complex, None where that is not known."""
        self._results: dict[str, str] = {}
        self._by_name: dict[str, Step] = {}
        for step in self.steps:
            name = step.operation.name
            self._by_name[name] = step
            if not is_tensor(step):
                self._numbers.add(name)
            for value in step.results(self.outputs):
                self._results[value if GETITEM.fullmatch(value) else name] = value
            if step.operator in COMPLEX:
                self._complex[name] = True
            elif step.operator not in REAL:
                kinds = [self._is_complex(n) for n in step.operation.operands]
                if True in kinds or None in kinds:
                    self._complex[name] = True if True in kinds else None
        self.names = {value: name for name, value in self._results.items()}
        """The exporter's names, by value of the model."""

    def is_number(self, name: str) -> bool:
        """Whether a name is that of a Python number, not of a tensor in the program."""
        return name in self._numbers or (name not in self._by_name and _NUMBER.fullmatch(name) is not None)

    def is_parameter(self, name: str) -> bool:
        return name.startswith(("p_", "b_", "c_")) and name not in self._by_name

    def tensors_read(self, step: Step) -> list[str]:
        return [name for name in step.operation.operands if not self.is_number(name)]

    def parameter(self, path: str) -> Variable | None:
        """Return a parameter or buffer by its path, None if the model has none."""
        name = next((n for n in (f"{k}_{path.replace('.', '_')}" for k in "pbc") if self.readers_of(n)), None)
        fact = self._parameters.get(path)
        return Variable(name, fact) if name is not None or fact is not None else None

    def split(self, name: str | None) -> list[Fact]:
        """Return the types of the parts that an unnamed Split node computes from a named tensor."""
        value = None if name is None else self.value(name)
        found = [n for n in self.unnamed if n.call.op_type == "Split" and n.inputs[:1] == (value,)]
        facts = [self.facts.get(o) for o in found[0].outputs if o] if len(found) == 1 else []
        return [f for f in facts if f is not None] if None not in facts else []

    def has_run(self, path: str) -> bool:
        """Whether an operation of a module, or of one inside it, was recorded."""
        return path in self._paths

    def is_slice(self, name: str) -> bool:
        """Whether an operand is a slice that the model has no node for, as it takes all."""
        return _SLICE.fullmatch(name) is not None and name not in self._by_name

    def placeholder(self, name: str) -> Held | None:
        """Return the value of a parameter of the outermost function: an input, or a nest of those named after it."""
        if name in self._inputs:
            return Variable(name)
        return self._nested(f"{name}_", 0)

    def _nested(self, start: str, depth: int) -> Held | None:
        indices = {found[1] for i in self._inputs if (found := re.match(re.escape(start) + r"(\d+)(?:_|$)", i))}
        if not indices or depth > 4 or indices != {str(i) for i in range(len(indices))}:
            return None
        items: list[Held] = []
        for i in range(len(indices)):
            held = Variable(f"{start}{i}") if f"{start}{i}" in self._inputs else self._nested(f"{start}{i}_", depth + 1)
            if held is None:
                return None
            items.append(held)
        return Several(items)

    def fact(self, name: str) -> Fact | None:
        """Return the type of a result by the exporter's name, None if unknown."""
        value = self.value(name)
        found = None if value is None else self.facts.get(value)
        if found is None:
            return self._kept(name) or self._through(name)
        return self.seen(value or "", found)

    def goes_into_a_window(self, step: Step, inside: set[str]) -> bool:
        """Whether a convolution after a step reads its result; it was fused with what follows it."""
        values = step.results(self.outputs)
        return (
            any(
                node.call.op_type in ("Conv", "ConvTranspose")
                and node.inputs[:1] == (values[0],)
                and user not in inside
                for user, node in self.users(values[0])
            )
            if len(values) == 1
            else False
        )

    def owner(self, name: str | None) -> str | None:
        """Return the operation that computes a result, by the exporter's name."""
        if name is None or name in self._by_name:
            return name
        return next((s.operation.name for s in self.steps if name in s.results(self.outputs)), None)

    def value(self, name: str) -> str | None:
        """Return the value of the model that holds a result, by the exporter's name."""
        return self._results.get(name, name if name in self._constants else None)

    def seen(self, value: str, fact: Fact) -> Fact | None:
        """Return the type of a value in the program; the model has pairs in place of complex numbers."""
        owner = self.owner(self.names.get(value))
        dtype, shape = _COMPLEX.get(fact.dtype), fact.shape
        if owner not in self._complex or dtype is None or (shape and shape[-1] != 2 and self._complex[owner] is None):
            return fact
        return tensor(dtype, shape[:-1], None) if shape and shape[-1] == 2 and self._complex[owner] else None

    def _is_complex(self, name: str) -> bool | None:
        """Whether an operand is complex, None if the operation that computes it is not recorded."""
        if name in self._complex:
            return self._complex[name]
        if name in self._by_name or name in self._inputs or self.is_parameter(name) or GETITEM.fullmatch(name):
            return False
        plain = name.rstrip("_0123456789")
        return True if plain in COMPLEX else (None if self._complex and plain not in REAL else False)

    def _kept(self, name: str) -> Fact | None:
        """Return the type of a result that was fused into its reader, if the type of the reader decides it."""
        for reader in sorted(self.readers_of(name)):
            step = self._by_name[reader]
            values = step.results(self.outputs)
            fact = self.facts.get(values[0]) if len(values) == 1 else None
            if self.tensors_read(step)[:1] != [name] or fact is None or fact.shape is None:
                continue
            if step.operator in KEPT_BY_RECORDED and fact.dtype in FLOATS:
                return tensor(fact.dtype, fact.shape, None)
            if len(step.operation.operands) == 1:
                found = unmoved(fact, step.operator, step.integers())
                if found is not None:
                    return found
        return None

    def _through(self, name: str) -> Fact | None:
        """Return the type of a copy, or of one of several results, without a node: the type of its reader's operand.

        The reader must be one arithmetic node with one input per operand, whose output has the shape of that input.
        """
        if not (GETITEM.fullmatch(name) or _COPY.fullmatch(name)) or name in self._by_name:
            return None
        for reader in sorted(self.readers_of(name)):
            step = self._by_name[reader]
            operands = step.operation.operands
            (node, *more) = step.nodes
            if more or len(node.inputs) != len(operands) or node.call.op_type not in _ARITHMETIC:
                continue
            rest = [(o, i) for o, i in zip(operands, node.inputs) if o != name]
            read, result = self.facts.get(node.inputs[operands.index(name)]), self.facts.get(node.outputs[0])
            agrees = all(self.value(o) in (i, None) for o, i in rest)
            if agrees and read is not None and result is not None and None is not read.shape == result.shape:
                return tensor(read.dtype, read.shape, None)
        return None

    def parts(self, step: Step) -> list[str | None] | None:
        """Return the names of an operation's several results, empty if unknown; None if it has one result."""
        found = [v for v in step.results(frozenset()) if GETITEM.fullmatch(v)]
        if not found or step.operation.name in self._results:
            return None
        found.sort(key=lambda v: int(v.rpartition("_")[2]) if "_" in v else 0)
        if "norm" in step.operator:
            return None if len(found) == 1 else []
        if step.operator in _PAIRS and len(found) == 1:
            fact = self.facts.get(found[0])
            return [found[0], None] if fact is not None and fact.dtype in FLOATS else []
        return list(found) if len(found) == step.operation.readers or len(found) > 1 else []

    def result_of(self, steps: Sequence[Step], path: str) -> Held | None:
        """Return the result of a module defined in another file, from its steps; None if unknown."""
        inside = {s.operation.name for s in steps}
        own = [s for s in steps if is_tensor(s)]
        read = [s for s in own if self.is_output(s) or self.readers(s) - inside]
        leaving = [s for s in own if s in read or (self.is_cut(s) and self.is_used(s, inside))]
        if len(leaving) != 1 or not read or leaving[0] is not own[-1]:
            return None
        (step,) = leaving
        modules = step.operation.modules
        kinds = [m.type for m in modules if m.path == path or m.path.startswith(f"{path}.")]
        if not all(k.startswith("torch.nn.") for k in kinds) and kinds[0] != SEQUENTIAL:
            return None
        if step.operator in ("gru", "lstm", "rnn_tanh", "rnn_relu"):
            return self._recurrent(step)
        if any(k.rpartition(".")[2] in ("MultiheadAttention", "LSTM", "GRU", "RNN") for k in kinds):
            return None
        parts = self.parts(step)
        if parts is None:
            return Variable(step.operation.name if step.operation.name in self._results else self._single(step))
        return None

    def _single(self, step: Step) -> str:
        found = step.results(self.outputs)
        return self.names.get(found[0], step.operation.name) if len(found) == 1 else step.operation.name

    def _recurrent(self, step: Step) -> Held | None:
        """Return the output and the state, a pair of tensors for an LSTM, of a recurrent operation."""
        names = sorted(
            {n for r in self.steps for n in r.operation.operands if GETITEM.fullmatch(n)}
            | set(step.results(self.outputs)),
            key=lambda n: int(n.rpartition("_")[2]) if "_" in n else 0,
        )
        own = [n for n in step.results(self.outputs) if GETITEM.fullmatch(n)]
        count = 3 if step.operator == "lstm" else 2
        at = [names.index(n) for n in own]
        if len(own) == count:
            state = [Variable(n) for n in sorted(own, key=names.index)]
        elif at and step.operation.readers == count and own == [names[at[0]]]:
            state = [Variable(n) for n in names[at[0] - count + 1 : at[0] + 1]]
        else:
            return None
        return Several([state[0], Several([*state[1:]]) if count == 3 else state[1]])
