"""tf.contrib.staging on TensorFlow 2: the class is in a module that is not public."""

from tfmigrate_runtime.compat.queues import StagingArea

__all__ = ["StagingArea"]
