"""tf.contrib.lookup."""

from tfmigrate_runtime import lookup
from tfmigrate_runtime.tf1_shim.names_of import names_of

__getattr__, __all__ = names_of(__name__, lookup)
