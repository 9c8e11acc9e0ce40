"""Activations, normalizations and gates fused with the preceding node; most keep the shape of the first input."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import DIM_MISMATCH, INVALID_ATTRIBUTE, NOT_DIVISIBLE, RANK_MISMATCH, TOO_FEW_ELEMENTS
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import AtMost, Divides, Size, ceildiv, exact_div, mul, product, text_of
from shapeinfer.facts import DType, Shape, Tensor, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.microsoft.schema import ALL_FLOATS, DOMAIN, FLOATS, HALF_OR_SINGLE, UP_TO_DOUBLE, contrib
from shapeinfer.ops.registry import Output, rule
from shapeinfer.shapes.elementwise.broadcast import onto, side
from shapeinfer.shapes.movement.indexing import ends_in_range
from shapeinfer.shapes.named import NamedAxes

contrib("Gelu(X: T) -> Y: T", T=ALL_FLOATS)
contrib("QuickGelu(X: T; alpha: float = 1.702) -> Y: T", T=ALL_FLOATS)
contrib("ScaledSiLU(X: T, scale?: M; alpha: float = 1.0) -> Y: T", T=FLOATS, M=FLOATS)
contrib("SampleOp(X: T) -> Y: T", T="uint32 uint64 int32 int64 float16 float double")
contrib(
    "QuantizeWithOrder(input: F, scale_input: float; order_input: int, order_output: int) -> output: int8",
    F=HALF_OR_SINGLE,
)
contrib("QOrderedGelu(X: int8, scale_X: float, scale_Y: float; order_X?: int, order_Y?: int) -> Y: int8")
contrib(
    "QOrderedLayerNormalization(X: int8, scale_X: float, scale: F, B?: F, scale_Y: float; axis: int = -1, epsilon: "
    "float = 1e-05, order_X: int = 1, order_Y: int = 1) -> Y: int8",
    F=HALF_OR_SINGLE,
)
contrib("BranchwiseRMSNorm(X: T, scale?: M; epsilon: float = 1e-05, num_branches: int = 0) -> Y: T", T=FLOATS, M=FLOATS)
contrib(
    "HyperConnectionPostMix(streams: T, block_output: T, post_mix: M, stream_mix?: M; num_branches: int = 0) -> "
    "output: T",
    T=FLOATS,
    M=FLOATS,
)
contrib(
    "MRotaryEmbedding(input: T, position_ids: int64, cos_cache: T, sin_cache: T; interleaved?: int, "
    "is_packed_batching?: int, mrope_layout?: int, mrope_section: ints, num_heads?: int, rotary_embedding_dim?: "
    "int, scale?: float) -> output: T",
    T=FLOATS,
)
contrib(
    "RotaryEmbedding(input: T, position_ids: int64, cos_cache: T, sin_cache: T; interleaved?: int, "
    "is_packed_batching?: int, num_heads?: int, rotary_embedding_dim?: int, scale?: float) -> output: T",
    T=FLOATS,
)


@rule("Gelu", "QuickGelu", "ScaledSiLU", "SampleOp", domain=DOMAIN)
@rule("QuantizeWithOrder", "QOrderedGelu", "QOrderedLayerNormalization", domain=DOMAIN)
@rule("BranchwiseRMSNorm", "HyperConnectionPostMix", "RotaryEmbedding", "MRotaryEmbedding", domain=DOMAIN)
def keep_shape(ctx: Context, x: Tensor) -> Shape:
    """Keep the first input's shape."""
    return x.dims


contrib(
    "RMSNormRotary(X: T, scale: float, position_ids: int64, cosine: TCos, sine: TCos, prefill_numerics?: int32; "
    "epsilon: float = 1e-06, flatten_batch: int = 0, input_start: int = 0, input_width: int = 0, output_fp16: int = 0, "
    "rotary_embedding_dim: int, use_fp32_arithmetic: int = 1) -> Y: TOut, normalized_fp32?: float",
    T="bfloat16 float16",
    TCos="bfloat16 float",
    TOut="bfloat16 float16",
)


