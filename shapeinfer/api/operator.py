"""Infer one operator, of no model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import index
from typing import Any, get_args

import onnx

from shapeinfer.api.options import require_known
from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Severity
from shapeinfer.diagnostics.diagnostic import Diagnostic, NodeRef
from shapeinfer.diagnostics.errors import error_for
from shapeinfer.dims import Dim, Size
from shapeinfer.facts import OPENVINO, Fact, Profile, Type
from shapeinfer.frontends.onnx.attributes import read_attributes
from shapeinfer.graph import Attributes, Call, Node
from shapeinfer.infer.diagnosis.diagnose import diagnose
from shapeinfer.infer.names import Namer
from shapeinfer.ops.attributes import of_values
from shapeinfer.ops.call import infer_call
from shapeinfer.ops.signature import Signature, first_version, latest_version, signature


def infer_op(
    op_type: str,
    inputs: Sequence[Fact | None],
    attributes: Mapping[str, Any] | None = None,
    *,
    domain: str = "",
    version: int | None = None,
    dialect: str = "onnx",
    outputs: int | None = None,
    profile: Profile = "spec",
) -> list[Type]:
    """Infer the outputs of one operator; an omitted input is None.

    ``version`` is the opset imported, the newest known by default; ``outputs`` how many outputs the node names, by
    default the required ones. With the dialect ``openvino`` the operator is OpenVINO's, its attributes may be text as
    in an IR, and ``profile`` tells whether to follow the specification or OpenVINO's behaviour where they differ. An
    attribute that is None is omitted. Raises ValueError for an unknown operator, dialect or profile and for an
    attribute's value of the wrong type, TypeError for an input that is not a fact, and the ShapeInferError of the fault
    for a call that cannot run, such as one of an operator that came with a later opset.
    """
    domain = _domain_of(dialect, domain)
    require_known("profile", profile, get_args(Profile))
    for i, fact in enumerate(inputs):
        if fact is not None and not isinstance(fact, Fact):
            raise TypeError(f"input {i} is {fact!r}; give a fact such as Tensor('f32', [2, 3]), or None")
    opset = (latest_version(domain) or 1) if version is None else index(version)
    declared = _declared(domain, op_type, opset)
    count = max(declared.min_output, 1) if outputs is None else outputs
    call = Call(op_type, domain, opset, _attributes(declared, attributes or {}), (True,) * count, profile)
    outcome = infer_call(call, list(inputs))
    names = tuple("" if f is None else f"input {i}" for i, f in enumerate(inputs))
    node = Node(call, names, tuple(f"output {i}" for i in range(count)), _Unnamed())
    place = NodeRef(0, "", op_type, domain)
    wrong = [diagnose(f, node, place, inputs) for f in outcome.findings if f.severity is Severity.ERROR]
    if wrong:
        raise error_for(wrong)
    namer = Namer({s.name for f in inputs if f is not None for s in f.symbols})
    fresh: dict[Dim, Size] = {s: namer.like(op_type, s) for s in outcome.slots}
    return [f.substitute(fresh) for f in outcome.facts]  # type: ignore[misc]


def _declared(domain: str, op_type: str, opset: int) -> Signature:
    """Return the signature of an operator. Raises ShapeInferError for one that is newer, ValueError for none."""
    declared = signature(domain, op_type, opset)
    if declared is not None:
        return declared
    spelled, since, code = domain or "ai.onnx", first_version(domain, op_type), codes.OPERATOR_TOO_NEW
    if since is None or since <= opset:
        raise ValueError(f"no operator {op_type} of domain {spelled} in opset {opset}")
    message = f"{op_type} came with opset {since} of {spelled}; it is not in {opset}"
    raise error_for([Diagnostic(code, code.severity, message, NodeRef(0, "", op_type, domain))])


def _domain_of(dialect: str, domain: str) -> str:
    require_known("dialect", dialect, ("onnx", OPENVINO))
    return domain if dialect == "onnx" else dialect


def _attributes(declared: Signature, values: Mapping[str, Any]) -> Attributes:
    if declared.domain == OPENVINO:
        return of_values(values)
    return read_attributes(_attribute(declared, name, v) for name, v in values.items() if v is not None)


def _attribute(declared: Signature, name: str, value: Any) -> onnx.AttributeProto:
    formal = declared.attributes.get(name)
    is_empty = isinstance(value, Sequence) and not value and not isinstance(value, (str, bytes))
    kind = formal.type if formal is not None and is_empty else None  # an empty list has no element type
    try:
        return onnx.helper.make_attribute(name, value, attr_type=kind)
    except (TypeError, ValueError):
        raise ValueError(f"{value!r} is not a value for an attribute such as {name} of {declared.name}") from None


class _Unnamed:
    """The source of a node that is in no file."""

    name = ""
