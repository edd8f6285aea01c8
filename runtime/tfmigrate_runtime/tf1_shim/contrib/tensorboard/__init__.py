"""tf.contrib.tensorboard."""

from tfmigrate_runtime.tf1_shim.contrib.tensorboard import plugins

__all__ = ["plugins"]
