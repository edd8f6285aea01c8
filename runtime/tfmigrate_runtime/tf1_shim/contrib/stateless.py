"""tf.contrib.stateless."""

import tensorflow.compat.v1 as tf

__all__ = [
    "stateless_multinomial",
    "stateless_random_normal",
    "stateless_random_uniform",
    "stateless_truncated_normal",
]

stateless_multinomial = tf.random.stateless_multinomial
stateless_random_normal = tf.random.stateless_normal
stateless_random_uniform = tf.random.stateless_uniform
stateless_truncated_normal = tf.random.stateless_truncated_normal
