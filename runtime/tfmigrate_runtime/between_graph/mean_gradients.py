"""Averages the gradients of the workers."""

from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.between_graph import step_reports
from tfmigrate_runtime.between_graph.accumulated_slices import mean_of_accumulated
from tfmigrate_runtime.between_graph.strategies import is_synchronous

_GROUP_KEY = 1_000_003  # of the workers' CPUs; strategies count theirs from 1
_KEYS_OF_ONE_GATHER = 32  # one for each power of two that a length may be padded to
_GATHERED = (tf.float16, tf.float32, tf.float64, tf.int32, tf.int64)
_counter = "between_graph_gathers"  # the collection of a graph that counts them


def means_over_workers(gradients: Sequence[Any]) -> list[Any]:
    """Returns the means over the workers of their gradients.

    Rows of IndexedSlices are averaged as ``SparseConditionalAccumulator`` of TensorFlow 1.15 does
    (``accumulated_slices``): over the workers that have the row, where all are in order.

    Args:
        gradients: this worker's: Tensors, IndexedSlices or None, as many on every worker.

    Returns:
        As many of the same kinds, the same values on every worker.
    """
    strategy = tf.distribute.get_strategy()
    if not is_synchronous(strategy) or strategy.num_replicas_in_sync == 1:
        return list(gradients)
    means = [
        _mean_of_slices(strategy, gradient) if isinstance(gradient, tf.IndexedSlices) else gradient
        for gradient in gradients
    ]
    kinds: dict[Any, list[int]] = {step_reports.KIND: []}
    for place, gradient in enumerate(gradients):
        if gradient is not None and not isinstance(gradient, tf.IndexedSlices):
            kinds.setdefault(gradient.dtype, []).append(place)
    context = tf.distribute.get_replica_context()
    for kind, places in kinds.items():
        # One reduction for each kind: they cannot be packed together.
        summed = [gradients[i] for i in places]
        if kind == step_reports.KIND:
            summed.append(step_reports.own_report(strategy.num_replicas_in_sync))
        sums = context.all_reduce(tf.distribute.ReduceOp.SUM, summed)
        if kind == step_reports.KIND:
            step_reports.note(sums.pop())
        workers = tf.cast(strategy.num_replicas_in_sync, kind)
        for place, summed in zip(places, sums, strict=True):
            means[place] = summed / workers
    return means


def _mean_of_slices(strategy: Any, gradient: Any) -> Any:
    """Returns the mean of IndexedSlices, as the accumulator of TensorFlow 1.x makes it."""
    length = tf.size(gradient.indices)
    shape = tf.shape(gradient.values)[1:]
    with tf.device(f"/job:{strategy.task.type}/task:{strategy.task.index}/device:CPU:0"):
        rows, flat, lengths = _gathered(
            strategy, gradient.indices, tf.reshape(gradient.values, [length, -1])
        )
        distinct, means = tf.numpy_function(
            mean_of_accumulated, [rows, flat, lengths], [rows.dtype, flat.dtype]
        )
        distinct.set_shape([None])
        means = tf.cast(means, gradient.dtype)
        means = tf.reshape(means, tf.concat([[tf.size(distinct)], shape], axis=0))
        means.set_shape(tf.TensorShape([None]).concatenate(gradient.values.shape[1:]))
    return tf.IndexedSlices(means, distinct, gradient.dense_shape)


def _gathered(strategy: Any, rows: Any, values: Any) -> tuple[Any, Any, Any]:
    """Returns the rows of all workers and their values, in the order of the workers.

    TensorFlow's own reduction of IndexedSlices fails in graph mode when their length changes from
    one step to the next: an instance of a collective operation keeps the shape of its first step.
    Here the lengths are padded to powers of two, each with its own instance.

    Args:
        strategy: the MultiWorkerMirroredStrategy.
        rows: [k], int32 or int64, not negative.
        values: [k, n], floating point.

    Returns:
        [m] and [m, n], in float32 where the values cannot be gathered as they are; and how many
        rows each worker has, [workers], int32.
    """
    if values.dtype not in _GATHERED:
        values = tf.cast(values, tf.float32)
    length = tf.size(rows)
    lengths = _gather(strategy, length[tf.newaxis], 0)
    longest = tf.reduce_max(lengths)
    powers = tf.constant([2**exponent for exponent in range(31)])
    exponent = tf.reduce_sum(tf.cast(powers < longest, tf.int32))
    missing = tf.gather(powers, exponent) - length
    all_rows = _gather(strategy, tf.pad(rows, [[0, missing]], constant_values=-1), exponent)
    all_values = _gather(strategy, tf.pad(values, [[0, missing], [0, 0]]), exponent)
    real_rows = tf.where(all_rows >= 0)[:, 0]
    return tf.gather(all_rows, real_rows), tf.gather(all_values, real_rows), lengths


def _gather(strategy: Any, value: Any, exponent: Any) -> Any:
    """Returns the values of all workers, one behind the other; all have the same shape."""
    begun = tf.get_collection_ref(_counter)
    begun.append(value.name)
    gathered = tf.raw_ops.CollectiveGatherV2(
        input=value,
        group_size=strategy.num_replicas_in_sync,
        group_key=_GROUP_KEY,
        instance_key=tf.constant(_KEYS_OF_ONE_GATHER * len(begun)) + exponent,
        ordering_token=[],
        communication_hint="auto",
    )
    gathered.set_shape([None, *value.shape[1:]])
    return gathered
