"""tf.contrib.metrics."""

from tfmigrate_runtime import metrics
from tfmigrate_runtime.tf1_shim.names_of import names_of

ROOTS = ("tf_slim.metrics",)
__getattr__, __all__ = names_of(__name__, metrics)
