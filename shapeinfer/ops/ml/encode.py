"""Scale, encode and pack features."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics.codes import (
    DIM_MISMATCH,
    INVALID_ATTRIBUTE,
    LENGTH_MISMATCH,
    RANK_MISMATCH,
)
from shapeinfer.dims import Equal, text_of
from shapeinfer.facts import DType, Fact, Map, Shape, Tensor, tensor
from shapeinfer.facts import Sequence as SequenceFact
from shapeinfer.ops.context import Context
from shapeinfer.ops.ml.linear import DOMAIN
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.rows import fits, positive, rows


@rule("Binarizer", domain=DOMAIN)
def binarizer(ctx: Context, x: Tensor) -> Shape:
    """Keep the shape."""
    return x.dims


@rule("Normalizer", domain=DOMAIN)
def normalizer(ctx: Context, x: Tensor) -> Shape:
    """Keep the shape, one row or a matrix of rows."""
    if x.rank not in (1, 2):
        ctx.fail(RANK_MISMATCH, f"X must have one or two axes, not {x.rank}", "x")
    return x.dims


@rule("Imputer", domain=DOMAIN)
def imputer(ctx: Context, x: Tensor) -> Shape:
    """Keep the shape, of at least one axis."""
    return _not_scalar(ctx, x)


@rule("Scaler", domain=DOMAIN)
def scaler(ctx: Context, x: Tensor, *, scale: Sequence[float] = (), offset: Sequence[float] = ()) -> Shape:
    """Keep the shape; there is one scale and offset for all features or one for each."""
    shape = _not_scalar(ctx, x)
    if len(scale) != len(offset):
        ctx.report(LENGTH_MISMATCH, f"there are {len(scale)} scales and {len(offset)} offsets")
    elif len(scale) > 1:
        features = shape[min(1, len(shape) - 1)]
        message = f"X has {text_of(features)} features, there are {len(scale)} scales"
        ctx.require(Equal(features, len(scale)), DIM_MISMATCH, message, f"x[{min(1, len(shape) - 1)}]")
    return shape


def _not_scalar(ctx: Context, x: Tensor) -> Shape:
    if x.rank == 0:
        ctx.fail(RANK_MISMATCH, "X must have at least one axis", "x")
    return x.dims


@rule("OneHotEncoder", domain=DOMAIN)
def one_hot_encoder(
    ctx: Context, x: Tensor, *, cats_int64s: Sequence[int] = (), cats_strings: Sequence[str] = ()
) -> Shape:
    """Add an axis with a place for each category."""
    if bool(cats_int64s) == bool(cats_strings):
        ctx.fail(INVALID_ATTRIBUTE, "exactly one of cats_int64s and cats_strings must be given")
    return (*x.dims, len(cats_int64s) or len(cats_strings))


@rule("LabelEncoder", "CategoryMapper", domain=DOMAIN)
def exchange(ctx: Context, x: Tensor) -> Tensor:
    """Keep the shape; strings become integers and integers strings."""
    other = {DType.STRING: DType.INT64, DType.INT64: DType.STRING}
    return tensor(other.get(x.dtype, DType.UNDEFINED), x.shape)


@rule("LabelEncoder", since=2, domain=DOMAIN)
def label_encoder(
    ctx: Context,
    x: Tensor,
    *,
    values_strings: Sequence[str] | None = None,
    values_int64s: Sequence[int] | None = None,
    values_floats: Sequence[float] | None = None,
    values_tensor: Tensor | None = None,
) -> Tensor:
    """Keep the shape; the element type is that of the values."""
    given = {DType.STRING: values_strings, DType.INT64: values_int64s, DType.FLOAT: values_floats}
    found = [d for d, values in given.items() if values is not None]
    if values_tensor is not None:
        found.append(values_tensor.dtype)
    if len(found) != 1:
        ctx.report(INVALID_ATTRIBUTE, f"exactly one values_* attribute must be given, not {len(found)}")
    return tensor(found[0] if len(found) == 1 else DType.UNDEFINED, x.shape)


@rule("FeatureVectorizer", domain=DOMAIN, unranked=2)
def feature_vectorizer(ctx: Context, *x: Tensor, inputdimensions: Sequence[int] = ()) -> Shape:
    """Lay the inputs side by side, as many columns of each as ``inputdimensions`` says."""
    if inputdimensions and len(inputdimensions) != len(x):
        ctx.report(LENGTH_MISMATCH, f"inputdimensions has {len(inputdimensions)} entries for {len(x)} inputs")
    counts = [1 if len(_not_scalar(ctx, one)) == 1 else one.dims[0] for one in x if one.shape is not None]
    count = counts[0] if counts else ctx.fresh()
    for i, one in enumerate(x):
        if one.shape is not None:
            count = ctx.equal(count, 1 if one.rank == 1 else one.dims[0], DIM_MISMATCH, f"x.0[0] x.{i}[0]")
    return count, sum(inputdimensions) if len(inputdimensions) == len(x) else ctx.fresh()


@rule("DictVectorizer", domain=DOMAIN)
def dict_vectorizer(
    ctx: Context,
    x: Fact,
    *,
    int64_vocabulary: Sequence[int] = (),
    string_vocabulary: Sequence[str] = (),
) -> Tensor:
    """Give one row with a column for each entry of the vocabulary."""
    dtype = x.value.dtype if isinstance(x, Map) and isinstance(x.value, Tensor) else DType.UNDEFINED
    return tensor(dtype, (1, len(string_vocabulary) or len(int64_vocabulary) or ctx.fresh()))


@rule("CastMap", domain=DOMAIN)
def cast_map(ctx: Context, x: Fact, *, cast_to: str = "TO_FLOAT", map_form: str = "DENSE", max_map: int = 1) -> Tensor:
    """Give one row of the map's values: all of them, or one column for each possible key."""
    kinds = {"TO_FLOAT": DType.FLOAT, "TO_INT64": DType.INT64, "TO_STRING": DType.STRING}
    if cast_to not in kinds:
        ctx.report(INVALID_ATTRIBUTE, f"cast_to is {cast_to!r}, it must be one of {', '.join(kinds)}")
    return tensor(
        kinds.get(cast_to, DType.UNDEFINED),
        (1, positive(ctx, max_map, "max_map") if map_form == "SPARSE" else ctx.fresh()),
    )


@rule("ZipMap", domain=DOMAIN)
def zip_map(
    ctx: Context, x: Tensor, *, classlabels_int64s: Sequence[int] = (), classlabels_strings: Sequence[str] = ()
) -> Fact:
    """Give a map from label to score for each row."""
    if bool(classlabels_int64s) == bool(classlabels_strings):
        ctx.fail(INVALID_ATTRIBUTE, "exactly one of classlabels_int64s and classlabels_strings must be given")
    count, features = rows(ctx, x, "x")
    fits(ctx, features, len(classlabels_int64s) or len(classlabels_strings), "x")
    key = DType.STRING if classlabels_strings else DType.INT64
    return SequenceFact(Map(key, tensor(DType.FLOAT, ())), count)
