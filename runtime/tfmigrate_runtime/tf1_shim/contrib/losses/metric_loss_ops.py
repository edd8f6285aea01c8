"""The losses of tf.contrib.losses.metric_learning, in the module that defined them."""

from __future__ import annotations

from tfmigrate_runtime.legacy.names_of import names_of
from tfmigrate_runtime.losses import metric_learning

__getattr__, __all__ = names_of(__name__, metric_learning)
