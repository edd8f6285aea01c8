"""Metrics: which class of keras.metrics computes what a function of tf.metrics did."""

from __future__ import annotations

# How the predictions of a metric are computed from the output of the model.
OUTPUT = "output"
CLASS = "argmax"
PROBABILITY = "sigmoid"
ROUNDED = "round(sigmoid)"

METRICS: dict[str, dict[str, tuple[str, tuple[str, ...]]]] = {
    "tensorflow.metrics.accuracy": {
        CLASS: ("keras.metrics.SparseCategoricalAccuracy", ()),
        ROUNDED: ("keras.metrics.BinaryAccuracy", ("threshold=0.0",)),
    },
    "tensorflow.metrics.mean_squared_error": {OUTPUT: ("keras.metrics.MeanSquaredError", ())},
    "tensorflow.metrics.root_mean_squared_error": {
        OUTPUT: ("keras.metrics.RootMeanSquaredError", ())
    },
    "tensorflow.metrics.mean_absolute_error": {OUTPUT: ("keras.metrics.MeanAbsoluteError", ())},
    "tensorflow.metrics.auc": {PROBABILITY: ("keras.metrics.AUC", ("from_logits=True",))},
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
