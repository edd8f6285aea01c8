"""tf.contrib.predictor on TensorFlow 2: predictions of an exported model, one call each.

``from tfmigrate_runtime import predictor`` instead of ``tf.contrib.predictor``.
"""

from tfmigrate_runtime.contrib.saved_model_predictor import from_saved_model
from tfmigrate_runtime.predictor import predictor
from tfmigrate_runtime.predictor.factories import from_estimator

__all__ = ["from_estimator", "from_saved_model", "predictor"]
