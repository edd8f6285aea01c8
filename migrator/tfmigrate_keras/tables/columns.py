"""Feature columns: classes and functions, written out, that compute what tf.feature_column did."""

from tfmigrate_keras.tables.entry import Entry, entries

_PACKAGE = "tensorflow.feature_column."
NUMERIC = f"{_PACKAGE}numeric_column"
PARSING = f"{_PACKAGE}make_parse_example_spec"
COLUMNS: dict[str, Entry] = entries("feature columns")
"""By the name of a function; the targets are in ``data/written_out``."""

_PARSED = entries("parsed feature columns")
OF_EXAMPLES = {PARSING: _PARSED[PARSING]}
"""What describes columns in a tf.Example."""

PARSED_NUMERIC = _PARSED[NUMERIC]
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
