"""``tf.contrib.learn.utils``: exports and their inputs."""

from tfmigrate_runtime.learn.utils import saved_model_export_utils
from tfmigrate_runtime.learn.utils.saved_model_export_utils import make_export_strategy

__all__ = ["make_export_strategy", "saved_model_export_utils"]
