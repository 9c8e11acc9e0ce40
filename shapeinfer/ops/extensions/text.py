"""Tokenizers and operators on text, segments and signals, as onnxruntime-extensions 0.15 registers and documents them.

Vocabularies and other settings are attributes that it does not list, so any are taken.
"""

from __future__ import annotations

from attrs import evolve

from shapeinfer.diagnostics.codes import DIM_MISMATCH, RANK_MISMATCH
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import rule
from shapeinfer.ops.signature import add, read
from shapeinfer.shapes.contents import entries
from shapeinfer.shapes.named import NamedAxes

DOMAIN = "ai.onnx.contrib"


def extension(text: str) -> None:
    """Declare an operator that takes any attributes."""
    add(evolve(read(text, DOMAIN, 1, {}), open=True))


for _name in ("StringUpper", "StringLower", "StringStrip", "StringMapping"):
    extension(f"{_name}(input: string) -> output: string")
for _name in ("StringRegexReplace", "StringECMARegexReplace"):
    extension(f"{_name}(input: string, pattern: string, rewrite: string) -> output: string")
extension("StringLength(input: string) -> output: int64")
for _name in ("StringToHashBucket", "StringToHashBucketFast"):
    extension(f"{_name}(input: string, num_buckets: int64) -> output: int64")
extension("ArgSort(x: float, dim: int64) -> indices: int64")


@rule("StringUpper", "StringLower", "StringStrip", "StringMapping", domain=DOMAIN)
@rule("StringRegexReplace", "StringECMARegexReplace", "StringLength", domain=DOMAIN)
@rule("StringToHashBucket", "StringToHashBucketFast", "ArgSort", domain=DOMAIN)
def keep_shape(ctx: Context, x: Tensor) -> Shape:
    """Keep the first input's shape."""
    return x.dims


extension("NegPos(x: float) -> negative: float, positive: float")


@rule("NegPos", domain=DOMAIN)
def neg_pos(ctx: Context, x: Tensor) -> list[Shape]:
    """Return what is below and what is above 0, each in the shape of the input."""
    return [x.dims, x.dims]


extension("StringConcat(left: string, right: string) -> output: string")


@rule("StringConcat", domain=DOMAIN)
def string_concat(ctx: Context, left: Tensor, right: Tensor) -> Shape:
    """Join texts of two tensors of one shape."""
    if left.shape is None or right.shape is None:
        return right.dims if left.shape is None else left.dims
    if left.rank != right.rank:
        message = f"left has rank {left.rank} and right rank {right.rank}; they must be equal"
        ctx.fail(RANK_MISMATCH, message, "right left")
    pairs = enumerate(zip(left.shape, right.shape))
    return tuple(ctx.equal(a, b, DIM_MISMATCH, f"left[{i}] right[{i}]") for i, (a, b) in pairs)


extension("StringJoin(input: string, separator: string, axis: int64) -> output: string")


@rule("StringJoin", domain=DOMAIN)
def string_join(ctx: Context, input: Tensor, separator: Tensor, axis: Tensor) -> Shape:
    """Join the texts along an axis, which goes."""
    (k,) = entries(ctx, axis, "axis") if axis.shape == (1,) else (ctx.fresh(),)
    if not isinstance(k, int):
        return tuple(ctx.fresh() for _ in input.dims[1:])
    k = ctx.axis(k, input.rank, at="input")
    return (*input.dims[:k], *input.dims[k + 1 :])


extension(
    "StringSplit(input: string, separator: string, skip_empty: bool) -> indices: int64, values: string, shape: int64"
)


@rule("StringSplit", domain=DOMAIN, unranked=[2, 1, 1])
def string_split(ctx: Context, input: Tensor) -> list[Shape]:
    """Return the parts of all texts, the position of each, and the shape of a matrix that holds them."""
    count = ctx.fresh()
    return [(count, 2), (count,), (2,)]


