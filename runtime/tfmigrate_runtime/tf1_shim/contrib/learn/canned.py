"""contrib.learn's canned models, on its Estimators of the legacy runtime."""

from typing import Any

from tfmigrate_runtime.contrib.of_learn.canned import combined, dnn, linear
from tfmigrate_runtime.tf1_shim.contrib.learn.estimator import Estimator
from tfmigrate_runtime.tf1_shim.contrib.learn.model_fn import ModelFnOps


class _Estimator(Estimator):
    """An Estimator one of whose predictions is returned by itself."""

    _ops = ModelFnOps

    def _predicted(
        self, key: str, x: Any, input_fn: Any, batch_size: int | None, as_iterable: bool
    ) -> Any:
        predictions = super().predict(x, input_fn, batch_size, [key], as_iterable)
        return (row[key] for row in predictions) if as_iterable else predictions[key]


class DNNEstimator(dnn.DNNEstimator, _Estimator):
    """A network with a head of one's own."""


class DNNClassifier(dnn.DNNClassifier, _Estimator):
    """A network for classes."""


class DNNRegressor(dnn.DNNRegressor, _Estimator):
    """A network for numbers."""


class LinearEstimator(linear.LinearEstimator, _Estimator):
    """A linear model with a head of one's own."""


class LinearClassifier(linear.LinearClassifier, _Estimator):
    """A linear model for classes."""


class LinearRegressor(linear.LinearRegressor, _Estimator):
    """A linear model for numbers."""


class DNNLinearCombinedEstimator(combined.DNNLinearCombinedEstimator, _Estimator):
    """Both models, with a head of one's own."""


class DNNLinearCombinedClassifier(combined.DNNLinearCombinedClassifier, _Estimator):
    """Both models, for classes."""


class DNNLinearCombinedRegressor(combined.DNNLinearCombinedRegressor, _Estimator):
    """Both models, for numbers."""
