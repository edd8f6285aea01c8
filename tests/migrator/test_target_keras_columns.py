"""--target keras: feature columns of tf.feature_column."""

from __future__ import annotations

import ast

import pytest
from support import run
from test_target_keras import PROGRAM

from tfmigrate.model.targets import TARGETS

COLUMNS = (
    "age = tf.feature_column.numeric_column('age')\n"
    "color = tf.feature_column.categorical_column_with_vocabulary_list('color', ['red', 'blue'])\n"
    "word = tf.feature_column.categorical_column_with_hash_bucket('word', hash_bucket_size=10)\n"
    "COLUMNS = [\n"
    "    age,\n"
    "    tf.feature_column.numeric_column('size', shape=[2], dtype=tf.float32),\n"
    "    tf.feature_column.bucketized_column(age, boundaries=[0, 1]),\n"
    "    tf.feature_column.indicator_column(color),\n"
    "    tf.feature_column.embedding_column(word, 3),\n"
    "]\n\n\ndef model_fn"
)
CONVERTED = (
    "age = NumericColumn('age')\n"
    "color = VocabularyColumn('color', ['red', 'blue'])\n"
    "word = HashedColumn('word', num_buckets=10)\n"
    "COLUMNS = [\n"
    "    age,\n"
    "    NumericColumn('size', shape=[2]),\n"
    "    BucketizedColumn(age, boundaries=[0, 1]),\n"
    "    IndicatorColumn(color),\n"
    "    EmbeddingColumn(word, 3),\n"
    "]\n"
)
LAYER = (
    "  net = tf.layers.dense(features, 4",
    "  net = tf.feature_column.input_layer(features, COLUMNS)\n  net = tf.layers.dense(net, 4",
)
NUMBERS = COLUMNS.splitlines(keepends=True)
SMALL = f"COLUMNS = [\n{NUMBERS[5]}]\n\n\ndef model_fn"


def texts(columns: str, *changes: tuple[str, str]) -> tuple[str, list[str]]:
    """Returns the program with columns after the migration, and its refusals."""
    text = PROGRAM.replace("def model_fn", columns)
    for old, new in (LAYER, *changes):
        assert old in text, old
        text = text.replace(old, new)
    result = run(text, target=TARGETS["keras"])
    refusals = [f.message for f in result.findings if f.code == "TFM802"]
    return next(iter(result.texts.values())), refusals


def converted(columns: str, *changes: tuple[str, str]) -> str:
    after, refusals = texts(columns, *changes)
    assert not refusals
    ast.parse(after)
    assert "feature_column." not in after
    return after


def test_columns_become_classes_above_them() -> None:
    after = converted(COLUMNS)
    assert CONVERTED in after
    assert "  net = join_columns(features, COLUMNS)\n  net = keras.layers.Dense(4" in after
    assert "import dataclasses\nimport json\nimport math\nimport os\n" in after
    first = after.index(CONVERTED)
    for name in ("Numeric", "Bucketized", "Vocabulary", "Hashed", "Indicator", "Embedding"):
        assert after.index(f"class {name}Column:") < first
    assert after.index("class NumericColumn") < after.index("class BucketizedColumn")


def test_only_the_columns_that_are_used_are_written_out() -> None:
    after = converted(SMALL)
    assert "COLUMNS = [\n    NumericColumn('size', shape=[2]),\n]\n" in after
    for unused in ("EmbeddingColumn", "rows_of", "default_value", "parse_spec"):
        assert unused not in after


def test_gradients_of_embedding_columns_are_added_up_first() -> None:
    assert "class Adam(keras.optimizers.Adam):" in converted(COLUMNS)
    assert "class Adam(" not in converted(SMALL)


def test_columns_that_examples_are_parsed_by_keep_their_types() -> None:
    spec = "spec = tf.feature_column.make_parse_example_spec(COLUMNS)\n\n\ndef input_fn"
    after = converted(SMALL, ("def input_fn", spec))
    assert "NumericColumn('size', shape=[2], example_dtype=tf.float32)" in after
    assert "  def parse_spec(self):\n" in after
    assert "spec = parse_spec_of(COLUMNS)\n" in after


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("numeric_column('age')", "numeric_column('age', normalizer_fn=f)", "`normalizer_fn=f`"),
        ("['red', 'blue'])", "['red'], num_oov_buckets=2)", "`num_oov_buckets=2`"),
        ("['red', 'blue'])", "['red'], default_value=0)", "`default_value=0`"),
        ("embedding_column(word, 3)", "embedding_column(word, 3, max_norm=1.0)", "`max_norm=1.0`"),
        ("(word, 3)", "(word, 3, trainable=False)", "`trainable=False`"),
        ("bucketized_column(age, b", "shared_embedding_columns([word], b", "not in the vocabulary"),
        ("COLUMNS = [", "make = tf.feature_column.numeric_column\nCOLUMNS = [", "in another way"),
        ("age,", "*tf.feature_column.make_parse_example_spec([color]),", "as a sparse tensor"),
    ],
)
def test_refusals(old: str, new: str, reason: str) -> None:
    assert old in COLUMNS
    _, refusals = texts(COLUMNS.replace(old, new))
    assert [reason in text for text in refusals] == [True], refusals


def test_a_function_of_the_same_name_is_refused() -> None:
    _, refusals = texts(
        COLUMNS.replace("def model_fn", "def f(join_columns):\n  pass\n\n\ndef model_fn")
    )
    assert "the file has a `join_columns` already" in refusals[0]
