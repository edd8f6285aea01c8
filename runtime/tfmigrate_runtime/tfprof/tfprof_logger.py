"""tf.contrib.tfprof.tfprof_logger."""

from __future__ import annotations

import tensorflow.compat.v1 as tf

write_op_log = tf.profiler.write_op_log

__all__ = ["write_op_log"]
