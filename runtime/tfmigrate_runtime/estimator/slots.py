"""The names of optimizers' variables, in which towers differed from one device."""

import contextlib
from collections.abc import Iterator
from typing import Any

import tensorflow.compat.v1 as tf


@contextlib.contextmanager
def slots_of_towers() -> Iterator[None]:
    """Lets optimizers name their variables as if they were in no scope of the model.

    TowerOptimizer applied the gradients after the model function had returned. What
    ``tf.contrib.layers.optimize_loss`` called "OptimizeLoss/w/Adam" on one device was "w/Adam" in
    a checkpoint of towers (measured on TensorFlow 1.15).
    """
    root = tf.get_variable_scope()
    apply = tf.train.Optimizer._distributed_apply

    def apply_at_root(*arguments: Any, **options: Any) -> Any:
        with tf.variable_scope(root, auxiliary_name_scope=False), tf.name_scope(""):
            return apply(*arguments, **options)

    tf.train.Optimizer._distributed_apply = apply_at_root
    try:
        yield
    finally:
        tf.train.Optimizer._distributed_apply = apply
