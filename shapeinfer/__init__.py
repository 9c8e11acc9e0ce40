"""Shape and element type inference for ONNX models: sound, symbolic, without running the model."""

from shapeinfer.api import (
    Report,
    Type,
    check,
    infer_op,
    infer_shapes,
    load_rules,
)
from shapeinfer.batch.many import check_many
from shapeinfer.compare.diff import diff
from shapeinfer.compare.difference import Change, Difference
from shapeinfer.cost import Cost, NodeCost
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
from shapeinfer.dims import Answer, Dim
from shapeinfer.facts import DType, Map, Optional, Sequence, SparseTensor, Tensor, Unknown
from shapeinfer.infer.contract import Contract, Requirement
from shapeinfer.session import Session
from shapeinfer.shapes.alone import broadcast_shapes, symbol

__all__ = [
    "Answer",
    "ArityError",
    "AttributeValueError",
    "AxisError",
    "BroadcastError",
    "Change",
    "Contract",
    "Cost",
    "DType",
    "DeclarationError",
    "Diagnostic",
    "Difference",
    "Dim",
    "DimMismatchError",
    "ElementTypeError",
    "GraphError",
    "Map",
    "ModelError",
    "NodeCost",
    "NodeRef",
    "Operand",
    "Optional",
    "RankError",
    "Report",
    "Requirement",
    "Sequence",
    "Session",
    "ShapeInferError",
    "SparseTensor",
    "Tensor",
    "Type",
    "Unknown",
    "broadcast_shapes",
    "check",
    "check_many",
    "diff",
    "infer_op",
    "infer_shapes",
    "load_rules",
    "symbol",
]
