"""What tfmigrate_runtime.seq2seq has of tf.contrib.seq2seq."""

from __future__ import annotations

from tfmigrate.tables.package import Package

PACKAGE = Package(
    "tensorflow.contrib.seq2seq",
    "tfmigrate_runtime.seq2seq",
    {
        "": frozenset(
            {
                "AttentionMechanism",
                "AttentionWrapper",
                "AttentionWrapperState",
                "BahdanauAttention",
                "BahdanauMonotonicAttention",
                "BasicDecoder",
                "BasicDecoderOutput",
                "BeamSearchDecoder",
                "BeamSearchDecoderOutput",
                "BeamSearchDecoderState",
                "CustomHelper",
                "Decoder",
                "FinalBeamSearchDecoderOutput",
                "GreedyEmbeddingHelper",
                "Helper",
                "InferenceHelper",
                "LuongAttention",
                "LuongMonotonicAttention",
                "SampleEmbeddingHelper",
                "ScheduledEmbeddingTrainingHelper",
                "ScheduledOutputTrainingHelper",
                "TrainingHelper",
                "_compute_attention",
                "dynamic_decode",
                "gather_tree",
                "hardmax",
                "monotonic_attention",
                "safe_cumprod",
                "sequence_loss",
                "tile_batch",
            }
        )
    },
)
