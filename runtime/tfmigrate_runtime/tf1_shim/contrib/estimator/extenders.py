"""Estimators and optimizers that extend others."""

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.shim_estimator import Estimator, PredictOutput, add_metrics

__all__ = ["add_metrics", "clip_gradients_by_norm", "forward_features"]

_FORWARDED_OUTPUTS = ("predict", "serving_default")


def clip_gradients_by_norm(optimizer: Any, clip_norm: Any) -> Any:
    """Returns an optimizer that clips all gradients together by their global norm."""

    def clipped(grads_and_vars: Any) -> list[tuple[Any, Any]]:
        gradients, variables = zip(*grads_and_vars, strict=True)
        gradients, _ = tf.clip_by_global_norm(gradients, clip_norm)
        return list(zip(gradients, variables, strict=True))

    return _TransformGradients(optimizer, clipped, name="ClipByNorm" + optimizer.get_name())


class _TransformGradients(tf.train.Optimizer):  # type: ignore[misc]
    """Changes gradients before another optimizer applies them."""

    def __init__(
        self, optimizer: Any, transform_grads_fn: Callable[[Any], Any], name: str | None = None
    ) -> None:
        super().__init__(use_locking=False, name=name or optimizer.get_name())
        self._optimizer = optimizer
        self._transform_grads_fn = transform_grads_fn

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """Is the other optimizer's."""
        return self._optimizer.compute_gradients(*args, **kwargs)

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """Applies the changed gradients by the other optimizer."""
        return self._optimizer.apply_gradients(
            self._transform_grads_fn(grads_and_vars), global_step, name
        )

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """Is the other optimizer's."""
        return self._optimizer.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> Any:
        """Is the other optimizer's."""
        return self._optimizer.get_slot_names(*args, **kwargs)


def forward_features(
    estimator: Any,
    keys: str | Sequence[str] | None = None,
    sparse_default_values: dict[str, Any] | None = None,
) -> Any:
    """Returns an Estimator whose predictions have features of the input too.

    Args:
        estimator: the one that predicts.
        keys: the names of the features; None for all of them.
        sparse_default_values: by the name of a sparse feature, what fills it up to a dense one.

    Raises:
        TypeError: the keys are no strings. The model function raises ValueError for a feature
            that is missing, is predicted already, or is sparse without a default value.
    """
    wanted = _checked_keys(keys)

    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
        spec = estimator.model_fn(features, labels, mode, config)
        if (predictions := spec.predictions) is None:
            return spec
        names = list(features) if wanted is None else wanted
        _check_names(names, features, predictions)
        for name in names:
            predictions[name] = _dense(name, features[name], sparse_default_values or {})
        for key in _FORWARDED_OUTPUTS:
            output = (spec.export_outputs or {}).get(key)
            if isinstance(output, PredictOutput):
                output.outputs.update({name: predictions[name] for name in names})
        return spec._replace(predictions=predictions)

    return Estimator(model_fn=model_fn, model_dir=estimator.model_dir, config=estimator.config)


def _checked_keys(keys: Any) -> list[str] | None:
    if keys is None:
        return None
    if isinstance(keys, str):
        return [keys]
    if not isinstance(keys, (list, tuple)):
        raise TypeError(f"keys should be either a string or a list of strings. Given: {type(keys)}")
    for key in keys:
        if not isinstance(key, str):
            raise TypeError(
                "All items in the given keys list should be a string. There exist an item with "
                f"type: {type(key)}"
            )
    return list(keys)


def _check_names(names: list[str], features: Any, predictions: Any) -> None:
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


def _dense(name: str, value: Any, defaults: dict[str, Any]) -> Any:
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
