"""tf.contrib.saved_model."""

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.saved_model"
NAMES: Mapping[str, Equivalent] = {}
MISSING: Mapping[str, Missing] = {
    "": Missing(
        "it saved Keras models in a format that Keras no longer supports",
        "use model.save and tf.keras.models.load_model; save existing models as HDF5 with "
        "TensorFlow 1.15 first",
    )
}
