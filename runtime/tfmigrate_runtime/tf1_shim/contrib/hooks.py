"""tf.contrib.hooks."""

from __future__ import annotations

import tensorflow.compat.v1 as tf

__all__ = ["ProfilerHook"]

ProfilerHook = tf.train.ProfilerHook
