"""Scale, encode, pick and pack features."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics.codes import (
    DIM_MISMATCH,
    ELEMENT_TYPE_MISMATCH,
    INVALID_ATTRIBUTE,
    LENGTH_MISMATCH,
    MISSING_ATTRIBUTE,
    RANK_MISMATCH,
)
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.diagnostics.ledger import RuleStopped
from shapeinfer.dims import Equal, Size, equal, product, text_of
from shapeinfer.facts import DType, Fact, MapType, SequenceType, Shape, Tensor, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.ml.linear import DOMAIN
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.movement.indexing import in_range
from shapeinfer.shapes.rank import of_rank_at_least
from shapeinfer.shapes.rows import fits, one_of, positive, rows


@rule("Binarizer", domain=DOMAIN)
def binarizer(ctx: Context, x: Tensor) -> Shape:
    """Keep the shape."""
    return x.dims


@rule("Normalizer", domain=DOMAIN)
def normalizer(ctx: Context, x: Tensor) -> Shape:
    """Keep the shape, one row or a matrix of rows."""
    if x.rank not in (1, 2):
        ctx.fail(RANK_MISMATCH, f"X must have rank 1 or 2; it has rank {x.rank}", "x")
    return x.dims


@rule("Imputer", domain=DOMAIN)
def imputer(
    ctx: Context,
    x: Tensor,
    *,
    imputed_value_floats: Sequence[float] = (),
    imputed_value_int64s: Sequence[int] = (),
) -> Shape:
    """Keep the shape, of at least one axis."""
    one_of(ctx, {"imputed_value_floats": imputed_value_floats, "imputed_value_int64s": imputed_value_int64s})
    return _not_scalar(ctx, x)


@rule("Scaler", domain=DOMAIN)
def scaler(ctx: Context, x: Tensor, *, scale: Sequence[float] = (), offset: Sequence[float] = ()) -> Shape:
    """Keep the shape; there is one scale and offset for all features or one for each."""
    shape = _not_scalar(ctx, x)
    if len(scale) != len(offset):
        ctx.report(LENGTH_MISMATCH, f"scale has {len(scale)} entries and offset {len(offset)}; they must be equal")
    elif len(scale) > 1:
        features = shape[min(1, len(shape) - 1)]
        message = f"X has {text_of(features)} features; scale has {len(scale)} entries"
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
    if not one_of(ctx, {"cats_int64s": cats_int64s, "cats_strings": cats_strings}):
        raise RuleStopped
    return (*x.dims, len(cats_int64s) or len(cats_strings))


@rule("CategoryMapper", domain=DOMAIN)
def category_mapper(
    ctx: Context, x: Tensor, *, cats_int64s: Sequence[int] = (), cats_strings: Sequence[str] = ()
) -> Tensor:
    """Keep the shape; strings become integers and integers strings, one for one."""
    if not cats_int64s and not cats_strings:
        message = "CategoryMapper requires the attributes cats_int64s and cats_strings"
        ctx.report(MISSING_ATTRIBUTE, message, detail=Detail("cats_int64s"))
    if len(cats_int64s) != len(cats_strings):
        ctx.report(
            LENGTH_MISMATCH,
            f"cats_int64s has {len(cats_int64s)} entries and cats_strings {len(cats_strings)}; they must be equal",
        )
    return _exchanged(x)


@rule("LabelEncoder", domain=DOMAIN)
def exchange(ctx: Context, x: Tensor) -> Tensor:
    """Keep the shape; strings become integers and integers strings."""
    return _exchanged(x)


def _exchanged(x: Tensor) -> Tensor:
    other = {DType.STRING: DType.INT64, DType.INT64: DType.STRING}
    return tensor(other.get(x.dtype, DType.UNDEFINED), x.shape)


@rule("LabelEncoder", since=2, domain=DOMAIN)
def label_encoder(
    ctx: Context,
    x: Tensor,
    *,
    keys_floats: Sequence[float] | None = None,
    keys_int64s: Sequence[int] | None = None,
    keys_strings: Sequence[str] | None = None,
    keys_tensor: Tensor | None = None,
    values_floats: Sequence[float] | None = None,
    values_int64s: Sequence[int] | None = None,
    values_strings: Sequence[str] | None = None,
    values_tensor: Tensor | None = None,
    default_tensor: Tensor | None = None,
) -> Tensor:
    """Keep the shape; the element type is that of the values, one per key."""
    keys = _the_tensor_among(
        ctx, keys_floats=keys_floats, keys_int64s=keys_int64s, keys_strings=keys_strings, keys_tensor=keys_tensor
    )
    values = _the_tensor_among(
        ctx,
        values_floats=values_floats,
        values_int64s=values_int64s,
        values_strings=values_strings,
        values_tensor=values_tensor,
    )
    _default(ctx, default_tensor, values)
    if keys is None or values is None:
        return tensor(values.dtype if values else DType.UNDEFINED, x.shape)
    if x.dtype and x.dtype is not keys.dtype:
        message = f"{ctx.port_name('x')} is {x.dtype.spelled} but the keys are {keys.dtype.spelled}"
        ctx.report(ELEMENT_TYPE_MISMATCH, message, "x", detail=Detail(allowed=(keys.dtype.spelled,)))
    if equal(product(keys.dims), product(values.dims)).is_no:
        message = (
            f"there are {text_of(product(values.dims))} values and {text_of(product(keys.dims))} keys; "
            "they must be equal"
        )
        ctx.report(LENGTH_MISMATCH, message)
    return tensor(values.dtype, x.shape)


def _default(ctx: Context, default: Tensor | None, values: Tensor | None) -> None:
    """Require that the default is a list of one entry, of the values' type."""
    if default is not None and default.shape is not None and default.shape != (1,):
        message = f"default_tensor is {default.text}; it must be a list of one entry"
        ctx.report(INVALID_ATTRIBUTE, message, detail=Detail("default_tensor"))
    if default is not None and values is not None and default.dtype is not values.dtype:
        message = (
            f"default_tensor is {default.dtype.spelled}; it must be {values.dtype.spelled}, the type of the values"
        )
        ctx.report(ELEMENT_TYPE_MISMATCH, message, detail=Detail("default_tensor", allowed=(values.dtype.spelled,)))


