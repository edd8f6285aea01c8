"""Lets the steps that a ClusterCoordinator schedules take turns, and tells whose they are.

In TensorFlow 1.x every worker of an asynchronous cluster is a process with a loop. With a
``tf.distribute.coordinator.ClusterCoordinator`` one process has all the loops, each in a thread,
and whichever worker is free makes a step. A loop is that of worker i where the name of its thread
ends with the number i; a program without such names has one loop, that of the first worker.

One step is under way at a time, so that losses and variables are those of that step. Loops take
turns as processes do (``sessions/cluster_worker.py``): a turn ends when the loop schedules its next
step, or has ended. The functions that record run in the process of the coordinator, which has them.

Private names of TensorFlow that are touched, and why no public one does:

======================================================== =====================================
name (distribute.coordinator.cluster_coordinator)        what for
======================================================== =====================================
_CoordinatedClosureQueue.put                             when a function is handed to a worker
Closure._concrete_function                               whether that function trains
======================================================== =====================================
"""

import functools
import re
import threading
import time
from typing import Any, Callable, Dict, List, Optional

from . import functions

_POLL_SECONDS = 0.02
# A loop that has made no step yet may read data, or build the function of its step.
_PATIENCE_SECONDS = 60.0
_NUMBER = re.compile(r"(\d+)$")


class Turns:
    """The turns of the loops of one coordinator."""

    def __init__(self, count: int) -> None:
        """Takes the number of workers."""
        self._count = count
        self._lock = threading.RLock()
        self._threads: Dict[int, Any] = {}
        self._waiting: Dict[int, Callable[[], None]] = {}
        self._next = 0
        self._since = time.time()
        self.holder: Optional[int] = None

    def wait(self, index: int, thread: Any, release: Callable[[], None]) -> None:
        """Lets a step be handed to a worker once it is its turn; returns at once."""
        with self._lock:
            if not self._waiting:
                self._since = time.time()  # nobody lost time before: the first loop builds the step
            self._threads[index] = thread
            self._waiting[index] = release
            if self.holder == index:
                self._pass_on()
            self.check()

    def check(self) -> None:
        """Passes the turn on where its loop has ended, and hands out the step whose turn it is."""
        with self._lock:
            if self.holder is not None and not self._threads[self.holder].is_alive():
                self._pass_on()
            for _ in range(self._count):
                if self.holder is not None or not self._waiting:
                    return
                index = self._next
                if index in self._waiting:
                    self.holder = index
                    self._waiting.pop(index)()
                elif self._has_ended(index):
                    self._pass_on()
                else:
                    return

    def _has_ended(self, index: int) -> bool:
        if index in self._threads:
            return not self._threads[index].is_alive()
        return time.time() - self._since > _PATIENCE_SECONDS

    def _pass_on(self) -> None:
        self.holder = None
        self._next = (self._next + 1) % self._count
        self._since = time.time()


class Coordinated:
    """The steps of a coordinator, if the program has one."""

    def __init__(self) -> None:
        self._training: List[Any] = []  # graphs of functions that train
        self._turns: Optional[Turns] = None

    @property
    def worker(self) -> int:
        """The worker whose step is under way."""
        return (self._turns.holder if self._turns is not None else None) or 0

    @property
    def is_used(self) -> bool:
        """Whether a coordinator makes the steps."""
        return self._turns is not None

    def note_training(self) -> None:
        """Called while a function is built that trains."""
        from tensorflow.python.framework import ops

        if self._turns is not None:
            self._training.append(ops.get_default_graph())

    def install(self) -> None:
        """Wraps coordinators."""
        from tensorflow.python.distribute.coordinator import cluster_coordinator

        coordinator_class = cluster_coordinator.ClusterCoordinator
        coordinator_class.__init__ = self._noting_coordinator(coordinator_class.__init__)
        queue = cluster_coordinator._CoordinatedClosureQueue
        queue.put = self._taking_turns(queue.put)

    def _noting_coordinator(self, original: Callable[..., Any]) -> Any:
        @functools.wraps(original)
        def initialize(this: Any, strategy: Any, *arguments: Any, **options: Any) -> None:
            from tensorflow.python.eager import context

            original(this, strategy, *arguments, **options)
            if self._turns is None:
                functions.here.append(context.context().host_address_space())
                self._turns = Turns(strategy.extended._num_workers)
                threading.Thread(target=self._watch, name="tfmigrate-turns", daemon=True).start()

        return initialize

    def _taking_turns(self, original: Callable[..., Any]) -> Any:
        @functools.wraps(original)
        def put(this: Any, closure: Any, *arguments: Any, **options: Any) -> None:
            release = functools.partial(original, this, closure, *arguments, **options)
            graph = getattr(getattr(closure, "_concrete_function", None), "graph", None)
            if self._turns is None or all(graph is not known for known in self._training):
                release()
                return
            thread = threading.current_thread()
            number = _NUMBER.search(thread.name)
            self._turns.wait(int(number.group()) if number else 0, thread, release)

        return put

    def _watch(self) -> None:
        while self._turns is not None:
            time.sleep(_POLL_SECONDS)
            self._turns.check()
