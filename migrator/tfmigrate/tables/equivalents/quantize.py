"""tf.contrib.quantize."""

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.quantize"
NAMES: Mapping[str, Equivalent] = {}
MISSING: Mapping[str, Missing] = {
    "": Missing(
        "it rewrote a graph for quantization-aware training, and is no longer maintained",
        "train without it and quantize the SavedModel with tf.lite.TFLiteConverter, or train a "
        "Keras model with the TensorFlow Model Optimization Toolkit (quantize_model)",
    )
}
