"""tf.contrib.eager."""

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.eager"
_SAME = (
    "GradientTape", "TensorSpec", "custom_gradient", "enable_eager_execution", "executing_eagerly",
    "function",
)  # fmt: skip
# Each was an alias of the one in tf (contrib/eager/python/tfe.py).
NAMES: Mapping[str, Equivalent] = {
    **{name: Equivalent(name) for name in _SAME},
    "in_eager_mode": Equivalent("executing_eagerly"),
    "Checkpoint": Equivalent("train.Checkpoint"),
    "py_func": Equivalent("py_function"),
}
_KERAS = "use tf.keras.Model, whose variables have different names"
MISSING: Mapping[str, Missing] = {
    "Network": Missing("Keras models replaced it", _KERAS),
    "Sequential": Missing("Keras models replaced it", "use tf.keras.Sequential"),
    "seterr": Missing(
        "TensorFlow 2 has no handler for errors of all operations",
        "use tf.debugging.enable_check_numerics",
    ),
}
