"""tf.contrib.batching."""

from __future__ import annotations

from tensorflow.python.ops import batch_ops

__all__ = [
    "batch_function",
]

batch_function = batch_ops.batch_function
