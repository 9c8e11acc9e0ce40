"""Every fault the engine can name, with the severity it has unless configured otherwise."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from importlib import resources
from types import MappingProxyType

from attrs import frozen

from shapeinfer.diagnostics.nearest import did_you_mean


class Severity(str, enum.Enum):
    """The severity of a diagnostic: only an error makes a model not ``ok``."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"

    def __str__(self) -> str:
        return self.value


@frozen(repr=False)
class Code:
    """A kind of fault: its kebab-case name, its default severity and a one-sentence description."""

    name: str
    severity: Severity
    title: str

    def __repr__(self) -> str:
        return f"<Code: {self.name}>"

    @property
    def page(self) -> str:
        """The explain page, in markdown; raises FileNotFoundError if it was not written."""
        folder = resources.files("shapeinfer.diagnostics") / "explain"
        return (folder / f"{self.name}.md").read_text(encoding="utf-8")


_codes: dict[str, Code] = {}
CODES: Mapping[str, Code] = MappingProxyType(_codes)
"""All codes by their names, in the order of ``shapeinfer explain``."""


def _code(name: str, title: str, severity: Severity = Severity.ERROR) -> Code:
    _codes[name] = Code(name, severity, title)
    return _codes[name]


def explain(code: str | Code) -> str:
    """Return what a code means and how to fix what it reports, in markdown, as ``shapeinfer explain`` prints it.

    Raises ValueError for an unknown code, TypeError for what is none.
    """
    if not isinstance(code, (str, Code)):
        raise TypeError(f"explain() takes a code such as 'not-broadcastable', not {type(code).__name__}")
    known = CODES.get(code) if isinstance(code, str) else code
    if known is None:
        raise ValueError(f"unknown code {code}{did_you_mean(str(code), CODES, 3)}")
    try:
        return known.page
    except FileNotFoundError:
        return f"# {known.name}\n\n{known.title}\n"


# The file
NOT_A_MODEL = _code("not-a-model", "The file is neither an ONNX model nor an OpenVINO IR.")
GIT_LFS_POINTER = _code("git-lfs-pointer", "The file is a Git LFS pointer, not the model it points to.")
SYNTAX_ERROR = _code("syntax-error", "The text of a model does not follow ONNX's text syntax.")
UNREADABLE = _code("unreadable", "The file cannot be read.")
TRUNCATED_MODEL = _code("truncated-model", "The file ends in the middle of the model.")
MALFORMED_LAYER = _code("malformed-layer", "A layer of an IR cannot be read.")
BROKEN_EDGE = _code("broken-edge", "An edge of an IR does not connect an output to an input.")
WEIGHTS_OUT_OF_RANGE = _code("weights-out-of-range", "A constant of an IR is not where its offset and size say.")
MISSING_WEIGHTS = _code("missing-weights", "The file with an IR's constants is missing.", Severity.WARNING)
EMPTY_GRAPH = _code("empty-graph", "The model's graph has no nodes and no outputs.")

MISSING_IR_VERSION = _code("missing-ir-version", "The model has no IR version.")
IR_VERSION_TOO_NEW = _code(
    "ir-version-too-new", "The model's IR version is newer than the installed onnx supports.", Severity.WARNING
)
IR_VERSION_TOO_OLD = _code("ir-version-too-old", "The model uses a feature of a later IR version.", Severity.WARNING)
INVALID_TENSOR = _code("invalid-tensor", "A stored tensor's data does not fit its type and shape.")
INVALID_EXTERNAL_DATA = _code("invalid-external-data", "The location of a tensor's external data is invalid.")
UNSAFE_EXTERNAL_DATA = _code("unsafe-external-data", "A tensor's data is outside the model's directory.")

