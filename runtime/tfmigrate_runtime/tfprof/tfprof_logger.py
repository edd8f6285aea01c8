"""tf.contrib.tfprof.tfprof_logger."""

import tensorflow.compat.v1 as tf

write_op_log = tf.profiler.write_op_log

__all__ = ["write_op_log"]
