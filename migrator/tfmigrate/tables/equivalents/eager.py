"""tf.contrib.eager."""

from __future__ import annotations

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.eager"
_SAME = (
    "GradientTape",
    "TensorSpec",
    "custom_gradient",
    "enable_eager_execution",
    "executing_eagerly",
    "function",
)
# Each was an alias of the one in tf (contrib/eager/python/tfe.py).
NAMES: Mapping[str, Equivalent] = {
    **{name: Equivalent(name) for name in _SAME},
    "in_eager_mode": Equivalent("executing_eagerly"),
    "Checkpoint": Equivalent("train.Checkpoint"),
    "py_func": Equivalent("py_function"),
}
_KERAS = "use tf.keras.Model; its variables have other names"
MISSING: Mapping[str, Missing] = {
    "Network": Missing("Keras models took its place", _KERAS),
    "Saver": Missing("checkpoints hold objects now", "use tf.train.Checkpoint"),
    "Sequential": Missing("Keras models took its place", "use tf.keras.Sequential"),
    "defun": Missing(
        "tf.function makes variables once, and defun made them at every trace",
        "use tf.function, and make the variables outside of it",
    ),
    "metrics": Missing("Keras metrics took their place", "use tf.keras.metrics"),
    "seterr": Missing("nothing watches every operation", "use tf.debugging.enable_check_numerics"),
}
