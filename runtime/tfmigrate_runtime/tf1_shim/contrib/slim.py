"""tf.contrib.slim: tf_slim, and all of tf.contrib.layers and tf.contrib.framework."""

from tfmigrate_runtime.compat.tf_slim_loader import load_tf_slim
from tfmigrate_runtime.tf1_shim.contrib import framework, layers
from tfmigrate_runtime.tf1_shim.names_of import names_of

ROOTS = ("tf_slim", "tf_slim.layers", "tf_slim.ops")
__getattr__, __all__ = names_of(__name__, load_tf_slim(), layers, framework)
