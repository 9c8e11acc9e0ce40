"""What kind of operator a node calls, for its colour on the page."""

from __future__ import annotations

import re

KINDS = (
    "arithmetic",
    "convolution, linear",
    "activation",
    "normalization",
    "pooling, reduction",
    "data movement",
    "shape arithmetic",
    "control flow",
)
"""The names of the kinds; a kind is an index of this tuple."""
SHAPE = KINDS.index("shape arithmetic")
CONTROL = KINDS.index("control flow")

_WORDS = {
    "control flow": r"If|Loop|Scan|TensorIterator|SequenceMap|Body",
    "normalization": r".*Norm(alization)?(V2|Scale\w*|Add\w*)?|.*LayerNorm\w*|LRN|MVN|NormalizeL2|.*NormRotary",
    "shape arithmetic": r"Shape|ShapeOf|Size|ConstantOfShape|Range|EyeLike",
    "convolution, linear": r".*(Conv|MatMul|Gemm|Attention|LSTM|GRU|RNN|Einsum|MoE|Linear(?!Interpolation)).*|Mlp",
    "activation": r".*(Relu|ReLU|Gelu|SiLU|Silu|Swi?GLU|Sigmoid|Tanh|Soft[mM]ax|SoftPlus|Softplus|HSwish|Swish|Mish)"
    r"|.?[Ee]lu|.elu|Soft[Ss]ign|Hard\w+|HSigmoid|Clip|Clamp|Erf|Bias\w*Gelu|FastGelu|QuickGelu",
    "pooling, reduction": r".*(Pool|Reduce).*|Arg(Max|Min)|Det|.*Loss",
    "data movement": r"(Un)?[Ss]queeze|Reshape\w*|Flatten|Transpose|Concat\w*|Split\w*|Slice|StridedSlice"
    r"|(Q\w*)?Gather\w*|Scatter\w*|Expand|Broadcast|Tile|Pad|Resize|Interpolate|Upsample|DepthToSpace|SpaceToDepth|Compress|TopK"
    r"|Unique|NonZero|Reverse\w*|Trilu|OneHot|RotaryEmbedding|Identity|Cast\w*|Sequence\w*|Optional\w*|Crop|Roll"
    r"|Embedding\w*|Reorder\w*|Im2Col|Col2Im|GridSample|Convert|.*ToSequence|.*FromSequence|CenterCropPad|Dropout",
}
_PATTERNS = {KINDS.index(kind): re.compile(words) for kind, words in _WORDS.items()}


def kind_of(op_type: str) -> int:
    """Return the kind of an operator of any domain, judged by its name, as an index of ``KINDS``.

    Unknown operators count as arithmetic.
    """
    if op_type in ("QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear"):
        return KINDS.index("data movement")
    name = op_type.removeprefix("QLinear") if op_type != "QLinearMatMul" else op_type
    return next((kind for kind, pattern in _PATTERNS.items() if pattern.fullmatch(name)), 0)
