"""The losses that programs of TensorFlow 2 train, and the batches these are computed of.

Private names of TensorFlow that are touched, and why no public one does:

======================================================== =====================================
name (module tensorflow.python...)                       what for
======================================================== =====================================
eager.backprop.GradientTape.gradient, ``__enter__``,     the loss, and when it is computed
``__exit__``
distribute.distribute_lib.StrategyBase.run               what each replica is given
``_replica_id_in_sync_group``                            which replica is being built: the public
                                                         property adds an op
distribute.collective_all_reduce_strategy.               how many replicas a worker has
CollectiveAllReduceExtended._num_devices_per_worker
======================================================== =====================================
"""

import collections
import inspect
import itertools
import threading
from typing import Any, Deque, Dict, List, Optional, Sequence

import numpy as np

from ..program import wrapping
from ..sessions import graph_variables
from .created_variables import is_variable, tensorflow_variable
from .losses import Loss

_SOURCES = ("IteratorGetNext", "IteratorGetNextSync")


class Tapes:
    """Tracks the losses and variables of GradientTapes."""

    def __init__(self, native: Any) -> None:
        """Takes the observer.Native."""
        self._native = native
        self._open = threading.local()  # the numbers of the tapes that record, by thread
        self._numbers = itertools.count()
        self._runs: List[Any] = []  # number and arguments of strategy.run, innermost last
        self._count = 0  # how many runs there were
        self._shared: Dict[int, List[str]] = {}  # what the first replica of a run read, by name
        self._kept: List[Any] = []  # keeps ids from being given again
        # Tensors that are there once the last losses of functions have been noted.
        self.noted: Deque[Any] = collections.deque(maxlen=64)

    def install(self) -> None:
        """Wraps GradientTapes and strategies."""
        from tensorflow.python.distribute import distribute_lib
        from tensorflow.python.eager import backprop

        tape = backprop.GradientTape
        wrapping.after(tape, "gradient", self._note)
        wrapping.before(tape, "__enter__", self._note_start)
        wrapping.before(tape, "__exit__", self._note_end)
        wrapping.wrap(distribute_lib.StrategyBase, "run", self._noting_arguments)

    def _note_start(self, this: Any) -> None:
        from tensorflow.python.eager import context
        from tensorflow.python.framework import ops

        from . import functions

        if not functions.in_session_graph():
            with ops.init_scope():
                self._native.tape_opened()
            if context.executing_eagerly():
                self._native.draws.opened()
            else:
                self._native.draws.functions.note_tape()
        this._tfmigrate_number = next(self._numbers)
        self._numbers_of_open().append(this._tfmigrate_number)

    def _note_end(self, this: Any, *_exception: Any) -> None:
        self._numbers_of_open().remove(this._tfmigrate_number)

    def _numbers_of_open(self) -> List[int]:
        numbers: List[int] = self._open.__dict__.setdefault("numbers", [])
        return numbers

    def _noting_arguments(self, original: Any, *arguments: Any, **options: Any) -> Any:
        from tensorflow.python.eager import context

        passed = inspect.signature(original).bind(*arguments, **options).arguments
        if context.executing_eagerly():  # in the replicas it is too late: slots are made here
            self._native.tape_opened()
        self._count += 1
        self._runs.append((self._count, (passed.get("args", ()), passed.get("kwargs") or {})))
        try:
            return original(*arguments, **options)
        finally:
            self._runs.pop()

    @property
    def run_now(self) -> int:
        """The number of the run of a strategy that is being built; 0 for none."""
        return int(self._runs[-1][0]) if self._runs else 0

    def _is_shared(self, replica: int, tensors: Sequence[Any]) -> bool:
        """Whether the first replica reads the same tensors of a graph: its batch is of all."""
        import tensorflow as tf

        if not self.run_now or tf.executing_eagerly():
            return False
        names = [str(tensor.name) for tensor in tensors]
        return bool(names) and self._shared.setdefault(self.run_now, names) == names and replica > 0

    def _note(
        self, _gradients: Any, tape: Any, target: Any, sources: Any, *_others: Any, **_options: Any
    ) -> None:
        import tensorflow as tf

        from . import functions

        variables = [item for item in tf.nest.flatten(sources) if is_variable(item)]
        parts = [item for item in tf.nest.flatten(target) if tf.is_tensor(item)]
        if not variables or not parts or functions.in_session_graph():
            return  # of something else than variables, as in a penalty on gradients
        wholes = [tensorflow_variable(variable) for variable in variables]
        self._kept.append(wholes)
        self._native.by_hand.expect(wholes)
        keys = {id(whole) for whole in wholes}
        replica = getattr(tf.distribute.get_replica_context(), "_replica_id_in_sync_group", 0)
        replica = replica if isinstance(replica, int) else 0
        loss = tf.add_n([tf.reduce_sum(tf.cast(part, tf.float64)) for part in parts])
        # A worker of several has arrays for its own replicas only.
        strategy = tf.distribute.get_strategy()
        count = strategy.num_replicas_in_sync
        own = getattr(strategy.extended, "_num_devices_per_worker", count)
        batch, run = self._batch(replica % own, parts), self.run_now
        number = tape._tfmigrate_number
        tapes = number, [each for each in self._numbers_of_open() if each != number]

        def note(value: Any, *arrays: Any) -> None:
            arrays = arrays if self._native.wants_batches else ()
            self._native.losses.add(Loss(replica, run, tapes, keys, float(value), arrays))

        noted = functions.to_python(note, [loss] + batch)
        if noted is not None:
            self.noted.append(noted)

    def _batch(self, replica: int, targets: Sequence[Any]) -> List[Any]:
        """Returns the arrays that the replica is given, else those that a function is."""
        import tensorflow as tf
        from tensorflow.python.framework import ops

        graph = None if tf.executing_eagerly() else ops.get_default_graph()
        if self._runs:
            values = [
                _on_replica(item, replica)
                for item in tf.nest.flatten(self._runs[-1][1], expand_composites=False)
            ]
            arrays = [value for value in values if _is_array(value, graph)]
            if arrays:
                arrays = [tf.convert_to_tensor(value) for value in arrays]
                return [] if self._is_shared(replica, arrays) else arrays
        read = [] if graph is None else _read_by(graph, [target.op for target in targets])
        return [] if self._is_shared(replica, read) else read