# The graph
UNDEFINED_VALUE = _code("undefined-value", "A node reads an undefined value.")
USED_BEFORE_MADE = _code("used-before-made", "A node reads a value before it is computed.")
CYCLE = _code("cycle", "Nodes depend on each other's outputs.")
MADE_TWICE = _code("made-twice", "Two nodes define a value of the same name.")
DUPLICATE_NAME = _code("duplicate-name", "Two inputs, outputs, initializers or functions have the same name.")
EMPTY_NAME = _code("empty-name", "An input, an output, an initializer or an opaque type has no name.")
UNTYPED_INPUT = _code("untyped-input", "An input declares no type, or no element type.", Severity.WARNING)
SHADOWED_NAME = _code(
    "shadowed-name", "A value of a subgraph has the name of one in an enclosing graph.", Severity.WARNING
)
UNUSED_INPUT = _code("unused-input", "An input is never used.", Severity.NOTE)
UNUSED_INITIALIZER = _code("unused-initializer", "An initializer is never used.", Severity.NOTE)
UNUSED_NODE = _code("unused-node", "No output of a node is used.", Severity.NOTE)
DUPLICATE_NODE_NAME = _code("duplicate-node-name", "Two nodes have the same name.", Severity.NOTE)
FIXED_DEFAULT_INPUTS = _code(
    "fixed-default-inputs", "Inputs with a default value are treated as constants.", Severity.NOTE
)
OUTPUT_IS_INPUT = _code("output-is-input", "A graph output is a graph input.", Severity.NOTE)
MISSING_OUTPUT = _code("missing-output", "No node computes a graph output.")
NESTED_TOO_DEEP = _code("nested-too-deep", "Subgraphs or functions are nested too deeply.")
RECURSIVE_FUNCTION = _code("recursive-function", "A model-local function calls itself.")

# The operator's signature
MISSING_OPSET_IMPORT = _code("missing-opset-import", "The model uses a domain that it does not import.")
CONFLICTING_IMPORTS = _code("conflicting-imports", "One domain is imported in two versions.", Severity.WARNING)
UNKNOWN_OPERATOR = _code("unknown-operator", "No operator of this name is known.", Severity.WARNING)
NO_SUCH_OPERATOR = _code("no-such-operator", "ONNX specifies no operator of this name.")
OPERATOR_TOO_NEW = _code("operator-too-new", "The operator was added in a later opset than the model imports.")
OPSET_TOO_NEW = _code(
    "opset-too-new", "The model imports an opset newer than the installed onnx supports.", Severity.WARNING
)
DEPRECATED_OPERATOR = _code("deprecated-operator", "The operator was removed in this opset.")
MISSING_INPUT = _code("missing-input", "A required input is absent.")
TOO_MANY_INPUTS = _code("too-many-inputs", "The node has more inputs than the operator accepts.")
MISSING_NODE_OUTPUT = _code("missing-node-output", "The node has fewer outputs than the operator requires.")
TOO_MANY_OUTPUTS = _code("too-many-outputs", "The node has more outputs than the operator has.")
MISSING_ATTRIBUTE = _code("missing-attribute", "A required attribute is absent.")
UNKNOWN_ATTRIBUTE = _code("unknown-attribute", "The operator has no attribute of this name.")
ATTRIBUTE_TYPE = _code("attribute-type", "An attribute has the wrong type.")
INVALID_VALUE = _code("invalid-value", "An input has a value that the operator does not allow.")
CONFLICTING_ARGUMENTS = _code("conflicting-arguments", "Inputs or attributes that exclude each other are both present.")
SUBGRAPH_MISMATCH = _code(
    "subgraph-mismatch", "A subgraph does not have the inputs and outputs that its node requires."
)
INVALID_ATTRIBUTE = _code("invalid-attribute", "An attribute's value is outside what the operator allows.")
ELEMENT_TYPE_NOT_ALLOWED = _code("element-type-not-allowed", "An input has a type that the operator does not allow.")
ELEMENT_TYPE_MISMATCH = _code("element-type-mismatch", "Inputs that must share a type do not.")

