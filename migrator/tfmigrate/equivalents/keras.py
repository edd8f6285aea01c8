"""tf.contrib.keras."""

from __future__ import annotations

from collections.abc import Mapping

from tfmigrate.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.keras"
# It was tf.keras before 1.4, and the same from then on (contrib/keras/api/keras).
NAMES: Mapping[str, Equivalent] = {
    name: Equivalent(f"keras.{name}")
    for name in (
        "activations",
        "applications",
        "backend",
        "callbacks",
        "constraints",
        "datasets",
        "initializers",
        "layers",
        "losses",
        "metrics",
        "models",
        "optimizers",
        "preprocessing",
        "regularizers",
        "utils",
    )
}
MISSING: Mapping[str, Missing] = {}
