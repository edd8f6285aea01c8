"""tf.contrib.losses."""

from tfmigrate_runtime import losses
from tfmigrate_runtime.tf1_shim.names_of import names_of

ROOTS = ("tf_slim.losses",)
__getattr__, __all__ = names_of(__name__, losses)
