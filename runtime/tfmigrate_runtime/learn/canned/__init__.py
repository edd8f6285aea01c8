"""The canned Estimators of tf.contrib.learn: its heads, its networks, its linear models.

They are not those of tf.estimator: losses are means, not sums; weights start from other numbers;
predictions, metrics and variables have other names.
"""

from __future__ import annotations

from tfmigrate_runtime.learn.canned.combined import (
    DNNLinearCombinedClassifier,
    DNNLinearCombinedRegressor,
)
from tfmigrate_runtime.learn.canned.dnn import DNNClassifier, DNNRegressor
from tfmigrate_runtime.learn.canned.linear import LinearClassifier, LinearRegressor

__all__ = [
    "DNNClassifier",
    "DNNLinearCombinedClassifier",
    "DNNLinearCombinedRegressor",
    "DNNRegressor",
    "LinearClassifier",
    "LinearRegressor",
]
