"""tf.contrib.framework: checks that fail, structures, shapes that are known late."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from tfmigrate_runtime import framework


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: framework.reduce_sum_n([]), ValueError, "No tensors"),
        (lambda: framework.assert_scalar_int(tf.constant(1.0)), ValueError, "integer type"),
        (lambda: framework.get_placeholders(None), TypeError, "needs to be a Graph"),
        (
            lambda: framework.with_shape([1], tf.SparseTensor([[0]], [1], [1])),
            ValueError,
            "SparseTensor not supported",
        ),
        (lambda: framework.with_shape([2], tf.zeros([3])), ValueError, "Invalid shape"),
        (lambda: framework.with_shape([[2]], tf.zeros([3])), ValueError, "Invalid rank"),
        (lambda: framework.with_shape([2.5], tf.zeros([3])), ValueError, "Invalid dtype"),
        (
            lambda: framework.with_shape(tf.constant([2.5]), tf.zeros([3])),
            ValueError,
            "Invalid dtype",
        ),
    ],
)
def test_what_cannot_be(make: Callable[[], Any], error: type[Exception], message: str) -> None:
    with tf.Graph().as_default(), pytest.raises(error, match=message):
        make()


def test_a_shape_that_is_right() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        tensor = tf.zeros([2, 3])
        assert framework.with_shape([2, 3], tensor) is tensor
        assert framework.with_shape([], tf.ones([1])).shape.as_list() == []
        later = tf.placeholder(tf.float32)
        scalar = framework.with_shape([], later)
        matrix = framework.with_shape(np.array([1, 2], np.int32), later)
        asked = framework.with_shape(tf.constant([1, 2]), later)
        assert session.run(scalar, {later: [5.0]}) == 5.0
        assert session.run([matrix, asked], {later: [[5.0, 6.0]]})[1].tolist() == [[5.0, 6.0]]
        assert matrix.shape.as_list() == [1, 2]
        with pytest.raises(tf.errors.InvalidArgumentError, match="Wrong shape"):
            session.run(matrix, {later: [5.0, 6.0]})


def test_squeezed_when_it_runs() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        predictions, labels = tf.placeholder(tf.float32), tf.placeholder(tf.float32, [None])
        found = framework.remove_squeezable_dimensions(predictions, labels)
        values = session.run(found, {predictions: [[1.0], [2.0]], labels: [3.0, 4.0]})
        assert [value.shape for value in values] == [(2,), (2,)]
        values = session.run(found, {predictions: [1.0, 2.0], labels: [3.0, 4.0]})
        assert [value.shape for value in values] == [(2,), (2,)]
