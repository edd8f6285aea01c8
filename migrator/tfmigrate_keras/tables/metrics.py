"""Metrics: which class of keras.metrics computes what a function of tf.metrics did."""

from tfmigrate_keras.tables.entry import texts

# How the predictions of a metric are computed from the output of the model.
OUTPUT = "output"
CLASS = "argmax"
PROBABILITY = "sigmoid"
ROUNDED = "round(sigmoid)"
COLUMN = "softmax[:, i]"  # the number of the column is the first argument of the class

# Keras' own classes give each batch of rank 1 the same weight.
_OF_ROWS = "keras.metrics.MeanMetricWrapper"
_SQUARE = "lambda y, p: keras.ops.square(y - p)"
_ABSOLUTE = "lambda y, p: keras.ops.abs(y - p)"

METRICS: dict[str, dict[str, tuple[str, tuple[str, ...]]]] = {
    "tensorflow.metrics.accuracy": {
        CLASS: ("keras.metrics.SparseCategoricalAccuracy", ()),
        ROUNDED: ("keras.metrics.BinaryAccuracy", ("threshold=0.0",)),
    },
    "tensorflow.metrics.mean_squared_error": {OUTPUT: (_OF_ROWS, (_SQUARE,))},
    "tensorflow.metrics.root_mean_squared_error": {
        OUTPUT: ("keras.metrics.RootMeanSquaredError", ())
    },
    "tensorflow.metrics.mean_absolute_error": {OUTPUT: (_OF_ROWS, (_ABSOLUTE,))},
    "tensorflow.metrics.auc": {
        PROBABILITY: ("keras.metrics.AUC", ("from_logits=True",)),
        COLUMN: ("AUCOfClass", ()),
    },
    "tensorflow.metrics.precision": {
        CLASS: ("PrecisionOfClass", ()),
        ROUNDED: ("keras.metrics.Precision", ("thresholds=0.0",)),
    },
    "tensorflow.metrics.recall": {
        CLASS: ("RecallOfClass", ()),
        ROUNDED: ("keras.metrics.Recall", ("thresholds=0.0",)),
    },
}
"""By the name of a function and how its predictions are computed: the class and its arguments."""

OF_COLUMNS = {
    _SQUARE: "keras.metrics.MeanSquaredError",
    _ABSOLUTE: "keras.metrics.MeanAbsoluteError",
}
"""The class of Keras where the predictions are known to have columns."""

# What the predictions of a metric must be.
ANY = "anything"
CLASSES = "whole numbers"
TRUTHS = "truth values"
PROBABILITIES = "probabilities"

OF_VALUES = {
    name: (target, kind)
    for name, text in texts("metrics of any values").items()
    for target, kind in (text.split(" | "),)
}
"""The class of any labels and predictions, and what predictions must be.

TensorFlow 1.x converts predictions to the type of the labels, which cuts off what is not whole.
"""

STREAMING: dict[str, str] = {
    f"tensorflow.contrib.metrics.streaming_{name}": f"tensorflow.metrics.{name}"
    for name in (
        *("accuracy", "mean_squared_error", "root_mean_squared_error", "mean_absolute_error"),
        *("auc", "precision", "recall", "mean"),
    )
}
"""Functions of tf.contrib.metrics, which take the predictions first."""
