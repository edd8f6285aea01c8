"""``tf.contrib.distribute.Monitor``."""

import itertools
from typing import Any

import tensorflow.compat.v1 as tf


class Monitor:
    """Makes the steps of a ``Step`` (tf.contrib.distribute.Monitor of TensorFlow 1.15)."""

    def __init__(self, step_callable: Any, session: tf.Session | None = None) -> None:
        """Initialises the step's input, then all variables.

        Args:
            step_callable: a ``Step``.
            session: the session that makes the steps in graph mode.

        Raises:
            ValueError: there is a session in eager mode, or none in graph mode.
        """
        if tf.executing_eagerly():
            if session is not None:
                raise ValueError("Should not provide a `session` in Eager mode.")
            self._run_step = step_callable
            return
        if session is None:
            raise ValueError("Should provide a `session` in Graph mode.")
        session.run(step_callable.initialize())
        self._run_step = session.make_callable(step_callable())
        session.run(tf.global_variables_initializer())

    def run_steps(self, num_steps: int | None = None) -> None:
        """Makes a number of steps, or as many as there is input for."""
        for _ in itertools.count() if num_steps is None else range(num_steps):
            try:
                self._run_step()
            except tf.errors.OutOfRangeError:
                return
