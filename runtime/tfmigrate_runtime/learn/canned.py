"""The canned Estimators of tf.contrib.learn: its heads, its networks, its linear models.

They are not those of tf.estimator: losses are means, not sums; weights start from other numbers;
predictions, metrics and variables have other names.
"""

from typing import Any

import numpy as np

from tfmigrate_runtime.contrib.of_learn.canned import combined, dnn, linear
from tfmigrate_runtime.learn.estimator import Estimator
from tfmigrate_runtime.learn.model_fn import ModelFnOps


class _Estimator(Estimator):
    """An Estimator one of whose predictions is returned by itself."""

    _ops = ModelFnOps

    def _predicted(
        self, key: str, x: Any, input_fn: Any, batch_size: int | None, as_iterable: bool
    ) -> Any:
        if as_iterable:
            predictions = super().predict(x, input_fn, batch_size, [key])
            return (prediction[key] for prediction in predictions)
        if x is None:
            return super().predict(None, input_fn, batch_size, [key], False)[key]
        batches = super().predict(x, None, batch_size, [key], iterate_batches=True)
        return np.concatenate([batch[key] for batch in batches])


class DNNClassifier(dnn.DNNClassifier, _Estimator):
    """A network that classifies (``tf.contrib.learn.DNNClassifier``)."""


class DNNRegressor(dnn.DNNRegressor, _Estimator):
    """A network that predicts numbers (``tf.contrib.learn.DNNRegressor``)."""


class DNNLinearCombinedClassifier(combined.DNNLinearCombinedClassifier, _Estimator):
    """Both models together, for classes (``tf.contrib.learn.DNNLinearCombinedClassifier``)."""


class DNNLinearCombinedRegressor(combined.DNNLinearCombinedRegressor, _Estimator):
    """Both models together, for numbers (``tf.contrib.learn.DNNLinearCombinedRegressor``)."""


class LinearClassifier(linear.LinearClassifier, _Estimator):
    """A linear model that classifies (``tf.contrib.learn.LinearClassifier``)."""


class LinearRegressor(linear.LinearRegressor, _Estimator):
    """A linear model that predicts numbers (``tf.contrib.learn.LinearRegressor``)."""