for _name in ("StringRegexSplitWithOffsets", "StringECMARegexSplitWithOffsets"):
    extension(
        f"{_name}(input: string, pattern: string, keep_pattern: string) -> words: string, begin: int64, end: int64, "
        "row_offsets: int64"
    )


@rule("StringRegexSplitWithOffsets", "StringECMARegexSplitWithOffsets", domain=DOMAIN, unranked=1)
def regex_split(ctx: Context, input: Tensor) -> list[Shape]:
    """Return the parts of all texts, where each begins and ends, and which part is the first of each text."""
    parts = (ctx.fresh(),)
    rows = input.dims[0] + 1 if input.shape is not None and input.rank == 1 else ctx.fresh()
    return [parts, parts, parts, (rows,)]


extension("GPT2Tokenizer(input_text: string) -> input_ids: int64, attention_mask?: int64")
for _name in ("CLIPTokenizer", "RobertaTokenizer", "SpmTokenizer"):
    extension(f"{_name}(input_text: string) -> input_ids: int64, attention_mask?: int64, offset_mapping?: int64")


@rule("GPT2Tokenizer", "CLIPTokenizer", "RobertaTokenizer", "SpmTokenizer", domain=DOMAIN, unranked=[2, 2, 3])
def tokenize(ctx: Context, input_text: Tensor) -> list[Shape]:
    """Return the tokens of each text, as many as the longest has, and which of them are its own."""
    axes = NamedAxes(ctx)
    axes.read(input_text, "input_text", "texts")
    ids = (axes["texts"], ctx.fresh())
    return [ids, ids, (*ids, 2)]


for _name in ("TrieTokenizer", "HfJsonTokenizer"):
    extension(f"{_name}(str: string) -> ids: int64")


@rule("TrieTokenizer", "HfJsonTokenizer", domain=DOMAIN, unranked=2)
def tokenize_rows(ctx: Context, text: Tensor) -> Shape:
    """Return the tokens of each text, as many as the longest has."""
    axes = NamedAxes(ctx)
    axes.read(text, "text", "texts")
    return axes["texts"], ctx.fresh()


extension("TrieDetokenizer(ids: int64) -> str: string")


@rule("TrieDetokenizer", domain=DOMAIN, unranked=1)
def detokenize_rows(ctx: Context, ids: Tensor) -> Shape:
    """Return a text for each row of tokens."""
    axes = NamedAxes(ctx)
    axes.read(ids, "ids", "texts _")
    return axes.shape("texts")


extension(
    "BertTokenizer(text: string) -> input_ids: int64, token_type_ids: int64, attention_mask?: int64, "
    "offset_mapping?: int64"
)


@rule("BertTokenizer", domain=DOMAIN, unranked=[1, 1, 1, 2])
def bert_tokenizer(ctx: Context, text: Tensor) -> list[Shape]:
    """Return the tokens of all texts in a row."""
    tokens = ctx.fresh()
    return [(tokens,), (tokens,), (tokens,), (ctx.fresh(), 2)]


extension("BasicTokenizer(text: string) -> tokens: string")
extension("BlingFireSentenceBreaker(text: string) -> sentence: string")
extension("MaskedFill(value: string, mask: bool) -> output: string")
extension("BertTokenizerDecoder(ids: int64, position: int64) -> str: string")
extension("SentencepieceDecoder(ids: int64, fairseq?: bool) -> str: string")


@rule("BasicTokenizer", "BlingFireSentenceBreaker", "MaskedFill", domain=DOMAIN, unranked=1)
@rule("BertTokenizerDecoder", "SentencepieceDecoder", domain=DOMAIN, unranked=1)
def some_texts(ctx: Context, x: Tensor) -> Shape:
    """Return as many texts as the entries decide."""
    return (ctx.fresh(),)


extension(
    "SentencepieceTokenizer(inputs: string, nbest_size: int64, alpha: float, add_bos: bool, add_eos: bool, reverse: "
    "bool, fairseq?: bool) -> tokens: int32, instance_indices: int64, token_indices?: int32"
)


