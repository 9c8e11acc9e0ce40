"""Operators on strings and words."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import RANK_MISMATCH, TOO_FEW_ELEMENTS
from shapeinfer.dims import at_least
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.microsoft.schema import DOMAIN, contrib
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.named import NamedAxes

contrib(
    "Tokenizer(X: string; mark: int, mincharnum: int, pad_value: string, separators?: strings, tokenexp?: string) "
    "-> Y: string",
)


@rule("Tokenizer", domain=DOMAIN)
def tokenizer(ctx: Context, x: Tensor) -> Shape:
    """Add an axis for the tokens of the string with the most; without strings there is no such axis."""
    if x.rank not in (1, 2):
        ctx.fail(RANK_MISMATCH, f"X must have rank 1 or 2; it has rank {x.rank}", "x")
    if 0 in x.dims:
        return (*x.dims[:-1], 0)
    for i, d in enumerate(x.dims):
        ctx.require(
            at_least(d, 1), TOO_FEW_ELEMENTS, "X has no strings, so the rank of the output is different", f"x[{i}]"
        )
    return (*x.dims, ctx.fresh())


contrib(
    "WordConvEmbedding(Sequence: int32, W: float, B: float, C: float; char_embedding_size?: int, conv_window_size?: "
    "int, embedding_size?: int) -> Y: float",
)


@rule("WordConvEmbedding", domain=DOMAIN, unranked=2)
def word_conv_embedding(ctx: Context, sequence: Tensor, w: Tensor) -> Shape:
    """Embed each word, a row of characters, by as many filters as ``w`` has."""
    axes = NamedAxes(ctx)
    if sequence.shape is not None and sequence.rank != 2:
        return ctx.fresh(), ctx.fresh()
    axes.read(sequence, "sequence", "words _")
    axes.read(w, "w", "filters _ _ _")
    return axes.shape("words filters")
