"""tf.contrib.staging."""

from __future__ import annotations

from tfmigrate_runtime.compat.queues import StagingArea

__all__ = ["StagingArea"]
