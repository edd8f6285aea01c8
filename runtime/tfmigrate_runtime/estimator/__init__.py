"""What migrated programs import instead of tf.estimator, on TensorFlow 2.16 and newer.

An unchanged TensorFlow 1.x model function is trained in graph mode under a tf.distribute strategy::

    import tensorflow.compat.v1 as tf
    from tfmigrate_runtime import estimator

    strategy = tf.distribute.MirroredStrategy()  # all GPUs; devices=[...] for some of them
    classifier = estimator.Estimator(
        model_fn=model_fn,
        model_dir="/tmp/model",
        config=estimator.RunConfig(
            train_distribute=strategy, eval_distribute=strategy, global_batch=True
        ),
        params={"learning_rate": 0.01},
    )
    classifier.train(input_fn, max_steps=1000)
    print(classifier.evaluate(eval_input_fn))

Names and meanings are those of tf.estimator, and so are the files: checkpoints with the variables
and slots of TensorFlow 1.x, which TensorFlow 1.x reads and writes too, and event files with its
tags. SessionRunHooks, Scaffolds and saving listeners work. ``RunConfig`` has two
fields more for what is trained:

* ``global_batch=False``: each replica takes its own batch from ``input_fn``, which is what
  ``train_distribute`` meant in tf.estimator. ``True``: one batch is split over the replicas on
  axis 0, as ``replicate_model_fn`` did (semantics.md, 1.1 to 1.4).
* ``loss_reduction``: that of ``replicate_model_fn``; ``tf.losses.Reduction.SUM`` keeps losses and
  gradients from being scaled by 1/N (semantics.md, 1.3 and 1.5).

What a model function does is done once for every replica, with the same variables. Each replica
has its own losses, regularisation losses and update operations; tensors of replica 0 have the names
that they have on one device. Exports run on one device.

Several CPU replicas, ``MirroredStrategy(["/device:CPU:0", "/device:CPU:1"])``, need no preparation:
they share the machine's CPU. Several processes are described by TF_CONFIG;
runtime.md has what each of them does.
"""

import os
from typing import Any

from tfmigrate_runtime.train import quiet as quiet  # silences deprecation notices

# tf.layers and tf.nn.rnn_cell are in Keras 2; TensorFlow looks when they are first used.
os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")

# tf.estimator's hooks are those of tf.train.
from tensorflow.compat.v1.train import (
    CheckpointSaverHook, CheckpointSaverListener, FeedFnHook, FinalOpsHook, GlobalStepWaiterHook,
    LoggingTensorHook, NanLossDuringTrainingError, NanTensorHook, ProfilerHook, SecondOrStepTimer,
    SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues, StepCounterHook,
    StopAtStepHook, SummarySaverHook, VocabInfo,
)  # fmt: skip

from tfmigrate_runtime import compat as compat  # refuses other versions of TensorFlow
from tfmigrate_runtime.estimator import (
    event_files,
    experimental,
    export,
    heads,
    inputs,
    outer_datasets,
    tpu,
)
from tfmigrate_runtime.estimator.add_metrics import add_metrics
from tfmigrate_runtime.estimator.canned.baseline import (
    BaselineClassifier, BaselineEstimator, BaselineRegressor,
)  # fmt: skip
from tfmigrate_runtime.estimator.canned.binary_class_head import BinaryClassHead
from tfmigrate_runtime.estimator.canned.dnn import DNNClassifier, DNNEstimator, DNNRegressor
from tfmigrate_runtime.estimator.canned.dnn_linear_combined import (
    DNNLinearCombinedClassifier, DNNLinearCombinedEstimator, DNNLinearCombinedRegressor,
)  # fmt: skip
from tfmigrate_runtime.estimator.canned.head import Head
from tfmigrate_runtime.estimator.canned.linear import (
    LinearClassifier, LinearEstimator, LinearRegressor,
)  # fmt: skip
from tfmigrate_runtime.estimator.canned.logistic_regression_head import LogisticRegressionHead
from tfmigrate_runtime.estimator.canned.multi_class_head import MultiClassHead
from tfmigrate_runtime.estimator.canned.multi_head import MultiHead
from tfmigrate_runtime.estimator.canned.multi_label_head import MultiLabelHead
from tfmigrate_runtime.estimator.canned.poisson_regression_head import PoissonRegressionHead
from tfmigrate_runtime.estimator.canned.regression_head import RegressionHead
from tfmigrate_runtime.estimator.checkpoints import _load_global_step_from_checkpoint_dir
from tfmigrate_runtime.estimator.estimator import Estimator
from tfmigrate_runtime.estimator.exporters import (
    BestExporter, Exporter, FinalExporter, LatestExporter,
)  # fmt: skip
from tfmigrate_runtime.estimator.forward_features import forward_features
from tfmigrate_runtime.estimator.keras_estimators import model_to_estimator
from tfmigrate_runtime.estimator.mode_keys import ModeKeys
from tfmigrate_runtime.estimator.parse_example_spec import (
    classifier_parse_example_spec,
    regressor_parse_example_spec,
)
from tfmigrate_runtime.estimator.run_config import RunConfig
from tfmigrate_runtime.estimator.spec import EstimatorSpec
from tfmigrate_runtime.estimator.train_and_evaluate import train_and_evaluate
from tfmigrate_runtime.estimator.train_spec import EvalSpec, ExperimentSchedule, TrainSpec
from tfmigrate_runtime.estimator.warm_start import WarmStartSettings

__all__ = [
    "BaselineClassifier", "BaselineEstimator", "BaselineRegressor", "BestExporter",
    "BinaryClassHead", "CheckpointSaverHook", "CheckpointSaverListener", "DNNClassifier",
    "DNNEstimator", "DNNLinearCombinedClassifier", "DNNLinearCombinedEstimator",
    "DNNLinearCombinedRegressor", "DNNRegressor", "Estimator", "EstimatorSpec", "EvalSpec",
    "ExperimentSchedule", "Exporter", "FeedFnHook", "FinalExporter", "FinalOpsHook",
    "GlobalStepWaiterHook", "Head", "LatestExporter", "LinearClassifier", "LinearEstimator",
    "LinearRegressor", "LoggingTensorHook", "LogisticRegressionHead", "ModeKeys", "MultiClassHead",
    "MultiHead", "MultiLabelHead", "NanLossDuringTrainingError", "NanTensorHook",
    "PoissonRegressionHead", "ProfilerHook", "RegressionHead", "RunConfig", "SecondOrStepTimer",
    "SessionRunArgs", "SessionRunContext", "SessionRunHook", "SessionRunValues", "StepCounterHook",
    "StopAtStepHook", "SummarySaverHook", "TrainSpec", "VocabInfo", "WarmStartSettings",
    "_load_global_step_from_checkpoint_dir", "add_metrics", "classifier_parse_example_spec",
    "experimental", "export", "forward_features", "heads", "inputs", "model_to_estimator",
    "regressor_parse_example_spec", "tpu", "train_and_evaluate",
]  # fmt: skip

event_files.let_eager_programs_write()
outer_datasets.let_input_functions_iterate_them()

_INSTEAD = {
    "BoostedTrees": "a gradient boosting library, or TensorFlow Decision Forests",
    "LinearSDCA": "LinearClassifier or LinearRegressor with a tf.train optimizer",
}


def __getattr__(name: str) -> Any:
    """Returns what to use where tf.estimator has a name that there is no equivalent of."""
    for start, instead in _INSTEAD.items():
        if name.startswith(start):
            raise AttributeError(
                f"tf.estimator.{name} has no equivalent in {__name__}: use {instead}"
            )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
