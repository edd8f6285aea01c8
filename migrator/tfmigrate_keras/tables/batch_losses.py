"""Losses and operations in a function of the labels and the output of a batch.

Such a function gets tensors with values, so that functions of TensorFlow 2 can be called, too.
"""

from tfmigrate_keras.tables.entry import Entry, entries, templates

LOSSES_OF_BATCHES: dict[str, tuple[str, Entry]] = templates("losses of batches")
"""Losses, as code of the labels and the output."""

KEPT_IN_LOSSES: dict[str, Entry] = entries("functions in losses")
"""Functions that TensorFlow 2 has by the same name, with these arguments."""

VARIABLES_OF_MODEL = ("tensorflow.trainable_variables",)
"""Functions that return the variables that are trained."""

WORDS_OF_VARIABLES = ("batch_normalization", "bias", "kernel", "beta", "gamma")
"""Words in names of variables that Keras' own names have, too."""
