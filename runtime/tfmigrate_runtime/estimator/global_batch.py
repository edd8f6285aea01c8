"""One batch for all replicas: how it is split."""

from typing import Any

import tensorflow.compat.v1 as tf


def split_batch(values: Any, replicas: int) -> list[Any]:
    """Splits every tensor on axis 0 into contiguous parts of equal size.

    Replica i gets the rows [i·B/N, (i+1)·B/N) of a batch of B rows (semantics.md, 1.1).

    Args:
        values: a tensor, a SparseTensor, None, or dicts, tuples and lists of them; each tensor
            has shape [batch, ...].
        replicas: the number of parts, N.

    Returns:
        N values of the same structure.

    Raises:
        ValueError: a batch whose size is known does not divide by N. (One that is only known when
            it is there raises tf.errors.InvalidArgumentError then.)
    """
    flat = tf.nest.flatten(values, expand_composites=False)
    parts = [_split(tensor, replicas) for tensor in flat]
    return [
        tf.nest.pack_sequence_as(values, [part[i] for part in parts], expand_composites=False)
        for i in range(replicas)
    ]


def _split(value: Any, replicas: int) -> list[Any]:
    if value is None:
        return [None] * replicas
    if isinstance(value, tf.SparseTensor):
        size = tf.get_static_value(value.dense_shape)
        _check_size(None if size is None else int(size[0]), replicas)
        with tf.control_dependencies([_assert_divisible(value.dense_shape[0], replicas)]):
            value = tf.SparseTensor(tf.identity(value.indices), value.values, value.dense_shape)
        return list(tf.sparse.split(sp_input=value, num_split=replicas, axis=0))
    tensor = tf.convert_to_tensor(value)
    if tensor.shape.rank == 0:
        raise ValueError(
            f"{tensor.name} is a scalar: with global_batch=True every feature and label is split "
            "over the replicas on axis 0, the batch"
        )
    size = tf.dimension_value(tensor.shape[0]) if tensor.shape.rank is not None else None
    _check_size(size, replicas)
    if size is None:
        with tf.control_dependencies([_assert_divisible(tf.shape(tensor)[0], replicas)]):
            tensor = tf.identity(tensor)
    return list(tf.split(tensor, replicas, axis=0))


def _check_size(size: int | None, replicas: int) -> None:
    if size is not None and size % replicas:
        raise ValueError(
            f"Batch size {size} needs to be divisible by the number of replicas, "
            f"which is {replicas}."
        )


def _assert_divisible(size: Any, replicas: int) -> Any:
    message = (
        f"the batch cannot be split evenly over {replicas} replicas: use a batch size that is a "
        f"multiple of {replicas}, and drop_remainder=True for the last batch. Batch size:"
    )
    size = tf.cast(size, tf.int64)
    remainder = tf.math.floormod(size, tf.constant(replicas, tf.int64))
    return tf.debugging.Assert(tf.equal(remainder, 0), [message, size])
