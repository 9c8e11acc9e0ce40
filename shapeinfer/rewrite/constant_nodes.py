"""Find the nodes of a graph that read only constants, and compute those whose values are worth storing."""

from __future__ import annotations

from collections.abc import Iterator

import onnx
from attrs import define

from shapeinfer.dims import count_of_elements
from shapeinfer.facts import DType
from shapeinfer.rewrite.evaluation import MOVING, PRODUCTS, evaluated, is_evaluated
from shapeinfer.rewrite.names import nested
from shapeinfer.rewrite.site import Site

FREE = 1 << 16
"""So many bytes a model may always grow by."""
MOST_TRIES = 16
"""So often values that are too large are dropped; beyond, nothing is stored."""
MOST_BYTES, MOST_IN_ALL, MOST_OF_PRODUCTS = 1 << 26, 1 << 29, 1 << 20
"""No value of more bytes is computed, none beside others of so many bytes, and no product of larger matrices."""

SMALL_INTEGER, FEW = 16, 1024
"""Integers of so few bits, of more bytes than this, are weights that are stored quantized."""
FULL_PRECISION = 32
"""Floats of fewer bits are half precision or less."""


@define
class Allowance:
    """The bytes by which constants may still make a model larger."""

    left: int

    @classmethod
    def of(cls, model: onnx.ModelProto, share: float) -> Allowance:
        """Return what this share of a model's constants comes to."""
        graphs = (model.graph, *nested(model.graph))
        total = sum(_bytes(DType(t.data_type), t.dims) for g in graphs for t in g.initializer)
        return cls(int(total * min(share, 1e9)) if total * share > FREE or not share else FREE)


def _bytes(dtype: DType, dims: object) -> int:
    return count_of_elements(dims) * dtype.bits // 8  # type: ignore[arg-type]


def constant_nodes(site: Site, allowance: Allowance, *, approximate: bool) -> None:
    """Compute what is worth storing; ``site.constants`` then has it."""
    found = _Finder(site, approximate)
    found.find()
    taken = found.chosen(allowance)
    if not taken:
        return
    nodes = found.needed(taken)
    feeds = {}
    for name in {i for n in nodes for i in site.nodes[n].inputs if i and i not in found.values}:
        array = site.constant(name, MOST_BYTES)
        if array is not None:
            feeds[name] = array
    protos = [site.proto.node[n] for n in nodes]
    opset = site.nodes[nodes[0]].call.opset
    site.constants.computed.update(evaluated(protos, taken, feeds, opset))
    site.constants.stored_anew.update(name for name in taken if name in site.constants.computed)


