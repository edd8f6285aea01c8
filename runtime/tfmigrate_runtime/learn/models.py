"""The layers of tf.contrib.learn's first models: ``learn.models``."""

from tfmigrate_runtime.contrib.of_learn.models import (
    linear_regression,
    linear_regression_zero_init,
    logistic_regression,
    logistic_regression_zero_init,
)  # fmt: skip

__all__ = [
    "linear_regression", "linear_regression_zero_init", "logistic_regression",
    "logistic_regression_zero_init",
]  # fmt: skip
