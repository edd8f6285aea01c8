"""What contrib.learn's model functions receive and return."""

from typing import Any, ClassVar

from tfmigrate_runtime.compat.shim_estimator import export_output
from tfmigrate_runtime.compat.shim_estimator import model_fn as estimator_model_fn
from tfmigrate_runtime.contrib.of_learn import model_fn

ModeKeys = model_fn.ModeKeys


class ModelFnOps(model_fn.ModelFnOps):
    """What a model function returns."""

    _spec: ClassVar[Any] = estimator_model_fn.EstimatorSpec
    _outputs: ClassVar[Any] = export_output
