"""Modes, and what a model function of contrib.learn returns."""

from typing import Any, ClassVar

from tfmigrate_runtime.contrib.of_learn import model_fn
from tfmigrate_runtime.contrib.of_learn.model_fn import ModeKeys as ModeKeys
from tfmigrate_runtime.estimator import export
from tfmigrate_runtime.estimator.spec import EstimatorSpec


class ModelFnOps(model_fn.ModelFnOps):
    """What a model function returns (``tf.contrib.learn.ModelFnOps``)."""

    _spec: ClassVar[Any] = EstimatorSpec
    _outputs: ClassVar[Any] = export
