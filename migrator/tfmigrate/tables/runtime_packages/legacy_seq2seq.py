"""What tfmigrate_runtime.legacy_seq2seq has of tf.contrib.legacy_seq2seq."""

from __future__ import annotations

from tfmigrate.tables.package import Package

PACKAGE = Package(
    "tensorflow.contrib.legacy_seq2seq",
    "tfmigrate_runtime.legacy_seq2seq",
    {
        "": frozenset(
            {
                "attention_decoder",
                "basic_rnn_seq2seq",
                "embedding_attention_decoder",
                "embedding_attention_seq2seq",
                "embedding_rnn_decoder",
                "embedding_rnn_seq2seq",
                "embedding_tied_rnn_seq2seq",
                "model_with_buckets",
                "rnn_decoder",
                "sequence_loss",
                "sequence_loss_by_example",
                "tied_rnn_seq2seq",
            }
        )
    },
)
