"""tf.contrib.feature_column: columns of sequences."""

import tensorflow.compat.v1 as tf

_columns = tf.feature_column

__all__ = [
    "sequence_categorical_column_with_hash_bucket",
    "sequence_categorical_column_with_identity",
    "sequence_categorical_column_with_vocabulary_file",
    "sequence_categorical_column_with_vocabulary_list",
    "sequence_numeric_column",
]

sequence_categorical_column_with_hash_bucket = (
    tf.feature_column.sequence_categorical_column_with_hash_bucket
)
sequence_categorical_column_with_identity = (
    tf.feature_column.sequence_categorical_column_with_identity
)
sequence_categorical_column_with_vocabulary_file = (
    tf.feature_column.sequence_categorical_column_with_vocabulary_file
)
sequence_categorical_column_with_vocabulary_list = (
    tf.feature_column.sequence_categorical_column_with_vocabulary_list
)
sequence_numeric_column = _columns.sequence_numeric_column
