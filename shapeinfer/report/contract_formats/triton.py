"""A Triton model configuration: ``config.pbtxt``, the text form of its message ``ModelConfig``.

Triton batches requests along the first axis where ``max_batch_size`` is above 0: ``dims`` leave that axis out then.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from shapeinfer.diagnostics.printable import printable
from shapeinfer.dims import Condition, Dim, simplest, symbol
from shapeinfer.facts import OPENVINO, DType, Fact, Tensor
from shapeinfer.report.contract_formats.interface import Interface, shape_of

DEFAULT_BATCH = 4
"""The greatest batch where nothing bounds it: Triton's own default for models without a configuration."""

_TYPES = {
    DType.BOOL: "BOOL",
    DType.UINT8: "UINT8",
    DType.UINT16: "UINT16",
    DType.UINT32: "UINT32",
    DType.UINT64: "UINT64",
    DType.INT8: "INT8",
    DType.INT16: "INT16",
    DType.INT32: "INT32",
    DType.INT64: "INT64",
    DType.FLOAT16: "FP16",
    DType.FLOAT: "FP32",
    DType.DOUBLE: "FP64",
    DType.STRING: "STRING",
    DType.BFLOAT16: "BF16",
}


def render(interface: Interface, max_size: int | None) -> str:
    """Return the configuration. Raises ValueError for a value that Triton knows no type or no dims for."""
    batch = _max_batch(interface, max_size)
    batched = _first_symbols(interface) if batch else frozenset()  # of which every size was shown to run
    demands = [d for d in interface.demands if not d.condition.symbols <= batched]
    lines = [
        f"# Written by {interface.written_by}: shapeinfer contract --format triton.",
        f'backend: "{"openvino" if interface.format == OPENVINO else "onnxruntime"}"',
        f"max_batch_size: {batch}",
        *_values("input", interface.inputs, batch > 0, interface.defaults),
        *_values("output", interface.outputs, batch > 0, {}),
    ]
    if demands or interface.unchecked:
        lines += ["", "# The model requires this of its inputs, too, and Triton does not check it:"]
        lines += [f"#   {printable(text)}" for text in (*(d.text for d in demands), *interface.unchecked)]
    return "".join(f"{line}\n" for line in lines)


def _max_batch(interface: Interface, max_size: int | None) -> int:
    """Return the greatest batch: 0 unless the first axis of every input and output is one dim of any size.

    Any size means that no condition fails for a size from 1 up to the greatest, and that no other axis depends on it.
    """
    shapes = [shape_of(fact) for fact in (*interface.inputs.values(), *interface.outputs.values())]
    first = {shape[0] if shape else 1 for shape in shapes}
    batch = next(iter(first)) if len(first) == 1 and interface.inputs else 1
    if isinstance(batch, int) or not batch.is_symbol or batch.is_fresh:
        return 0
    if any(isinstance(size, Dim) and batch in size.symbols for shape in shapes for size in (shape or ())[1:]):
        return 0
    own = [d.condition for d in interface.demands if batch in d.condition.symbols]
    bounds = [r.high for c in own if (r := c.symbol_range()) is not None and r.high is not None]
    most = min(bounds) if bounds else max_size or DEFAULT_BATCH
    sizes = symbol(batch.name, 1, most) if most > 0 else 0
    return most if most > 0 and all(_always(c, batch, sizes) for c in own) else 0


def _first_symbols(interface: Interface) -> frozenset[Dim]:
    return frozenset(size for _, axis, size in interface.axes() if axis == 0 and isinstance(size, Dim))


def _always(condition: Condition, batch: Dim, sizes: int | Dim) -> bool:
    return simplest(condition.substitute({batch: sizes})).answer().is_yes


def _values(kind: str, values: Mapping[str, Fact], batched: bool, defaults: Mapping[str, Fact]) -> Iterator[str]:
    if not values:
        return
    yield ""
    yield f"{kind} ["
    for number, (name, fact) in enumerate(values.items(), 1):
        yield "  {"
        yield from (f"    {line}" for line in _value(kind, name, fact, batched, name in defaults))
        yield "  }," if number < len(values) else "  }"
    yield "]"


def _value(kind: str, name: str, fact: Fact, batched: bool, optional: bool) -> Iterator[str]:
    shown = printable(name)
    if not isinstance(fact, Tensor) or fact.dtype not in _TYPES:
        raise ValueError(f"{kind} {shown} is {printable(fact.text)}, for which Triton has no data type")
    if fact.shape is None:
        raise ValueError(f"the rank of {kind} {shown} is unknown, and Triton needs its dims; give them with --shape")
    dims = [str(size) if isinstance(size, int) else "-1" for size in fact.shape[batched:]]
    yield f"name: {quoted(name)}"
    yield f"data_type: TYPE_{_TYPES[fact.dtype]}"
    yield f"dims: [ {', '.join(dims or ['1'])} ]"
    if not dims:
        yield "reshape: { shape: [ ] }"
    if optional:
        yield "optional: true"


def quoted(text: str) -> str:
    """Return a string of protobuf's text format; bytes of what is not printable ASCII are written in octal."""
    data = text.encode("utf-8", "replace").decode("latin-1")
    return '"' + re.sub(r"[^ !#-\[\]-~]", lambda found: f"\\{ord(found[0]):03o}", data) + '"'
