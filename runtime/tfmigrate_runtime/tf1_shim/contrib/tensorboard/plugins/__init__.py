"""tf.contrib.tensorboard.plugins."""

from tfmigrate_runtime.tf1_shim.contrib.tensorboard.plugins import projector

__all__ = ["projector"]
