"""tf.contrib.tfprof."""

from tfmigrate_runtime import tfprof
from tfmigrate_runtime.tf1_shim.names_of import names_of

ROOTS = ("tfmigrate_runtime.tfprof",)
__getattr__, __all__ = names_of(__name__, tfprof)
