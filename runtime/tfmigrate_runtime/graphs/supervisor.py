"""``tf.train.Supervisor`` and ``tf.train.SessionManager`` with runners."""

import functools
from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.graphs.runner import Runner
from tfmigrate_runtime.train.managed_sessions import sessions_are


def _in_its_graph(method: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a method of TensorFlow that runs in the graph of its object, and makes runners."""

    @functools.wraps(method)
    def call(this: Any, *arguments: Any, **options: Any) -> Any:
        with this._program.as_default(), sessions_are(Runner):
            return method(this, *arguments, **options)

    return call


class Supervisor(tf.train.Supervisor):  # type: ignore[misc]
    """A supervisor whose sessions are runners, of a program of one process."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        """Makes it; takes what ``tf.train.Supervisor`` takes."""
        graph = options.get("graph") or (arguments[0] if arguments else None)
        self._program = graph or tf.get_default_graph()
        with self._program.as_default():
            super().__init__(*arguments, **options)

    prepare_or_wait_for_session = _in_its_graph(tf.train.Supervisor.prepare_or_wait_for_session)
    start_standard_services = _in_its_graph(tf.train.Supervisor.start_standard_services)
    start_queue_runners = _in_its_graph(tf.train.Supervisor.start_queue_runners)
    summary_computed = _in_its_graph(tf.train.Supervisor.summary_computed)
    stop = _in_its_graph(tf.train.Supervisor.stop)


class SessionManager(tf.train.SessionManager):  # type: ignore[misc]
    """A session manager whose sessions are runners."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        """Makes it; takes what ``tf.train.SessionManager`` takes."""
        graph = options.get("graph") or (arguments[2] if len(arguments) > 2 else None)
        self._program = graph or tf.get_default_graph()
        with self._program.as_default():
            super().__init__(*arguments, **options)

    prepare_session = _in_its_graph(tf.train.SessionManager.prepare_session)
    recover_session = _in_its_graph(tf.train.SessionManager.recover_session)
    wait_for_session = _in_its_graph(tf.train.SessionManager.wait_for_session)
