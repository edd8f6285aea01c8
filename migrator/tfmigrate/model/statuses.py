"""What can become of a name of TensorFlow 1.x."""

from enum import Enum


class Status(Enum):
    """What became of a name of TensorFlow 1.x."""

    COMPAT_V1 = "compat.v1"
    """It is in tf.compat.v1, unchanged."""
    KERAS_2 = "tf-keras"
    """It is in tf.compat.v1 with Keras 2: package tf-keras, TF_USE_LEGACY_KERAS=1."""
    CORE = "core"
    """tf.compat.v1 has it under another name."""
    RUNTIME = "runtime"
    """tfmigrate_runtime has it."""
    GONE = "gone"
    """Nothing in TensorFlow or tfmigrate_runtime replaces it."""
