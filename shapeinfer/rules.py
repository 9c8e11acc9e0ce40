"""What rules for operators of one's own are written with: nothing else of the package is meant for them.

A rule is a function with a decorator. Its signature is the operator's: the inputs by position, the attributes by
keyword, with their defaults. It returns a shape, or a list of one per output, and requires of the sizes what the
operator does:

    from shapeinfer.rules import Context, Divides, Shape, Tensor, codes, declare, rule

    declare("Fold(X: T; by: int = 2) -> Y: T", domain="my", T="float float16")

    @rule("Fold", domain="my")
    def fold(ctx: Context, x: Tensor, *, by: int = 2) -> Shape:
        \"\"\"Fold the last axis into rows of ``by``.\"\"\"
        *outer, last = x.dims
        ctx.require(Divides(by, last), codes.NOT_DIVISIBLE, f"{last} is not divisible by {by}", at="x[-1]")
        return (*outer, last // by, by)

- ``x.dims`` has the sizes: an ``int`` where one is known, a ``Dim`` otherwise. Python's operators compute with both;
  comparing them does not decide anything, so require what must hold (``ctx.require``, ``ctx.equal``). What is false for
  all sizes is an error at the node, what depends on them becomes a condition of the model.
- ``at`` names the operands of a condition by the rule's parameters, the faulty one first: ``x[-1]`` is an axis,
  ``shape{0}`` an entry, ``xs.1`` one of a variadic.
- ``ctx.fresh()`` is a size that nothing determines, such as how many entries are not zero.
- ``x.dims`` ends the rule where the rank is unknown; ``unranked=`` is the rank of the output that is known even then.
- A rule is pure: the same inputs give the same result. It may run once for many nodes.
- ``declare`` adds names, arity and element types, which are checked before the rule runs; without it an operator takes
  anything, and its outputs have the element type only if the rule returns ``x.of(...)``.
- ``contents`` computes the entries of small outputs that become shapes, ``value_range`` their bounds.
- ``matmul``, ``einsum``, ``concatenated``, ``reshaped`` and the other functions here are the arithmetic of ONNX's own
  operators; they take the context and report faults as those do.

``infer_op("Fold", [Tensor("f32", ["N", 6])], domain="my")`` tries a rule out. A file of rules is named by ``--rules``,
``shapeinfer.load_rules`` or the configuration; a package names its module in the entry point group
``shapeinfer.rules``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from shapeinfer import remembered
from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Code, Severity
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import (
    AllOf,
    Answer,
    AnyOf,
    AtMost,
    Condition,
    Dim,
    Divides,
    Equal,
    Size,
    at_least,
    below,
    broadcast,
    broadcastable,
    ceildiv,
    exact_div,
    maximum,
    minimum,
    nonzero,
    product,
    total,
)
from shapeinfer.facts import (
    UNKNOWN,
    Contents,
    DType,
    Element,
    Fact,
    MapType,
    OptionalType,
    SequenceType,
    Shape,
    SparseTensor,
    Tensor,
    Unknown,
)
from shapeinfer.ops import registry, signature
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import Unranked
from shapeinfer.shapes.algebra.einsum import einsum
from shapeinfer.shapes.algebra.linear import matmul
from shapeinfer.shapes.algebra.reduction import reduced
from shapeinfer.shapes.movement.axes import permuted, squeezed, unsqueezed
from shapeinfer.shapes.movement.concat import concatenated
from shapeinfer.shapes.movement.reshape import reshaped
from shapeinfer.shapes.windows.window import WINDOW, SlidingWindow, Window, window_counts

__all__ = [
    "UNKNOWN",
    "WINDOW",
    "AllOf",
    "Answer",
    "AnyOf",
    "AtMost",
    "Code",
    "Condition",
    "Contents",
    "Context",
    "DType",
    "Detail",
    "Dim",
    "Divides",
    "Element",
    "Equal",
    "Fact",
    "MapType",
    "OptionalType",
    "SequenceType",
    "Severity",
    "Shape",
    "Size",
    "SlidingWindow",
    "SparseTensor",
    "Tensor",
    "Unknown",
    "Window",
    "at_least",
    "below",
    "broadcast",
    "broadcastable",
    "ceildiv",
    "codes",
    "concatenated",
    "contents",
    "declare",
    "einsum",
    "exact_div",
    "matmul",
    "maximum",
    "minimum",
    "nonzero",
    "permuted",
    "product",
    "reduced",
    "reshaped",
    "rule",
    "squeezed",
    "total",
    "unsqueezed",
    "value_range",
    "window_counts",
]

_F = TypeVar("_F", bound=Callable[..., Any])


def rule(*names: str, domain: str, since: int = 1, unranked: Unranked = None, fold: bool = False) -> Callable[[_F], _F]:
    """Register a rule for operators of a domain, from its version ``since`` up to the next registration.

    The function takes a Context, the inputs (positional, None where absent, ``*`` for a variadic) and, by keyword, the
    attributes that it needs with their defaults. It returns a shape, a fact such as a Tensor, or None for an unknown
    output, or a list with one of them per output. ``unranked`` is the rank of the output where the rule ended for want
    of an input's rank, or a list for several. With ``fold`` the operator's reference implementation computes the output
    if the shape stays unknown although every entry of the inputs is known.

    A module that is run again replaces its rules. Raises ValueError if another one has a rule for the operator.
    """
    return _known_at_once(registry.rule(*names, since=since, domain=domain, unranked=unranked, fold=fold))


def contents(*names: str, domain: str, since: int = 1) -> Callable[[_F], _F]:
    """Register how operators of a domain compute the entries of a small first output, which may become a shape.

    The function takes the output's Tensor, then the inputs as the rule does and, by keyword, the attributes that it
    needs. It returns the entries in row-major order, None for one that is not known, or None if no entry is. It is
    called only where the output's shape is known and small. Raises ValueError as ``rule`` does.
    """
    return _known_at_once(registry.contents(*names, since=since, domain=domain))


def value_range(*names: str, domain: str, since: int = 1) -> Callable[[_F], _F]:
    """Register what the least and the greatest entry of an operator's first output are, however many it has.

    The function takes what one for ``contents`` does, and returns a pair of sizes, or None. It is called only for
    integers whose entries are not known. Raises ValueError as ``rule`` does.
    """
    return _known_at_once(registry.value_range(*names, since=since, domain=domain))


def declare(text: str, *, domain: str, since: int = 1, **variables: str) -> None:
    """Declare the inputs, attributes and outputs of an operator in one line, which each node is checked against.

    ``declare("Pack(X: T; lanes: int = 8) -> Y: T", domain="my", T="float float16")``: a type is an element type of ONNX
    or a variable, whose element types are listed by keyword. ``name?`` marks an optional input or output, ``name*`` a
    variadic one of at least one (``name*?`` of any number), ``name*!`` one whose types may differ. An attribute with
    ``?`` may be absent; one that has neither that nor a default is required. Raises ValueError if the text cannot be
    read.
    """
    signature.declare(text, domain=domain, since=since, **variables)
    remembered.forget()


def _known_at_once(register: Callable[[Any], Any]) -> Callable[[_F], _F]:
    """Return a decorator after which models checked before are inferred with the new rule, too."""

    def registered(function: _F) -> _F:
        register(function)
        signature.clear_caches()
        remembered.forget()
        return function

    return registered
