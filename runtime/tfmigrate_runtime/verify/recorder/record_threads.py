"""Runs every session of a program with a given number of threads within ops.

Part of ``record.py``; runs on Python 3.6 or newer and TensorFlow 1.12 to 2.21. A different number
of threads adds the same numbers in a different order, which changes only the rounding.
"""

from typing import Any

from . import record_config


def set_threads(count: int) -> None:
    """Sets the number for all sessions, overriding theirs, and for eager execution."""
    import tensorflow as tf
    from tensorflow.python.client import session

    def change(proto: Any) -> None:
        proto.intra_op_parallelism_threads = count

    record_config.change_config(session.BaseSession, change)
    threading = getattr(tf.config, "threading", None) if hasattr(tf, "config") else None
    if threading is not None and tf.__version__.startswith("2."):
        threading.set_intra_op_parallelism_threads(count)
