"""The abstract domain: element type, shape, small known contents; join and completion."""

from shapeinfer.facts.capacity import holds, holds_all_of, is_any_number
from shapeinfer.facts.containers import MAX_ELEMENTS, MapType, OptionalType, SequenceType, Type
from shapeinfer.facts.dtype import DType, DTypeLike, dtype_of
from shapeinfer.facts.fact import (
    MAX_AXES,
    MAX_CONTENTS,
    UNKNOWN,
    Contents,
    Element,
    Ends,
    Fact,
    Shape,
    SparseTensor,
    Tensor,
    Unknown,
    UnknownRank,
    of_array,
    tensor,
)
from shapeinfer.facts.lattice import complete, join, resized
from shapeinfer.facts.openvino import OPENVINO, Profile

__all__ = [
    "MAX_AXES",
    "MAX_CONTENTS",
    "MAX_ELEMENTS",
    "OPENVINO",
    "UNKNOWN",
    "Contents",
    "DType",
    "DTypeLike",
    "Element",
    "Ends",
    "Fact",
    "MapType",
    "OptionalType",
    "Profile",
    "SequenceType",
    "Shape",
    "SparseTensor",
    "Tensor",
    "Type",
    "Unknown",
    "UnknownRank",
    "complete",
    "dtype_of",
    "holds",
    "holds_all_of",
    "is_any_number",
    "join",
    "of_array",
    "resized",
    "tensor",
]
