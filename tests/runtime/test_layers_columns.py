"""Columns of tf.contrib.layers that cannot be are refused, and all of them serve the core too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from runtime_support import FLOAT32

from tfmigrate_runtime import layers

KIND = layers.sparse_column_with_keys("kind", ["bag", "pen"])
AGE = layers.real_valued_column("age")


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: layers.real_valued_column("a", dimension="2"), TypeError, "must be an integer"),
        (lambda: layers.real_valued_column("a", dimension=0), ValueError, "greater than 0"),
        (lambda: layers.real_valued_column("a", dtype=tf.string), ValueError, "convertible"),
        (lambda: layers.real_valued_column("a", 2, [1.0]), ValueError, "length of default_value"),
        (lambda: layers.real_valued_column("a", 1, "x"), TypeError, "compatible with dtype"),
        (lambda: layers.real_valued_column("a", 1, 0.5, tf.int64), TypeError, "compatible"),
        (lambda: layers.bucketized_column(KIND, [1]), TypeError, "_RealValuedColumn"),
        (lambda: layers.bucketized_column(AGE, []), ValueError, "non-empty"),
        (lambda: layers.bucketized_column(AGE, [2, 1]), ValueError, "sorted"),
        (
            lambda: layers.sparse_column_with_hash_bucket("a", 0),
            ValueError,
            "bucket_size must be at least 1",
        ),
        (
            lambda: layers.sparse_column_with_hash_bucket("a", 2, hash_keys=[[1]]),
            ValueError,
            "pairs of integers",
        ),
        (
            lambda: layers.sparse_column_with_hash_bucket("a", 2, dtype=tf.float32),
            ValueError,
            "string or integer",
        ),
        (
            lambda: layers.sparse_column_with_integerized_feature("a", 2, dtype=tf.string),
            ValueError,
            "must be an integer",
        ),
        (
            lambda: layers.sparse_column_with_vocabulary_file("a", "f.txt"),
            ValueError,
            "vocab_size should be defined",
        ),
        (
            lambda: layers.weighted_sparse_column(KIND, "w", tf.string),
            ValueError,
            "not convertible to float",
        ),
        (lambda: layers.embedding_column(KIND, 2, initializer=3), ValueError, "callable"),
        (
            lambda: layers.embedding_column(KIND, 2, ckpt_to_load_from="c"),
            ValueError,
            "Must specify both",
        ),
        (lambda: layers.shared_embedding_columns("ab", 2), TypeError, "non-string sequence"),
        (lambda: layers.shared_embedding_columns([], 2), ValueError, "at least one"),
        (lambda: layers.shared_embedding_columns([AGE], 2), TypeError, "_SparseColumn"),
        (
            lambda: layers.shared_embedding_columns(
                [KIND, layers.sparse_column_with_hash_bucket("a", 9)], 2
            ),
            ValueError,
            "not compatible",
        ),
        (lambda: layers.crossed_column([KIND, AGE], 9), TypeError, "columns must be a set"),
        (lambda: layers.crossed_column([KIND], 9), ValueError, "at least 2 elements"),
        (lambda: layers.crossed_column([KIND, KIND], 1), ValueError, "at least 2"),
        (lambda: layers.check_feature_columns([AGE, AGE]), ValueError, "Duplicate"),
        (lambda: layers.check_feature_columns({}), ValueError, "found dict"),
        (lambda: layers.create_feature_spec_for_parsing(["age"]), TypeError, "_FeatureColumn"),
        (
            lambda: layers.infer_real_valued_columns({"a": tf.constant(["x"])}),
            ValueError,
            "Non integer",
        ),
    ],
)
def test_what_cannot_be(make: Callable[[], Any], error: type[Exception], message: str) -> None:
    with tf.Graph().as_default(), pytest.raises(error, match=message):
        make()


def test_a_network_takes_no_categories_as_they_are() -> None:
    with tf.Graph().as_default():
        features = {"kind": tf.SparseTensor([[0, 0]], ["pen"], [1, 1])}
        with pytest.raises(ValueError, match="not supported in DNN"):
            layers.input_from_feature_columns(features, [KIND])


def test_a_linear_model_takes_no_embedding() -> None:
    with tf.Graph().as_default():
        features = {"kind": tf.constant([["pen"]])}
        column = layers.embedding_column(KIND, 2)
        with pytest.raises(ValueError, match="not supported in linear models"):
            layers.weighted_sum_from_feature_columns(features, [column], 1)
        with pytest.raises(NotImplementedError, match="Real-valued"):
            layers.joint_weighted_sum_from_feature_columns({"age": tf.ones([1, 1])}, [AGE], 1)


def test_a_feature_that_is_not_there() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="doesn't contain key"):
        layers.input_from_feature_columns({}, [AGE])


def test_an_embedding_starts_from_numbers_that_depend_on_the_categories() -> None:
    many = layers.sparse_column_with_hash_bucket("kind", 10_000)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(1)
        layers.input_from_feature_columns(
            {"kind": tf.constant([["pen"]])}, [layers.embedding_column(many, 4)]
        )
        session.run(tf.global_variables_initializer())
        vectors = session.run(tf.trainable_variables()[0])
    # A normal distribution of 1/sqrt(10000), cut at two standard deviations, has 0.88 of it; the
    # mean of 40000 numbers is within 3%.
    np.testing.assert_allclose(vectors.std(), 0.88 * 0.01, rtol=0.03)


def test_the_core_takes_these_columns_too() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        features = {"age": tf.constant([[4.0], [9.0]]), "kind": tf.constant([["pen"], ["bag"]])}
        buckets = layers.bucketized_column(AGE, [5.0])
        dense = tf.feature_column.input_layer(features, [AGE, buckets, layers.one_hot_column(KIND)])
        linear = tf.feature_column.linear_model(features, [KIND, buckets])
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        expected = [[4, 1, 0, 0, 1], [9, 0, 1, 1, 0]]
        np.testing.assert_allclose(session.run(dense), expected, rtol=FLOAT32)
        assert session.run(linear).tolist() == [[0.0], [0.0]]


def test_weights_in_parts() -> None:
    words = layers.sparse_column_with_hash_bucket("kind", 10)
    with tf.Graph().as_default(), tf.Session() as session:
        features = {"kind": tf.constant([["pen"], ["bag"]]), "age": tf.ones([2, 4])}
        age = layers.real_valued_column("age", dimension=4)
        with tf.variable_scope("cut", partitioner=tf.fixed_size_partitioner(2)):
            logits, variables, _ = layers.weighted_sum_from_feature_columns(
                features, [words, age], num_outputs=1
            )
            embedded = layers.input_from_feature_columns(
                features,
                [layers.embedding_column(words, 3, initializer=tf.ones_initializer())],
            )
        session.run(tf.global_variables_initializer())
        session.run([part.assign_add(tf.ones_like(part)) for part in variables[age]])
        assert len(variables[words]) == len(variables[age]) == 2
        assert session.run(logits).tolist() == [[4.0], [4.0]]
        assert session.run(embedded).tolist() == [[1.0] * 3] * 2