# Shapes
NOT_BROADCASTABLE = _code("not-broadcastable", "Two dims cannot be broadcast together.")
INNER_DIM_MISMATCH = _code("inner-dim-mismatch", "The axes that a product sums over differ.")
DIM_MISMATCH = _code("dim-mismatch", "Two axes that must agree differ.")
CHANNEL_MISMATCH = _code("channel-mismatch", "The number of input channels does not match the weights.")
AXIS_OUT_OF_RANGE = _code("axis-out-of-range", "An axis is out of range for the tensor's rank.")
DUPLICATE_AXIS = _code("duplicate-axis", "An axis occurs twice.")
RANK_MISMATCH = _code("rank-mismatch", "A tensor has a rank that the operator does not allow.")
LENGTH_MISMATCH = _code("length-mismatch", "A list does not have one entry for each axis that it covers.")
INVALID_PERMUTATION = _code("invalid-permutation", "A permutation does not contain every axis exactly once.")
VOLUME_MISMATCH = _code("volume-mismatch", "A reshape changes the number of elements.")
NOT_DIVISIBLE = _code("not-divisible", "A dim is not divisible as the operator requires.")
INDEX_OUT_OF_RANGE = _code("index-out-of-range", "An index is out of range for its axis.")
SQUEEZE_NOT_ONE = _code("squeeze-not-one", "A squeezed axis does not have size 1.")
SPLIT_SUM = _code("split-sum", "The parts of a split do not add up to the axis.")
WINDOW_TOO_LARGE = _code("window-too-large", "A kernel is larger than the padded input.")
TOO_FEW_ELEMENTS = _code("too-few-elements", "An axis is smaller than the operator requires.")
NEGATIVE_LENGTH = _code("negative-length", "A dim would be negative.")
ELEMENT_COUNT_OVERFLOW = _code("element-count-overflow", "A tensor has more elements than 64 bits can count.")
INTEGER_OVERFLOW = _code("integer-overflow", "Integer arithmetic overflows its type.", Severity.WARNING)
DIVISION_BY_ZERO = _code("division-by-zero", "An integer is divided by zero.")
INVALID_EQUATION = _code("invalid-equation", "An einsum equation does not fit its operands.")

# Which sizes a model runs for
PINNED_DIM = _code("pinned-dim", "The model runs for one size only of a dim that it declares free.", Severity.WARNING)
TIED_DIMS = _code("tied-dims", "Two dims with names of their own must be equal.", Severity.WARNING)
DEGENERATE_SIZES_ONLY = _code(
    "degenerate-sizes-only", "The model runs only where certain dims are 0 or 1.", Severity.WARNING
)

# What the model declares
DECLARED_TYPE_MISMATCH = _code("declared-type-mismatch", "A value's declared type is not the inferred one.")
DECLARED_SHAPE_MISMATCH = _code(
    "declared-shape-mismatch", "A value's declared shape is not the inferred one.", Severity.WARNING
)
LABEL_CONFLICT = _code("label-conflict", "One dim name is used for different sizes.", Severity.WARNING)
ASSUMED_DECLARATION = _code("assumed-declaration", "A shape or dim is known from a declaration only.", Severity.NOTE)
NEGATIVE_DIM_VALUE = _code("negative-dim-value", "A declared dim is negative.", Severity.WARNING)
MADE_UP_DIM_NAME = _code("made-up-dim-name", "The name of a dim was generated by a tool.", Severity.NOTE)
EXPRESSION_AS_DIM_NAME = _code("expression-as-dim-name", "The name of an input's dim is a formula.", Severity.NOTE)
UNDEFINED_DECLARATION = _code(
    "undefined-declaration", "A type is declared for a value that no node computes.", Severity.NOTE
)
BRANCHES_DISAGREE = _code("branches-disagree", "The branches of an If return different types.")
UNKNOWN_BINDING = _code("unknown-binding", "A bound name is not a dim of any input.")
ASSUMPTION_FALSE = _code("assumption-false", "An assumption contradicts the model's inputs.")
RANGE_FAILS = _code("range-fails", "The model does not run for every size of a given range.")
BINDING_CONFLICT = _code("binding-conflict", "A binding contradicts what an input declares.")
CONTRACT_NARROWED = _code("contract-narrowed", "The model requires more of its inputs than the expected contract does.")
BASELINE_OUTDATED = _code("baseline-outdated", "A finding in the baseline no longer occurs.", Severity.WARNING)
INCOMPLETE_TYPES = _code("incomplete-types", "Types are unknown that the configuration requires to be known.")

# The engine itself
INTERNAL_ERROR = _code("internal-error", "A rule of shapeinfer failed; this is a bug, please report it.")
EXPRESSION_TOO_LARGE = _code(
    "expression-too-large", "A dim's expression is too large; the dim becomes unknown.", Severity.NOTE
)
BUDGET_EXCEEDED = _code("budget-exceeded", "The model was too large to finish within the budget.", Severity.WARNING)

UNUSABLE = frozenset(
    {NOT_A_MODEL, SYNTAX_ERROR, GIT_LFS_POINTER, UNREADABLE, TRUNCATED_MODEL, EMPTY_GRAPH, UNKNOWN_BINDING}
)
"""Codes which mean that the model was not checked; they cannot be turned off."""
