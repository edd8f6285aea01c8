"""tf.contrib.training on TensorFlow 2: hyperparameters, training and evaluation, batches.

``from tfmigrate_runtime import training`` instead of ``tf.contrib.training``.
"""

import importlib
from typing import Any

from tfmigrate_runtime.train.device_setter import (
    GreedyLoadBalancingStrategy,
    RandomStrategy,
    byte_size_load_fn,
)
from tfmigrate_runtime.training.buckets import bucket, bucket_by_sequence_length
from tfmigrate_runtime.training.hparams import HParams
from tfmigrate_runtime.training.parse_values import parse_values
from tfmigrate_runtime.training.tf_slim_names import EVALUATION, TRAINING

__all__ = [
    "GreedyLoadBalancingStrategy", "HParams", "RandomStrategy", "bucket",
    "bucket_by_sequence_length", "byte_size_load_fn", "parse_values",
]  # fmt: skip
__all__ += [*EVALUATION, *TRAINING]  # tf_slim's, imported when one is asked for


def __getattr__(name: str) -> Any:
    """Returns a function of tf_slim.training; programs that ask for none do without tf_slim.

    Raises:
        AttributeError: there is none.
    """
    if name not in (*EVALUATION, *TRAINING):
        raise AttributeError(f"tfmigrate_runtime.training has no {name}")
    from tfmigrate_runtime.compat.tf_slim_loader import load_tf_slim

    load_tf_slim()
    part = "evaluation" if name in EVALUATION else "training"
    return getattr(importlib.import_module(f"tf_slim.training.{part}"), name)