class _Finder:
    """Finds the constant values of a graph that nodes compute, and their sizes in bytes."""

    def __init__(self, site: Site, approximate: bool) -> None:
        self.site = site
        self.approximate = approximate
        self.values: dict[str, int] = {}
        """The bytes of each value that nodes compute from constants."""
        self.stored: dict[str, int] = {}
        """The bytes of each constant that they read."""

    def find(self) -> None:
        """Find them, until they are as many bytes as may be computed."""
        total = 0
        for index, node in enumerate(self.site.nodes):
            if self._is_constant(index):
                found = {name: size for name in node.outputs if name and (size := self._size(name)) is not None}
                total += sum(found.values())
                if total > MOST_IN_ALL:
                    return
                self.values.update(found)

    def _is_constant(self, index: int) -> bool:
        site, node = self.site, self.site.nodes[index]
        op = site.op(index)
        if not node.inputs or node.graphs or not is_evaluated(op, approximate=self.approximate) or site.checks(index):
            return False
        if any(name not in self.values and not self._is_stored(name) for name in node.inputs if name):
            return False
        dtype = site.dtype(node.inputs[0])
        if op in ("Div", "Mod") and (dtype is None or not dtype.is_float):
            return False  # by 0 it ends the process of a runtime
        if op in ("Cast", "CastLike") and self._is_dequantized(index):
            return False
        if not self.approximate and op not in MOVING and any(self._is_half(n) for n in (*node.inputs, *node.outputs)):
            return False  # a runtime may round only at the end of a chain of such nodes
        outputs = [self._size(name) for name in node.outputs if name]
        inputs = [self._size(name) for name in node.inputs if name] if op in PRODUCTS else []
        most = MOST_OF_PRODUCTS if op in PRODUCTS else MOST_BYTES
        return all(size is not None and size <= most for size in (*outputs, *inputs))

    def _is_dequantized(self, index: int) -> bool:
        """Whether a Cast turns weights that are stored as small integers into floats, which take more room."""
        source, made = (
            self.site.tensor(n) for n in (self.site.nodes[index].inputs[0], self.site.nodes[index].outputs[0])
        )
        if source is None or made is None or not made.dtype.is_float or not source.dtype.is_integer:
            return False
        return source.dtype.bits <= SMALL_INTEGER and (self._size(self.site.nodes[index].inputs[0]) or 0) > FEW

    def _is_half(self, name: str) -> bool:
        dtype = self.site.dtype(name) if name else None
        return dtype is not None and dtype.is_float and dtype.bits < FULL_PRECISION

    def _size(self, name: str) -> int | None:
        tensor = self.site.tensor(name)
        if tensor is None or tensor.shape is None or not all(isinstance(d, int) for d in tensor.shape):
            return None
        return _bytes(tensor.dtype, tensor.shape) if tensor.dtype.numpy() is not None else None

    def _is_stored(self, name: str) -> bool:
        if name in self.stored:
            return True
        size = self._size(name) if self.site.is_stored(name) else None
        if size is None or not self.site.is_in_memory(name):
            return False
        self.stored[name] = size
        return True

    def chosen(self, allowance: Allowance) -> list[str]:
        """Return the values to store: those that others read, as many as the allowance has room for."""
        for _ in range(MOST_TRIES):
            freed = self._freed()
            found = sorted((self.values[name] - freed[name], name) for name in self._read_by_others())
            total, taken, dropped = 0, [], []
            for growth, name in found:
                if growth <= 0 or total + growth <= allowance.left:
                    total += growth
                    taken.append(name)
                else:
                    dropped.append(name)
            if not dropped:
                allowance.left -= max(total, 0)
                return taken
            # What is too large stays a computation; what it reads may be worth storing.
            for name in dropped:
                for output in self.site.nodes[self.site.producers[name]].outputs:
                    self.values.pop(output, None)
            self._drop_readers()
        return []

    def _drop_readers(self) -> None:
        """Forget what is computed from values that were dropped."""
        for node in self.site.nodes:
            known = all(name in self.values or name in self.stored for name in node.inputs if name)
            for output in () if known else node.outputs:
                self.values.pop(output, None)

    def _read_by_others(self) -> Iterator[str]:
        site = self.site
        for name in self.values:
            readers = site.readers.get(name, ())
            inside = all(any(o in self.values for o in site.nodes[r].outputs) for r in readers)
            if site.is_read(name) and (name in site.outputs or not inside or name in site.kept_names):
                yield name

    def _freed(self) -> dict[str, int]:
        """Return for each value the bytes of the constants that nothing else needs than its computation."""
        freed: dict[str, int] = {}
        for name in self.values:  # in the order of the nodes
            inputs = {i for i in self.site.nodes[self.site.producers[name]].inputs if i}
            alone = [i for i in inputs if self.site.only_reader(i) is not None]
            freed[name] = sum(self.stored[i] if i in self.stored else freed.get(i, 0) for i in alone)
        return freed

    def needed(self, wanted: list[str]) -> list[int]:
        """Return the nodes that compute these values, in their order."""
        nodes: set[int] = set()
        pending = [self.site.producers[name] for name in wanted]
        while pending:
            index = pending.pop()
            if index not in nodes:
                nodes.add(index)
                pending += [self.site.producers[i] for i in self.site.nodes[index].inputs if i in self.values]
        return sorted(nodes)
