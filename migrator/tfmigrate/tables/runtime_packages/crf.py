"""What tfmigrate_runtime.crf has of tf.contrib.crf."""

from __future__ import annotations

from tfmigrate.tables.package import Package

PACKAGE = Package(
    "tensorflow.contrib.crf",
    "tfmigrate_runtime.crf",
    {
        "": frozenset(
            {
                "crf_binary_score",
                "crf_decode",
                "crf_log_likelihood",
                "crf_log_norm",
                "crf_multitag_sequence_score",
                "crf_sequence_score",
                "crf_unary_score",
                "viterbi_decode",
            }
        )
    },
)
