"""Connectionist temporal classification: classes of time steps, with blanks between them."""

from __future__ import annotations

from shapeinfer.facts import DType, Fact, Shape, Tensor, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import DOMAIN, FLOATS, INDEX, element_type, operator
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.contents import single
from shapeinfer.shapes.named import NamedAxes
from shapeinfer.shapes.rank import of_rank

operator(
    "CTCGreedyDecoder(data: T, sequence_mask: T; ctc_merge_repeated: bool = True) -> output: T",
    T=FLOATS,
)
operator(
    "CTCGreedyDecoderSeqLen(data: T, sequence_length: I, blank_index?: I; merge_repeated: bool = True, "
    'classes_index_type: element_type = "i32", sequence_length_type: element_type = "i32")'
    " -> classes_index: C, lengths?: L",
    since=6,
    T=FLOATS,
    I=INDEX,
    C=INDEX,
    L=INDEX,
)
operator(
    "CTCLoss(logits: T, logit_length: L, labels: I, label_length: L, blank_index?: I; "
    "preprocess_collapse_repeated: bool = False, ctc_merge_repeated: bool = True, unique: bool = False) -> output: T",
    since=4,
    T=FLOATS,
    L=INDEX,
    I=INDEX,
)


@rule("CTCGreedyDecoder", domain=DOMAIN, unranked=4)
def greedy_decoder(ctx: Context, data: Tensor, sequence_mask: Tensor) -> Shape:
    """Return the most probable class of each step of each sequence."""
    axes = NamedAxes(ctx)
    axes.read(data, "data", "T N _")
    axes.read(sequence_mask, "sequence_mask", "T N")
    return axes.shape("N T 1 1")


@rule("CTCGreedyDecoderSeqLen", domain=DOMAIN, since=6, unranked=[2, 1])
def greedy_decoder_with_lengths(
    ctx: Context,
    data: Tensor,
    sequence_length: Tensor,
    blank_index: Tensor | None = None,
    *,
    classes_index_type: DType = DType.INT32,
    sequence_length_type: DType = DType.INT32,
) -> list[Fact]:
    """Return the most probable class of each step of each sequence, and how long each is."""
    axes = NamedAxes(ctx)
    axes.read(data, "data", "N T _")
    axes.read(sequence_length, "sequence_length", "N")
    if blank_index is not None:
        single(ctx, blank_index, "blank_index")
    classes = element_type(ctx, "classes_index_type", classes_index_type, INDEX)
    lengths = element_type(ctx, "sequence_length_type", sequence_length_type, INDEX)
    return [tensor(classes, axes.shape("N T")), tensor(lengths, axes.shape("N"))]


@rule("CTCLoss", domain=DOMAIN, since=4, unranked=1)
def ctc_loss(
    ctx: Context,
    logits: Tensor,
    logit_length: Tensor,
    labels: Tensor,
    label_length: Tensor,
    blank_index: Tensor | None = None,
) -> Shape:
    """Return the loss of each sequence."""
    axes = NamedAxes(ctx)
    axes.read(logits, "logits", "N T _")
    axes.read(logit_length, "logit_length", "N")
    axes.read(labels, "labels", "N T")
    axes.read(label_length, "label_length", "N")
    if blank_index is not None:
        of_rank(ctx, blank_index, 0, "blank_index")
    return axes.shape("N")
