"""Variables that a program creates itself, and values that they start with."""

from tfmigrate_keras.tables.entry import Entry, entry

VARIABLE = "Variable"
"""The layer of ``data/written_out`` that holds one variable."""

VARIABLES: dict[str, Entry] = {
    "tensorflow.get_variable": entry(
        VARIABLE,
        "name shape! dtype=tf.float32 initializer regularizer trainable collections=None "
        "caching_device- partitioner=None validate_shape- use_resource- custom_getter=None "
        "constraint=None",
    ),
    "tensorflow.Variable": entry(
        VARIABLE,
        "initial_value:initializer trainable collections=None validate_shape- caching_device- name "
        "variable_def=None dtype=tf.float32 expected_shape=None import_scope=None constraint=None",
    ),
}
"""By the name of the function."""

STARTS: dict[str, Entry] = {
    "tensorflow.zeros": entry("keras.initializers.Zeros", "shape dtype=tf.float32 name-"),
    "tensorflow.ones": entry("keras.initializers.Ones", "shape dtype=tf.float32 name-"),
    "tensorflow.constant": entry(
        "keras.initializers.Constant", "value! dtype=tf.float32 shape name-"
    ),
    "tensorflow.random_normal": entry(
        "keras.initializers.RandomNormal",
        "shape mean! stddev! dtype=tf.float32 seed name-",
        stddev="1.0",
    ),
    "tensorflow.truncated_normal": entry(
        "keras.initializers.TruncatedNormal",
        "shape mean! stddev! dtype=tf.float32 seed name-",
        stddev="1.0",
    ),
    "tensorflow.random_uniform": entry(
        "keras.initializers.RandomUniform",
        "shape minval! maxval! dtype=tf.float32 seed name-",
        minval="0.0",
        maxval="1.0",
    ),
}
"""By the name of a function that makes what a ``tf.Variable`` starts with: an initializer."""
