"""Runs every session of a program with so many threads for the sums inside of an op.

Part of ``record.py``; runs on Python 3.6 or newer and TensorFlow 1.12 to 2.21. Another number of
threads adds the same numbers in another order: what changes then is rounding.
"""

import functools
from typing import Any


def set_threads(count: int) -> None:
    """Sets the number for all sessions, whatever they ask for, and for eager execution."""
    import tensorflow as tf
    from tensorflow.core.protobuf import config_pb2
    from tensorflow.python.client import session

    owner = session.BaseSession
    original = owner.__init__

    @functools.wraps(original)
    def initialize(this: Any, target: Any = "", graph: Any = None, config: Any = None) -> None:
        proto = config_pb2.ConfigProto()
        if config is not None:
            proto.CopyFrom(config)
        proto.intra_op_parallelism_threads = count
        original(this, target, graph, proto)

    owner.__init__ = initialize
    threading = getattr(tf.config, "threading", None) if hasattr(tf, "config") else None
    if threading is not None and tf.__version__.startswith("2."):
        threading.set_intra_op_parallelism_threads(count)
