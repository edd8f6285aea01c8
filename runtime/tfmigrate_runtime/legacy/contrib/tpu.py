"""tf.contrib.tpu without TPUs: what its Estimator does on CPUs and GPUs.

``TPUEstimator`` is that of tensorflow-estimator, as in TensorFlow 1.15.
"""

from __future__ import annotations

from typing import Any

from tensorflow.python.tpu import bfloat16, tpu_optimizer
from tensorflow_estimator.python.estimator.tpu import tpu_config, tpu_estimator

from tfmigrate_runtime.legacy.not_emulated import not_emulated

__all__ = [
    "CrossShardOptimizer",
    "InputPipelineConfig",
    "RunConfig",
    "TPUConfig",
    "TPUEstimator",
    "TPUEstimatorSpec",
    "bfloat16_scope",
]

CrossShardOptimizer = tpu_optimizer.CrossShardOptimizer
InputPipelineConfig = tpu_config.InputPipelineConfig
RunConfig = tpu_config.RunConfig
TPUConfig = tpu_config.TPUConfig
TPUEstimatorSpec = tpu_estimator.TPUEstimatorSpec
bfloat16_scope = bfloat16.bfloat16_scope


class TPUEstimator(tpu_estimator.TPUEstimator):  # type: ignore[misc]
    """An Estimator that gives its functions ``params["batch_size"]``; ``use_tpu=False`` only."""

    def __init__(
        self,
        model_fn: Any = None,
        model_dir: str | None = None,
        config: Any = None,
        params: Any = None,
        use_tpu: bool = True,
        *arguments: Any,
        **options: Any,
    ) -> None:
        """Makes it; the other arguments are those of tensorflow-estimator.

        Raises:
            AttributeError: it shall use TPUs.
            ValueError: an option is wrong.
        """
        if use_tpu:
            raise not_emulated("tf.contrib.tpu.TPUEstimator(use_tpu=True)")
        super().__init__(model_fn, model_dir, config, params, use_tpu, *arguments, **options)
