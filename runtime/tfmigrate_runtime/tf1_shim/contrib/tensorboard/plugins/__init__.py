"""tf.contrib.tensorboard.plugins."""

from __future__ import annotations

from tfmigrate_runtime.legacy.contrib.tensorboard.plugins import projector

__all__ = ["projector"]
