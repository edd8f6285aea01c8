"""contrib.learn's canned models, on its Estimators of the legacy runtime."""

from tfmigrate_runtime.contrib.of_learn.canned import combined, dnn, linear
from tfmigrate_runtime.tf1_shim.contrib.learn.estimator import Estimator


class DNNEstimator(dnn.DNNEstimator, Estimator):
    """A network with a head of one's own."""


class DNNClassifier(dnn.DNNClassifier, Estimator):
    """A network for classes."""


class DNNRegressor(dnn.DNNRegressor, Estimator):
    """A network for numbers."""


class LinearEstimator(linear.LinearEstimator, Estimator):
    """A linear model with a head of one's own."""


class LinearClassifier(linear.LinearClassifier, Estimator):
    """A linear model for classes."""


class LinearRegressor(linear.LinearRegressor, Estimator):
    """A linear model for numbers."""


class DNNLinearCombinedEstimator(combined.DNNLinearCombinedEstimator, Estimator):
    """Both models, with a head of one's own."""


class DNNLinearCombinedClassifier(combined.DNNLinearCombinedClassifier, Estimator):
    """Both models, for classes."""


class DNNLinearCombinedRegressor(combined.DNNLinearCombinedRegressor, Estimator):
    """Both models, for numbers."""
