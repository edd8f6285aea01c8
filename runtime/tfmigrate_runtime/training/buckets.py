"""Batches by bucket, built with queues as in tf.contrib.training."""

import functools
import itertools
from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat import queues
from tfmigrate_runtime.compat.graphs import smart_cond
from tfmigrate_runtime.train.passed_on import pass_on


def bucket(
    tensors: Any,
    which_bucket: Any,
    batch_size: Any,
    num_buckets: int,
    num_threads: int = 1,
    capacity: int = 32,
    bucket_capacities: Sequence[int] | None = None,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    keep_input: Any = True,
    shared_name: str | None = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Makes batches of examples that are in the same bucket.

    Every bucket has a queue; a batch that is full goes to the top queue, from which the result
    comes. Both are filled by queue runners (tf.train.start_queue_runners).

    Args:
        tensors: one example: a list or a dictionary of tensors.
        which_bucket: int32 scalar, the example's bucket, from 0 on.
        batch_size: of all buckets, or a list with that of each.
        num_buckets: how many there are.
        num_threads: how many threads fill the buckets.
        capacity: of the top queue in batches, and of each bucket in examples.
        bucket_capacities: of each bucket, where they differ.
        shapes: of the example's tensors; by default those that they have.
        dynamic_pad: whether dimensions may differ; they are padded with zeros then.
        allow_smaller_final_batch: whether the last batches may be smaller, when examples run out.
        keep_input: bool scalar, whether the example is taken at all.
        shared_name: under which sessions share the queues.
        name: of the operations.

    Returns:
        The batch's bucket, an int32 scalar, and its tensors, as a list or a dictionary, or the one
        tensor where the list has one.

    Raises:
        ValueError: there are not as many sizes or capacities as buckets, no tensors, or shapes are
            neither given nor known.
    """
    per_bucket = isinstance(batch_size, (list, tuple))
    sizes = list(batch_size) if per_bucket else [batch_size] * num_buckets
    if len(sizes) != num_buckets:
        raise ValueError("If batch_size is a list it must have num_buckets elements")
    capacities = list(bucket_capacities or [capacity] * num_buckets)
    if len(capacities) != num_buckets:
        raise ValueError(
            f"The list bucket_capacities ({capacities}) must have exactly num_buckets "
            f"({num_buckets}) elements."
        )
    values = queues._as_tensor_list(tensors)
    with tf.name_scope(name, "bucket", values):
        if not values:
            raise ValueError("Expected at least one tensor in bucket().")
        keep = queues._validate_keep_input(keep_input, enqueue_many=False)
        values, sparse = queues._store_sparse_tensors(
            [_converted(value) for value in values], enqueue_many=False, keep_input=keep
        )
        buckets = [
            queues._which_queue(dynamic_pad)(
                capacity=capacities[index],
                dtypes=queues._dtypes([values]),
                shapes=queues._shapes([values], shapes, enqueue_many=False),
                shared_name=None if shared_name is None else f"{shared_name}_{index}",
                name=f"bucket_queue_{index}",
            )
            for index in range(num_buckets)
        ]
        known = None if allow_smaller_final_batch or per_bucket else _static(sizes[0])
        # Padding, also where the buckets are not: a smaller batch has no shape known before.
        top = tf.PaddingFIFOQueue(
            capacity=capacity,
            dtypes=[tf.int32, *buckets[0].dtypes],
            shapes=[[], *(tf.TensorShape([known]).concatenate(s) for s in buckets[0].shapes)],
            shared_name=shared_name,
            name="top_queue",
        )
        _add_runners(
            buckets,
            top,
            [_enqueued(buckets, values, which_bucket, keep)] * num_threads,
            _moved_to_top(buckets, top, sizes, allow_smaller_final_batch),
        )
        _summarized(buckets, top, capacity)
        batch_bucket, *batch = top.dequeue(name="dequeue_top")
        result = batch[0] if len(batch) == 1 else batch
        result = queues._restore_sparse_tensors(result, sparse)
        return batch_bucket, queues._as_original_type(tensors, result)


def bucket_by_sequence_length(
    input_length: Any,
    tensors: Any,
    batch_size: Any,
    bucket_boundaries: Sequence[int],
    num_threads: int = 1,
    capacity: int = 32,
    bucket_capacities: Sequence[int] | None = None,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    keep_input: Any = True,
    shared_name: str | None = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Makes batches of examples of about the same length.

    Args:
        input_length: int32 scalar, the length of the example.
        tensors: one example: a list or a dictionary of tensors.
        batch_size: of all buckets, or a list with that of each.
        bucket_boundaries: increasing lengths, each the first of a bucket; shorter ones are in a
            bucket before.
        num_threads: see bucket, as for all that follow.
        capacity: of the queues.
        bucket_capacities: of each bucket.
        shapes: of the tensors.
        dynamic_pad: whether tensors are padded.
        allow_smaller_final_batch: whether the last batches may be smaller.
        keep_input: whether the example is taken.
        shared_name: of the queues.
        name: of the operations.

    Returns:
        The lengths, int32 [batch_size], and the batch.

    Raises:
        TypeError: boundaries are no integers, or no list or tuple.
        ValueError: there are no boundaries, they do not increase, or there are not as many sizes or
            capacities as buckets.
    """
    boundaries = _checked_boundaries(bucket_boundaries)
    with tf.name_scope(name, "bucket_by_sequence_length", [input_length]):
        length = tf.convert_to_tensor(input_length, dtype=tf.int32, name="input_length")
        lows = tf.constant([tf.int32.min, *boundaries], dtype=tf.int32)
        highs = tf.constant([*boundaries, tf.int32.max], dtype=tf.int32)
        inside = tf.logical_and(tf.less_equal(lows, length), tf.less(length, highs))
        which_bucket = tf.reduce_min(tf.where(inside))
        which_bucket = tf.cast(which_bucket, tf.int32)
        if shapes is not None:
            shapes = [tf.TensorShape([]), *shapes]
        with_length = [length, *queues._as_tensor_list(tensors)]
        own = {"tensors": with_length, "num_buckets": len(boundaries) + 1, "name": None}
        _, (lengths, *batch) = pass_on(bucket, {**locals(), **own})
        return lengths, queues._as_original_type(tensors, batch)


def _converted(value: Any) -> Any:
    return value if isinstance(value, tf.SparseTensor) else tf.convert_to_tensor(value)


def _static(size: Any) -> int | None:
    """Returns a size that is known before the graph runs, else None."""
    value = tf.get_static_value(tf.convert_to_tensor(size, dtype=tf.int32))
    return None if value is None else int(value)


def _checked_boundaries(boundaries: Any) -> list[int]:
    """Returns boundaries.

    Raises:
        TypeError: see bucket_by_sequence_length.
        ValueError: see there.
    """
    if not isinstance(boundaries, (list, tuple)):
        raise TypeError(f"bucket_boundaries must be a list or tuple, but received: {boundaries}")
    if not boundaries:
        raise ValueError("bucket_boundaries must not be empty")
    if not all(isinstance(boundary, int) for boundary in boundaries):
        raise TypeError(f"bucket boundaries must be integers, but saw: {boundaries}")
    if any(low >= high for low, high in itertools.pairwise(boundaries)):
        raise ValueError(f"Buckets must contain sequential increasing lengths: {boundaries}")
    return list(boundaries)


def _enqueued(buckets: list[Any], values: list[Any], which_bucket: Any, keep: Any) -> Any:
    """Returns the operation that puts an example into its bucket, if it is kept."""
    which = tf.convert_to_tensor(which_bucket, dtype=tf.int32, name="which_bucket")

    def enqueue(queue: Any) -> Any:
        return queue.enqueue(values)

    def enqueue_all() -> Any:
        conditional = [
            tf.cond(tf.equal(which, index), functools.partial(enqueue, queue), tf.no_op)
            for index, queue in enumerate(buckets)
        ]
        return tf.group(*conditional, name="group_enqueues")

    return smart_cond(keep, enqueue_all, tf.no_op)


def _moved_to_top(buckets: list[Any], top: Any, sizes: list[Any], smaller: bool) -> list[Any]:
    """Returns the operations that move a batch of each bucket to the top queue."""
    moves = []
    for index, (queue, size) in enumerate(zip(buckets, sizes, strict=True)):
        dequeue = queue.dequeue_up_to if smaller else queue.dequeue_many
        batch = dequeue(size, name=f"read_bucket_{index}")
        batch = batch if isinstance(batch, (list, tuple)) else [batch]
        moves.append(top.enqueue([tf.constant(index), *batch], name=f"enqueue_from_bucket_{index}"))
    return moves


def _add_runners(buckets: list[Any], top: Any, fill: list[Any], move: list[Any]) -> None:
    """Adds the queue runners; that of the top queue closes the buckets, theirs the top queue."""
    ended = (tf.errors.OutOfRangeError, tf.errors.CancelledError)
    tf.train.add_queue_runner(
        tf.train.QueueRunner(
            buckets[0],
            move,
            close_op=top.close(),
            cancel_op=top.close(cancel_pending_enqueues=True),
            queue_closed_exception_types=ended,
        )
    )
    tf.train.add_queue_runner(
        tf.train.QueueRunner(
            top,
            fill,
            close_op=tf.group(*[queue.close() for queue in buckets]),
            cancel_op=tf.group(*[queue.close(cancel_pending_enqueues=True) for queue in buckets]),
            queue_closed_exception_types=ended,
        )
    )


def _summarized(buckets: list[Any], top: Any, capacity: int) -> None:
    """Adds the summaries that tf.contrib.training made; all of them are of the top queue."""
    size = tf.cast(top.size(), tf.float32)
    for queue in buckets:
        tf.summary.scalar(f"bucket/{queue.name}/size", size)
    tf.summary.scalar(f"bucket/{top.name}/fraction_of_{capacity}_full", size * (1.0 / capacity))
