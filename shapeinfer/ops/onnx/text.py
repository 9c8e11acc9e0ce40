"""Operators on strings."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics.codes import DIM_MISMATCH, RANK_MISMATCH, TOO_FEW_ELEMENTS
from shapeinfer.dims import Equal, Size, at_least, text_of
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import rule


@rule("StringNormalizer", since=10, fold=True)
def string_normalizer(ctx: Context, x: Tensor, *, stopwords: Sequence[str] = ()) -> Shape:
    """Drop stop words from one row; a row that loses all of them keeps one empty string."""
    if x.rank not in (1, 2):
        ctx.fail(RANK_MISMATCH, f"X must have one or two axes, not {x.rank}", "x")
    *outer, count = x.dims
    for rows in outer:
        ctx.require(Equal(rows, 1), DIM_MISMATCH, f"X has {text_of(rows)} rows, it must have one", "x[0]")
    ctx.require(at_least(count, 1), TOO_FEW_ELEMENTS, "X must hold at least one string", f"x[{x.rank - 1}]")
    kept: Size = ctx.fresh(1, count if isinstance(count, int) and count > 1 else None) if stopwords else count
    return (*(1 for _ in outer), 1 if count == 1 else kept)


@rule("StringConcat", since=20)
def string_concat(ctx: Context, x: Tensor, y: Tensor) -> Shape:
    """Broadcast both inputs against each other."""
    return ctx.broadcast(x.dims, y.dims)


@rule("RegexFullMatch", since=20)
def regex_full_match(ctx: Context, x: Tensor) -> Shape:
    """Keep the shape."""
    return x.dims


@rule("StringSplit", since=20, fold=True)
def string_split(ctx: Context, x: Tensor, *, maxsplit: int | None = None) -> list[Shape]:
    """Add an axis for the parts of the string with the most; the second output counts each string's own."""
    most = None if maxsplit is None or maxsplit < 0 else maxsplit + 1
    return [(*x.dims, ctx.fresh(0, most)), x.dims]
