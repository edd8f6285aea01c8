"""Importing tf_slim 1.1.0, whose last release was for TensorFlow 2.2.

What it misses is put into its own modules: TensorFlow stays as it is for everybody else.

========================================  ========================================================
in tf_slim                                what it gets, and why
========================================  ========================================================
``layers.layers.normalization_layers``    ``tf.layers``' BatchNormalization: TensorFlow looks for
                                          it in ``tf_keras.legacy_tf_layers``, which has moved
``layers.utils.ops``                      ``ops.Tensor``, which has moved
``layers.layers.moving_averages``         moving averages that move as often as those of towers
========================================  ========================================================
"""

from __future__ import annotations

import types
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator import replicas


class _Overlay(types.ModuleType):
    """A module with some names of its own; the others are those of another module."""

    def __init__(self, module: Any, **names: Any) -> None:
        super().__init__(module.__name__)
        self.__dict__.update(names)
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


def load_tf_slim() -> Any:
    """Returns the package tf_slim, able to work on this TensorFlow.

    Raises:
        ModuleNotFoundError: tf_slim is not installed.
    """
    try:
        import tf_slim
    except ModuleNotFoundError as error:
        if error.name != "tf_slim":
            raise
        raise ModuleNotFoundError(
            "tfmigrate_runtime.slim needs tf_slim: pip install 'tf_slim==1.1.0'", name="tf_slim"
        ) from None
    from tf_slim.layers import layers, utils

    layers.normalization_layers = types.SimpleNamespace(
        BatchNormalization=tf.layers.BatchNormalization
    )
    if not isinstance(utils.ops, _Overlay):
        utils.ops = _Overlay(utils.ops, Tensor=tf.Tensor)
        layers.moving_averages = _Overlay(
            layers.moving_averages,
            assign_moving_average=replicas.as_often_as_towers(
                layers.moving_averages.assign_moving_average
            ),
        )
    return tf_slim
