"""tf.contrib.keras, where Keras stood before TensorFlow 1.4: the Keras 2 of today."""

import importlib

from tfmigrate_runtime.tf1_shim.names_of import names_of

# By the names of 1.x: tf_keras itself has the behaviour of TensorFlow 2 at its top.
ROOTS = ("tf_keras.api._v1.keras",)
__getattr__, __all__ = names_of(__name__, importlib.import_module(ROOTS[0]))
