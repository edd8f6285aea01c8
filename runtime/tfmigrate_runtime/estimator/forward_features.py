"""Features that an Estimator returns with its predictions (tf.contrib.estimator)."""

from collections.abc import Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.estimator import Estimator
from tfmigrate_runtime.estimator.export import PredictOutput

_SERVED = ("predict", "serving_default")


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
    wanted = [keys] if isinstance(keys, str) else keys
    if wanted is not None and not isinstance(wanted, (list, tuple)):
        raise TypeError(f"keys should be either a string or a list of strings. Given: {type(keys)}")
    for key in wanted or ():
        if not isinstance(key, str):
            raise TypeError(
                "All items in the given keys list should be a string. There exist an item with "
                f"type: {type(key)}"
            )
    defaults = sparse_default_values or {}

    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
        # A model function may take things out of a dict of features.
        features_before = dict(features)
        spec = estimator.model_fn(features, labels, mode, config)
        if (predictions := spec.predictions) is None:
            return spec
        names = list(features_before) if wanted is None else wanted
        _verify(names, features_before, predictions)
        for name in names:
            predictions[name] = _dense(name, features_before[name], defaults)
        spec = spec._replace(predictions=predictions)
        for served in _SERVED:
            output = (spec.export_outputs or {}).get(served)
            if isinstance(output, PredictOutput):
                output.outputs.update({name: predictions[name] for name in names})
        return spec

    return Estimator(model_fn, estimator.model_dir, estimator.config)


def _verify(names: Sequence[str], features: Any, predictions: Any) -> None:
    if not isinstance(predictions, dict):
        raise ValueError(
            "Predictions should be a dict to be able to forward features. "
            f"Given: {type(predictions)}"
        )
    for name in names:
        if name not in features:
            raise ValueError(f'keys should be exist in features. Key "{name}" is not in features.')
        if name in predictions:
            raise ValueError(
                f"Cannot forward feature key ({name}). Since it does exist in predictions."
            )


def _dense(name: str, value: Any, defaults: Mapping[str, Any]) -> Any:
    feature = tf.convert_to_tensor_or_sparse_tensor(value)
    if name in defaults:
        if not isinstance(feature, tf.SparseTensor):
            raise ValueError(f"Feature ({name}) is expected to be a `SparseTensor`.")
        feature = tf.sparse_tensor_to_dense(feature, default_value=defaults[name])
    if not isinstance(feature, tf.Tensor):
        raise ValueError(
            f"Feature ({name}) should be a Tensor. Please use `keys` argument of forward_features "
            "to filter unwanted features, or add key to argument `sparse_default_values`."
        )
    return feature
