"""tf.contrib.hooks."""

import tensorflow.compat.v1 as tf

__all__ = ["ProfilerHook"]

ProfilerHook = tf.train.ProfilerHook
