"""Shape and element type inference for ONNX models: sound, symbolic, without running the model."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shapeinfer.api import (
        check,
        infer_shapes,
        load_rules,
    )
    from shapeinfer.api.operator import OutputTypes, infer_op
    from shapeinfer.api.options import Options
    from shapeinfer.api.report import Report
    from shapeinfer.batch.many import check_many
    from shapeinfer.broadcasting import BroadcastShape, broadcast_shapes, broadcast_to
    from shapeinfer.compare.diff import diff
    from shapeinfer.compare.difference import Change, Difference
    from shapeinfer.cost import Cost, LiveSet, NodeCost
    from shapeinfer.diagnostics.codes import CODES, Severity, explain
    from shapeinfer.diagnostics.detail import Detail
    from shapeinfer.diagnostics.diagnostic import Diagnostic, NodeRef, Operand
    from shapeinfer.diagnostics.errors import (
        ArityError,
        AttributeValueError,
        AxisError,
        BroadcastError,
        DeclarationError,
        DimMismatchError,
        ElementTypeError,
        GraphError,
        ModelError,
        RankError,
        ShapeInferError,
    )
    from shapeinfer.dims import Answer, Condition, Dim
    from shapeinfer.facts import DType, MapType, OptionalType, SequenceType, Shape, SparseTensor, Tensor, Type, Unknown
    from shapeinfer.infer.constraints.contract import Contract, Requirement
    from shapeinfer.infer.declared import Assumption
    from shapeinfer.infer.explain.trace import Trace
    from shapeinfer.report import render
    from shapeinfer.report.contract_formats import render_contract
    from shapeinfer.rewrite.fold import fold
    from shapeinfer.rewrite.folded import Folded, Rewrite
    from shapeinfer.rewrite.generalize import generalize
    from shapeinfer.rewrite.generalized import BlockedDim, FreeDim, Generalized
    from shapeinfer.session import Edited, Session
    from shapeinfer.shapes.standalone import evaluate, maximum, minimum, symbol, symbols
    from shapeinfer.version import __version__

__all__ = [
    "CODES",
    "Answer",
    "ArityError",
    "Assumption",
    "AttributeValueError",
    "AxisError",
    "BlockedDim",
    "BroadcastError",
    "BroadcastShape",
    "Change",
    "Condition",
    "Contract",
    "Cost",
    "DType",
    "DeclarationError",
    "Detail",
    "Diagnostic",
    "Difference",
    "Dim",
    "DimMismatchError",
    "Edited",
    "ElementTypeError",
    "Folded",
    "FreeDim",
    "Generalized",
    "GraphError",
    "LiveSet",
    "MapType",
    "ModelError",
    "NodeCost",
    "NodeRef",
    "Operand",
    "OptionalType",
    "Options",
    "OutputTypes",
    "RankError",
    "Report",
    "Requirement",
    "Rewrite",
    "SequenceType",
    "Session",
    "Severity",
    "Shape",
    "ShapeInferError",
    "SparseTensor",
    "Tensor",
    "Trace",
    "Type",
    "Unknown",
    "__version__",
    "broadcast_shapes",
    "broadcast_to",
    "check",
    "check_many",
    "diff",
    "evaluate",
    "explain",
    "fold",
    "generalize",
    "infer_op",
    "infer_shapes",
    "load_rules",
    "maximum",
    "minimum",
    "render",
    "render_contract",
    "symbol",
    "symbols",
]


def __getattr__(name: str) -> object:
    """Load what is asked for: a program that uses one part pays for no other."""
    import importlib

    if name in _RENAMED:
        import warnings

        message = f"shapeinfer.{name} is now shapeinfer.{_RENAMED[name]}; the old name goes in 0.3"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return getattr(importlib.import_module(__name__), _RENAMED[name])
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


_RENAMED = {"Map": "MapType", "Optional": "OptionalType", "Sequence": "SequenceType"}

_HOMES = {
    "Answer": "dims",
    "ArityError": "diagnostics.errors",
    "Assumption": "infer.declared",
    "AttributeValueError": "diagnostics.errors",
    "AxisError": "diagnostics.errors",
    "BlockedDim": "rewrite.generalized",
    "BroadcastError": "diagnostics.errors",
    "CODES": "diagnostics.codes",
    "BroadcastShape": "broadcasting",
    "Change": "compare.difference",
    "Condition": "dims",
    "Contract": "infer.constraints.contract",
    "Cost": "cost",
    "DType": "facts",
    "DeclarationError": "diagnostics.errors",
    "Detail": "diagnostics.detail",
    "Diagnostic": "diagnostics.diagnostic",
    "Difference": "compare.difference",
    "Dim": "dims",
    "DimMismatchError": "diagnostics.errors",
    "Edited": "session",
    "ElementTypeError": "diagnostics.errors",
    "Folded": "rewrite.folded",
    "FreeDim": "rewrite.generalized",
    "Generalized": "rewrite.generalized",
    "GraphError": "diagnostics.errors",
    "LiveSet": "cost",
    "MapType": "facts",
    "ModelError": "diagnostics.errors",
    "NodeCost": "cost",
    "NodeRef": "diagnostics.diagnostic",
    "Operand": "diagnostics.diagnostic",
    "OptionalType": "facts",
    "Options": "api.options",
    "OutputTypes": "api.operator",
    "RankError": "diagnostics.errors",
    "Report": "api.report",
    "Requirement": "infer.constraints.contract",
    "Rewrite": "rewrite.folded",
    "SequenceType": "facts",
    "Session": "session",
    "Severity": "diagnostics.codes",
    "Shape": "facts",
    "ShapeInferError": "diagnostics.errors",
    "SparseTensor": "facts",
    "Tensor": "facts",
    "Trace": "infer.explain.trace",
    "Type": "facts",
    "Unknown": "facts",
    "__version__": "version",
    "broadcast_shapes": "broadcasting",
    "broadcast_to": "broadcasting",
    "check": "api",
    "check_many": "batch.many",
    "diff": "compare.diff",
    "evaluate": "shapes.standalone",
    "explain": "diagnostics.codes",
    "fold": "rewrite.fold",
    "generalize": "rewrite.generalize",
    "infer_op": "api.operator",
    "infer_shapes": "api",
    "load_rules": "api",
    "maximum": "shapes.standalone",
    "minimum": "shapes.standalone",
    "render_contract": "report.contract_formats",
    "render": "report",
    "symbol": "shapes.standalone",
    "symbols": "shapes.standalone",
}
"""The module that each name is from."""
