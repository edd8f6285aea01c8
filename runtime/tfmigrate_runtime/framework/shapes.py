"""Checks of shapes, when the graph is built if possible, and when it runs if not."""

from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf


def reduce_sum_n(tensors: list[Any], name: str | None = None) -> Any:
    """Returns the sum of all elements of all tensors, a scalar.

    Args:
        tensors: of one numeric type, of any shapes.
        name: of the sum.

    Raises:
        ValueError: there are no tensors.
    """
    if not tensors:
        raise ValueError("No tensors provided.")
    with tf.name_scope(name, "reduce_sum_n", tensors) as scope:
        sums = [tf.reduce_sum(tensor, name=f"{tensor.op.name}/sum") for tensor in tensors]
        return sums[0] if len(sums) == 1 else tf.add_n(sums, name=scope)


def assert_scalar_int(tensor: Any, name: str | None = None) -> Any:
    """Returns a tensor that is a scalar of an integer type.

    Raises:
        ValueError: it is of another type, or no scalar.
    """
    with tf.name_scope(name, "assert_scalar_int", [tensor]) as scope:
        tensor = tf.convert_to_tensor(tensor)
        if not tensor.dtype.base_dtype.is_integer:
            raise ValueError(
                f"Expected integer type for {tensor.name}, received type: {tensor.dtype}."
            )
        return tf.debugging.assert_scalar(tensor, name=scope)


def remove_squeezable_dimensions(
    predictions: Any, labels: Any, name: str | None = None
) -> tuple[Any, Any]:
    """Takes a last dimension of 1 from whichever has one dimension more than the other.

    Returns:
        The predictions and the labels, in this order.
    """
    with tf.name_scope(name, "remove_squeezable_dimensions", [predictions, labels]):
        predictions = tf.convert_to_tensor(predictions)
        labels = tf.convert_to_tensor(labels)
        if predictions.shape.rank is not None and labels.shape.rank is not None:
            more = predictions.shape.rank - labels.shape.rank
            return (
                tf.squeeze(predictions, [-1]) if more == 1 else predictions,
                tf.squeeze(labels, [-1]) if more == -1 else labels,
            )
        more = tf.rank(predictions) - tf.rank(labels)
        return _squeezed(predictions, tf.equal(more, 1)), _squeezed(labels, tf.equal(more, -1))


def with_same_shape(expected_tensor: Any, tensor: Any) -> Any:
    """Returns a tensor that has the shape of another one: see with_shape."""
    shape = expected_tensor.shape
    expected = shape.as_list() if shape.is_fully_defined() else tf.shape(expected_tensor)
    return with_shape(expected, tensor)


def with_shape(expected_shape: Any, tensor: Any) -> Any:
    """Returns a tensor that has a shape, checked when it runs where it is not known before.

    Args:
        expected_shape: int32 [rank], a tensor or not; -1 in a shape that is none is any size.
        tensor: of any type.

    Raises:
        ValueError: the tensor is sparse, the shape is not a list of integers, or it is another one.
    """
    if isinstance(tensor, tf.SparseTensor):
        raise ValueError("SparseTensor not supported.")
    expected = _checked_shape(expected_shape, tensor)
    known = None if tf.is_tensor(expected) else [int(size) for size in expected]
    scope = f"{tensor.op.name}/"
    if known is None or not tensor.shape.is_fully_defined():
        with tf.name_scope(scope):
            if known == []:
                return tf.reshape(tensor, [])
            with tf.control_dependencies([_assert_shape(expected, tensor)]):
                result = tf.identity(tensor)
            if known is not None:
                result.set_shape([None if size == -1 else size for size in known])
            return result
    if tensor.shape.is_compatible_with(known):
        return tensor
    if known == [] and tensor.shape.is_compatible_with([1]):
        with tf.name_scope(scope):
            return tf.reshape(tensor, [])
    raise ValueError(
        f"Invalid shape for tensor {tensor.name}, expected {known}, got {tensor.shape}."
    )


def _checked_shape(shape: Any, tensor: Any) -> Any:
    """Returns a shape as a tensor or an array of int32.

    Raises:
        ValueError: it has another type, or more than one dimension.
    """
    if tf.is_tensor(shape):
        if shape.dtype.base_dtype != tf.int32:
            raise ValueError(
                f"Invalid dtype {shape.dtype} for shape {shape} expected of tensor {tensor.name}."
            )
        return shape
    array = np.asarray(shape, dtype=None if np.size(shape) else np.int32)
    if array.ndim > 1:
        raise ValueError(
            f"Invalid rank {array.ndim} for shape {shape} expected of tensor {tensor.name}."
        )
    # Integers of Python make an int64 array; an array of another type was the caller's choice.
    if array.dtype == np.int64 and not isinstance(shape, np.ndarray):
        array = array.astype(np.int32)
    if array.dtype != np.int32:
        raise ValueError(
            f"Invalid dtype {array.dtype} for shape {shape} expected of tensor {tensor.name}."
        )
    return array


def _assert_shape(expected: Any, tensor: Any) -> tf.Operation:
    """Returns the operation that fails where a tensor has another shape; -1 is any size."""
    actual = tf.shape(tensor, name="actual")
    same_rank = tf.equal(tf.size(expected), tf.rank(tensor))
    same_sizes = tf.cond(
        same_rank,
        lambda: tf.reduce_all(tf.logical_or(tf.equal(expected, -1), tf.equal(expected, actual))),
        lambda: tf.constant(False),
    )
    message = f"Wrong shape for {tensor.name} [expected] [actual]."
    return tf.debugging.Assert(same_sizes, [message, expected, actual])


def _squeezed(tensor: Any, condition: Any) -> Any:
    """Returns a tensor without its last dimension where it is 1 and a condition holds."""
    if tensor.shape.rank is not None and not tensor.shape.dims[-1].is_compatible_with(1):
        return tensor
    return tf.cond(condition, lambda: tf.squeeze(tensor, [-1]), lambda: tensor)
