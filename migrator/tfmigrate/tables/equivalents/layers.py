"""tf.contrib.layers."""

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.layers"
NAMES: Mapping[str, Equivalent] = {}
_TARGETS = Missing(
    "it belonged to the Estimators of tf.contrib.learn from before heads",
    "use a head (tfmigrate_runtime.estimator.MultiClassHead, RegressionHead), or compute the "
    "loss in the model function",
)
_SEQUENCES = Missing(
    "it built RNN inputs from tf.contrib's feature columns, which TensorFlow 2 cannot",
    "use tf.feature_column.sequence_* columns with tf.keras.experimental.SequenceFeatures, or "
    "tf.parse_single_sequence_example and layers.embed_sequence",
)
MISSING: Mapping[str, Missing] = {
    "multi_class_target": _TARGETS,
    "parse_feature_columns_from_sequence_examples": _SEQUENCES,
    "regression_target": _TARGETS,
    "scattered_embedding_column": Missing(
        "its hashed embeddings need a lookup operation that was removed with tf.contrib",
        "use layers.embedding_column of a column with hash buckets, and train again",
    ),
    "sequence_input_from_feature_columns": _SEQUENCES,
}
