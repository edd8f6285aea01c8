"""Takes the chance out of queues that shuffle, and lets other input functions draw the same rows.

A RandomShuffleQueue (``tf.train.shuffle_batch``, ``tf.estimator.inputs.numpy_input_fn``) draws
among what is in it, and how much that is depends on how fast its threads are: no batch of such a
program was that of another run, or of the migrated program. Full it has the same elements each
time, as long as one thread fills it (``draws/order.py``). Waited for is a queue that a QueueRunner
fills, until it is full or closed: one that the program fills itself, such as a memory of replays,
may never be.

The runtime's ``numpy_input_fn`` and ``pandas_input_fn`` have no queue, nor has a Dataset that takes
their place. ``rows/<n>`` in the original's trace, int64, are the numbers of the rows that its n-th
queue gave; the n-th input of the migrated program that shuffles as many begins with them.

Private names of TensorFlow that are touched: ``random`` in ``feeding_functions``, which begins at a
row that differs from run to run, and ``_FeedingQueueRunner``, by its name.
"""

import random
import time
from typing import Any, Dict, Iterator, List, Tuple

import numpy as np

from ..keras import fit_shuffles
from ..program import imports, wrapping
from ..sessions import graph_variables, session_config

_SECONDS = 0.001  # between two looks at a queue
_THREADS = 32  # more than the queues of a program
_PREFIX = "rows/"
_FEEDING = (
    "tensorflow_estimator.python.estimator.inputs.queues.feeding_functions",
    "tensorflow.python.estimator.inputs.queues.feeding_functions",
    "tensorflow.contrib.learn.python.learn.dataframe.queues.feeding_functions",
)
_INPUTS = ("tfmigrate_runtime.estimator.inputs", "tfmigrate_vendored.train.estimator.inputs")
_READS = ("QueueDequeue", "IteratorGetNext")
# By queue that is fed arrays: its capacity, and the rows of each batch.
_drawn: List[Tuple[int, List[Any]]] = []
_shuffling: List[List[int]] = []  # capacity and min_after_dequeue of all that are waited for


def shuffle_full_ones() -> None:
    """Wraps the ways to take elements out of a queue."""
    from tensorflow.python.client import session
    from tensorflow.python.ops import data_flow_ops

    kind = data_flow_ops.RandomShuffleQueue
    for name in ("dequeue", "dequeue_many", "dequeue_up_to"):
        wrapping.wrap(kind, name, _once_full)
    imports.when_loaded(_FEEDING, _begin_at_same_row)
    session_config.change_config(session.BaseSession, _leave_threads)


def _leave_threads(config: Any) -> None:
    """Allows more threads than there are queues to wait for.

    Each wait holds one. TensorFlow has as many as there are cores: on two, two towers with a queue
    each (hclhkbu/dlbench) left none to what fills the queues. Without such queues the number stays:
    with more threads a read and an update that nothing orders change places more often. Less than
    none is the thread of the caller, which each filler has.
    """
    chosen = config.inter_op_parallelism_threads
    if chosen >= 0 and _shuffling:
        config.inter_op_parallelism_threads = max(_THREADS, chosen)


def _begin_at_same_row(module: Any) -> None:
    def seed(value: Any = None) -> None:
        random.seed(0 if value is None else value)

    module.random = wrapping.With(random, "seed", seed)


def _once_full(original: Any, this: Any, *arguments: Any, **options: Any) -> Any:
    from tensorflow.python.framework import ops

    operation = this.queue_ref.op
    capacity = operation.get_attr("capacity")
    # Python of another process cannot be called; in a cluster shuffling is left to chance.
    is_remote = "/job:" in operation.device
    if not getattr(this, "_tfmigrate_filled", False) or capacity < 0 or is_remote:
        return original(this, *arguments, **options)
    form = [int(capacity), int(operation.get_attr("min_after_dequeue"))]
    if not hasattr(this, "_tfmigrate_form"):
        this._tfmigrate_form = form
        _shuffling.append(form)
    with ops.name_scope("tfmigrate_full_queue"), ops.device("/cpu:0"):
        is_full = _waits(this, capacity)
    with ops.control_dependencies([is_full]):
        dequeued = original(this, *arguments, **options)
    return _noted(dequeued, capacity) if this._tfmigrate_is_fed else dequeued


def _waits(queue: Any, capacity: int) -> Any:
    """Returns an op that ends when a queue is full, or closed."""
    tf = _compat()

    def wait(count: Any) -> Any:
        time.sleep(_SECONDS)
        return np.int32(count)

    def is_open(count: Any) -> Any:
        return tf.logical_and(queue.size() < capacity, tf.logical_not(queue.is_closed()))

    def body(count: Any) -> Any:
        waited = tf.py_func(wait, [count], tf.int32)
        waited.set_shape([])
        return waited

    return tf.while_loop(is_open, body, [tf.constant(0)])


