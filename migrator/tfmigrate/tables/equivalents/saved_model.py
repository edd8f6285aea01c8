"""tf.contrib.saved_model."""

from __future__ import annotations

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.saved_model"
NAMES: Mapping[str, Equivalent] = {}
MISSING: Mapping[str, Missing] = {
    "": Missing(
        "it saved models of TensorFlow 1.x's Keras in a format that Keras has left",
        "use model.save and tf.keras.models.load_model; save the models that you have from "
        "TensorFlow 1.15 as HDF5 first",
    )
}
