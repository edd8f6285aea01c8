"""tf.contrib.training on TensorFlow 2: hyperparameters, placement on parameter servers."""

from __future__ import annotations

from tfmigrate_runtime.training.device_setter import (
    GreedyLoadBalancingStrategy,
    RandomStrategy,
    byte_size_load_fn,
)
from tfmigrate_runtime.training.hparams import HParams
from tfmigrate_runtime.training.parse_values import parse_values

__all__ = [
    "GreedyLoadBalancingStrategy",
    "HParams",
    "RandomStrategy",
    "byte_size_load_fn",
    "parse_values",
]
