"""Estimators and optimizers that extend others."""

from collections.abc import Sequence
from typing import Any

from tfmigrate_runtime.compat.shim_estimator import Estimator, PredictOutput, add_metrics
from tfmigrate_runtime.opt.clipped import clip_gradients_by_norm
from tfmigrate_runtime.train.forwarded_features import forwarding

__all__ = ["add_metrics", "clip_gradients_by_norm", "forward_features"]


def forward_features(
    estimator: Any,
    keys: str | Sequence[str] | None = None,
    sparse_default_values: dict[str, Any] | None = None,
) -> Any:
    """Returns an Estimator whose predictions have features of the input too: see ``forwarding``."""
    model_fn = forwarding(estimator.model_fn, PredictOutput, keys, sparse_default_values)
    return Estimator(model_fn=model_fn, model_dir=estimator.model_dir, config=estimator.config)
