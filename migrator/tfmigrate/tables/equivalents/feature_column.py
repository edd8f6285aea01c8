"""tf.contrib.feature_column."""

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.feature_column"
# Each moved to tf.feature_column with 1.13 (contrib/feature_column/__init__.py).
NAMES: Mapping[str, Equivalent] = {
    name: Equivalent(f"feature_column.{name}")
    for name in (
        "sequence_categorical_column_with_hash_bucket",
        "sequence_categorical_column_with_identity",
        "sequence_categorical_column_with_vocabulary_file",
        "sequence_categorical_column_with_vocabulary_list",
        "sequence_numeric_column",
    )
}
MISSING: Mapping[str, Missing] = {
    "sequence_input_layer": Missing(
        "TensorFlow 2 has it only as a Keras layer",
        "use tf.keras.experimental.SequenceFeatures(columns)(features), with the same result",
    )
}