_LISTED = {"floats": DType.FLOAT, "int64s": DType.INT64, "strings": DType.STRING}


def _the_tensor_among(ctx: Context, **attributes: Sequence[object] | Tensor | None) -> Tensor | None:
    """Return the one of several attributes that is a tensor, None if none is."""
    name = one_of(ctx, attributes)
    value = attributes.get(name)
    if value is None or isinstance(value, Tensor):
        return value
    return tensor(_LISTED[name.rpartition("_")[2]], (len(value),))


@rule("ArrayFeatureExtractor", domain=DOMAIN)
def array_feature_extractor(ctx: Context, x: Tensor, y: Tensor) -> Shape:
    """Pick positions along the last axis; a list becomes a row."""
    of_rank_at_least(ctx, x, 1, "x")
    if y.value is not None:
        in_range(ctx, y.value, x.dims[-1], "the last axis of X", "x[-1] y")
    return (x.dims[:-1] if x.rank > 1 else (1,)) + (product(y.dims),)


def _rows(ctx: Context, x: Tensor, port: str) -> tuple[Size, str]:
    """Return how many rows an input has, and where they are counted; a single axis is one row."""
    shape = _not_scalar(ctx, x)
    return (1, port) if len(shape) == 1 else (shape[0], f"{port}[0]")


@rule("FeatureVectorizer", domain=DOMAIN, unranked=2)
def feature_vectorizer(ctx: Context, *x: Tensor, inputdimensions: Sequence[int] = ()) -> Shape:
    """Concatenate the columns of the inputs, ``inputdimensions`` columns of each."""
    if inputdimensions and len(inputdimensions) != len(x):
        ctx.report(LENGTH_MISMATCH, f"inputdimensions has {len(inputdimensions)} entries for {len(x)} inputs")
    rows = [_rows(ctx, one, f"x.{i}") for i, one in enumerate(x) if one.shape is not None]
    count, place = rows[0] if rows else (ctx.fresh(), "")
    for other, there in rows[1:]:
        best = ctx.equal(count, other, DIM_MISMATCH, f"{place} {there}")
        count, place = best, there if best is other and best is not count else place
    return count, sum(inputdimensions) if len(inputdimensions) == len(x) else ctx.fresh()


@rule("DictVectorizer", domain=DOMAIN)
def dict_vectorizer(
    ctx: Context,
    x: Fact,
    *,
    int64_vocabulary: Sequence[int] = (),
    string_vocabulary: Sequence[str] = (),
) -> Tensor:
    """Return one row with a column for each entry of the vocabulary."""
    one_of(ctx, {"int64_vocabulary": int64_vocabulary, "string_vocabulary": string_vocabulary})
    dtype = x.value.dtype if isinstance(x, MapType) and isinstance(x.value, Tensor) else DType.UNDEFINED
    return tensor(dtype, (1, len(string_vocabulary) or len(int64_vocabulary) or ctx.fresh()))


@rule("CastMap", domain=DOMAIN)
def cast_map(ctx: Context, x: Fact, *, cast_to: str = "TO_FLOAT", map_form: str = "DENSE", max_map: int = 1) -> Tensor:
    """Return one row of the map's values: all of them, or one column for each possible key."""
    kinds = {"TO_FLOAT": DType.FLOAT, "TO_INT64": DType.INT64, "TO_STRING": DType.STRING}
    if cast_to not in kinds:
        ctx.report(
            INVALID_ATTRIBUTE,
            f"cast_to is {cast_to!r}; it must be one of {', '.join(kinds)}",
            detail=Detail("cast_to", allowed=tuple(kinds)),
        )
    return tensor(
        kinds.get(cast_to, DType.UNDEFINED),
        (1, positive(ctx, max_map, "max_map") if map_form == "SPARSE" else ctx.fresh()),
    )


@rule("ZipMap", domain=DOMAIN)
def zip_map(
    ctx: Context, x: Tensor, *, classlabels_int64s: Sequence[int] = (), classlabels_strings: Sequence[str] = ()
) -> Fact:
    """Return a map from label to score for each row."""
    if not one_of(ctx, {"classlabels_int64s": classlabels_int64s, "classlabels_strings": classlabels_strings}):
        raise RuleStopped
    count, features = rows(ctx, x, "x")
    fits(ctx, features, len(classlabels_int64s) or len(classlabels_strings), "x")
    key = DType.STRING if classlabels_strings else DType.INT64
    return SequenceType(MapType(key, tensor(DType.FLOAT, ())), count)
