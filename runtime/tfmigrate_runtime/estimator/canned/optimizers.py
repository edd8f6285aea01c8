"""The optimizer that an estimator's ``optimizer`` argument specifies."""

from typing import Any

import tensorflow.compat.v1 as tf

_BY_NAME = {
    "Adagrad": tf.train.AdagradOptimizer,
    "Adam": tf.train.AdamOptimizer,
    "Ftrl": tf.train.FtrlOptimizer,
    "RMSProp": tf.train.RMSPropOptimizer,
    "SGD": tf.train.GradientDescentOptimizer,
}


def optimizer_of(value: Any, learning_rate: float) -> Any:
    """Returns an optimizer.

    Args:
        value: a tf.train.Optimizer, a function that makes one, or a name: Adagrad, Adam, Ftrl,
            RMSProp, SGD.
        learning_rate: of an optimizer that is given by its name.

    Raises:
        ValueError: the name is unknown, or it is not a tf.train.Optimizer.
    """
    if isinstance(value, str):
        if value not in _BY_NAME:
            raise ValueError(
                f"Unsupported optimizer name: {value}. Supported names are: {sorted(_BY_NAME)}"
            )
        return _BY_NAME[value](learning_rate=learning_rate)
    optimizer = value() if callable(value) else value
    if not isinstance(optimizer, tf.train.Optimizer):
        raise ValueError(
            "The given object is not a tf.train.Optimizer (tf.compat.v1.train). "
            f"Given: {optimizer!r}"
        )
    return optimizer
