"""tf.contrib.staging."""

from tfmigrate_runtime.compat.queues import StagingArea

__all__ = ["StagingArea"]
