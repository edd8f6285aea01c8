"""tf.contrib.keras, where Keras was before TensorFlow 1.4 (contrib/keras/api: aliases)."""

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.keras"
NAMES: Mapping[str, Equivalent] = {
    name: Equivalent(f"keras.{name}")
    for name in (
        "activations", "applications", "backend", "callbacks", "constraints", "datasets",
        "initializers", "layers", "losses", "metrics", "models", "optimizers", "preprocessing",
        "regularizers", "utils",
    )
}  # fmt: skip
MISSING: Mapping[str, Missing] = {
    "wrappers": Missing("tf.keras has not had it since 2.12", "use the scikeras package")
}