@rule("RMSNormRotary", domain=DOMAIN, unranked=[3, 4])
def rms_norm_rotary(
    ctx: Context,
    x: Tensor,
    scale: Tensor,
    position_ids: Tensor,
    cosine: Tensor,
    sine: Tensor,
    prefill_numerics: Tensor | None = None,
    *,
    flatten_batch: int = 0,
    input_start: int = 0,
    input_width: int = 0,
    output_fp16: int = 0,
    rotary_embedding_dim: int,
) -> list[Output]:
    """Normalize a slice of each head and turn a part of it; heads lie side by side in the output."""
    axes = NamedAxes(ctx)
    if rotary_embedding_dim < 1 or rotary_embedding_dim % 2:
        message = f"rotary_embedding_dim is {rotary_embedding_dim}; it must be positive and even"
        ctx.fail(INVALID_ATTRIBUTE, message, detail=Detail("rotary_embedding_dim"))
    axes.bind("half", rotary_embedding_dim // 2, "half of rotary_embedding_dim")
    axes.read(x, "x", "batch steps heads stride")
    width = input_width or axes["stride"]
    if x.shape is not None:
        message = f"channels {input_start} to {text_of(input_start + width)} are read of {text_of(axes['stride'])}"
        ctx.require(AtMost(input_start + width, axes["stride"]), TOO_FEW_ELEMENTS, message, "x[3]")
        message = f"rotary_embedding_dim is {rotary_embedding_dim}; it must be at most {text_of(width)}"
        ctx.require(AtMost(rotary_embedding_dim, width), TOO_FEW_ELEMENTS, message, "x[3]")
    axes.bind("width", width, "the width that is normalized", "" if input_width else "stride")
    axes.read(scale, "scale", "width")
    axes.read(cosine, "cosine", "positions half")
    axes.read(sine, "sine", "positions half")
    if position_ids.shape is not None and position_ids.rank == 2 and product(position_ids.shape) != 1:
        axes.read(position_ids, "position_ids", "batch steps")
    batch, steps = axes.shape("batch steps")
    out = (1, mul(batch, steps)) if flatten_batch else (batch, steps)
    turned = (*out, mul(axes["heads"], axes["width"]))
    dtype = DType.FLOAT16 if output_fp16 else DType.BFLOAT16
    return [tensor(dtype, turned), axes.shape("batch steps heads width")]


contrib(
    "GemmaRotaryEmbedding(emb: float, q: float16, q_rot: float16, k: float16, k_rot: float16) -> output1: float16, "
    "output2: float16",
)


@rule("GemmaRotaryEmbedding", domain=DOMAIN, unranked=[4, 4])
def gemma_rotary_embedding(ctx: Context, emb: Tensor, q: Tensor, q_rot: Tensor, k: Tensor) -> list[Shape | None]:
    """Turn queries and keys, whose shapes stay."""
    return [q.shape, k.shape]


contrib("BiasGelu(A: T, B: T) -> C: T", T=ALL_FLOATS)
contrib("FastGelu(X: T, bias?: T) -> Y: T", T=ALL_FLOATS)


@rule("BiasGelu", "FastGelu", domain=DOMAIN)
def biased_activation(ctx: Context, x: Tensor, bias: Tensor | None = None) -> Shape:
    """Keep the shape; the bias has an entry for each index of the last axis."""
    along_last(ctx, x, "x", bias=bias)
    return x.dims


contrib("BiasSplitGelu(X: T, bias: T) -> Y: T", T=HALF_OR_SINGLE)


@rule("BiasSplitGelu", domain=DOMAIN, unranked=3)
def bias_split_gelu(ctx: Context, x: Tensor, bias: Tensor) -> Shape:
    """Gate one half of the last axis by the other."""
    axes = NamedAxes(ctx)
    axes.read(x, "x", "batch pixels hidden")
    axes.read(bias, "bias", "hidden")
    return (*axes.shape("batch pixels"), halved(ctx, x.dims[-1], "x[-1]"))


contrib("BiasAdd(X: T, bias: T, skip: T) -> Y: T", T=HALF_OR_SINGLE)


@rule("BiasAdd", domain=DOMAIN, unranked=3)
def bias_add(ctx: Context, x: Tensor, bias: Tensor, skip: Tensor) -> Shape:
    """Add a bias for each channel and a tensor of the same shape."""
    axes = NamedAxes(ctx)
    axes.read(x, "x", "batch pixels channels")
    axes.read(bias, "bias", "channels")
    axes.read(skip, "skip", "batch pixels channels")
    return axes.shape("batch pixels channels")


contrib("BiasSoftmax(data: T, bias: T; axis: int = 1, is_inner_broadcast: int) -> output: T", T=UP_TO_DOUBLE)


@rule("BiasSoftmax", domain=DOMAIN)
def bias_softmax(ctx: Context, data: Tensor, bias: Tensor, *, axis: int = 1) -> Shape:
    """Keep the shape of ``data``."""
    ctx.axis(axis, data.rank, at="data")
    return data.dims


contrib(
    "BiasDropout(data: T, bias: T, residual?: T, ratio?: T1, training_mode?: bool; seed?: int) -> output: T, mask?: "
    "bool",
    T=ALL_FLOATS,
    T1=ALL_FLOATS,
)


@rule("BiasDropout", domain=DOMAIN)
def bias_dropout(ctx: Context, data: Tensor, bias: Tensor, residual: Tensor | None = None) -> list[Shape]:
    """Keep the shape, which the mask has too; the bias is broadcast onto it."""
    if bias.shape is not None:
        onto(ctx, side(data.dims, "data"), side(bias.shape, "bias"))
    return [data.dims, data.dims]


contrib(
    "BitmaskDropout(data: T, ratio?: T1, training_mode?: bool; seed?: int) -> output: T, mask?: uint32",
    T=ALL_FLOATS,
    T1=ALL_FLOATS,
)
contrib(
    "BitmaskBiasDropout(data: T, bias: T, residual?: T, ratio?: T1, training_mode?: bool; seed?: int) -> output: T, "
    "mask?: uint32",
    T=ALL_FLOATS,
    T1=ALL_FLOATS,
)


@rule("BitmaskDropout", "BitmaskBiasDropout", domain=DOMAIN, unranked=[None, 1])
def bitmask_dropout(ctx: Context, data: Tensor) -> list[Shape]:
    """Keep the shape; the mask packs 32 elements into one number."""
    return [data.dims, (ceildiv(product(data.dims), 32),)]


contrib(
    "SkipLayerNormalization(input: T, skip: T, gamma: T, beta?: T, bias?: T; epsilon: float = 1e-12) -> output: T, "
    "mean?: float, inv_std_var?: float, input_skip_bias_sum?: T",
    T=FLOATS,
)


@rule("SkipLayerNormalization", domain=DOMAIN)
def skip_layer_normalization(
    ctx: Context,
    input: Tensor,
    skip: Tensor,
    gamma: Tensor,
    beta: Tensor | None = None,
    bias: Tensor | None = None,
) -> list[Shape]:
    """Normalize a sum along its last axis; also return mean and deviation of each row, and the sum."""
    return _skipped(ctx, input, skip, gamma=gamma, beta=beta, bias=bias)


contrib(
    "SkipSimplifiedLayerNormalization(input: T, skip: T, gamma: T, bias?: T; epsilon: float = 1e-12) -> output: T, "
    "mean?: float, inv_std_var?: float, input_skip_bias_sum?: T",
    T=FLOATS,
)


@rule("SkipSimplifiedLayerNormalization", domain=DOMAIN)
def skip_simplified_layer_normalization(
    ctx: Context, input: Tensor, skip: Tensor, gamma: Tensor, bias: Tensor | None = None
) -> list[Shape]:
    """Normalize a sum along its last axis by its root mean square."""
    return _skipped(ctx, input, skip, gamma=gamma, bias=bias)


def _skipped(ctx: Context, input: Tensor, skip: Tensor, **vectors: Tensor | None) -> list[Shape]:
    ranks = {"input": input, "skip": skip}
    for name, x in ranks.items():
        if x.shape is not None and x.rank not in (2, 3):
            ctx.fail(RANK_MISMATCH, f"{name} must have rank 2 or 3; it has rank {x.rank}", name)
    steps, hidden = input.dims[-2:]
    if skip.shape is not None:
        # A skip of fewer rows is taken again for each of the input's.
        steps = ctx.equal(steps, skip.shape[-2], DIM_MISMATCH, "input[-2] skip[-2]")
        hidden = ctx.equal(hidden, skip.shape[-1], DIM_MISMATCH, "input[-1] skip[-1]")
    along_last(ctx, input, "input", **vectors)
    out: Shape = (*input.dims[:-2], steps, hidden)
    return [out, (*out[:-1], 1), (*out[:-1], 1), out]


contrib(
    "EmbedLayerNormalization(input_ids: int32, segment_ids?: int32, word_embedding: T, position_embedding: T, "
    "segment_embedding?: T, gamma: T, beta: T, mask?: int32, position_ids?: int32; epsilon: float = 1e-12, "
    "mask_index_type?: int) -> output: T, mask_index?: int32, embedding_sum?: T",
    T=HALF_OR_SINGLE,
)


@rule("EmbedLayerNormalization", domain=DOMAIN, unranked=[3, 1, 3])
def embed_layer_normalization(
    ctx: Context,
    input_ids: Tensor,
    segment_ids: Tensor | None,
    word_embedding: Tensor,
    position_embedding: Tensor,
    segment_embedding: Tensor | None,
    gamma: Tensor,
    beta: Tensor,
    mask: Tensor | None = None,
    position_ids: Tensor | None = None,
) -> list[Shape]:
    """Look up and add embeddings, then normalize them; also return each row's count of tokens, and the sum."""
    axes = NamedAxes(ctx)
    axes.read(input_ids, "input_ids", "batch steps")
    for x, name in ((segment_ids, "segment_ids"), (mask, "mask")):
        axes.read(x, name, "batch steps")
    tables = {"word_embedding": word_embedding, "position_embedding": position_embedding}
    for name, table in (tables | {"segment_embedding": segment_embedding}).items():
        axes.read(table, name, "_ hidden")
    axes.read(gamma, "gamma", "hidden")
    axes.read(beta, "beta", "hidden")
    if position_ids is not None and position_ids.shape is not None and position_ids.rank == 2:
        axes.read(position_ids, "position_ids", "_ steps")
    if position_ids is None and input_ids.rank == 2 and position_embedding.shape is not None:
        counted = input_ids.between(0, input_ids.dims[1] - 1)
        what = f"axis 0 of {ctx.port_name('position_embedding')}"
        ends_in_range(ctx, counted, position_embedding.shape[0], what, "position_embedding[0] input_ids[1]")
    return [axes.shape("batch steps hidden"), axes.shape("batch"), axes.shape("batch steps hidden")]


def along_last(ctx: Context, x: Tensor, port: str, **vectors: Tensor | None) -> None:
    """Check that vectors have one entry per index of the last axis of ``x``, which must exist."""
    if x.rank == 0:
        ctx.fail(RANK_MISMATCH, f"{ctx.port_name(port)} must have at least one axis", port)
    for name, vector in vectors.items():
        if vector is None or vector.shape is None:
            continue
        if vector.rank != 1:
            ctx.fail(RANK_MISMATCH, f"{ctx.port_name(name)} must be a vector; it has rank {vector.rank}", name)
        ctx.equal(x.dims[-1], vector.dims[0], DIM_MISMATCH, f"{port}[-1] {name}[0]")


def halved(ctx: Context, size: Size, at: str) -> Size:
    """Return half of a size, which must be even."""
    ctx.require(Divides(2, size), NOT_DIVISIBLE, f"{text_of(size)} cannot be halved", at)
    return exact_div(size, 2)
