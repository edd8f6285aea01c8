"""Names of the variables that optimizers make under a strategy, where the program had none."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import tensorflow.compat.v1 as tf


def slots_of_towers() -> contextlib.AbstractContextManager[Any]:
    """Lets optimizers name their variables as if they were in no scope of the model.

    TowerOptimizer applied the gradients after the model function had returned. What
    ``tf.contrib.layers.optimize_loss`` called "OptimizeLoss/w/Adam" on one device was "w/Adam" in
    a checkpoint of towers (measured on TensorFlow 1.15).
    """
    root = tf.get_variable_scope()

    @contextlib.contextmanager
    def at_root() -> Iterator[None]:
        with tf.variable_scope(root, auxiliary_name_scope=False), tf.name_scope(""):
            yield

    return _applied_in(at_root)


def slots_of_scope() -> contextlib.AbstractContextManager[Any]:
    """Lets optimizers name their variables by the scope of the model that they are made in.

    A strategy enters the variable scope again, and its name scope a second time: what was
    "OptimizeLoss/beta1_power" is "OptimizeLoss/OptimizeLoss/beta1_power", which is not found in a
    checkpoint of TensorFlow 1.x, nor by an evaluator, which has no strategy.
    """

    @contextlib.contextmanager
    def in_scope() -> Iterator[None]:
        scope = tf.get_default_graph().get_name_scope()
        if tf.get_variable_scope().name:
            scope = scope.rpartition("/")[0]
        with tf.name_scope(f"{scope}/" if scope else ""):
            yield

    return _applied_in(in_scope)


def _applied_in(
    scope: Callable[[], contextlib.AbstractContextManager[None]],
) -> contextlib.AbstractContextManager[Any]:
    apply = tf.train.Optimizer._distributed_apply

    def apply_in_scope(*arguments: Any, **options: Any) -> Any:
        with scope():
            return apply(*arguments, **options)

    return mock.patch.object(tf.train.Optimizer, "_distributed_apply", apply_in_scope)
