"""Monitored sessions, whose session is a runner."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from textwrap import shorten
from types import TracebackType
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.eager import context
from tfmigrate_runtime.graphs.runner import Runner
from tfmigrate_runtime.train.managed_sessions import sessions_are
from tfmigrate_runtime.train.peers import say

_OF_QUEUES = "QueueRunnerThread"
_TOKENS = "sync_token_q' is closed"  # of tf.train.SyncReplicasOptimizer
_NO_TOKENS = (
    "the session of the chief has ended, and no step can be made together with it: start this "
    "worker again"
)
_LONGEST = 300  # characters of an error


class _Monitored:
    """A monitored session whose hooks run in the graph, and the program's own code eagerly."""

    def __init__(self, make: Callable[[], Any]) -> None:
        """Makes the session in the default graph.

        Args:
            make: returns the monitored session.
        """
        self._graph = tf.get_default_graph()
        with self._graph.as_default(), sessions_are(Runner):
            self._monitored = make()
        self._block: Any = None

    @property
    def graph(self) -> Any:
        """The graph."""
        return self._graph

    def should_stop(self) -> bool:
        """Returns whether a hook has asked to stop."""
        return bool(self._monitored.should_stop())

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        """Runs operations with the hooks, as ``tf.train.MonitoredSession.run``."""
        with self._in_graph():
            return self._monitored.run(fetches, feed_dict, options, run_metadata)

    def run_step_fn(self, step_fn: Callable[..., Any]) -> Any:
        """Runs a step function, as ``tf.train.MonitoredSession.run_step_fn``."""
        with self._in_graph():
            return self._monitored.run_step_fn(step_fn)

    @contextlib.contextmanager
    def _in_graph(self) -> Iterator[None]:
        """Makes a block one of the graph.

        Raises:
            RuntimeError: the chief's queue of tokens was closed. TensorFlow takes what that raises
                for the end of the data, and the worker ended with exit code 0 in mid-training.
        """
        try:
            with self._graph.as_default(), sessions_are(Runner):
                yield
        except tf.errors.OutOfRangeError as error:
            if _TOKENS in str(error):
                raise RuntimeError(_NO_TOKENS) from error
            raise

    def close(self) -> None:
        """Ends the hooks and closes the runner."""
        with self._graph.as_default():
            self._monitored.close()

    def __enter__(self) -> _Monitored:
        """Makes the block eager."""
        self._block = context.eager_mode()
        self._block.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        """Ends the hooks; an error that only says that the training is over is not passed on.

        TensorFlow passes an error on when the threads of queues have ended, or had two minutes to.
        """
        self._block.__exit__(None, None, None)
        if error is not None and any(_OF_QUEUES in thread.name for thread in threading.enumerate()):
            first = shorten(str(error), _LONGEST, placeholder=" ...")
            say(f"the session ends after {type(error).__name__}: {first}; it waits for its queues")
        with self._graph.as_default():
            return bool(self._monitored.__exit__(kind, error, traceback))

    def _is_closed(self) -> bool:
        return bool(self._monitored._is_closed())

    def _tf_sess(self) -> Any:
        return self._monitored._tf_sess()


class MonitoredRunner(_Monitored):
    """``tf.train.MonitoredTrainingSession`` with a runner."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        """Makes it; takes what ``tf.train.MonitoredTrainingSession`` takes."""
        super().__init__(lambda: tf.train.MonitoredTrainingSession(*arguments, **options))


class MonitoredSessionRunner(_Monitored):
    """``tf.train.MonitoredSession`` with a runner, which the SessionCreator makes."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        """Makes it; takes what ``tf.train.MonitoredSession`` takes."""
        super().__init__(lambda: tf.train.MonitoredSession(*arguments, **options))


class SingularMonitoredRunner(_Monitored):
    """``tf.train.SingularMonitoredSession`` with a runner."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        """Makes it; takes what ``tf.train.SingularMonitoredSession`` takes."""
        super().__init__(lambda: tf.train.SingularMonitoredSession(*arguments, **options))

    def raw_session(self) -> Any:
        """Returns the runner."""
        return self._monitored.raw_session()
