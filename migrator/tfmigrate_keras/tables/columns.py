"""Feature columns: classes and functions, written out, that compute what tf.feature_column did."""

from tfmigrate_keras.tables.entry import Entry, entry

_PACKAGE = "tensorflow.feature_column."
NUMERIC = f"{_PACKAGE}numeric_column"
PARSING = f"{_PACKAGE}make_parse_example_spec"
COLUMNS: dict[str, Entry] = {
    NUMERIC: entry("NumericColumn", "key! shape! default_value- dtype- normalizer_fn=None"),
    f"{_PACKAGE}bucketized_column": entry("BucketizedColumn", "source_column! boundaries!"),
    f"{_PACKAGE}categorical_column_with_identity": entry(
        "IdentityColumn", "key! num_buckets! default_value=None"
    ),
    f"{_PACKAGE}categorical_column_with_vocabulary_list": entry(
        "VocabularyColumn", "key! vocabulary_list! dtype- default_value=-1 num_oov_buckets=0"
    ),
    f"{_PACKAGE}categorical_column_with_hash_bucket": entry(
        "HashedColumn", "key! hash_bucket_size:num_buckets! dtype-"
    ),
    f"{_PACKAGE}indicator_column": entry("IndicatorColumn", "categorical_column!"),
    f"{_PACKAGE}embedding_column": entry(
        "EmbeddingColumn",
        "categorical_column! dimension! combiner initializer ckpt_to_load_from=None "
        "tensor_name_in_ckpt=None max_norm=None trainable=True",
    ),
    f"{_PACKAGE}input_layer": entry(
        "join_columns",
        "features! feature_columns! weight_collections=None trainable=True cols_to_vars=None "
        "cols_to_output_tensors=None",
    ),
}
"""By the name of a function; the targets are in ``data/written_out``."""

OF_EXAMPLES = {PARSING: entry("parse_spec_of", "feature_columns!")}
"""What describes columns in a tf.Example."""

PARSED_NUMERIC = entry(
    "NumericColumn", "key! shape! default_value dtype:example_dtype normalizer_fn=None"
)
"""Where the program parses tf.Examples by the columns, it needs all arguments."""

EMBEDDING = f"{_PACKAGE}embedding_column"
CATEGORICAL = frozenset(
    f"{_PACKAGE}{name}"
    for name in (
        *("categorical_column_with_identity", "categorical_column_with_vocabulary_list"),
        "categorical_column_with_hash_bucket",
    )
)
"""Columns of which a tf.Example may hold several values, or none."""
