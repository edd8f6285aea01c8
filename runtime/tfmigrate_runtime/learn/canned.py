"""The canned Estimators of tf.contrib.learn: its heads, its networks, its linear models.

They are not those of tf.estimator: losses are means, not sums; weights start from other numbers;
predictions, metrics and variables have other names.
"""

from tfmigrate_runtime.contrib.of_learn.canned import combined, dnn, linear
from tfmigrate_runtime.learn.estimator import Estimator


class DNNClassifier(dnn.DNNClassifier, Estimator):
    """A network that classifies (``tf.contrib.learn.DNNClassifier``)."""


class DNNRegressor(dnn.DNNRegressor, Estimator):
    """A network that predicts numbers (``tf.contrib.learn.DNNRegressor``)."""


class DNNLinearCombinedClassifier(combined.DNNLinearCombinedClassifier, Estimator):
    """Both models together, for classes (``tf.contrib.learn.DNNLinearCombinedClassifier``)."""


class DNNLinearCombinedRegressor(combined.DNNLinearCombinedRegressor, Estimator):
    """Both models together, for numbers (``tf.contrib.learn.DNNLinearCombinedRegressor``)."""


class LinearClassifier(linear.LinearClassifier, Estimator):
    """A linear model that classifies (``tf.contrib.learn.LinearClassifier``)."""


class LinearRegressor(linear.LinearRegressor, Estimator):
    """A linear model that predicts numbers (``tf.contrib.learn.LinearRegressor``)."""
