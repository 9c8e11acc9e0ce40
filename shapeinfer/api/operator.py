"""Infer one operator, of no model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import index
from typing import Any, TypeAlias, get_args

import numpy as np
import onnx

from shapeinfer.api.options import require_known
from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Severity
from shapeinfer.diagnostics.diagnostic import Diagnostic, NodeRef
from shapeinfer.diagnostics.errors import error_for
from shapeinfer.diagnostics.finding import Claim
from shapeinfer.dims import Dim, Size
from shapeinfer.facts import OPENVINO, Fact, Profile, Type, of_array
from shapeinfer.frontends.onnx.attributes import read_attributes
from shapeinfer.graph import Attributes, Call, Node
from shapeinfer.infer.constraints.contract import Requirement
from shapeinfer.infer.constraints.one_call import Assumptions, assumed, conditions_of
from shapeinfer.infer.diagnosis.diagnose import diagnose
from shapeinfer.infer.names import Namer
from shapeinfer.ops.attributes import of_values
from shapeinfer.ops.call import infer_call
from shapeinfer.ops.signature import Signature, first_version, latest_version, signature

OpInput: TypeAlias = "Fact | np.ndarray[Any, Any] | np.generic | None"
"""An input of an operator: what is known of it, or a constant; None where it is omitted."""


class OutputTypes(list[Type]):
    """The outputs of an operator, a list of one fact each, and the conditions under which it runs.

    Each of ``conditions`` has the condition as text (``condition``) and as data (``asked``), the operands that it is
    about, the operator's message, and a smallest input that breaks it. None follows from others. There are none for
    sizes that always fit.
    """

    conditions: tuple[Requirement, ...]

    def __init__(self, types: Iterable[Type] = (), conditions: Iterable[Requirement] = ()) -> None:
        super().__init__(types)
        self.conditions = tuple(conditions)


def infer_op(
    op_type: str,
    inputs: Sequence[OpInput],
    attributes: Mapping[str, Any] | None = None,
    *,
    domain: str = "",
    version: int | None = None,
    dialect: str = "onnx",
    outputs: int | None = None,
    profile: Profile = "spec",
    assume: Assumptions = (),
    strict: bool = False,
) -> OutputTypes:
    """Infer the outputs of one operator, and the conditions under which it runs.

    Of each input ``inputs`` has what is known of it, such as ``Tensor("f32", ["N", 3])``, a numpy array for a constant,
    or None where it is omitted. ``version`` is the opset imported, the newest known by default; ``outputs`` how many
    outputs the node names, by default the required ones. With the dialect ``openvino`` the operator is OpenVINO's, its
    attributes may be text as in an IR, and ``profile`` tells whether to follow the specification or OpenVINO's
    behaviour where they differ. An attribute that is None is omitted.

    The list returned has the outputs, and in ``conditions`` what the sizes must satisfy: ``K == 3`` where a matrix of 3
    rows is multiplied by one of K columns. ``assume`` has conditions that hold, such as ``"N % 8 == 0"``: what they
    decide is no condition any more. With ``strict`` a condition that remains is an error.

    Raises ValueError for an unknown operator, dialect or profile, for an attribute's value of the wrong type and for an
    assumption that cannot be read, TypeError for an input that is no fact, and the ShapeInferError of the fault for a
    call that cannot run, such as one of an operator that came with a later opset or one that an assumption contradicts.
    """
    if isinstance(inputs, (Fact, np.ndarray, np.generic)):
        raise TypeError(f"inputs is {inputs!r}; give a list, as in infer_op({op_type!r}, [x, y])")
    domain = _domain_of(dialect, domain)
    require_known("profile", profile, get_args(Profile))
    passed = [_fact(i, x) for i, x in enumerate(inputs)]
    symbols = {s for f in passed if f is not None for s in f.symbols}
    known = assumed(assume, symbols)
    facts = [f and f.substitute(known.sizes) for f in passed]
    opset = (latest_version(domain) or 1) if version is None else index(version)
    declared = _declared(domain, op_type, opset)
    count = max(declared.min_output, 1) if outputs is None else outputs
    call = Call(op_type, domain, opset, _attributes(declared, attributes or {}), (True,) * count, profile)
    outcome = infer_call(call, facts)
    names = tuple("" if f is None else f"input {i}" for i, f in enumerate(facts))
    node = Node(call, names, tuple(f"output {i}" for i in range(count)), _Unnamed())
    place = NodeRef(0, "", op_type, domain)
    wrong = [
        diagnose(f, node, place, facts, notes=known.notes) for f in outcome.findings if f.severity is Severity.ERROR
    ]
    if wrong:
        raise error_for(wrong)
    namer = Namer({s.name for s in symbols})
    fresh: dict[Dim, Size] = {s: namer.like(op_type, s) for s in outcome.slots}

    def diagnosed(claim: Claim, notes: Sequence[str]) -> Diagnostic:
        return diagnose(claim, node, place, facts, notes=notes)

    claims = [claim.replacing(fresh) for claim in outcome.claims]
    conditions = conditions_of(claims, known, diagnosed, place, strict=strict)
    found = (f.substitute(fresh).substitute(known.declared) for f in outcome.facts)
    return OutputTypes(found, conditions)  # type: ignore[arg-type]


def _fact(index: int, passed: object) -> Fact | None:
    """Return what is known of an input. Raises TypeError for what is no input."""
    if passed is None or isinstance(passed, Fact):
        return passed
    if isinstance(passed, (np.ndarray, np.generic)):
        try:
            return of_array(np.asarray(passed))
        except ValueError as error:
            raise TypeError(f"input {index} is an array of {passed.dtype}: {error}") from None
    what = "a fact such as Tensor('f32', [2, 3]), a numpy array for a constant, or None"
    raise TypeError(f"input {index} is {passed!r}; give {what}")


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
