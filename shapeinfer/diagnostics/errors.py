"""The exceptions of the Python API; each has the diagnostics that caused it."""

from __future__ import annotations

import builtins
from collections.abc import Sequence

from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Code
from shapeinfer.diagnostics.diagnostic import Diagnostic, NodeRef, Operand


class ShapeInferError(Exception):
    """A model or a call is wrong. ``diagnostics`` has all faults, ``diagnostic`` the first."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        first, *rest = self.diagnostics
        more = f" (and {len(rest)} more)" if rest else ""
        super().__init__(first.text + "".join(f"\n  {o.text}" for o in first.shown) + more)

    def __reduce__(self) -> tuple[type[ShapeInferError], tuple[tuple[Diagnostic, ...]]]:
        return type(self), (self.diagnostics,)

    @property
    def diagnostic(self) -> Diagnostic:
        return self.diagnostics[0]

    @property
    def code(self) -> str:
        """The first fault's code, such as ``not-broadcastable``."""
        return self.diagnostic.code.name

    @property
    def node(self) -> NodeRef | None:
        """The node of the first fault."""
        return self.diagnostic.node

    @property
    def axis(self) -> int | None:
        """The axis at fault, counted from the front of the first operand; each operand has its own ``axis``.

        None where that operand is meant as a whole, or by an entry that it holds.
        """
        return self.diagnostic.axis


class ModelError(ShapeInferError):
    """The file or bytes are not a readable model."""


class TwoSidedError(ShapeInferError):
    """Two operands do not fit each other; ``lhs.dim`` and ``rhs.dim`` are the lengths, where it is lengths."""

    @property
    def lhs(self) -> Operand | None:
        """The first operand."""
        return self.diagnostic.operands[0] if self.diagnostic.operands else None

    @property
    def rhs(self) -> Operand | None:
        """The second operand."""
        return self.diagnostic.operands[1] if len(self.diagnostic.operands) > 1 else None


class BroadcastError(TwoSidedError):
    """Shapes do not broadcast: ``lhs`` and ``rhs`` have the lengths, each with its operand and the axis there."""

    @property
    def output_axis(self) -> int | None:
        """The axis of the output at which the two lengths meet, counted from its front."""
        return self.diagnostic.detail.output_axis


class DimMismatchError(TwoSidedError):
    """Axes that must agree do not."""


class RankError(ShapeInferError):
    """A tensor's rank, or the number of entries in a list with one entry per axis, is not allowed."""


class AxisError(ShapeInferError):
    """An axis is out of range or named twice."""

    @property
    def value(self) -> int | None:
        """The invalid axis as written in the model; None if it is not a single one."""
        given = self.diagnostic.detail.given
        return given if isinstance(given, int) else None

    @property
    def range(self) -> builtins.range | None:
        """The axes that there are: ``range(-3, 3)`` of rank 3 where negative ones are allowed."""
        return self.diagnostic.detail.range


class ElementTypeError(TwoSidedError):
    """An element type is not allowed or two that must agree do not."""

    @property
    def allowed(self) -> tuple[str, ...]:
        """The allowed types, such as ``float32``; empty if not known."""
        return self.diagnostic.detail.allowed


class AttributeValueError(ShapeInferError):
    """An attribute is missing, unknown, of the wrong type or out of range."""

    @property
    def attribute(self) -> str | None:
        """The name of the attribute."""
        return self.diagnostic.detail.attribute

    @property
    def value(self) -> object:
        """The value of the attribute: a number, text (always in an IR) or a short tuple of them.

        None if it is absent or has another type.
        """
        return self.diagnostic.detail.given

    @property
    def allowed(self) -> tuple[str, ...]:
        """The values that it may have, or the names that the operator knows, where they can be listed."""
        return self.diagnostic.detail.allowed


class ArityError(ShapeInferError):
    """A node has too few or too many inputs or outputs."""


class GraphError(ShapeInferError):
    """Nodes and values do not form a graph that can run."""


class DeclarationError(TwoSidedError):
    """A declared type contradicts the inferred one: ``lhs`` is what is declared, ``rhs`` what is inferred."""


_CLASSES: dict[type[ShapeInferError], tuple[Code, ...]] = {
    BroadcastError: (codes.NOT_BROADCASTABLE,),
    DimMismatchError: (
        codes.INNER_DIM_MISMATCH,
        codes.DIM_MISMATCH,
        codes.CHANNEL_MISMATCH,
    ),
    RankError: (codes.RANK_MISMATCH, codes.LENGTH_MISMATCH),
    AxisError: (codes.AXIS_OUT_OF_RANGE, codes.DUPLICATE_AXIS, codes.INVALID_PERMUTATION),
    ElementTypeError: (codes.ELEMENT_TYPE_NOT_ALLOWED, codes.ELEMENT_TYPE_MISMATCH),
    AttributeValueError: (
        codes.MISSING_ATTRIBUTE,
        codes.UNKNOWN_ATTRIBUTE,
        codes.ATTRIBUTE_TYPE,
        codes.INVALID_ATTRIBUTE,
    ),
    ArityError: (
        codes.MISSING_INPUT,
        codes.TOO_MANY_INPUTS,
        codes.MISSING_NODE_OUTPUT,
        codes.TOO_MANY_OUTPUTS,
    ),
    GraphError: (
        codes.UNDEFINED_VALUE,
        codes.USED_BEFORE_MADE,
        codes.CYCLE,
        codes.MADE_TWICE,
        codes.MISSING_OUTPUT,
        codes.NESTED_TOO_DEEP,
        codes.RECURSIVE_FUNCTION,
        codes.MALFORMED_LAYER,
        codes.BROKEN_EDGE,
        codes.WEIGHTS_OUT_OF_RANGE,
    ),
    DeclarationError: (codes.DECLARED_TYPE_MISMATCH, codes.DECLARED_SHAPE_MISMATCH),
    ModelError: (
        codes.NOT_A_MODEL,
        codes.SYNTAX_ERROR,
        codes.GIT_LFS_POINTER,
        codes.UNREADABLE,
        codes.TRUNCATED_MODEL,
        codes.EMPTY_GRAPH,
    ),
}
_BY_CODE = {code.name: cls for cls, group in _CLASSES.items() for code in group}


def error_for(diagnostics: Sequence[Diagnostic]) -> ShapeInferError:
    """Return the exception of the class that the first diagnostic's code calls for."""
    return _BY_CODE.get(diagnostics[0].code.name, ShapeInferError)(diagnostics)
