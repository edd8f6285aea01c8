"""Features that an Estimator returns with its predictions, for both runtimes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

_FORWARDED_OUTPUTS = ("predict", "serving_default")


def forwarding(
    predicting: Callable[..., Any],
    output_class: Any,
    keys: str | Sequence[str] | None,
    sparse_default_values: Mapping[str, Any] | None,
) -> Callable[..., Any]:
    """Returns a model function whose predictions have features of the input too.

    Args:
        predicting: the model function.
        output_class: PredictOutput, of the same tf.estimator.
        keys: the names of the features; None for all of them.
        sparse_default_values: by the name of a sparse feature, what fills it up to a dense one.

    Raises:
        TypeError: the keys are no strings. The model function raises ValueError for a feature
            that is missing, is predicted already, or is sparse without a default value.
    """
    wanted = _checked_keys(keys)

    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
        spec = predicting(features, labels, mode, config)
        if (predictions := spec.predictions) is None:
            return spec
        names = list(features) if wanted is None else wanted
        _check_names(names, features, predictions)
        for name in names:
            predictions[name] = _dense(name, features[name], sparse_default_values or {})
        for key in _FORWARDED_OUTPUTS:
            output = (spec.export_outputs or {}).get(key)
            if isinstance(output, output_class):
                output.outputs.update({name: predictions[name] for name in names})
        return spec._replace(predictions=predictions)

    return model_fn


def _checked_keys(keys: Any) -> Sequence[str] | None:
    if keys is None or isinstance(keys, str):
        return keys if keys is None else [keys]
    if not isinstance(keys, (list, tuple)):
        raise TypeError(f"keys should be either a string or a list of strings. Given: {type(keys)}")
    for key in keys:
        if not isinstance(key, str):
            raise TypeError(
                "All items in the given keys list should be a string. There exist an item with "
                f"type: {type(key)}"
            )
    return keys


def _check_names(names: Sequence[str], features: Any, predictions: Any) -> None:
    if not isinstance(predictions, dict):
        raise ValueError(
            "Predictions should be a dict to be able to forward features. Given: "
            f"{type(predictions)}"
        )
    for name in names:
        if name not in features:
            raise ValueError(
                f'keys should be exist in features. Key "{name}" is not in features dict. '
                f"features dict has following keys: {features.keys()}. Please check arguments of "
                "forward_features."
            )
        if name in predictions:
            raise ValueError(
                f"Cannot forward feature key ({name}). Since it does exist in predictions. "
                f"Existing prediction keys: {predictions.keys()}. Please check arguments of "
                "forward_features."
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
            "to filter unwanted features, oradd key to argument `sparse_default_values`.Type of "
            f"features[{name}] is {type(feature)}."
        )
    return feature
