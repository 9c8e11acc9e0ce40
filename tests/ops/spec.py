"""The language that tests of operators are written in.

Facts are text: ``f32[N, 3]``, ``i64[2]{4, -1}`` with contents, ``f32[...]`` of unknown rank, ``seq(f32[N])``,
``optional(...)``, ``sparse f32[3, 4]``; an input left out is ``""``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx.reference import ReferenceEvaluator

from shapeinfer import DType, OptionalType, SequenceType, SparseTensor, Tensor, infer_op
from shapeinfer.diagnostics.errors import ShapeInferError
from shapeinfer.dims import Dim, evaluate, parse
from shapeinfer.facts import Fact, dtype_of
from shapeinfer.ops.signature import latest_version, signature
from tests.ops.truth import is_true

_TENSOR = re.compile(r"(?P<dtype>\w+|\?)\[(?P<dims>[^\]]*)\](?:\{(?P<value>.*)\})?")


def fact(text: str) -> Fact | None:
    """Read one fact from text, None from the empty text."""
    text = text.strip()
    if not text:
        return None
    for prefix, make in (("seq(", SequenceType), ("optional(", OptionalType)):
        if text.startswith(prefix):
            inner = fact(text[len(prefix) : -1])
            assert inner is not None, text
            return make(inner)
    if text.startswith("sparse "):
        dense = fact(text.removeprefix("sparse "))
        assert isinstance(dense, Tensor), text
        return SparseTensor(dense.dtype, dense.shape)
    found = _TENSOR.fullmatch(text)
    assert found is not None, f"not a fact: {text!r}"
    dtype = DType.UNDEFINED if found["dtype"] == "?" else dtype_of(found["dtype"])
    dims = found["dims"].strip()
    if dims == "...":
        return Tensor(dtype, None)
    shape = tuple(parse(d) for d in dims.split(",")) if dims else ()
    if found["value"] is None:
        return Tensor(dtype, shape)
    return Tensor(dtype, shape, [_entry(e.strip(), dtype) for e in found["value"].split(",") if e.strip()])


def _entry(text: str, dtype: DType) -> object:
    if text == "?":
        return None
    if dtype is DType.BOOL:
        return text == "True"
    if dtype is DType.STRING:
        return text
    try:
        return float(text) if dtype.is_float else int(text)
    except ValueError:
        return parse(text)


def spelled(made: Fact) -> str:
    """Return the text of a fact, contents included."""
    if isinstance(made, Tensor) and made.value is not None and not all(_is_made(v) for v in made.value):
        entries = ", ".join("?" if v is None or _is_made(v) else str(getattr(v, "text", v)) for v in made.value)
        return f"{made.text}{{{entries}}}"
    return made.text


def _is_made(entry: object) -> bool:
    return isinstance(entry, Dim) and entry.is_symbol and entry.is_fresh


def infer(
    op: str, *inputs: str, version: int | None = None, domain: str = "", outputs: int | None = None, **attributes: Any
) -> str | list[str]:
    """Return the text of the one output, or a list of the texts of several."""
    made = infer_op(op, [fact(i) for i in inputs], attributes, domain=domain, version=version, outputs=outputs)
    texts = [spelled(f) for f in made]
    return texts[0] if len(texts) == 1 else texts


def outline(
    op: str, *inputs: str, version: int | None = None, domain: str = "", outputs: int | None = None, **attributes: Any
) -> str | list[str]:
    """Return what ``infer`` returns with every made-up length as ``?``."""
    made = infer(op, *inputs, version=version, domain=domain, outputs=outputs, **attributes)
    texts = [re.sub(rf"\b{op}_\d+\b", "?", text) for text in ([made] if isinstance(made, str) else made)]
    return texts[0] if isinstance(made, str) else texts


def fault(
    op: str, *inputs: str, version: int | None = None, domain: str = "", outputs: int | None = None, **attributes: Any
) -> str:
    """Return the code of the fault that the call ends in; fails if there is none, or if it says what is not so."""
    try:
        made = infer(op, *inputs, version=version, domain=domain, outputs=outputs, **attributes)
    except ShapeInferError as error:
        is_true(error, [fact(i) for i in inputs])
        return error.code
    raise AssertionError(f"{op} found nothing wrong and gave {made}")


def agrees_with_a_run(
    op: str,
    *inputs: str,
    bindings: Sequence[Mapping[str, int]],
    version: int | None = None,
    domain: str = "",
    outputs: int = 1,
    **attributes: Any,
) -> None:
    """Infer once from symbols, run the operator under each binding, and compare shapes and known entries."""
    facts = [fact(i) for i in inputs]
    made = infer_op(op, facts, attributes, domain=domain, version=version, outputs=outputs)
    newest = latest_version(domain) if version is None else version
    declared = signature(domain, op, newest)
    assert declared is not None, op
    # The runtime refuses opsets under development: take an older one of the same definition.
    opset = max(declared.since, min(newest, 21))
    for binding in bindings:
        arrays = [None if f is None else array_of(f, binding) for f in facts]
        for inferred, real in zip(made, _run(op, domain, opset, arrays, outputs, attributes), strict=True):
            assert isinstance(inferred, Tensor), inferred
            shape = None if inferred.shape is None else tuple(evaluate(d, binding) for d in inferred.shape)
            assert shape == real.shape, f"{op} at {dict(binding)}: {inferred} is {shape}, really {real.shape}"
            assert inferred.dtype is dtype_of(real.dtype), f"{op}: {inferred} is really {real.dtype}"
            for entry, number in zip(inferred.value or (), real.ravel().tolist()):
                if isinstance(entry, int) or (isinstance(entry, Dim) and not _is_made(entry)):
                    known = evaluate(entry, binding)
                    assert known == number, f"{op} at {dict(binding)}: {spelled(inferred)} holds {number}, not {known}"


def array_of(given: Fact, binding: Mapping[str, int]) -> np.ndarray[Any, Any]:
    """Return an array of a fact with numbers in the place of its symbols: of its entries, or of ones."""
    assert isinstance(given, Tensor), given
    assert given.shape is not None, given
    dtype = object if given.dtype is DType.STRING else given.dtype.numpy()
    shape = tuple(evaluate(d, binding) for d in given.shape)
    if given.value is not None:
        entries = [evaluate(v, binding) if isinstance(v, Dim) else v for v in given.value]
        return np.array(entries, dtype=dtype).reshape(shape)
    return np.full(shape, "a" if dtype is object else 1, dtype=dtype)


def _run(
    op: str,
    domain: str,
    opset: int,
    arrays: Sequence[np.ndarray[Any, Any] | None],
    outputs: int,
    attributes: Mapping[str, Any],
) -> list[np.ndarray[Any, Any]]:
    names = [f"i{k}" if a is not None else "" for k, a in enumerate(arrays)]
    made = [f"o{k}" for k in range(outputs)]
    node = onnx.helper.make_node(op, names, made, domain=domain, **attributes)
    given = [
        onnx.helper.make_tensor_value_info(n, onnx.helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
        for n, a in zip(names, arrays)
        if a is not None
    ]
    graph = onnx.helper.make_graph([node], "g", given, [onnx.ValueInfoProto(name=m) for m in made])
    opsets = {"": 21, domain: opset}
    imports = [onnx.helper.make_opsetid(name, version) for name, version in opsets.items()]
    model = onnx.helper.make_model(graph, opset_imports=imports, ir_version=10)
    feeds = {n: a for n, a in zip(names, arrays) if a is not None}
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), _options(), ["CPUExecutionProvider"])
    except Exception:  # noqa: BLE001 - the runtime lacks many operators and types: the reference has them all
        return list(ReferenceEvaluator(model).run(None, feeds))
    return list(session.run(None, feeds))


def _options() -> Any:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return options
