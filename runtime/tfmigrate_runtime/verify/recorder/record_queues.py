"""Lets queues that shuffle (``tf.train.shuffle_batch``) be full when they are read.

Part of ``record.py``; runs on Python 3.6 or newer. A RandomShuffleQueue draws among what is in it,
and how much that is depends on how fast its threads are: no batch of such a program was that of
another run, or of the migrated program. Full it has the same elements each time, as long as one
thread fills it (``record_order.py``).

Waited for is a queue that a QueueRunner fills, until it is full or closed: one that the program
fills itself, such as a memory of replays, may never be.
"""

import functools
import time
from typing import Any, Callable

_SECONDS = 0.001  # between two looks at a queue


def shuffle_full_ones() -> None:
    """Wraps the ways to take elements out of a queue."""
    from tensorflow.python.ops import data_flow_ops

    kind = data_flow_ops.RandomShuffleQueue
    for name in ("dequeue", "dequeue_many", "dequeue_up_to"):
        setattr(kind, name, _once_full(getattr(kind, name)))


def _once_full(original: Callable[..., Any]) -> Callable[..., Any]:
    from tensorflow.python.framework import ops

    @functools.wraps(original)
    def dequeue(this: Any, *arguments: Any, **options: Any) -> Any:
        operation = this.queue_ref.op
        capacity = operation.get_attr("capacity")
        # Python of another process cannot be called; in a cluster shuffling is left to chance.
        is_remote = "/job:" in operation.device
        if not getattr(this, "_tfmigrate_filled", False) or capacity < 0 or is_remote:
            return original(this, *arguments, **options)
        with ops.name_scope("tfmigrate_full_queue"), ops.device("/cpu:0"):
            is_full = _waits(this, capacity)
        with ops.control_dependencies([is_full]):
            return original(this, *arguments, **options)

    return dequeue


def _waits(queue: Any, capacity: int) -> Any:
    """Returns an op that ends when a queue is full, or closed."""
    import numpy as np
    import tensorflow as tf

    tf = getattr(tf.compat, "v1", tf) if hasattr(tf, "compat") else tf

    def wait(count: Any) -> Any:
        time.sleep(_SECONDS)
        return np.int32(count)

    def is_open(count: Any) -> Any:
        del count
        return tf.logical_and(queue.size() < capacity, tf.logical_not(queue.is_closed()))

    def body(count: Any) -> Any:
        waited = tf.py_func(wait, [count], tf.int32)
        waited.set_shape([])
        return waited

    return tf.while_loop(is_open, body, [tf.constant(0)])
