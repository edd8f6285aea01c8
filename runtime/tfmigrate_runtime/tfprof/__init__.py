"""tf.contrib.tfprof on TensorFlow 2: it is tf.profiler of compat.v1, with the old arguments."""

from tfmigrate_runtime import compat as compat  # refuses other versions of TensorFlow
from tfmigrate_runtime.tfprof import model_analyzer, tfprof_logger

__all__ = ["model_analyzer", "tfprof_logger"]
