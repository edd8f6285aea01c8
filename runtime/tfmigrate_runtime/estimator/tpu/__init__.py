"""tf.estimator.tpu and the same classes of tf.contrib.tpu, on CPUs and GPUs.

``TPUEstimator(use_tpu=False)`` trains as in TensorFlow 1.15; ``use_tpu=True`` raises.
"""

from tfmigrate_runtime.estimator.tpu.run_config import InputPipelineConfig, RunConfig, TPUConfig
from tfmigrate_runtime.estimator.tpu.tpu_estimator import TPUEstimator
from tfmigrate_runtime.estimator.tpu.tpu_spec import TPUEstimatorSpec

__all__ = ["InputPipelineConfig", "RunConfig", "TPUConfig", "TPUEstimator", "TPUEstimatorSpec"]
