"""Eager threads alongside a program in graph mode.

A TensorFlow 1.x program lives in graph mode; ``ClusterCoordinator`` starts threads that must run
eagerly. Both hold in one process: the mode belongs to a thread, and new threads take the default.
"""

from contextlib import AbstractContextManager
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.eager import context


def eager_mode() -> AbstractContextManager[None]:
    """Returns a context in which this thread runs operations at once."""
    mode: AbstractContextManager[None] = context.eager_mode()
    return mode


def let_new_threads_run_eagerly() -> None:
    """Makes eager execution the mode of new threads; this thread keeps the mode it has."""
    # The first question to the context fixes the mode of this thread.
    context.context().executing_eagerly()
    context.default_execution_mode = context.EAGER_MODE


def captured(handle: Any) -> Any:
    """Returns the tensor that represents an eager one in the function that is being built."""
    return tf.get_default_graph().capture(handle)
