"""tf_slim for migrated programs: its moving averages move as often as those of towers.

TensorFlow 1.x raised the epsilon of its fused batch normalization to 1.001e-5 without a word;
DCGANs and ResNets ask for 1e-5.
"""

import functools
import importlib
from collections.abc import Callable
from typing import Any

from tfmigrate_runtime.compat import moving_averages, tf_slim_loader
from tfmigrate_runtime.compat.overlay import Overlay

_LEAST_EPSILON = 1.001e-5


def load_tf_slim() -> Any:
    """Returns the package tf_slim, able to work on this TensorFlow and in replicas.

    Modules of TensorFlow in ``tf_slim.layers.layers`` have one name of their own then; TensorFlow
    stays as it is for everybody else.

    Raises:
        ModuleNotFoundError: tf_slim is not installed.
    """
    tf_slim = tf_slim_loader.load_tf_slim()
    layers: Any = importlib.import_module("tf_slim.layers.layers")
    if not isinstance(layers.moving_averages, Overlay):
        moves = layers.moving_averages.assign_moving_average
        layers.moving_averages = Overlay(
            layers.moving_averages, assign_moving_average=moving_averages.as_often_as_towers(moves)
        )
        layers.nn = Overlay(
            layers.nn, fused_batch_norm=_with_least_epsilon(layers.nn.fused_batch_norm)
        )
        norms = layers.normalization_layers  # the loader's own
        norms.BatchNormalization = _fused_with_least_epsilon(norms.BatchNormalization)
    return tf_slim


def _with_least_epsilon(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def fused_batch_norm(*arguments: Any, epsilon: float = 0.001, **options: Any) -> Any:
        return original(*arguments, epsilon=max(epsilon, _LEAST_EPSILON), **options)

    return fused_batch_norm


def _fused_with_least_epsilon(kind: Any) -> Any:
    class BatchNormalization(kind):  # type: ignore[misc]
        def build(self, input_shape: Any) -> None:
            super().build(input_shape)
            if self.fused:  # known by now: it depends on the shape
                self.epsilon: float = max(self.epsilon, _LEAST_EPSILON)

    return BatchNormalization
