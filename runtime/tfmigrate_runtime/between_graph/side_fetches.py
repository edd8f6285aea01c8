"""What the threads of a supervisor fetch, with the next step of the workers.

The summaries of a model whose moving averages are updated with its loss contain reductions, which
wait for all workers, and only the chief's supervisor fetches them. Every worker's step has the same
reductions, so that the chief fetches the summaries in a step. TensorFlow 1.x fetched them in a call
of their own, at any time, which made one more update of the averages.
"""

import threading
from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

_NOT_IN_STEPS = (
    "The Supervisor's summaries wait for operations of the other workers that no training step "
    "runs. They are not written: leave these operations out of the summaries."
)


class SideFetch:
    """What one thread fetches; ``result`` is there once it is done."""

    def __init__(self, fetches: Any, waits: Sequence[int]) -> None:
        """Asks for it.

        Args:
            fetches: as a session takes them.
            waits: the numbers of the reductions among what they need.
        """
        self.fetches, self.waits, self.result = fetches, frozenset(waits), None
        self._done, self._has_result = threading.Event(), False

    def finish(self, result: Any) -> None:
        """Hands the result to the thread."""
        self.result, self._has_result = result, True
        self._done.set()

    def give_up(self) -> None:
        """Ends the thread, as the end of its input would; nothing where it has its result."""
        self._done.set()

    def wait(self) -> Any:
        """Returns the result, after the step.

        Raises:
            OutOfRangeError: training has ended; a coordinator takes it for the end.
        """
        self._done.wait()
        if not self._has_result:
            raise tf.errors.OutOfRangeError(None, None, "training has ended")
        return self.result


class SideFetches:
    """What threads wait for."""

    def __init__(self) -> None:
        """Nothing yet."""
        self._waiting: list[SideFetch] = []
        self._has_ended, self._has_warned = False, False
        self._lock = threading.Lock()

    def fetched_with_a_step(self, fetches: Any, waits: Sequence[int]) -> Any:
        """Returns what the next step fetches for a thread, which waits for it.

        Args:
            fetches: as a session takes them.
            waits: the numbers of the reductions among what they need.

        Raises:
            OutOfRangeError: training has ended.
        """
        wanted = SideFetch(fetches, waits)
        with self._lock:
            if self._has_ended:
                wanted.give_up()
            else:
                self._waiting.append(wanted)
        return wanted.wait()

    def of_step(self, waits: Sequence[int]) -> SideFetch | None:
        """Returns what a step with some reductions fetches for a thread, if one waits.

        Args:
            waits: the numbers of the step's reductions.
        """
        with self._lock:
            for position, wanted in enumerate(self._waiting):
                if wanted.waits <= set(waits):
                    return self._waiting.pop(position)
            if self._waiting and not self._has_warned:
                self._has_warned = True
                tf.logging.warning(_NOT_IN_STEPS)
        return None

    def end(self) -> None:
        """Ends the threads that wait, now and later."""
        with self._lock:
            self._has_ended = True
            for wanted in self._waiting:
                wanted.give_up()
            self._waiting.clear()
