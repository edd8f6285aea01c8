"""tf.contrib.layers: the layers of tf_slim, and what it left out."""

import importlib

from tfmigrate_runtime.compat.tf_slim_loader import load_tf_slim
from tfmigrate_runtime.contrib import embeddings
from tfmigrate_runtime.contrib import optimize_loss as optimizers
from tfmigrate_runtime.contrib.gradients import adaptive_clipping_fn
from tfmigrate_runtime.tf1_shim.contrib.layers import feature_column, feature_column_ops
from tfmigrate_runtime.tf1_shim.names_of import names_of

load_tf_slim()
# Not ``tf_slim.layers``, the attribute: that is the module tf_slim.layers.layers.
_layers = importlib.import_module("tf_slim.layers")
ROOTS = ("tf_slim.layers",)
summaries = importlib.import_module("tf_slim.layers.summaries")
utils = importlib.import_module("tf_slim.layers.utils")
# The key of hashed crosses (core/lib of TensorFlow 1.x).
SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY = 0xDECAFCAFFE

__getattr__, _names = names_of(__name__, embeddings, optimizers, feature_column, _layers)
__all__ = [
    "SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY", "adaptive_clipping_fn", "feature_column",
    "feature_column_ops", "summaries", "utils",
]  # fmt: skip
__all__ += _names
