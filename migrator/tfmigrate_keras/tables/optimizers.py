"""Optimizers of tf.train and the schedules of their learning rates."""

import struct

from tfmigrate_keras.tables.entry import Entry, entries


def in_single_precision(number: float) -> str:
    """Returns the code of the float32 next to a number.

    TensorFlow 1.x subtracted Adam's beta2 from 1 in float32. Keras does in float64, and its steps
    are 6.4e-6 shorter where the beta2 is 0.999.
    """
    (rounded,) = struct.unpack("f", struct.pack("f", number))
    return f"{rounded:.9g}"


OPTIMIZERS: dict[str, Entry] = entries("optimizers")
"""By the name of a class; a target without ``keras`` is a class that is written out."""

GLOBAL_STEPS = frozenset(
    f"tensorflow.{package}.{name}_global_step"
    for package in ("train", "contrib.framework")
    for name in ("create", "get", "get_or_create")
)
"""The functions that return the global step."""

MOMENTUM = "tensorflow.train.MomentumOptimizer"
CONSTANT_RATE_ONLY = frozenset({MOMENTUM})
"""Optimizers that Keras computes otherwise when the learning rate changes.

Keras accumulates steps, learning rate included; TensorFlow 1.x accumulates gradients.
"""

SUMS_ROWS_FIRST = frozenset({"tensorflow.train.AdamOptimizer", "tensorflow.train.AdagradOptimizer"})
"""Optimizers that add up the gradients of a row of an embedding first; Keras takes each."""

DIFFERENT_IF_SPARSE = frozenset(
    f"tensorflow.train.{name}Optimizer" for name in ("Adadelta", "Ftrl", "RMSProp")
)
"""Optimizers that change only the rows of an embedding that have a gradient."""

SCHEDULES: dict[str, Entry] = entries("schedules")
"""By the name of a function of the global step."""
