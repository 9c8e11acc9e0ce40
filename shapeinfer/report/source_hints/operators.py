"""Tables of torch's functions: their names in recorded operations, and what of a type they preserve."""

from __future__ import annotations

from shapeinfer.facts import DType


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


_RECORDED: dict[str, str] = {
    "reshape": "view _unsafe_view reshape",
    "view": "view _unsafe_view reshape",
    "flatten": "view _unsafe_view reshape flatten",
    "unflatten": "view unflatten",
    "truediv": "div",
    "divide": "div",
    "true_divide": "div",
    "multiply": "mul",
    "subtract": "sub",
    "sub": "sub rsub",
    "rsub": "sub rsub",
    "matmul": "matmul mm bmm mv dot",
    "bmm": "bmm matmul",
    "mm": "mm matmul",
    "permute": "permute transpose",
    "swapaxes": "transpose",
    "swapdims": "transpose",
    "t": "t transpose",
    "concat": "cat",
    "concatenate": "cat",
    "chunk": "split split_with_sizes chunk",
    "split": "split split_with_sizes",
    "expand_as": "expand expand_as",
    "broadcast_to": "expand broadcast_to",
    "invert": "bitwise_not logical_not",
    "logical_not": "logical_not bitwise_not",
    "and": "bitwise_and logical_and",
    "or": "bitwise_or logical_or",
    "logical_and": "logical_and bitwise_and",
    "logical_or": "logical_or bitwise_or",
    "clip": "clamp clamp_min clamp_max",
    "clamp": "clamp clamp_min clamp_max",
    "norm": "linalg_vector_norm norm",
    "adaptive_avg_pool2d": "adaptive_avg_pool2d _adaptive_avg_pool2d mean",
    "adaptive_avg_pool1d": "adaptive_avg_pool1d mean",
    "interpolate": "upsample_nearest2d upsample_bilinear2d upsample_bicubic2d upsample_nearest1d upsample_linear1d",
    "pad": "pad constant_pad_nd",
    "rms_norm": "rms_norm _fused_rms_norm mul",
    "absolute": "abs",
    "negative": "neg",
    "greater": "gt",
    "less": "lt",
    "repeat_interleave": "repeat_interleave",
    "max": "max amax maximum",
    "min": "min amin minimum",
    "contiguous": "clone",
    "index_add": "index_add index_put",
    "index_copy": "index_copy index_put",
    "rfft": "_fft_r2c fft_rfft",
    "irfft": "_fft_c2r fft_irfft",
    "fft": "_fft_c2c _fft_r2c fft_fft",
    "ifft": "_fft_c2c fft_ifft",
}
CASTS: dict[str, DType | None] = {
    "to": None,
    "type": None,
    "type_as": None,
    "float": DType.FLOAT,
    "double": DType.DOUBLE,
    "half": DType.FLOAT16,
    "bfloat16": DType.BFLOAT16,
    "long": DType.INT64,
    "int": DType.INT32,
    "bool": DType.BOOL,
}
"""Methods that change only the element type, to the one that their name says, if any."""
DTYPES: dict[str, DType] = {
    "float32": DType.FLOAT,
    "float": DType.FLOAT,
    "float64": DType.DOUBLE,
    "double": DType.DOUBLE,
    "float16": DType.FLOAT16,
    "half": DType.FLOAT16,
    "bfloat16": DType.BFLOAT16,
    "int64": DType.INT64,
    "long": DType.INT64,
    "int32": DType.INT32,
    "int": DType.INT32,
    "int16": DType.INT16,
    "int8": DType.INT8,
    "uint8": DType.UINT8,
    "bool": DType.BOOL,
}
"""Torch's names of element types."""
SAME = frozenset({"contiguous", "clone", "detach", "dropout", "alpha_dropout", "feature_alpha_dropout", "identity"})
"""Functions that preserve the type, and often have no node in an exported model."""
FLOATING = words(
    "relu gelu silu elu selu sigmoid tanh softplus mish hardswish hardsigmoid leaky_relu logsigmoid relu6 hardtanh "
    "exp log sqrt rsqrt sin cos tan erf neg abs square layer_norm batch_norm group_norm instance_norm"
)
"""Functions whose result has the type of the first operand, if that is floating-point."""
KEPT_BY_RECORDED = words(
    "clone detach alias dropout relu gelu silu elu sigmoid tanh leaky_relu batch_norm layer_norm group_norm neg "
    "_native_batch_norm_legit_no_training native_batch_norm native_layer_norm native_group_norm softmax "
    "hardswish hardsigmoid softplus exp log sqrt rsqrt sin cos erf"
)
"""Recorded operations on floating-point numbers whose first operand has the type of their first result."""
LAYERS_THAT_KEEP = words(
    "Dropout Dropout1d Dropout2d Dropout3d AlphaDropout Identity ReLU GELU SiLU LeakyReLU ReLU6 "
    "Hardswish BatchNorm1d BatchNorm2d BatchNorm3d LayerNorm GroupNorm"
)
"""Classes of torch's modules that preserve the type."""
SEVERAL = words(
    "split split_with_sizes chunk unbind unsafe_chunk unsafe_split tensor_split topk sort max min meshgrid std_mean "
    "var_mean kthvalue median mode cummax cummin aminmax"
)
"""Functions that may return a tuple."""
INPLACE = words("add_ sub_ mul_ div_ clamp_ relu_ masked_fill_ copy_ fill_ zero_ neg_ exp_ sigmoid_ tanh_")
"""Methods that change a tensor, not its type."""
COMPOSITES = words(
    "normalize interpolate one_hot cosine_similarity pairwise_distance cdist einsum tensordot bilinear embedding_bag "
    "scaled_dot_product_attention adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool2d "
    "cross_entropy nll_loss mse_loss l1_loss smooth_l1_loss kl_div binary_cross_entropy grid_sample affine_grid fold "
    "unfold pixel_shuffle pixel_unshuffle upsample avg_pool1d local_response_norm glu hardswish softmin std var "
    "std_mean var_mean norm logsumexp addmm baddbmm addbmm addcmul addcdiv lerp dist repeat repeat_interleave tile "
    "roll rot90 multi_head_attention_forward flip meshgrid stft istft scaled_mm rms_norm group_norm instance_norm "
    "batch_norm diag diagonal trace tril triu outer kron cross nan_to_num logit unflatten movedim vander cov corrcoef"
)
"""Functions that are recorded as several operations of other names."""
SIGNS = words("neg bitwise_not logical_not eq ne lt le gt ge")
"""Operations that operators such as -a and a < b are recorded as."""
INDEXING = words("select slice index")
"""Operations that a[...] is recorded as."""
OF_LISTS = words("cat concat concatenate stack hstack vstack dstack meshgrid block_diag broadcast_tensors")
"""Functions whose first argument is a list of tensors."""
CREATES = words("zeros ones full empty arange rand randn linspace eye tensor scalar_tensor")
"""Functions that read no tensor."""
NUMBERS = frozenset({"size", "dim", "numel", "item", "tolist", "is_floating_point", "ndimension", "nelement", "stride"})
"""Methods that return Python's own numbers."""
COMPLEX = words(
    "view_as_complex complex polar fft_fft fft_fft2 fft_fftn fft_ifft fft_ifft2 fft_ifftn fft_rfft fft_rfft2 fft_rfftn "
    "_fft_r2c _fft_c2c stft"
)
"""Recorded operations whose result is complex; those of complex operands are too, unless they are one of REAL."""
REAL = words(
    "view_as_real real imag abs angle fft_irfft fft_irfft2 fft_irfftn _fft_c2r eq ne isnan isfinite isinf istft "
    "sym_size size"
)


def recorded_as(function: str) -> frozenset[str]:
    """Return the operators that a function of torch may be recorded as, without overloads."""
    plain = function.rstrip("_") if not function.endswith("__") else function
    return frozenset(_RECORDED.get(plain, plain).split()) | {plain, f"_{plain}", f"{plain}_", f"special_{plain}"}
