"""What each statement of a program computed, from the operations that an exporter wrote down.

A statement may run several times: in several modules of its class, or in a loop. The operations of one run are those
whose stack passes through the statement. Its value is the only result that leaves the run: something outside reads it.
The exporter wrote down who reads a result, and how many do. Where one of them was fused or folded away, who reads it in
the model counts, and the result is the value only if it is that of the operation that the statement names last.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from attrs import define, field, frozen

from shapeinfer.graph import Graph, Node
from shapeinfer.graph.program import Operation
from shapeinfer.report.source_hints.statements import Function, Statement, returns_tensor

GETITEM = re.compile(r"getitem(_\d+)?")
"""The name of a value that is one result of an operation with several."""
_INTEGERS = re.compile(r"(?<![%\w.])-?[0-9]{1,9}(?![\w.])")
_INDEX = frozenset({"GatherND", "ScatterND"})
_SPLITS = frozenset({"chunk", "split", "unsafe_chunk", "tensor_split"})
_NUMBERS = ("aten.sym_", "aten.item", "aten._local_scalar_dense")
"""Operators whose results are Python's numbers."""
_TUPLES = ("MultiheadAttention", "LSTM", "GRU", "RNN")
"""Modules of torch that return tuples."""
_SYNONYMS = {"reshape": "view", "truediv": "div", "mm": "matmul", "bmm": "matmul"}
_TORCH = re.compile(r"(^|/)torch/")


MOST_USERS = 1000
"""So many nodes are looked at for who reads a result; one that has more is taken to leave."""


@frozen(repr=False)
class Run:
    """One run of a statement: the path of the module that it ran in, and the values that it computed."""

    module: str
    values: tuple[str, ...]


@define(eq=False, repr=False)
class Step:
    """An operation of a graph with its nodes, in order of execution."""

    operation: Operation
    at: int
    nodes: list[Node] = field(factory=list)

    def results(self, outputs: frozenset[str]) -> list[str]:
        """The values that hold its results: one of its name, or parts of it, or outputs of the model."""
        made = [o for node in self.nodes for o in node.outputs if o]
        found = [o for o in made if o == self.operation.name or GETITEM.fullmatch(o) or o in outputs]
        return found or self._renamed() or self._indexed()

    def _indexed(self) -> list[str]:
        """The result of an index, which ends in one operator and keeps no name."""
        last = self.nodes[-1]
        return [*last.outputs] if last.call.op_type in _INDEX and self.operator in ("index", "index_put") else []

    def _renamed(self) -> list[str]:
        """Its result as renamed by an optimizer that replaced its node: with an appended number."""
        last = [o for o in self.nodes[-1].outputs if o]
        number = last[0].removeprefix(f"{self.operation.name}_") if len(last) == 1 else ""
        return last if number.replace("_", "").isdecimal() and number != last[0] else []

    def integers(self) -> list[int]:
        """The integers that it is called with."""
        return [int(n) for n in _INTEGERS.findall(self.operation.arguments)]

    @property
    def operator(self) -> str:
        """The operator without its overload: ``transpose`` of ``aten.transpose.int``."""
        parts = self.operation.operator.split(".")
        return parts[1] if len(parts) > 1 else parts[0]


@frozen(repr=False)
class Entry:
    """A step in a run, and the depth of the statement in its stack."""

    step: Step
    depth: int


Runs: TypeAlias = "dict[Statement, list[Run]]"


def is_of_torch(file: str) -> bool:
    """Whether a file is one of torch's own."""
    return _TORCH.search(file.replace("\\", "/")) is not None


class Program:
    """The operations of one graph, and who reads the result of each."""

    def __init__(self, graph: Graph) -> None:
        steps: dict[str, Step] = {}
        self.several: frozenset[str] = frozenset()
        """The functions of the source that return several values."""
        self.unnamed: list[Node] = []
        """The nodes that the exporter wrote nothing at."""
        for node in graph.nodes:
            found = graph.operation(node) if graph.operation is not None else None
            if found is None:
                self.unnamed.append(node)
            else:
                steps.setdefault(found.name, Step(found, len(steps))).nodes.append(node)
        self.steps = [*steps.values()]
        self.outputs = frozenset(graph.outputs)
        self._readers: dict[str, set[str]] = {}
        for step in self.steps:
            for name in step.operation.operands:
                self._readers.setdefault(name, set()).add(step.operation.name)
        self._users: dict[str, list[Node]] = {}
        for node in graph.nodes:
            for name in _read_by(node):
                self._users.setdefault(name, []).append(node)
        self._step_of = {id(node): step.operation.name for step in self.steps for node in step.nodes}

    def readers(self, step: Step) -> set[str]:
        """Return the operations of the program that read a result of one, as far as they are still there."""
        names = [step.operation.name, *step.results(frozenset())]
        return set().union(*(self._readers.get(name, ()) for name in names))

    def readers_of(self, name: str) -> set[str]:
        """Return the operations that read a result, by the exporter's name."""
        return self._readers.get(name, set())

    def is_cut(self, step: Step) -> bool:
        """Whether something of the program that read its result is no more in the model, as it is fused or folded."""
        return len(self.readers(step)) + self.is_output(step) < step.operation.readers

    def is_used(self, step: Step, inside: set[str]) -> bool:
        """Whether the nodes of an operation that is not ``inside`` read a result of one.

        They may read it through nodes that the exporter wrote nothing at, but not through very many.
        """
        pending = step.results(self.outputs)
        seen = set(pending)
        looked_at = 0
        while pending:
            for node in self._users.get(pending.pop(), ()):
                looked_at += 1
                user = self._step_of.get(id(node))
                if looked_at > MOST_USERS or (user is not None and user not in inside):
                    return True
                if user is None:
                    pending += [o for o in node.outputs if o and o not in seen]
                    seen.update(node.outputs)
        return False

    def users(self, value: str) -> list[tuple[str | None, Node]]:
        """Return the nodes that read a value, with their operations."""
        return [(self._step_of.get(id(node)), node) for node in self._users.get(value, ())]

    def is_output(self, step: Step) -> bool:
        """Whether the model returns a result."""
        return not self.outputs.isdisjoint(step.results(self.outputs))


