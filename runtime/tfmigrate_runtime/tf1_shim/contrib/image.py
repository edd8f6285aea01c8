"""tf.contrib.image: what needs no kernel of its own."""

from tfmigrate_runtime import image
from tfmigrate_runtime.tf1_shim.names_of import names_of

__getattr__, __all__ = names_of(__name__, image)
