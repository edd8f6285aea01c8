"""What makes tensors of the columns of tf.contrib.layers."""

from tfmigrate_runtime.contrib.columns import feature_inputs
from tfmigrate_runtime.tf1_shim.names_of import names_of

__getattr__, __all__ = names_of(__name__, feature_inputs)
