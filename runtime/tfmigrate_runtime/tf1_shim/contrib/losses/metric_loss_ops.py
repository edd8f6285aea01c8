"""The losses of tf.contrib.losses.metric_learning, in the module that defined them."""

from tfmigrate_runtime.losses import metric_learning
from tfmigrate_runtime.tf1_shim.names_of import names_of

__getattr__, __all__ = names_of(__name__, metric_learning)
