"""Labels and weights in the shape of the logits.

Shapes are checked when the graph is run, since some that differ broadcast: each label would be
compared with each logit, and nothing fails.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf


def dense_labels(labels: Any, logits: Any, dimension: int) -> Any:
    """Returns labels with the rank of the logits and a checked shape.

    Args:
        labels: [..., dimension], or [...] where the dimension is 1.
        logits: float tensor [..., logits_dimension].
        dimension: the size of the last axis of the labels.

    Raises:
        ValueError: there are no labels, they are sparse, or their last axis has another size.
    """
    if labels is None:
        raise ValueError(
            "You must provide a labels Tensor. Given: None. Suggested troubleshooting steps: Check "
            "that your data contains your label feature. Check that your input_fn properly parses "
            "and returns labels."
        )
    if isinstance(labels, tf.SparseTensor):
        raise ValueError(
            "SparseTensor labels are not supported: use tf.sparse.to_dense in your input_fn. "
            f"Labels must have shape [..., {dimension}]."
        )
    labels = _with_rank_of(tf.convert_to_tensor(labels), logits)
    if labels.shape.rank is not None and labels.shape[-1] not in (None, dimension):
        raise ValueError(
            f"Mismatched label shape. Expected labels dimension={dimension}. Received "
            f"{labels.shape[-1]}. Suggested Fix: check your n_classes argument to the estimator "
            "and/or the shape of your label."
        )
    expected = tf.concat([tf.shape(logits)[:-1], [dimension]], axis=0)
    actual = tf.shape(labels)
    message = f"labels shape must be [D0, D1, ... DN, {dimension}] "
    same = tf.Assert(
        is_shape(actual, expected),
        [message, "expected_labels_shape: ", expected, "labels_shape: ", actual],
    )
    with tf.control_dependencies([same]):
        return tf.identity(labels)


def is_shape(actual: Any, expected: Any) -> Any:
    """Returns whether two shapes, as vectors, are the same, which may differ in rank.

    ``tf.equal`` alone broadcasts: [2] would equal [2, 2].
    """
    equal = tf.raw_ops.Equal(x=actual, y=expected, incompatible_shape_error=False)
    return tf.logical_and(tf.equal(tf.size(actual), tf.size(expected)), tf.reduce_all(equal))


def _with_rank_of(tensor: Any, logits: Any) -> Any:
    """Returns a tensor with a last axis of one, where the logits have one axis more."""
    ranks = tensor.shape.rank, logits.shape.rank
    return tf.expand_dims(tensor, -1) if None not in ranks and ranks[0] == ranks[1] - 1 else tensor


def in_range(labels: Any, classes: int, message: str | None = None) -> Any:
    """Returns labels that are checked, when the graph is run, to be in [0, classes - 1].

    Args:
        labels: number tensor of any shape.
        classes: how many there are.
        message: of the error, None for the limit that is passed.
    """
    limit = tf.convert_to_tensor(classes - 1, dtype=labels.dtype)
    checks = [
        tf.assert_less_equal(labels, limit, message=message or "Labels must be <= n_classes - 1"),
        tf.assert_non_negative(labels, message=message or "Labels must be >= 0"),
    ]
    with tf.control_dependencies(checks):
        return tf.identity(labels)


def class_ids(labels: Any, vocabulary: Sequence[str]) -> Any:
    """Returns int64 indices of string labels in a vocabulary, -1 for others."""
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(
            tf.constant(list(vocabulary)), tf.range(len(vocabulary), dtype=tf.int64)
        ),
        default_value=-1,
    )
    return table.lookup(labels)


def weight_key(weight_column: Any) -> str | None:
    """Returns the name of the feature that a weight column reads.

    Raises:
        TypeError: it is neither a name nor a numeric column.
    """
    if weight_column is None or isinstance(weight_column, str):
        return weight_column
    if not hasattr(weight_column, "normalizer_fn"):
        raise TypeError(
            "Weight column must be either a string or a NumericColumn. "
            f"Given type: {type(weight_column)}."
        )
    key: str = weight_column.key
    return key


def weights_of(features: Mapping[str, Any], weight_column: Any, logits: Any, labels: int) -> Any:
    """Returns weights that can be multiplied with unreduced losses.

    Args:
        features: tensors by name.
        weight_column: a feature's name, a numeric column, or None.
        logits: float tensor [..., logits_dimension].
        labels: how many weights an example may have instead of one.

    Returns:
        1.0 without a weight column, else a float tensor [..., 1] or [..., labels].

    Raises:
        ValueError: the features have no weights, or no numeric ones.
    """
    if (key := weight_key(weight_column)) is None:
        return 1.0
    if key not in features:
        raise ValueError(f"Feature {key} is not in features dictionary.")
    weights = tf.convert_to_tensor(features[key])
    if not (weights.dtype.is_floating or weights.dtype.is_integer):
        raise ValueError(f"Weight column should be castable to float. Given: {weights.dtype}")
    weights = tf.cast(weights, tf.float32)
    if (normalizer := getattr(weight_column, "normalizer_fn", None)) is not None:
        weights = normalizer(weights)
    expected, weights_shape = tf.shape(logits), tf.shape(weights)
    weights = _with_rank_of(weights, logits)
    allowed = [
        is_shape(tf.shape(weights), tf.concat([expected[:-1], [size]], axis=0))
        for size in sorted({1, labels})
    ]
    message = "weights must have the shape of the labels, or one for each example "
    check = tf.Assert(
        tf.reduce_any(allowed),
        [message, "logits_shape: ", expected, "weights_shape: ", weights_shape],
    )
    with tf.control_dependencies([check]):
        return tf.identity(weights)
