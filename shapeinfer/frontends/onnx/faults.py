"""What is wrong with a model as a file: its versions, its names and the tensors it stores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import onnx

from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Code, Severity
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.dims import DimSyntaxError, equal, parse
from shapeinfer.facts import Fact, Tensor
from shapeinfer.frontends.onnx.imports import domain_of, key_of
from shapeinfer.frontends.onnx.names import as_text
from shapeinfer.frontends.onnx.stored import sparse_faults, tensor_faults
from shapeinfer.graph.call import spelled_function

FUNCTIONS_CAME = 8
"""The IR version that brought model-local functions."""

DEFAULTS_CAME = 4
"""The IR version since which an initializer need not be an input."""


def file_faults(model: onnx.ModelProto) -> Iterator[Diagnostic]:
    """Yield the faults of a model's versions."""
    version = model.ir_version
    if version == 0:
        yield _fault(codes.MISSING_IR_VERSION, "the model has no ir_version")
    elif version > onnx.IR_VERSION:
        message = f"the model has IR version {version}; the installed onnx supports up to {onnx.IR_VERSION}"
        yield _fault(codes.IR_VERSION_TOO_NEW, message)
    if model.functions and 0 < version < FUNCTIONS_CAME:
        message = f"functions require IR version {FUNCTIONS_CAME}; the model has {version}"
        yield _fault(codes.IR_VERSION_TOO_OLD, message)
    if 0 < version < DEFAULTS_CAME:
        yield from _not_inputs(model)
    yield from _conflicting(model.opset_import, "the model")
    for function in model.functions:
        yield from _conflicting(function.opset_import, f"function {spelled_function(key_of(function))}")
    for key, count in Counter(map(key_of, model.functions)).items():
        if count > 1:
            yield _fault(codes.DUPLICATE_NAME, f"function {spelled_function(key)} is there more than once")


def _not_inputs(model: onnx.ModelProto) -> Iterator[Diagnostic]:
    inputs = {value.name for value in model.graph.input}
    alone = [t.name for t in model.graph.initializer if t.name not in inputs]
    if alone:
        yield _fault(
            codes.IR_VERSION_TOO_OLD,
            f"up to IR version {DEFAULTS_CAME - 1} every initializer is an input too; {_listed(alone)} "
            f"{'are' if len(alone) > 1 else 'is'} none, the model is of {model.ir_version}",
        )


def _conflicting(imports: Iterable[onnx.OperatorSetIdProto], subject: str) -> Iterator[Diagnostic]:
    versions: dict[str, set[int]] = {}
    for entry in imports:
        versions.setdefault(domain_of(entry.domain), set()).add(entry.version)
    for domain, found in versions.items():
        if len(found) > 1:
            several = " and ".join(map(str, sorted(found)))
            message = f"{subject} imports versions {several} of {domain or 'ai.onnx'}; the newest is taken"
            yield _fault(codes.CONFLICTING_IMPORTS, message)


def graph_faults(proto: onnx.GraphProto) -> Iterator[Diagnostic]:
    """Yield the faults of the names of a graph's inputs and outputs, and of the tensors it stores."""
    stored = [*(t.name for t in proto.initializer), *(s.values.name for s in proto.sparse_initializer)]
    lists = {"input": [v.name for v in proto.input], "output": [v.name for v in proto.output], "initializer": stored}
    for kind, names in lists.items():
        if len(set(names)) < len(names):
            twice = [name for name, count in Counter(names).items() if count > 1]
            severity = Severity.WARNING if kind == "output" else None
            yield _fault(codes.DUPLICATE_NAME, f"duplicate {kind} {_listed(twice)}", severity, twice[0])
        if "" in names:
            yield _fault(codes.EMPTY_NAME, f"an {kind} has no name")
    for tensor in proto.initializer:
        for code, message in tensor_faults(tensor, f"initializer {tensor.name}"):
            yield _fault(code, message, value=tensor.name)
    for sparse in proto.sparse_initializer:
        for code, message in sparse_faults(sparse, f"initializer {sparse.values.name}"):
            yield _fault(code, message, value=sparse.values.name)


def default_faults(name: str, declared: Fact, stored: Fact) -> Iterator[Diagnostic]:
    """Hold the initializer that is an input's default against the input's type."""
    if not isinstance(declared, Tensor) or not isinstance(stored, Tensor):
        return
    message = f"input {name} is declared {declared.text}, its initializer is {stored.text}"
    if declared.dtype and stored.dtype and declared.dtype is not stored.dtype:
        yield _fault(codes.DECLARED_TYPE_MISMATCH, message, value=name)
    elif declared.shape is not None and stored.shape is not None:
        fits = len(declared.shape) == len(stored.shape)
        if not fits or any(equal(a, b).is_no for a, b in zip(declared.shape, stored.shape)):
            yield _fault(codes.DECLARED_SHAPE_MISMATCH, message, Severity.ERROR, name)


def fixed_defaults(names: Iterable[str]) -> Iterator[Diagnostic]:
    """Report inputs that are taken for constants, though a caller may override them."""
    found = list(names)
    if found:
        message = f"default inputs are fixed: {_listed(found)} cannot be overridden in this check, though callers may"
        yield _fault(codes.FIXED_DEFAULT_INPUTS, message, value=found[0])


def input_faults(value: onnx.ValueInfoProto) -> Iterator[Diagnostic]:
    """Report an input of the model that declares no type, or one that ONNX forbids."""
    if value.type.WhichOneof("value") is None:
        yield _fault(codes.UNTYPED_INPUT, f"input {value.name} declares no type", value=value.name)
        return
    inner = _innermost(value.type)
    kind = inner.WhichOneof("value")
    if kind in ("tensor_type", "sparse_tensor_type") and not getattr(inner, kind).elem_type:
        message = f"input {value.name} declares a tensor without an element type"
        yield _fault(codes.UNTYPED_INPUT, message, Severity.ERROR, value.name)
    elif kind == "opaque_type" and not inner.opaque_type.name:
        yield _fault(codes.EMPTY_NAME, f"input {value.name} declares an opaque type without a name", value=value.name)


def _innermost(proto: onnx.TypeProto) -> onnx.TypeProto:
    """Return the type of what sequences, optionals and maps hold in the end."""
    kind = proto.WhichOneof("value")
    while kind in ("sequence_type", "optional_type", "map_type"):
        proto = proto.map_type.value_type if kind == "map_type" else getattr(proto, kind).elem_type
        kind = proto.WhichOneof("value")
    return proto


def formulas(borne: Iterable[str]) -> Iterator[Diagnostic]:
    """Report dims of inputs that bear a formula for a name, by which they are a condition and no size of their own."""
    for text in borne:
        if text.isidentifier():
            continue
        try:
            size = parse(text)
        except DimSyntaxError:
            continue
        if isinstance(size, int) or not size.is_symbol:
            message = f"the dim name {text!r} is read as an expression: the input must have that size"
            yield _fault(codes.EXPRESSION_AS_DIM_NAME, message)


def _listed(names: list[str]) -> str:
    shown = ", ".join(as_text(name) for name in names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"


def _fault(code: Code, message: str, severity: Severity | None = None, value: str | None = None) -> Diagnostic:
    return Diagnostic(code, severity or code.severity, message, value=value)
