"""tf.contrib.crf."""

from __future__ import annotations

from tfmigrate_runtime import crf

__all__ = [
    "crf_binary_score",
    "crf_decode",
    "crf_log_likelihood",
    "crf_log_norm",
    "crf_multitag_sequence_score",
    "crf_sequence_score",
    "crf_unary_score",
    "viterbi_decode",
]

crf_binary_score = crf.crf_binary_score
crf_decode = crf.crf_decode
crf_log_likelihood = crf.crf_log_likelihood
crf_log_norm = crf.crf_log_norm
crf_multitag_sequence_score = crf.crf_multitag_sequence_score
crf_sequence_score = crf.crf_sequence_score
crf_unary_score = crf.crf_unary_score
viterbi_decode = crf.viterbi_decode
