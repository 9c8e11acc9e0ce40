"""TfIdfVectorizer: counts of n-grams."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics.codes import (
    CONFLICTING_ARGUMENTS,
    INVALID_ATTRIBUTE,
    MISSING_ATTRIBUTE,
    RANK_MISMATCH,
    TOO_FEW_ELEMENTS,
)
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import at_least, text_of
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import rule


@rule("TfIdfVectorizer", since=9)
def tfidf_vectorizer(
    ctx: Context,
    x: Tensor,
    *,
    ngram_indexes: Sequence[int],
    pool_int64s: Sequence[int] | None = None,
    pool_strings: Sequence[str] | None = None,
) -> Shape:
    """Count n-grams in each row; the largest index determines the number of counts."""
    if pool_int64s is not None and pool_strings is not None:
        ctx.report(CONFLICTING_ARGUMENTS, "pool_int64s and pool_strings exclude each other; keep one of them")
    if pool_int64s is None and pool_strings is None:
        ctx.report(
            MISSING_ATTRIBUTE,
            "TfIdfVectorizer requires the attribute pool_int64s or pool_strings",
            detail=Detail(allowed=("pool_int64s", "pool_strings")),
        )
    if not ngram_indexes or min(ngram_indexes) < 0:
        ctx.fail(
            INVALID_ATTRIBUTE,
            f"ngram_indexes is {list(ngram_indexes)}; entries must be indices of the output",
            detail=Detail("ngram_indexes"),
        )
    if x.rank not in (1, 2):
        ctx.fail(RANK_MISMATCH, f"{ctx.port_name('x')} must have rank 1 or 2; it has rank {x.rank}", "x")
    if x.rank == 2:
        message = f"axis 0 of X is {text_of(x.dims[0])}; it must be at least 1"
        ctx.require(at_least(x.dims[0], 1), TOO_FEW_ELEMENTS, message, "x[0]")
    return (*x.dims[:-1], max(ngram_indexes) + 1)
