"""Supervisor and MonitoredTrainingSession over the session of a coordinator."""

from contextlib import nullcontext
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat import patches
from tfmigrate_runtime.coordinator.session import Session
from tfmigrate_runtime.train.managed_sessions import monitored_training_session, sessions_are


class Supervisor(tf.train.Supervisor):  # type: ignore[misc]
    """``tf.train.Supervisor`` of a coordinator; it is always the chief."""

    def __init__(self, graph: Any = None, **options: Any) -> None:
        """Takes the arguments of ``tf.train.Supervisor``; ``is_chief`` is that of the coordinator.

        Args:
            graph: the graph, the default one if None.
            **options: the other arguments, by keyword.
        """
        patches.wrap_once(tf.train.LooperThread, "run", _in_graph)
        super().__init__(graph, **{**options, "is_chief": True})

    def prepare_or_wait_for_session(self, *arguments: Any, **options: Any) -> Any:
        """Returns a session whose variables have values, as the method of TensorFlow does."""
        with sessions_are(Session):
            return super().prepare_or_wait_for_session(*arguments, **options)

    def loop(
        self, timer_interval_secs: float, target: Any, args: Any = None, kwargs: Any = None
    ) -> Any:
        """Starts a thread that calls a function again and again, with the session's graph."""
        graph = tf.get_default_graph()

        def in_graph(*positional: Any, **named: Any) -> None:
            with graph.as_default():
                target(*positional, **named)

        return super().loop(timer_interval_secs, in_graph, args, kwargs)


def _in_graph(run: Any, thread: Any) -> None:
    """Runs a thread of a supervisor: new threads are eager, and do not know the program's graph."""
    session = getattr(thread, "_sess", None)
    with session.graph.as_default() if isinstance(session, Session) else nullcontext():
        run(thread)


class _Creator(tf.train.ChiefSessionCreator):  # type: ignore[misc]
    def create_session(self) -> Any:
        with sessions_are(Session):
            return super().create_session()


def MonitoredTrainingSession(  # noqa: N802 - the name of TensorFlow's function
    master: str = "", is_chief: bool = True, *arguments: Any, **options: Any
) -> Any:
    """Returns a ``tf.train.MonitoredSession`` on the coordinator's cluster.

    The arguments and their defaults are those of ``tf.train.MonitoredTrainingSession``;
    ``master``, ``is_chief`` and ``max_wait_secs`` are not used: the coordinator is the chief.
    """
    return monitored_training_session(_Creator, master, True, *arguments, **options)
