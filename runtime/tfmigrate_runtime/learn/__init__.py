"""tf.contrib.learn's place on TensorFlow 2.16 and newer: Experiment and what belongs to it.

``run`` is ``learn_runner.run``. Estimators, inputs and exports of tf.estimator are in
``tfmigrate_runtime.estimator``, on which all of this runs.
"""

from __future__ import annotations

from tfmigrate_runtime.learn.experiment import Experiment
from tfmigrate_runtime.learn.export_strategy import ExportStrategy
from tfmigrate_runtime.learn.runner import run, tune
from tfmigrate_runtime.learn.saved_model_export_utils import (
    make_best_model_export_strategy,
    make_export_strategy,
)
from tfmigrate_runtime.learn.validation_monitor import ValidationMonitor

__all__ = [
    "Experiment",
    "ExportStrategy",
    "ValidationMonitor",
    "make_best_model_export_strategy",
    "make_export_strategy",
    "run",
    "tune",
]
