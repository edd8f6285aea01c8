"""tf.contrib.tensorboard."""

from __future__ import annotations

from tfmigrate_runtime.tf1_shim.contrib.tensorboard import plugins

__all__ = ["plugins"]
