"""The training op of a head, from an optimizer or a function."""

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow.compat.v1 as tf


def training_op(
    loss: Any,
    optimizer: Any,
    trainable_variables: Sequence[Any] | None,
    train_op_fn: Callable[[Any], Any] | None,
    update_ops: Sequence[Any] | None,
) -> Any:
    """Returns the op of a training step; see ``Head.create_estimator_spec``.

    Raises:
        ValueError: both or none of optimizer and train_op_fn are given, or a Keras optimizer
            without variables, or something that should be a list is none.
    """
    _check_list("update_ops", update_ops)
    if optimizer is not None and train_op_fn is not None:
        raise ValueError("train_op_fn and optimizer cannot both be set.")
    if isinstance(optimizer, tf.train.Optimizer):
        # Nothing more, as in 1.15: an optimizer of the program's may take no other arguments.
        train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
    else:
        # Where TensorFlow 1.15's heads made variables of optimizers: it is part of their names.
        with tf.name_scope(""), tf.name_scope("training"):
            if train_op_fn is not None:
                train_op = train_op_fn(loss)
            else:
                train_op = _keras_op(loss, optimizer, trainable_variables)
    updates = [*tf.get_collection(tf.GraphKeys.UPDATE_OPS), *(update_ops or ())]
    return tf.group(train_op, *updates) if updates else train_op


def _keras_op(loss: Any, optimizer: Any, trainable_variables: Sequence[Any] | None) -> Any:
    if optimizer is None:
        raise ValueError("train_op_fn and optimizer cannot both be None.")
    if not hasattr(optimizer, "get_updates"):
        raise ValueError(
            "The given optimizer is not a tf.keras.optimizers.Optimizer instance (of "
            f"tf.keras.optimizers.legacy), nor a tf.train.Optimizer. Given: {optimizer}"
        )
    if trainable_variables is None:
        raise ValueError("trainable_variables cannot be None. Given None")
    _check_list("trainable_variables", trainable_variables)
    return optimizer.get_updates(loss, trainable_variables)[0]


def _check_list(name: str, value: Any) -> None:
    if value is not None and not isinstance(value, (list, tuple)):
        raise ValueError(f"{name} should be a list or a tuple. Given type: {type(value)}.")