def _read_by(node: Node) -> Iterator[str]:
    """Iterate over the values that a node reads, those that its graphs read included."""
    pending = [node]
    while pending:
        inner = pending.pop()
        yield from filter(None, inner.inputs)
        for graph in (inner.graphs or {}).values():
            yield from graph.outputs
            pending += graph.nodes


Instance: TypeAlias = "tuple[tuple[tuple[str, int], ...], str | None]"
"""A call of a function: by which lines, and of which module it is a method, if that is known."""


def runs(program: Program, entries: Mapping[Statement, Sequence[Entry]], at: Mapping[int, Statement]) -> Runs:
    """Return the runs of statements of which the value is known; no statement whose runs cannot be told apart.

    ``entries`` are the steps whose stacks pass through each, and ``at`` has the statements by lines of the same file.
    """
    by_instance = {statement: _by_instance(statement, of_one) for statement, of_one in entries.items()}
    calls: dict[Function, set[Instance]] = {}
    for statement, instances in by_instance.items():
        calls.setdefault(statement.place.function, set()).update(instances)
    found: Runs = {}
    for statement, instances in by_instance.items():
        place = statement.place
        if not place.is_conditional and instances.keys() != calls[place.function]:
            continue  # in other calls of the function it ran too, and nothing is left of it
        values = [_values(program, statement, of_one, call, at) for call, of_one in instances.items()]
        if all(values):
            found[statement] = [run for of_one in values for run in of_one]
    return found


def _values(
    program: Program, statement: Statement, entries: list[Entry], call: Instance, at: Mapping[int, Statement]
) -> list[Run]:
    """Return the runs of a statement in one call of its function, none if the value of one is unknown."""
    module = call[1]
    values = [_value(program, statement, one, at) for one in _passes(statement, entries, module)]
    return [Run(module or "", v) for v in values] if all(values) else []


def passing(
    program: Program, statement: Statement, entries: list[Entry], module: str | None, at: Mapping[int, Statement]
) -> tuple[str, ...]:
    """Return the values that one run of a statement computed, none if they are not known."""
    passes = _passes(statement, entries, module)
    return _value(program, statement, passes[0], at) if len(passes) == 1 else ()


def _by_instance(statement: Statement, entries: Iterable[Entry]) -> dict[Instance, list[Entry]]:
    """Return the steps by who called the statement's function and by the module that it is a method of, if known."""
    found: dict[Instance, list[Entry]] = {}
    for entry in entries:
        operation = entry.step.operation
        callers = tuple((f.file, f.line) for f in operation.stack[: entry.depth])
        own = [
            m.path
            for m in operation.modules
            if statement.place.type and m.type.rpartition(".")[2] == statement.place.type
        ]
        found.setdefault((callers, own[-1] if own else None), []).append(entry)
    return found


def _passes(statement: Statement, entries: list[Entry], module: str | None) -> list[list[Entry]]:
    """Return the steps of each pass of a loop, here or around the caller; none where they cannot be told apart."""
    segments = [[entries[0]]]
    for before, entry in pairwise(entries):
        if entry.step.at == before.step.at + 1:
            segments[-1].append(entry)
        else:
            segments.append([entry])
    if len({tuple(e.step.operation.operator for e in s) for s in segments}) > 1:
        return []
    if len(segments) == 1 and statement.place.in_loop and statement.calls == 1 and module is not None:
        children = _by_child(entries, module)
        if children is not None:
            return children
    return [] if any(_may_repeat(statement, s, module) for s in segments) else segments


def _by_child(entries: list[Entry], module: str) -> list[list[Entry]] | None:
    """Return the steps of each module that is called, for a loop over different ones."""
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        paths = [m.path for m in entry.step.operation.modules]
        inner = paths[paths.index(module) + 1 :]
        if not inner:
            return None
        found.setdefault(inner[0], []).append(entry)
    return [*found.values()] if len(found) > 1 else None


