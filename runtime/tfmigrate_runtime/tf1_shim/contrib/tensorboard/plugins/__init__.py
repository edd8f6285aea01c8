"""tf.contrib.tensorboard.plugins."""

from __future__ import annotations

from tfmigrate_runtime.tf1_shim.contrib.tensorboard.plugins import projector

__all__ = ["projector"]
