"""tf.contrib.batching."""

import tensorflow as tf

__all__ = ["batch_function"]

batch_function = tf.nondifferentiable_batch_function
