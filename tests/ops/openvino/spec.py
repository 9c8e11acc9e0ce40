"""The language of ``tests/ops/spec.py`` for OpenVINO's operators, and OpenVINO itself to hold a rule against.

``agrees_with_openvino`` skips the test where OpenVINO is not installed: whoever writes a rule runs it once, and what
the rule must give stands in plain tests beside it.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from shapeinfer import Tensor, infer_op
from shapeinfer.dims import Dim, evaluate, has_fresh_symbol
from shapeinfer.facts.openvino import ELEMENT_TYPES, OPENVINO, PRECISIONS
from tests.ops import spec

infer = functools.partial(spec.infer, domain=OPENVINO)
outline = functools.partial(spec.outline, domain=OPENVINO)
fault = functools.partial(spec.fault, domain=OPENVINO)

_NAMES = {dtype: name for name, dtype in reversed(ELEMENT_TYPES.items()) if dtype}
_PRECISION = {dtype: name for name, dtype in reversed(PRECISIONS.items()) if dtype}


def agrees_with_openvino(
    op: str,
    *inputs: str,
    bindings: Sequence[Mapping[str, int]],
    version: int,
    outputs: int = 1,
    **attributes: Any,
) -> None:
    """Infer once from symbols, let OpenVINO infer under each binding, and compare every shape and element type.

    Inputs with entries are constants. Where OpenVINO gives an open length, nothing is compared.
    """
    openvino = pytest.importorskip("openvino")
    facts = [spec.fact(i) for i in inputs]
    made = infer_op(op, facts, attributes, dialect=OPENVINO, version=version, outputs=outputs)
    for binding in bindings:
        xml, weights = _model(op, version, facts, binding, attributes, outputs)
        model = openvino.Core().read_model(xml.encode(), openvino.Tensor(np.frombuffer(weights + b"\0", np.uint8)))
        layer = next(o for o in model.get_ops() if o.get_friendly_name() == "op")
        for i, inferred in enumerate(made):
            assert isinstance(inferred, Tensor), inferred
            real = layer.output(i).get_partial_shape()
            where = f"{op} at {dict(binding)}: output {i} is {inferred.text}, OpenVINO says {real}"
            kind = layer.output(i).get_element_type().get_type_name()
            assert not inferred.dtype or inferred.dtype is ELEMENT_TYPES[kind], f"{where} of {kind}"
            if inferred.shape is None or real.rank.is_dynamic:
                continue
            assert len(inferred.shape) == len(real), where
            for size, dim in zip(inferred.shape, real):
                known = _evaluated(size, binding)
                assert known is None or dim.is_dynamic or known == dim.get_length(), where


def _evaluated(size: Any, binding: Mapping[str, int]) -> int | None:
    """A length under a binding, None where it hangs on what only a run would show."""
    if has_fresh_symbol(size):
        return None
    return evaluate(size, binding)


def _model(
    op: str,
    version: int,
    facts: Sequence[Any],
    binding: Mapping[str, int],
    attributes: Mapping[str, Any],
    outputs: int,
) -> tuple[str, bytes]:
    """Return an IR of one operator, and the entries of its constants."""
    layers, edges, weights = [], [], b""
    ports = ""
    for i, fact in enumerate(facts):
        shape = [evaluate(d, binding) for d in fact.shape]
        dims = "".join(f"<dim>{d}</dim>" for d in shape)
        port = f'precision="{_PRECISION[fact.dtype]}">{dims}</port>'
        text = ",".join(map(str, shape))
        if fact.value is None:
            data, kind = f'<data shape="{text}" element_type="{_NAMES[fact.dtype]}"/>', "Parameter"
        else:
            held = np.array([evaluate(v, binding) if isinstance(v, Dim) else v for v in fact.value])
            entries = held.astype(fact.dtype.numpy()).tobytes()
            where = f'offset="{len(weights)}" size="{len(entries)}"'
            data, kind = f'<data shape="{text}" element_type="{_NAMES[fact.dtype]}" {where}/>', "Const"
            weights += entries
        layers.append(
            f'<layer id="{i}" name="i{i}" type="{kind}" version="opset1">{data}'
            f'<output><port id="0" {port}</output></layer>'
        )
        edges.append(f'<edge from-layer="{i}" from-port="0" to-layer="{len(facts)}" to-port="{i}"/>')
        ports += f'<port id="{i}" {port}'
    given = " ".join(f'{name}="{_text(value)}"' for name, value in attributes.items())
    made = "".join(f'<port id="{len(facts) + i}" precision="FP32"></port>' for i in range(outputs))
    layers.append(
        f'<layer id="{len(facts)}" name="op" type="{op}" version="opset{version}"><data {given}/>'
        f"<input>{ports}</input><output>{made}</output></layer>"
    )
    for i in range(outputs):
        at = len(facts) + 1 + i
        layers.append(
            f'<layer id="{at}" name="r{i}" type="Result" version="opset1">'
            '<input><port id="0" precision="FP32"></port></input></layer>'
        )
        edges.append(f'<edge from-layer="{len(facts)}" from-port="{len(facts) + i}" to-layer="{at}" to-port="0"/>')
    body = f"<layers>{''.join(layers)}</layers><edges>{''.join(edges)}</edges>"
    return f'<?xml version="1.0"?><net name="one" version="11">{body}<rt_info/></net>', weights


def _text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
