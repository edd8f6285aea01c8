"""Losses and operations in a function of the labels and the output of a batch.

Such a function gets tensors with values, so that functions of TensorFlow 2 can be called, too.
"""

from tfmigrate_keras.tables.entry import Entry, entry

_SPARSE = "keras.ops.sparse_categorical_crossentropy({0}, {1}, from_logits=True)"
_CLASSES = "keras.ops.categorical_crossentropy({0}, {1}, from_logits=True)"
_NUMBERS = "keras.ops.binary_crossentropy({0}, {1}, from_logits=True)"
_OF_LOGITS = entry("", "_sentinel=None labels logits name-")


def _mean(text: str) -> str:
    return f"keras.ops.mean({text})"


def _floats(text: str) -> str:
    """Returns code whose labels have the type of the output, as tf.losses converts them."""
    return text.replace("{0}", "keras.ops.cast({0}, 'float32')")


LOSSES_OF_BATCHES: dict[str, tuple[str, Entry]] = {
    "tensorflow.nn.sparse_softmax_cross_entropy_with_logits": (_SPARSE, _OF_LOGITS),
    "tensorflow.nn.softmax_cross_entropy_with_logits": (_CLASSES, _OF_LOGITS),
    "tensorflow.nn.softmax_cross_entropy_with_logits_v2": (_CLASSES, _OF_LOGITS),
    "tensorflow.nn.sigmoid_cross_entropy_with_logits": (_NUMBERS, _OF_LOGITS),
    "tensorflow.losses.sparse_softmax_cross_entropy": (
        _mean(_SPARSE),
        entry("", "labels logits weights=1,1.0 scope- loss_collection-"),
    ),
    "tensorflow.losses.softmax_cross_entropy": (
        _mean(_floats(_CLASSES)),
        entry("", "onehot_labels logits weights=1,1.0 label_smoothing=0 scope- loss_collection-"),
    ),
    "tensorflow.losses.sigmoid_cross_entropy": (
        _mean(_floats(_NUMBERS)),
        entry(
            "", "multi_class_labels logits weights=1,1.0 label_smoothing=0 scope- loss_collection-"
        ),
    ),
    "tensorflow.losses.mean_squared_error": (
        "keras.ops.mean(keras.ops.square(keras.ops.subtract({1}, {0})))",
        entry("", "labels predictions weights=1,1.0 scope- loss_collection-"),
    ),
    "tensorflow.losses.absolute_difference": (
        "keras.ops.mean(keras.ops.abs(keras.ops.subtract({1}, {0})))",
        entry("", "labels predictions weights=1,1.0 scope- loss_collection-"),
    ),
}
"""Losses, as code of the labels and the output."""

KEPT_IN_LOSSES: dict[str, Entry] = {
    "tensorflow.shape": entry("", "input name-"),
    "tensorflow.size": entry("", "input name-"),
    "tensorflow.constant": entry("", "value dtype shape"),
    "tensorflow.range": entry("", "start limit delta"),
    "tensorflow.add_n": entry("", "inputs name"),
    "tensorflow.boolean_mask": entry("", "tensor mask name"),
    "tensorflow.ones": entry("", "shape dtype name"),
    "tensorflow.zeros": entry("", "shape dtype name"),
    "tensorflow.sequence_mask": entry("", "lengths maxlen dtype name"),
}
"""Functions that TensorFlow 2 has by the same name, with these arguments."""

VARIABLES_OF_MODEL = ("tensorflow.trainable_variables",)
"""Functions that return the variables that are trained."""

WORDS_OF_VARIABLES = ("batch_normalization", "bias", "kernel", "beta", "gamma")
"""Words in names of variables that Keras' own names have, too."""
