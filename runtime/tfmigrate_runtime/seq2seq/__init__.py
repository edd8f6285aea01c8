"""tf.contrib.seq2seq on TensorFlow 2.

``from tfmigrate_runtime import seq2seq`` instead of ``tf.contrib.seq2seq``: the same variables
and the same numbers. The classes for TensorFlow 2 that it had towards its end are not here.

TensorFlow 2 has none of it. What it computes is compared with TensorFlow 1.15.5 by tests/symbols,
since the legacy runtime shares this code: an error in it would be on both sides of a comparison.
"""

from tfmigrate_runtime.seq2seq.attention import (
    BahdanauAttention, BahdanauMonotonicAttention, LuongAttention, LuongMonotonicAttention,
    _bahdanau_score, _luong_score, _monotonic_probability_fn, hardmax, monotonic_attention,
    safe_cumprod,
)  # fmt: skip
from tfmigrate_runtime.seq2seq.attention_wrapper import (
    AttentionWrapper, AttentionWrapperState, _compute_attention,
)  # fmt: skip
from tfmigrate_runtime.seq2seq.beam_search import (
    BeamSearchDecoder, BeamSearchDecoderOutput, BeamSearchDecoderState,
    FinalBeamSearchDecoderOutput, gather_tree, tile_batch,
)  # fmt: skip
from tfmigrate_runtime.seq2seq.decoder import (
    BasicDecoder, BasicDecoderOutput, Decoder, _transpose_batch_time, dynamic_decode,
)  # fmt: skip
from tfmigrate_runtime.seq2seq.helper import (
    CustomHelper, GreedyEmbeddingHelper, Helper, InferenceHelper, SampleEmbeddingHelper,
    ScheduledEmbeddingTrainingHelper, ScheduledOutputTrainingHelper, TrainingHelper,
)  # fmt: skip
from tfmigrate_runtime.seq2seq.loss import sequence_loss
from tfmigrate_runtime.seq2seq.mechanism import (
    AttentionMechanism, _BaseAttentionMechanism, _BaseMonotonicAttentionMechanism,
    _maybe_mask_score, _prepare_memory,
)  # fmt: skip

__all__ = [
    "AttentionMechanism", "AttentionWrapper", "AttentionWrapperState", "BahdanauAttention",
    "BahdanauMonotonicAttention", "BasicDecoder", "BasicDecoderOutput", "BeamSearchDecoder",
    "BeamSearchDecoderOutput", "BeamSearchDecoderState", "CustomHelper", "Decoder",
    "FinalBeamSearchDecoderOutput", "GreedyEmbeddingHelper", "Helper", "InferenceHelper",
    "LuongAttention", "LuongMonotonicAttention", "SampleEmbeddingHelper",
    "ScheduledEmbeddingTrainingHelper", "ScheduledOutputTrainingHelper", "TrainingHelper",
    "_BaseAttentionMechanism", "_BaseMonotonicAttentionMechanism", "_bahdanau_score",
    "_compute_attention", "_luong_score", "_maybe_mask_score", "_monotonic_probability_fn",
    "_prepare_memory", "_transpose_batch_time", "dynamic_decode", "gather_tree", "hardmax",
    "monotonic_attention", "safe_cumprod", "sequence_loss", "tile_batch",
]  # fmt: skip
