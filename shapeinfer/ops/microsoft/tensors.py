"""Operators that were ONNX's own later, or might be: on axes, entries, distances and spectra."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import (
    DIM_MISMATCH,
    INNER_DIM_MISMATCH,
    INVALID_ATTRIBUTE,
    RANK_MISMATCH,
    TOO_FEW_ELEMENTS,
    WINDOW_TOO_LARGE,
)
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import AtMost, Size, at_least, maximum, mul, text_of
from shapeinfer.facts import DType, Shape, Tensor, UnknownRank, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.microsoft.schema import ALL_FLOATS, ANY, ANY_WITH_BFLOAT16, DOMAIN, UP_TO_DOUBLE, contrib
from shapeinfer.ops.onnx.generation.ranges import range_, trilu
from shapeinfer.ops.onnx.movement.gather import gather_nd
from shapeinfer.ops.onnx.movement.pad import pad_input
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.contents import scalar
from shapeinfer.shapes.named import NamedAxes

contrib("GatherND(data: T, indices: Tind) -> output: T", T=ANY, Tind="int32 int64")

rule("GatherND", domain=DOMAIN)(gather_nd)

contrib(
    "Trilu(X: T, k?: int64; upper: int = 1) -> Y: T",
    T="float16 float double bfloat16 uint8 uint16 uint32 uint64 int8 int16 int32 int64 bool",
)

rule("Trilu", domain=DOMAIN)(trilu)

contrib('Pad(data: T, pads: int64, value?: T; mode: string = "constant") -> output: T', T=UP_TO_DOUBLE)


@rule("Pad", domain=DOMAIN)
def pad(
    ctx: Context, data: Tensor, pads: Tensor, constant_value: Tensor | None = None, *, mode: str = "constant"
) -> Shape:
    """Add ``pads`` to every axis, which may lie in one row."""
    if pads.shape is not None and pads.rank == 2:
        ctx.equal(pads.dims[0], 1, DIM_MISMATCH, "pads[0]", f"pads has {text_of(pads.dims[0])} rows; expected 1")
        pads = tensor(pads.dtype, pads.dims[1:], pads.value)
    out: Shape = pad_input(ctx, data, pads, constant_value, mode=mode)
    return out


contrib("Range(start: T, limit: T, delta?: T) -> Y: T", T="float double int16 int32 int64")


@rule("Range", domain=DOMAIN, unranked=1)
def count(ctx: Context, start: Tensor, limit: Tensor, delta: Tensor | None = None) -> Shape:
    """Count from ``start`` to ``limit``, by 1 unless ``delta`` is present."""
    one = tensor(start.dtype, (), (1.0 if start.dtype.is_float else 1,))
    out: Shape = range_(ctx, start, limit, one if delta is None else delta)
    return out


contrib("ExpandDims(X: T, axis: int32) -> Y: T", T=ANY)


@rule("ExpandDims", domain=DOMAIN)
def expand_dims(ctx: Context, x: Tensor, axis: Tensor) -> Shape:
    """Insert an axis of size 1; all dims are fresh if its position is unknown."""
    where = scalar(ctx, axis)
    if not isinstance(where, int):
        return tuple(ctx.fresh() for _ in range(x.rank + 1))
    k = ctx.axis(where, x.rank + 1, at="axis")
    return (*x.dims[:k], 1, *x.dims[k:])


contrib("UnfoldTensor(input: T; dim: int = -1, size: int, step: int = 1) -> output: T", T=ANY_WITH_BFLOAT16)


@rule("UnfoldTensor", domain=DOMAIN)
def unfold_tensor(ctx: Context, input: Tensor, *, dim: int = -1, size: int, step: int = 1) -> Shape:
    """Slide a window along one axis; its elements become a new last axis."""
    k = ctx.axis(dim, input.rank, at="input")
    if size < 1 or step < 1:
        ctx.fail(
            INVALID_ATTRIBUTE,
            f"size is {size} and step is {step}; both must be positive",
            detail=Detail("size" if size < 1 else "step"),
        )
    whole = input.dims[k]
    message = f"the window of {size} is larger than axis {k}, which is {text_of(whole)}"
    fits = ctx.require(AtMost(size, whole), WINDOW_TOO_LARGE, message, f"input[{k}]")
    windows: Size = ctx.fresh() if fits.is_no else (whole - size) // step + 1
    return (*input.dims[:k], windows, *input.dims[k + 1 :], size)


contrib("Unique(x: T) -> y: T, idx: int64, counts: int64", T=ANY)


@rule("Unique", domain=DOMAIN, unranked=1)
def unique(ctx: Context, x: Tensor) -> list[Shape]:
    """Return the distinct entries, the index of each entry among them, and how often each occurs."""
    if x.rank != 1:
        ctx.fail(RANK_MISMATCH, f"x must have rank 1; it has rank {x.rank}", "x")
    most = x.dims[0] if isinstance(x.dims[0], int) else None
    distinct: Size = most if most is not None and most < 2 else ctx.fresh(0 if most is None else 1, most)
    return [(distinct,), x.dims, (distinct,)]


contrib(
    "MurmurHash3(X: T1; positive: int = 1, seed: int = 0) -> Y: T2",
    T1="uint32 int32 uint64 int64 float double string",
    T2="uint32 int32",
)


@rule("MurmurHash3", domain=DOMAIN)
def murmur_hash3(ctx: Context, x: Tensor, *, positive: int = 1) -> Tensor:
    """Keep the shape; hashes are unsigned if ``positive`` is 1, signed at any other number."""
    return tensor(DType.UINT32 if positive == 1 else DType.INT32, x.shape)


contrib("NGramRepeatBlock(input_ids: int64, scores: float; ngram_size: int) -> scores_out: float")


@rule("NGramRepeatBlock", domain=DOMAIN, unranked=2)
def ngram_repeat_block(ctx: Context, input_ids: Tensor, scores: Tensor) -> Shape:
    """Keep the shape of the scores."""
    axes = NamedAxes(ctx)
    axes.read(input_ids, "input_ids", "batch _")
    axes.read(scores, "scores", "batch vocabulary")
    return axes.shape("batch vocabulary")


contrib(
    "TorchEmbedding(weight: T, indices: int64, padding_idx?: int64, scale_grad_by_freq?: bool) -> Y: T",
    T="float16 float double bfloat16 uint8 uint16 uint32 uint64 int8 int16 int32 int64",
)


@rule("TorchEmbedding", domain=DOMAIN)
def torch_embedding(ctx: Context, weight: Tensor, indices: Tensor) -> Shape:
    """Look up a row of ``weight`` for each index."""
    axes = NamedAxes(ctx)
    axes.read(weight, "weight", "_ hidden")
    return (*indices.dims, axes["hidden"])


contrib('CDist(A: T, B: T; metric: string = "sqeuclidean") -> C: T', T="float double")


@rule("CDist", domain=DOMAIN, unranked=2)
def cdist(ctx: Context, a: Tensor, b: Tensor) -> Shape:
    """Return the distance of each row of ``a`` to each of ``b``."""
    for x, name in ((a, "a"), (b, "b")):
        if x.shape is not None and x.rank != 2:
            ctx.fail(RANK_MISMATCH, f"{ctx.port_name(name)} must be a matrix; it has rank {x.rank}", name)
    if a.shape is not None and b.shape is not None:
        ctx.equal(a.dims[1], b.dims[1], INNER_DIM_MISMATCH, "a[1] b[1]")
    return tuple(ctx.fresh() if x.shape is None else x.dims[0] for x in (a, b))


contrib("Inverse(X: T) -> Y: T", T=UP_TO_DOUBLE)


@rule("Inverse", domain=DOMAIN)
def inverse(ctx: Context, x: Tensor) -> Shape:
    """Keep the shape, whose last two axes are square matrices."""
    if x.rank < 2:
        ctx.fail(RANK_MISMATCH, f"X must have rank 2 or more; it has rank {x.rank}", "x")
    side = ctx.equal(x.dims[-2], x.dims[-1], DIM_MISMATCH, "x[-2] x[-1]")
    return (*x.dims[:-2], side, side)


contrib("ComplexMul(A: T, B: T) -> C: T", T=UP_TO_DOUBLE)
contrib("ComplexMulConj(A: T, B: T) -> C: T", T=UP_TO_DOUBLE)


@rule("ComplexMul", "ComplexMulConj", domain=DOMAIN)
def complex_mul(ctx: Context, a: Tensor, b: Tensor) -> Shape:
    """Broadcast both inputs against each other."""
    return ctx.broadcast(a.dims, b.dims)


contrib(
    "CropAndResize(X: T1, rois: T1, batch_indices: int32, crop_size: int32; extrapolation_value: float = 0e+00, "
    'mode: string = "bilinear") -> Y: T1',
    T1=UP_TO_DOUBLE,
)


@rule("CropAndResize", domain=DOMAIN, unranked=4)
def crop_and_resize(ctx: Context, x: Tensor, rois: Tensor, batch_indices: Tensor, crop_size: Tensor) -> Shape:
    """Cut regions out of images, all to one size."""
    axes = NamedAxes(ctx)
    axes.read(x, "x", "_ channels _ _")
    axes.bind("four", 4, "the number of corner coordinates per region")
    axes.read(rois, "rois", "regions four")
    axes.read(batch_indices, "batch_indices", "regions")
    axes.bind("two", 2, "the number of height and width")
    axes.read(crop_size, "crop_size", "two")
    size = ctx.dims(crop_size, "crop_size") if crop_size.shape is not None else (ctx.fresh(), ctx.fresh())
    return (*axes.shape("regions channels"), *size)


contrib(
    'GridSample(X: T1, Grid: T1; align_corners: int = 0, mode: string = "bilinear", padding_mode: string = "zeros") '
    "-> Y: T2",
    T1=ANY,
    T2=UP_TO_DOUBLE,
)


@rule("GridSample", domain=DOMAIN, unranked=4)
def grid_sample(ctx: Context, x: Tensor, grid: Tensor) -> Tensor:
    """Sample an image at the points of a grid."""
    axes = NamedAxes(ctx)
    axes.read(x, "x", "batch channels _ _")
    axes.bind("two", 2, "the number of coordinates")
    axes.read(grid, "grid", "batch height width two")
    return x.of(*axes.shape("batch channels height width"))


contrib("DynamicTimeWarping(input: float) -> output: int32")


@rule("DynamicTimeWarping", domain=DOMAIN, unranked=2)
def dynamic_time_warping(ctx: Context, input: Tensor) -> Shape:
    """Return the points of the cheapest path through a matrix."""
    if input.rank == 3:
        ctx.equal(input.dims[0], 1, DIM_MISMATCH, "input[0]", "input has more than one matrix")
    elif input.rank != 2:
        ctx.fail(RANK_MISMATCH, f"input must be a matrix; it has rank {input.rank}", "input")
    return 2, ctx.fresh()


contrib("Rfft(X: T; normalized: int = 0, onesided: int = 1, signal_ndim: int = 1) -> Y: T", T=UP_TO_DOUBLE)


@rule("Rfft", domain=DOMAIN)
def rfft(ctx: Context, x: Tensor, *, onesided: int = 1) -> Shape:
    """Transform the last axis into a spectrum of complex numbers, which are pairs."""
    if x.rank < 1:
        ctx.fail(RANK_MISMATCH, "X is a scalar; the signal must have at least one axis", "x")
    return (*x.dims[:-1], x.dims[-1] // 2 + 1 if onesided else x.dims[-1], 2)


contrib("Irfft(X: T; normalized: int = 0, onesided: int = 1, signal_ndim: int) -> Y: T", T=UP_TO_DOUBLE)


@rule("Irfft", domain=DOMAIN)
def irfft(ctx: Context, x: Tensor, *, onesided: int = 1) -> Shape:
    """Transform a spectrum back; that of one side is of a signal of even length."""
    if x.rank < 2:
        ctx.fail(RANK_MISMATCH, f"X must have rank 2 or more (frequencies and re/im pairs); it has rank {x.rank}", "x")
    ctx.equal(
        x.dims[-1],
        2,
        DIM_MISMATCH,
        "x[-1]",
        f"the last axis of X is {text_of(x.dims[-1])}; it must be 2 (real and imaginary part)",
    )
    ctx.require(at_least(x.dims[-2], 1), TOO_FEW_ELEMENTS, "a spectrum has at least one frequency", "x[-2]")
    return (*x.dims[:-2], maximum(0, mul(x.dims[-2] - 1, 2)) if onesided else x.dims[-2])


contrib(
    "BifurcationDetector(src_tokens: int64, cur_tokens: int64, prev_suffix_match_idx: int64, pred_tokens?: int64; "
    "max_ngram_size: int = 3, min_ngram_size: int = 1) -> tokens: int64, suffix_match_idx: int64",
)


@rule("BifurcationDetector", domain=DOMAIN)
def bifurcation_detector(
    ctx: Context,
    src_tokens: Tensor,
    cur_tokens: Tensor,
    prev_suffix_match_idx: Tensor,
    pred_tokens: Tensor | None = None,
) -> list[Shape | None]:
    """Extend the tokens by predicted ones from where they part."""
    tokens = (ctx.fresh(),) if pred_tokens is not None else cur_tokens.shape
    return [tokens, prev_suffix_match_idx.shape]


contrib("IsAllFinite(input*: V; isinf_only: int = 0, isnan_only: int = 0) -> output: bool", V=ALL_FLOATS)


@rule("IsAllFinite", domain=DOMAIN)
def is_all_finite(ctx: Context, *input: Tensor) -> Shape:
    """Return one answer, whose shape is not specified."""
    raise UnknownRank