def _on_replica(item: Any, replica: int) -> Any:
    values = getattr(item, "values", None)
    if isinstance(values, tuple) and not is_variable(item):
        return values[replica] if replica < len(values) else None
    return item


def _is_array(value: Any, graph: Any) -> bool:
    """Whether something is an array, or a tensor of a graph, with rows."""
    import tensorflow as tf

    if isinstance(value, np.ndarray):
        return value.ndim > 0
    if not tf.is_tensor(value) or is_variable(value) or not hasattr(value, "shape"):
        return False
    if getattr(value, "dtype", None) in (tf.variant, tf.resource) or value.shape.rank == 0:
        return False
    owner: Optional[Any] = getattr(value, "graph", None) if graph is not None else None
    return isinstance(value, tf.Tensor) and (owner is graph or hasattr(value, "_numpy"))


def _read_by(graph: Any, starts: Sequence[Any]) -> List[Any]:
    """Returns what ops are computed of: arguments of the function, else elements of iterators."""
    captured = {id(placeholder) for _, placeholder in graph.captures}
    own = [operation for operation in starts if operation.graph is graph]
    needed = list(graph_variables.run_by(own, control=False))

    def outputs_of(kinds: Sequence[str]) -> List[Any]:
        operations = graph_variables.in_order([each for each in needed if each.type in kinds])
        return [tensor for operation in operations for tensor in operation.outputs]

    arguments = [tensor for tensor in outputs_of(["Placeholder"]) if id(tensor) not in captured]
    return [each for each in outputs_of(_SOURCES) or arguments if _is_array(each, graph)]
