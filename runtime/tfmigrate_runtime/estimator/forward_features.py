"""Features that an Estimator returns with its predictions (tf.contrib.estimator)."""

from collections.abc import Mapping, Sequence
from typing import Any

from tfmigrate_runtime.estimator.estimator import Estimator
from tfmigrate_runtime.estimator.export import PredictOutput
from tfmigrate_runtime.train.forwarded_features import forwarding


def forward_features(
    estimator: Estimator,
    keys: str | Sequence[str] | None = None,
    sparse_default_values: Mapping[str, Any] | None = None,
) -> Estimator:
    """Returns a new Estimator whose predictions hold features too.

    Args:
        estimator: the Estimator; the new one has its model directory and its config.
        keys: the features' names; None for all.
        sparse_default_values: for sparse features, the value of what they leave out, by name.

    Raises:
        TypeError: the keys are no strings.
    """

    def predicting(features: Any, *others: Any) -> Any:
        # A model function may take things out of a dict of features.
        return estimator.model_fn(dict(features), *others)

    model_fn = forwarding(predicting, PredictOutput, keys, sparse_default_values)
    return Estimator(model_fn, estimator.model_dir, estimator.config)
