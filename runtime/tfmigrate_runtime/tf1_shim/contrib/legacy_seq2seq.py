"""tf.contrib.legacy_seq2seq."""

from __future__ import annotations

from tfmigrate_runtime import legacy_seq2seq

__all__ = [
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
]

attention_decoder = legacy_seq2seq.attention_decoder
basic_rnn_seq2seq = legacy_seq2seq.basic_rnn_seq2seq
embedding_attention_decoder = legacy_seq2seq.embedding_attention_decoder
embedding_attention_seq2seq = legacy_seq2seq.embedding_attention_seq2seq
embedding_rnn_decoder = legacy_seq2seq.embedding_rnn_decoder
embedding_rnn_seq2seq = legacy_seq2seq.embedding_rnn_seq2seq
embedding_tied_rnn_seq2seq = legacy_seq2seq.embedding_tied_rnn_seq2seq
model_with_buckets = legacy_seq2seq.model_with_buckets
rnn_decoder = legacy_seq2seq.rnn_decoder
sequence_loss = legacy_seq2seq.sequence_loss
sequence_loss_by_example = legacy_seq2seq.sequence_loss_by_example
tied_rnn_seq2seq = legacy_seq2seq.tied_rnn_seq2seq