def _may_repeat(statement: Statement, entries: list[Entry], module: str | None) -> bool:
    """Whether steps may be of several passes: operators come more often than the statement has them.

    Outside of loops those of a module or function that it calls are of one call.
    """
    inside = statement.place.in_loop or module is None
    own = [e for e in entries if inside or _is_own(e, module)]
    count = Counter(e.step.operator for e in own)
    return any(n > max(1, statement.operations[operator]) for operator, n in count.items())


def _is_own(entry: Entry, module: str | None) -> bool:
    """Whether a step is the statement's, not one of a module or of a function of the user's that it calls."""
    operation = entry.step.operation
    below = operation.stack[entry.depth + 1 : entry.depth + 2]
    is_direct = not below or is_of_torch(below[0].file)
    return is_direct and bool(operation.modules) and operation.modules[-1].path == module


def _value(
    program: Program, statement: Statement, entries: list[Entry], at: Mapping[int, Statement]
) -> tuple[str, ...]:
    """Return the values that hold a run's result, none where it is no tensor or unknown."""
    if statement.is_several or statement.operation in program.several:
        return ()
    tensors = [e for e in entries if is_tensor(e.step)]
    inside = {e.step.operation.name for e in entries}
    read = [e for e in tensors if program.is_output(e.step) or program.readers(e.step) - inside]
    leaving = [e for e in tensors if e in read or (program.is_cut(e.step) and program.is_used(e.step, inside))]
    if len(leaving) != 1:
        return ()
    (found,) = leaving
    if not read:
        # What read it was removed: from this statement, so that this is not the value, or from another one.
        split = _split(program, statement, found.step)
        if split:
            return split
        if not _is_last(statement, found, tensors):
            return ()
    return _results(program, statement, found, at)


def is_tensor(step: Step) -> bool:
    """Whether an operation computes tensors, not Python's numbers."""
    operator = step.operation.operator
    return bool(operator) and not operator.startswith(_NUMBERS)


def _results(program: Program, statement: Statement, entry: Entry, at: Mapping[int, Statement]) -> tuple[str, ...]:
    values = entry.step.results(program.outputs)
    if not values or not _returns_tensor(statement, entry, at):
        return ()
    if statement.targets is not None:
        return tuple(values) if len(values) == statement.targets else ()
    is_part = values[0] != entry.step.operation.name and "norm" not in entry.step.operator
    return tuple(values) if len(values) == 1 and not (is_part and GETITEM.fullmatch(values[0])) else ()


def _returns_tensor(statement: Statement, entry: Entry, at: Mapping[int, Statement]) -> bool:
    """Whether the functions that the statement called, here, in other files and in torch, return the result alone."""
    operation = entry.step.operation
    here = operation.stack[entry.depth].file
    for frame in operation.stack[entry.depth + 1 :]:
        if is_of_torch(frame.file):
            break
        below = at.get(frame.line)
        if not (
            returns_tensor(frame.code) if frame.file != here else below is not None and below.place.function.returns_one
        ):
            return False
    called = [m.type.rpartition(".")[2] for m in operation.modules if m.type.startswith("torch.nn.")]
    return statement.operation == "" or not any(c in _TUPLES for c in called)


def _is_last(statement: Statement, entry: Entry, tensors: Iterable[Entry]) -> bool:
    """Whether a step is what the statement does last, by its name there or by that of the module it calls."""
    step, last = entry.step, statement.operation
    if not last:
        return False
    if _plain(step.operator) == _plain(last):
        return sum(_plain(e.step.operator) == _plain(last) for e in tensors) == statement.operations[last]
    modules = step.operation.modules
    if not modules or modules[-1].path.rpartition(".")[2] != last or statement.operations[last] != 1:
        return False
    kind = modules[-1].type
    return kind.startswith("torch.nn.") and _plain(kind.rpartition(".")[2].lower()).rstrip("123d") in _plain(
        step.operator
    )


def _plain(name: str) -> str:
    """A name of an operator without what torch adds to it: ``_unsafe_view`` is a view, ``_softmax`` a softmax."""
    plain = name.replace("unsafe", "").replace("_", "")
    return {"reshape": "view", "permute": "transpose", "truediv": "div", "mm": "matmul", "bmm": "matmul"}.get(
        plain, plain
    )


def _split(program: Program, statement: Statement, step: Step) -> tuple[str, ...]:
    """Return the parts that a Split of an exporter's own makes of a result, where the statement splits it last."""
    if statement.operation not in _SPLITS or sum(statement.operations[s] for s in _SPLITS) != 1:
        return ()
    values = step.results(program.outputs)
    found = [n for n in program.unnamed if n.call.op_type == "Split" and n.inputs[:1] == tuple(values[:1])]
    made = tuple(filter(None, found[0].outputs)) if len(found) == 1 else ()
    return made if len(made) == statement.targets else ()
