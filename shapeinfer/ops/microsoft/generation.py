"""Whole loops of text generation, and graphs compiled for other engines."""

from __future__ import annotations

from shapeinfer.facts import Fact, Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.microsoft.schema import DOMAIN, HALF_OR_SINGLE, contrib
from shapeinfer.ops.registry import rule

contrib(
    "BeamSearch(input_ids: F, max_length: int32, min_length?: int32, num_beams: int32, num_return_sequences: int32, "
    "length_penalty?: T, repetition_penalty?: T, vocab_mask?: int32, prefix_vocab_mask?: int32, attention_mask?: "
    "int32, decoder_input_ids?: int32, logits_processor?: int32; decoder: graph, decoder_start_token_id: int = -1, "
    "early_stopping: int = 0, encoder?: graph, eos_token_id: int, init_decoder?: graph, model_type: int = 0, "
    "no_repeat_ngram_size: int = 0, pad_token_id: int, vocab_size: int = -1) -> sequences: int32, "
    "sequences_scores?: T, scores?: T",
    T=HALF_OR_SINGLE,
    F="float int32 float16",
)
contrib(
    "WhisperBeamSearch(input_ids: F, max_length: int32, min_length?: int32, num_beams: int32, num_return_sequences: "
    "int32, length_penalty?: T, repetition_penalty?: T, vocab_mask?: int32, prefix_vocab_mask?: int32, "
    "attention_mask?: int32, decoder_input_ids?: int32, logits_processor?: int32, cross_qk_layer_head?: int32, "
    "extra_decoding_ids?: int32, temperature?: T; beginning_timestamp_token_id?: int, decoder: graph, "
    "decoder_output_cross_qk?: int, decoder_start_token_id: int = -1, early_stopping: int = 0, encoder?: graph, "
    "eos_token_id: int, init_decoder?: graph, model_type: int = 2, no_repeat_ngram_size: int = 0, "
    "no_speech_token_id?: int, no_timestamps_token_id?: int, pad_token_id: int, start_of_lm_token_id?: int, "
    "transcribe_token_id?: int, translate_token_id?: int, vocab_size: int = -1) -> sequences: int32, "
    "sequences_scores?: T, scores?: T, cross_qk?: float, non_speech_probs?: T",
    T=HALF_OR_SINGLE,
    F="float int32 float16",
)


@rule("BeamSearch", "WhisperBeamSearch", domain=DOMAIN, unranked=[3, 2, 4, None, None])
def beam_search(ctx: Context, input_ids: Tensor) -> list[Shape | None]:
    """Return several sequences for each prompt, with their scores."""
    batch, returned = input_ids.dims[0] if input_ids.rank else ctx.fresh(), ctx.fresh()
    scores = (ctx.fresh(), batch, ctx.fresh(), ctx.fresh())
    return [(batch, returned, ctx.fresh()), (batch, returned), scores, None, None]


contrib(
    "GreedySearch(input_ids: int32, max_length: int32, min_length?: int32, repetition_penalty?: float, vocab_mask?: "
    "int32, prefix_vocab_mask?: int32, attention_mask?: int32; decoder: graph, decoder_start_token_id: int = -1, "
    "encoder?: graph, eos_token_id: int, init_decoder?: graph, model_type: int = 0, no_repeat_ngram_size: int = 0, "
    "pad_token_id: int, vocab_size: int = -1) -> sequences: int32",
)
contrib(
    "Sampling(input_ids: int32, max_length: int32, min_length?: int32, repetition_penalty?: float, vocab_mask?: "
    "int32, prefix_vocab_mask?: int32, attention_mask?: int32, presence_mask?: int32, seed?: int32; custom: int = "
    "0, decoder: graph, decoder_start_token_id: int = -1, encoder?: graph, eos_token_id: int, filter_value: float = "
    "-1e+20, init_decoder?: graph, min_tokens_to_keep: int = 0, model_type: int = 0, no_repeat_ngram_size: int = 0, "
    "pad_token_id: int, presence_penalty: float = 0e+00, temperature: float = 1.0, top_p: float = 0e+00, "
    "vocab_size: int = -1) -> sequences: int32, filtered_logits?: float",
)


@rule("GreedySearch", "Sampling", domain=DOMAIN, unranked=[2, 2])
def greedy_search(ctx: Context, input_ids: Tensor) -> list[Shape]:
    """Return one sequence for each prompt, and what the last token was drawn from."""
    batch = input_ids.dims[0] if input_ids.rank else ctx.fresh()
    return [(batch, ctx.fresh()), (batch, ctx.fresh())]


contrib(
    "EPContext(inputs*?!: T; embed_mode: int = 1, ep_cache_context?: string, ep_sdk_version?: string, "
    "hardware_architecture?: string, main_context: int = 1, max_size: int = 0, notes?: string, "
    "onnx_model_filename?: string, partition_name?: string, source?: string) -> outputs*!: T",
    T="bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float double bfloat16",
)
contrib(
    "Snpe(inputs*: T; DLC: string, notes?: string, snpe_version?: string, target_device?: string) -> outputs*: T",
    T="uint8 uint16 float",
)


@rule("EPContext", "Snpe", domain=DOMAIN)
def compiled(ctx: Context, *inputs: Fact) -> list[None]:
    """Return unknown outputs, since another engine computes them."""
    return [None] * ctx.outputs
