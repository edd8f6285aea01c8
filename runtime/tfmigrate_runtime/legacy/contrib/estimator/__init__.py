"""tf.contrib.estimator."""

from __future__ import annotations

from tfmigrate_runtime.legacy.contrib.estimator.replicate_model_fn import (
    TowerOptimizer,
    replicate_model_fn,
)

__all__ = ["TowerOptimizer", "replicate_model_fn"]
