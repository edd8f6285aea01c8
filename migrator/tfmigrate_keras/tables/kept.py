"""Names of TensorFlow 1.x outside of models that TensorFlow 2 has, and their new names."""

from tfmigrate_keras.tables.entry import texts

PACKAGES = {
    "tensorflow.app.flags": "absl.flags",
    "tensorflow.flags": "absl.flags",
    "tensorflow.logging": "absl.logging",
    "tensorflow.app": "absl.app",
}
"""Packages that are absl's, by their names in TensorFlow 1.x; longer names first."""

FUNCTIONS_OF_ABSL = {"warn": "warning"}
"""Functions of absl that have another name there."""

KEPT_PACKAGES = ("tensorflow.data.", "tensorflow.io.", "tensorflow.config.", "tensorflow.errors.")
"""Packages that mean the same in both, as far as TensorFlow 2 has their names."""

KEPT = frozenset(texts("names outside of models")) | {"tensorflow"}
"""Names that mean the same in both."""

RENAMED = texts("renamed outside of models")
"""New names of functions with the same arguments."""

KERAS = frozenset(texts("functions of Keras"))
"""Functions of ``tf.keras`` that Keras 3 has by the same names, without ``tf``."""
