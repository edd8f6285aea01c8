"""``tf.train.Supervisor`` and ``tf.train.SessionManager`` with runners."""

from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.graphs.runner import Runner
from tfmigrate_runtime.train.managed_sessions import sessions_are


class Supervisor(tf.train.Supervisor):  # type: ignore[misc]
    """A supervisor whose sessions are runners, of a program of one process."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        """Makes it; takes what ``tf.train.Supervisor`` takes."""
        graph = options.get("graph") or (arguments[0] if arguments else None)
        self._program = graph or tf.get_default_graph()
        with self._program.as_default():
            super().__init__(*arguments, **options)

    def prepare_or_wait_for_session(self, *arguments: Any, **options: Any) -> Any:
        """Returns a runner whose variables have values, as the method of TensorFlow does."""
        with self._program.as_default(), sessions_are(Runner):
            return super().prepare_or_wait_for_session(*arguments, **options)

    def start_standard_services(self, sess: Any) -> Any:
        """Starts the threads that save and count, as the method of TensorFlow does."""
        with self._program.as_default():
            return super().start_standard_services(sess)

    def start_queue_runners(self, sess: Any, queue_runners: Any = None) -> Any:
        """Starts the threads that fill queues, as the method of TensorFlow does."""
        with self._program.as_default():
            return super().start_queue_runners(sess, queue_runners)

    def summary_computed(self, sess: Any, summary: Any, global_step: Any = None) -> None:
        """Writes a summary, as the method of TensorFlow does."""
        with self._program.as_default():
            super().summary_computed(sess, summary, global_step)

    def stop(self, *arguments: Any, **options: Any) -> None:
        """Stops the threads, as the method of TensorFlow does."""
        with self._program.as_default():
            super().stop(*arguments, **options)


class SessionManager(tf.train.SessionManager):  # type: ignore[misc]
    """A session manager whose sessions are runners."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        """Makes it; takes what ``tf.train.SessionManager`` takes."""
        graph = options.get("graph") or (arguments[2] if len(arguments) > 2 else None)
        self._program = graph or tf.get_default_graph()
        with self._program.as_default():
            super().__init__(*arguments, **options)

    def prepare_session(self, *arguments: Any, **options: Any) -> Any:
        """Returns a runner whose variables have values, as the method of TensorFlow does."""
        with self._program.as_default(), sessions_are(Runner):
            return super().prepare_session(*arguments, **options)

    def recover_session(self, *arguments: Any, **options: Any) -> Any:
        """Returns a runner and whether a checkpoint was there, as the method of TensorFlow does."""
        with self._program.as_default(), sessions_are(Runner):
            return super().recover_session(*arguments, **options)

    def wait_for_session(self, *arguments: Any, **options: Any) -> Any:
        """Returns a runner when its variables have values, as the method of TensorFlow does."""
        with self._program.as_default(), sessions_are(Runner):
            return super().wait_for_session(*arguments, **options)
