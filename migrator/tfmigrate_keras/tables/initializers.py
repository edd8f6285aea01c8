"""Initializers and regularizers, as values of arguments of layers."""

from tfmigrate_keras.tables.entry import Entry, entry

_SEED = "seed dtype-"
_INITIALIZERS: dict[str, tuple[str, str]] = {
    "zeros_initializer": ("Zeros", "dtype-"),
    "ones_initializer": ("Ones", "dtype-"),
    "constant_initializer": ("Constant", "value! dtype- verify_shape-"),
    "random_normal_initializer": ("RandomNormal", f"mean! stddev! {_SEED}"),
    "random_uniform_initializer": ("RandomUniform", f"minval! maxval! {_SEED}"),
    "truncated_normal_initializer": ("TruncatedNormal", f"mean! stddev! {_SEED}"),
    "glorot_uniform_initializer": ("GlorotUniform", _SEED),
    "glorot_normal_initializer": ("GlorotNormal", _SEED),
    "orthogonal_initializer": ("Orthogonal", f"gain! {_SEED}"),
    "variance_scaling_initializer": ("VarianceScaling", f"scale mode distribution {_SEED}"),
}
_SHORT = {
    "zeros": "zeros_initializer",
    "ones": "ones_initializer",
    "constant": "constant_initializer",
    "random_normal": "random_normal_initializer",
    "random_uniform": "random_uniform_initializer",
    "truncated_normal": "truncated_normal_initializer",
    "glorot_uniform": "glorot_uniform_initializer",
    "glorot_normal": "glorot_normal_initializer",
    "orthogonal": "orthogonal_initializer",
    "variance_scaling": "variance_scaling_initializer",
}
# The defaults of TensorFlow 1.x, where Keras has others.
_DEFAULTS = {
    "random_normal_initializer": {"stddev": "1.0"},
    "truncated_normal_initializer": {"stddev": "1.0"},
    "random_uniform_initializer": {"minval": "0.0", "maxval": "1.0"},
}


def _of(name: str) -> Entry:
    target, signature = _INITIALIZERS[name]
    return entry(f"keras.initializers.{target}", signature, **_DEFAULTS.get(name, {}))


INITIALIZERS: dict[str, Entry] = {
    **{f"tensorflow.{name}": _of(name) for name in _INITIALIZERS},
    **{f"tensorflow.initializers.{short}": _of(name) for short, name in _SHORT.items()},
    "tensorflow.contrib.layers.xavier_initializer": entry(
        "keras.initializers.GlorotUniform", f"uniform=True {_SEED}"
    ),
    "tensorflow.contrib.layers.xavier_initializer_conv2d": entry(
        "keras.initializers.GlorotUniform", f"uniform=True {_SEED}"
    ),
    "tensorflow.keras.initializers.he_normal": entry("keras.initializers.HeNormal", "seed"),
    "tensorflow.keras.initializers.he_uniform": entry("keras.initializers.HeUniform", "seed"),
    "tensorflow.initializers.he_normal": entry("keras.initializers.HeNormal", "seed"),
    "tensorflow.initializers.he_uniform": entry("keras.initializers.HeUniform", "seed"),
}
"""By the name of a function or class; a name alone, without a call, means one without arguments."""

REGULARIZERS: dict[str, str] = {
    "tensorflow.contrib.layers.l2_regularizer": "keras.regularizers.L2({} / 2)",
    "tensorflow.contrib.layers.l1_regularizer": "keras.regularizers.L1({})",
    "tensorflow.keras.regularizers.l2": "keras.regularizers.L2({})",
    "tensorflow.keras.regularizers.l1": "keras.regularizers.L1({})",
}
"""By the name of a function with one argument: tf.contrib.layers' l2 is half of Keras'."""

ACTIVATIONS: dict[str, str] = {
    **{f"tensorflow.nn.{n}": n for n in ("elu", "relu", "relu6", "selu", "softplus", "softsign")},
    **{f"tensorflow.{n}": n for n in ("sigmoid", "tanh")},
    **{f"tensorflow.nn.{n}": n for n in ("sigmoid", "tanh", "softmax")},
    **{f"tensorflow.math.{n}": n for n in ("sigmoid", "tanh")},
    "tensorflow.identity": "linear",
    "tensorflow.nn.leaky_relu": "leaky_relu",
}
"""By the name of a function, Keras' name of it as an activation."""
