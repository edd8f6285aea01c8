"""The loop of tf.contrib.distribute that makes steps, for both runtimes."""

import itertools
from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf


class Monitor:
    """Initializes a step and makes it again and again in a session."""

    def __init__(self, step_callable: Any, session: Any = None) -> None:
        """Initializes the step and all variables.

        Args:
            step_callable: the step.
            session: the ``tf.Session``.

        Raises:
            ValueError: there is no session, in graph mode, or there is one, in eager mode.
        """
        self._run_step: Callable[[], Any]
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
        """Makes steps until the input ends.

        Args:
            num_steps: how many at most; None for no limit.
        """
        for _ in itertools.count() if num_steps is None else range(num_steps):
            try:
                self._run_step()
            except tf.errors.OutOfRangeError:
                return
