"""tf.contrib.training on TensorFlow 2: hyperparameters."""

from __future__ import annotations

from tfmigrate_runtime.training.hparams import HParams
from tfmigrate_runtime.training.parse_values import parse_values

__all__ = ["HParams", "parse_values"]
