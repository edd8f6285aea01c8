"""tf.contrib.layers."""

from __future__ import annotations

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.layers"
NAMES: Mapping[str, Equivalent] = {}
_TARGETS = Missing(
    "it was part of the first Estimators, before heads",
    "give the model a head (tfmigrate_runtime.estimator.MultiClassHead, RegressionHead), or its "
    "loss itself",
)
_SEQUENCES = Missing(
    "it made inputs of recurrent networks of old columns, which nothing in TensorFlow 2 does",
    "use tf.feature_column.sequence_* columns with tf.keras.experimental.SequenceFeatures, or "
    "tf.parse_single_sequence_example and layers.embed_sequence",
)
MISSING: Mapping[str, Missing] = {
    "multi_class_target": _TARGETS,
    "parse_feature_columns_from_sequence_examples": _SEQUENCES,
    "regression_target": _TARGETS,
    "scattered_embedding_column": Missing(
        "its hashed embeddings need a lookup that left with tf.contrib",
        "use layers.embedding_column of a column with hash buckets, and train again",
    ),
    "sequence_input_from_feature_columns": _SEQUENCES,
}
