"""Operators on strings."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics.codes import DIM_MISMATCH, RANK_MISMATCH, TOO_FEW_ELEMENTS
from shapeinfer.dims import Equal, Size, at_least, text_of
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import rule


@rule("StringNormalizer", since=10, fold=True)
def string_normalizer(ctx: Context, x: Tensor, *, stopwords: Sequence[str] = (), is_case_sensitive: int = 0) -> Shape:
    """Drop stop words from one row; a row that loses all of them keeps one empty string."""
    if x.rank not in (1, 2):
        ctx.fail(RANK_MISMATCH, f"X must have rank 1 or 2; it has rank {x.rank}", "x")
    *outer, count = x.dims
    for rows in outer:
        ctx.require(Equal(rows, 1), DIM_MISMATCH, f"X has {text_of(rows)} rows; expected 1", "x[0]")
    ctx.require(at_least(count, 1), TOO_FEW_ELEMENTS, "X must have at least one string", f"x[{x.rank - 1}]")
    if stopwords and count != 1:
        count = _count_kept(ctx, x, stopwords, bool(is_case_sensitive))
    return (*(1 for _ in outer), count)


def _count_kept(ctx: Context, x: Tensor, stopwords: Sequence[str], exactly: bool) -> Size:
    """Count the strings that are no stop words, at least one."""
    words = _ascii_entries(x)
    if words is None or not all(w.isascii() for w in stopwords):
        count = x.dims[-1]
        return ctx.fresh(1, count if isinstance(count, int) and count > 1 else None)
    stops = {w if exactly else w.lower() for w in stopwords}
    return max(1, sum((w if exactly else w.lower()) not in stops for w in words))


def _ascii_entries(x: Tensor) -> list[str] | None:
    """Return the entries if all are known and of ASCII, which every locale treats alike."""
    words = [w for w in x.value or () if isinstance(w, str) and w.isascii()]
    return words if x.value is not None and len(words) == len(x.value) else None


@rule("StringConcat", since=20)
def string_concat(ctx: Context, x: Tensor, y: Tensor) -> Shape:
    """Broadcast both inputs against each other."""
    return ctx.broadcast(x.dims, y.dims)


@rule("RegexFullMatch", since=20)
def regex_full_match(ctx: Context, x: Tensor) -> Shape:
    """Keep the shape."""
    return x.dims


@rule("StringSplit", since=20, fold=True)
def string_split(ctx: Context, x: Tensor, *, delimiter: str | None = None, maxsplit: int | None = None) -> list[Shape]:
    """Add an axis for the parts of the string with the most; the second output counts each string's own."""
    most = -1 if maxsplit is None else maxsplit
    words = _ascii_entries(x)
    if 0 in x.dims:
        parts: Size = 0
    elif words is None or not all(words):
        parts = ctx.fresh(0, None if most < 0 else most + 1)
    else:
        parts = max(len(w.split(delimiter or None, most)) for w in words)
    return [(*x.dims, parts), x.dims]