def read_in_order(operation: Any) -> None:
    """Lets reads of one queue or iterator that an op needs wait for each other."""
    reads: Dict[int, List[Any]] = {}
    for each in graph_variables.run_by([operation]):
        is_read = each.type.startswith(_READS) and each._get_control_flow_context() is None
        if is_read:
            reads.setdefault(id(each.inputs[0].op), []).append(each)
    for source_reads in reads.values():
        if len(source_reads) > 1:
            ordered = graph_variables.in_order(source_reads)
            for position, after in enumerate(ordered[1:]):
                after._add_control_input(ordered[position])


def _noted(dequeued: List[Any], capacity: int) -> List[Any]:
    """Returns what a queue gives, of which the first, the numbers of the rows, are noted."""
    tf = _compat()
    batches: List[Any] = []
    _drawn.append((capacity, batches))

    def note(rows: Any) -> Any:
        batches.append(np.array(rows))
        return np.int32(0)

    with tf.device("/cpu:0"):
        noted = tf.py_func(note, [dequeued[0]], tf.int32)
    with tf.control_dependencies([noted]):
        return [tf.identity(each) for each in dequeued]


def _compat() -> Any:
    import tensorflow as tf

    return getattr(getattr(tf, "compat", tf), "v1", tf)


def _in_order(dataset: Any, count: int, rows: Any) -> Any:
    """Returns a dataset in an order, of which each pass takes as many rows as there are.

    The queue of TensorFlow 1.x drew across the ends of epochs, so that a pass need not have every
    row; that of all passes together is its order.
    """
    import tensorflow as tf

    whole = next(iter(dataset.batch(count)))
    left = list(rows)

    def one_pass() -> Iterator[int]:
        for drawn in np.random.permutation(count):
            yield int(left.pop(0) if left else drawn)

    def at(row: Any) -> Any:
        return tf.nest.map_structure(lambda tensor: tensor[row], whole)

    order = tf.data.Dataset.from_generator(one_pass, tf.int64, [])
    return order.map(at).apply(tf.data.experimental.assert_cardinality(count))


class Rows:
    """The rows that queues gave or, where they are given, that inputs begin with."""

    def __init__(self, path: Any) -> None:
        """Takes the original's trace, None for nothing."""
        self._path = path
        self._left: List[Tuple[Any, int]] = []  # the rows, and the capacity of their queue

    def install(self) -> None:
        """Lets shuffled inputs of the runtime take the rows of a trace, if it has any."""
        from .. import recording  # it needs this file

        if not self._path:
            return
        rows = fit_shuffles.numbered(self._path, _PREFIX)
        self._left = list(zip(rows, recording.meta_of(self._path).get("queues", ())))
        if self._left:
            imports.when_loaded(_INPUTS, self._replace)
            self._replace_shuffle()

    def _replace(self, module: Any) -> None:

        def _shuffled_rows(
            original: Any, examples: int, queue_capacity: int, num_epochs: Any
        ) -> Any:
            drawn = original(examples, queue_capacity, num_epochs)
            rows, capacity = self._left.pop(0) if self._left else ([], 0)
            if not len(rows) or not 0 <= min(rows) <= max(rows) < examples:
                return drawn  # pandas counts by its index, which may be anything
            if queue_capacity != capacity:
                return drawn  # it shuffles more or less than the original
            if num_epochs is not None:
                rows = rows[: examples * num_epochs]
                drawn = drawn.take(examples * num_epochs - len(rows))
            return _compat().data.Dataset.from_tensor_slices(rows).concatenate(drawn)

        wrapping.wrap(module, "_shuffled_rows", _shuffled_rows)

    def _replace_shuffle(self) -> None:
        """Lets a Dataset that eager programs shuffle take the rows of a queue of its size."""
        import tensorflow as tf

        kind = tf.data.Dataset

        def shuffle(
            original: Any, this: Any, buffer_size: Any, *arguments: Any, **options: Any
        ) -> Any:
            drawn = original(this, buffer_size, *arguments, **options)
            if not self._left or not tf.executing_eagerly():
                return drawn
            (rows, capacity), count = self._left[0], int(this.cardinality())
            is_within = len(rows) and 0 <= min(rows) <= max(rows) < count
            if not is_within or int(buffer_size) != capacity:
                return drawn
            del self._left[0]
            return _in_order(this, count, rows)

        wrapping.wrap(kind, "shuffle", shuffle)

    def arrays(self) -> Dict[str, Any]:
        """Returns the rows for the trace."""
        return {
            _PREFIX + str(number): np.concatenate(batches) if batches else np.zeros(0, np.int64)
            for number, (_, batches) in enumerate(_drawn)
        }

    def meta(self) -> Dict[str, Any]:
        """Returns the capacities of the queues."""
        capacities = [capacity for capacity, _ in _drawn]
        return {"queues": capacities, "shuffling": _shuffling} if _shuffling else {}
