"""What migrated programs import: tf.estimator's place on TensorFlow 2.16 and newer.

    from tfmigrate_runtime import estimator

An unchanged TensorFlow 1.x model function is trained in graph mode under any tf.distribute
strategy. Names and meanings are those of tf.estimator; ``RunConfig`` has two fields more.
"""

from __future__ import annotations

import os

# tf.layers and tf.nn.rnn_cell are in Keras 2; TensorFlow looks when they are first used.
os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")

from tfmigrate_runtime.estimator import export, inputs
from tfmigrate_runtime.estimator.estimator import Estimator
from tfmigrate_runtime.estimator.mode_keys import ModeKeys
from tfmigrate_runtime.estimator.run_config import RunConfig
from tfmigrate_runtime.estimator.spec import EstimatorSpec
from tfmigrate_runtime.estimator.train_and_evaluate import train_and_evaluate
from tfmigrate_runtime.estimator.train_spec import EvalSpec, TrainSpec
from tfmigrate_runtime.estimator.warm_start import WarmStartSettings

__all__ = [
    "Estimator",
    "EstimatorSpec",
    "EvalSpec",
    "ModeKeys",
    "RunConfig",
    "TrainSpec",
    "WarmStartSettings",
    "export",
    "inputs",
    "train_and_evaluate",
]
