"""tf.contrib.tensorboard."""

from __future__ import annotations

from tfmigrate_runtime.legacy.contrib.tensorboard import plugins

__all__ = ["plugins"]
