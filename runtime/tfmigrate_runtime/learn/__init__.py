"""tf.contrib.learn's place on TensorFlow 2.16 and newer: Experiment and what belongs to it.

Estimators, inputs and exports of tf.estimator are in ``tfmigrate_runtime.estimator``, on which all
of this runs.
"""

from __future__ import annotations

from tfmigrate_runtime.learn import learn_runner, monitors, utils
from tfmigrate_runtime.learn.experiment import Experiment
from tfmigrate_runtime.learn.export_strategy import ExportStrategy
from tfmigrate_runtime.learn.run_config import RunConfig, TaskType
from tfmigrate_runtime.learn.utils import make_export_strategy

__all__ = [
    "Experiment",
    "ExportStrategy",
    "RunConfig",
    "TaskType",
    "learn_runner",
    "make_export_strategy",
    "monitors",
    "utils",
]
