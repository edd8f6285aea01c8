"""``tf.estimator.add_metrics``: an Estimator with metrics that its model function lacks."""

from collections.abc import Callable
from typing import Any

from tfmigrate_runtime.estimator.estimator import Estimator
from tfmigrate_runtime.estimator.mode_keys import ModeKeys
from tfmigrate_runtime.train.passed_on import argument_names, pass_on

_ARGUMENTS = ("predictions", "features", "labels", "config")


def add_metrics(estimator: Estimator, metric_fn: Callable[..., Any]) -> Estimator:
    """Returns a new Estimator whose evaluations have more metrics.

    Args:
        estimator: the Estimator; the new one has its model directory and its config.
        metric_fn: takes any of ``predictions``, ``features``, ``labels`` and ``config`` and returns
            pairs (value, update op) by name. A name that is there already is replaced.

    Raises:
        ValueError: metric_fn takes another argument.
    """
    if unknown := sorted(argument_names(metric_fn) - set(_ARGUMENTS)):
        raise ValueError(f"metric_fn ({metric_fn}) has following not expected args: {unknown}")

    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
        # A model function may take things out of a dict of features.
        features_before = dict(features) if isinstance(features, dict) else features
        spec = estimator.model_fn(features, labels, mode, config)
        if mode != ModeKeys.EVAL:
            return spec
        offered = {
            "predictions": spec.predictions,
            "features": features_before,
            "labels": labels,
            "config": config,
        }
        added = pass_on(metric_fn, offered)
        return spec._replace(eval_metric_ops={**spec.eval_metric_ops, **added})

    return Estimator(
        model_fn, estimator.model_dir, estimator.config, warm_start_from=estimator._warm_start
    )