@rule("SentencepieceTokenizer", domain=DOMAIN, unranked=1)
def sentencepiece(ctx: Context, inputs: Tensor) -> list[Shape]:
    """Return the tokens of all texts in a row, and where those of each begin."""
    return [(ctx.fresh(),), (ctx.fresh(),), (ctx.fresh(),)]


extension("VectorToString(token_ids: int64) -> text: string")
extension("BpeDecoder(ids: int64) -> str: string")


@rule("VectorToString", "BpeDecoder", domain=DOMAIN)
def to_text(ctx: Context, ids: Tensor) -> Shape | None:
    """Return texts, whose shape the vocabulary decides too."""
    return None


extension("StringToVector(text: string) -> token_ids: int64")


@rule("StringToVector", domain=DOMAIN)
def to_vector(ctx: Context, text: Tensor) -> Shape:
    """Return a vector for each text, as long as the vocabulary has them."""
    return (*text.dims, ctx.fresh())


extension("SegmentSum(data: float, segment_ids: int64) -> output: float")


@rule("SegmentSum", domain=DOMAIN)
def segment_sum(ctx: Context, data: Tensor, segment_ids: Tensor) -> Shape:
    """Add up the rows of each segment."""
    if data.rank == 0:
        ctx.fail(RANK_MISMATCH, "data must have at least one axis; it is a scalar", "data")
    if segment_ids.shape is not None and segment_ids.rank == 1:
        ctx.equal(data.dims[0], segment_ids.dims[0], DIM_MISMATCH, "data[0] segment_ids[0]")
    return (ctx.fresh(), *data.dims[1:])


extension("SegmentExtraction(input: int64) -> position: int64, value: int64")


@rule("SegmentExtraction", domain=DOMAIN, unranked=[2, 1])
def segment_extraction(ctx: Context, input: Tensor) -> list[Shape]:
    """Return where each run of a number begins and ends, and the number."""
    count = ctx.fresh()
    return [(count, 2), (count,)]


extension(
    "SplitSignalSegments(audio: float, sr: int64, frame_ms: int64, hop_ms: int64, energy_threshold_db: float) -> "
    "value: int64"
)
extension("MergeSignalSegments(segments: int64, merge_gap_ms: int64) -> merged_segments: int64")


@rule("SplitSignalSegments", "MergeSignalSegments", domain=DOMAIN, unranked=2)
def signal_segments(ctx: Context, x: Tensor) -> Shape:
    """Return the bounds of parts of a signal."""
    return ctx.fresh(), 2


extension("RaggedTensorToSparse(row_splits: int64) -> indices: int64, shape: int64")


@rule("RaggedTensorToSparse", domain=DOMAIN, unranked=[2, 1])
def ragged_to_sparse(ctx: Context, row_splits: Tensor) -> list[Shape]:
    """Return the position of each value of rows of different lengths, and the shape of a matrix that holds them."""
    return [(ctx.fresh(), 2), (2,)]


extension(
    "StftNorm(pcm_wave: float, n_fft: int64, hop_length: int64, window: float, frame_size: int64) -> stft_norm: float"
)


@rule("StftNorm", domain=DOMAIN, unranked=3)
def stft_norm(ctx: Context, pcm_wave: Tensor) -> Shape:
    """Return the strength of each frequency in each frame."""
    axes = NamedAxes(ctx)
    axes.read(pcm_wave, "pcm_wave", "batch _")
    return axes["batch"], ctx.fresh(), ctx.fresh()


extension("AudioDecoder(audio_stream: uint8) -> floatPCM: float")


@rule("AudioDecoder", domain=DOMAIN, unranked=2)
def audio_decoder(ctx: Context, audio_stream: Tensor) -> Shape:
    """Return the samples of one channel."""
    return 1, ctx.fresh()
