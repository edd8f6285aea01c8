"""tf_slim for migrated programs: its moving averages move as often as those of towers."""

from __future__ import annotations

import importlib
from typing import Any

from tfmigrate_runtime.compat import tf_slim_loader
from tfmigrate_runtime.compat.overlay import Overlay
from tfmigrate_runtime.estimator import replicas


def load_tf_slim() -> Any:
    """Returns the package tf_slim, able to work on this TensorFlow and in replicas.

    ``tf_slim.layers.layers.moving_averages`` is a module of TensorFlow with one name of its own
    then; TensorFlow stays as it is for everybody else.

    Raises:
        ModuleNotFoundError: tf_slim is not installed.
    """
    tf_slim = tf_slim_loader.load_tf_slim()
    layers: Any = importlib.import_module("tf_slim.layers.layers")
    if not isinstance(layers.moving_averages, Overlay):
        moves = layers.moving_averages.assign_moving_average
        layers.moving_averages = Overlay(
            layers.moving_averages, assign_moving_average=replicas.as_often_as_towers(moves)
        )
    return tf_slim
