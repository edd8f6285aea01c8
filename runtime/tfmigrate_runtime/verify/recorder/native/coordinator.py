"""Lets the steps that a ClusterCoordinator schedules take turns, and attributes them to workers.

In TensorFlow 1.x every worker of an asynchronous cluster is a process with a loop. With a
``tf.distribute.coordinator.ClusterCoordinator`` one process has the loop, and whichever worker is
free makes a step, so that which worker's batch comes next is left to chance. Here workers make the
steps in turn, one at a time, as processes do that take turns (``sessions/cluster_worker.py``):
losses and variables are those of that step. What is scheduled and does not train, as an evaluation,
is computed by the worker whose turn it is, and takes no turn. The functions that record run in the
process of the coordinator, which has all steps.

Private names of TensorFlow that are touched, and why no public one does:

======================================================== =====================================
name (distribute.coordinator.cluster_coordinator)        what for
======================================================== =====================================
_CoordinatedClosureQueue.get                             which worker computes what comes next
_CoordinatedClosureQueue.mark_finished                   when a step has been made
._queue_lock, ._closures_queued_condition                the worker whose turn it is waits there
._queue, ._tagged_queue, ._inflight_closure_count        whether it has something to compute
._should_process_closures                                whether the program has ended
Closure._concrete_function                               whether that function trains
======================================================== =====================================
"""

import time
from typing import Any, List, Optional

from ..program import wrapping
from . import functions

_POLL_SECONDS = 0.02


class Coordinated:
    """The steps of a coordinator, if the program has one.

    Attributes:
        worker: the worker whose step is under way, or comes next.
    """

    def __init__(self) -> None:
        self.worker = 0
        self._training: List[Any] = []  # graphs of functions that train
        self._count: Optional[int] = None  # workers; None without a coordinator
        self._is_step = False  # whether what is computed is a step
        self._steps = 0  # that were recorded of it

    @property
    def is_used(self) -> bool:
        """Whether a coordinator makes the steps."""
        return self._count is not None

    def note_training(self) -> None:
        """Called while a function is built that trains."""
        from tensorflow.python.framework import ops

        if self.is_used:  # a step may be in a branch or loop of what is scheduled
            self._training += functions.graphs_around(ops.get_default_graph())

    def note_step(self) -> bool:
        """Called where a step is recorded; returns whether it is the only one of its turn."""
        self._steps += 1
        return not self.is_used or self._steps == 1

    def install(self) -> None:
        """Wraps coordinators."""
        from tensorflow.python.distribute.coordinator import cluster_coordinator

        coordinator_class = cluster_coordinator.ClusterCoordinator
        wrapping.wrap(coordinator_class, "__init__", self._noting_coordinator)
        queue = cluster_coordinator._CoordinatedClosureQueue
        wrapping.wrap(queue, "get", self._in_turn)
        wrapping.wrap(queue, "mark_finished", self._ending_turn)

    def _noting_coordinator(
        self, original: Any, this: Any, strategy: Any, *arguments: Any, **options: Any
    ) -> None:
        from tensorflow.python.eager import context

        if not self.is_used:  # its threads ask at once whose turn it is
            functions.here.append(context.context().host_address_space())
            self._count = strategy.extended._num_workers
        original(this, strategy, *arguments, **options)

    def _in_turn(
        self, original: Any, this: Any, timeout: Optional[float] = None, tag: Any = None
    ) -> Any:
        def may_get() -> bool:
            if not this._should_process_closures or not this._tagged_queue[tag].empty():
                return True
            is_turn = tag == self.worker and not this._inflight_closure_count
            # Programs that train in other ways compute what they like where they like.
            return (is_turn or not self._training) and not this._queue.empty()

        until = None if timeout is None else time.time() + timeout
        closure = None
        while closure is None and (until is None or time.time() <= until):
            with this._queue_lock:
                # TensorFlow wakes up one worker, which may not be that whose turn it is.
                may = this._closures_queued_condition.wait_for(may_get, _POLL_SECONDS)
            closure = original(this, _POLL_SECONDS, tag) if may else None
            if not this._should_process_closures:
                break
        if closure is not None and closure.tag is None:
            graph = getattr(getattr(closure, "_concrete_function", None), "graph", None)
            self._is_step = any(graph is known for known in self._training)
            self._steps = 0
        return closure

    def _ending_turn(self, original: Any, this: Any) -> None:
        if self._is_step:
            self.worker = (self.worker + 1) % (self._count or 1)
        original(this)
