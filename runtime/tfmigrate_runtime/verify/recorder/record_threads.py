"""Runs every session of a program with so many threads for the sums inside of an op.

Part of ``record.py``; runs on Python 3.6 or newer and TensorFlow 1.12 to 2.21. Another number of
threads adds the same numbers in another order: what changes then is rounding.
"""

from typing import Any

from . import record_config


def set_threads(count: int) -> None:
    """Sets the number for all sessions, whatever they ask for, and for eager execution."""
    import tensorflow as tf
    from tensorflow.python.client import session

    def change(proto: Any) -> None:
        proto.intra_op_parallelism_threads = count

    record_config.change_config(session.BaseSession, change)
    threading = getattr(tf.config, "threading", None) if hasattr(tf, "config") else None
    if threading is not None and tf.__version__.startswith("2."):
        threading.set_intra_op_parallelism_threads(count)
