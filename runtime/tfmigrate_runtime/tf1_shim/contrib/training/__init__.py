"""tf.contrib.training."""

import importlib

from tfmigrate_runtime.compat.tf_slim_loader import load_tf_slim
from tfmigrate_runtime.tf1_shim.contrib.training.hparam import HParams, parse_values
from tfmigrate_runtime.tf1_shim.names_of import names_of
from tfmigrate_runtime.train import device_setter
from tfmigrate_runtime.training import buckets

load_tf_slim()
_evaluation = importlib.import_module("tf_slim.training.evaluation")
_training = importlib.import_module("tf_slim.training.training")
ROOTS = ("tf_slim.training",)
__getattr__, _names = names_of(__name__, buckets, device_setter, _evaluation, _training)
__all__ = ["HParams", "parse_values"]
__all__ += _names
