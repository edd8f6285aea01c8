"""tf.contrib.learn's place on TensorFlow 2.16 and newer: Experiment and what belongs to it.

Estimators, inputs and exports of tf.estimator are in ``tfmigrate_runtime.estimator``, on which all
of this runs.

The legacy runtime trains and evaluates by its own Experiment, Estimator and monitors, so that an
error in one cannot be on both sides of a comparison (docs/explanation/tf1_shim.md); it shares the
rest.
"""

from tfmigrate_runtime.contrib.of_learn.cluster_config import Environment
from tfmigrate_runtime.contrib.of_learn.columns import infer_real_valued_columns_from_input_fn
from tfmigrate_runtime.contrib.of_learn.interfaces import Evaluable, Trainable
from tfmigrate_runtime.contrib.of_learn.keys import PredictionKey, ProblemType
from tfmigrate_runtime.contrib.of_learn.metric_spec import MetricSpec
from tfmigrate_runtime.contrib.of_learn.sk_compat import SKCompat
from tfmigrate_runtime.estimator.experiment.experiment import Experiment
from tfmigrate_runtime.learn import io, learn_runner, models, monitors, preprocessing, utils
from tfmigrate_runtime.learn.array_input import infer_real_valued_columns_from_input
from tfmigrate_runtime.learn.canned import (
    DNNClassifier, DNNLinearCombinedClassifier, DNNLinearCombinedRegressor, DNNRegressor,
    LinearClassifier, LinearRegressor,
)  # fmt: skip
from tfmigrate_runtime.learn.estimator import Estimator
from tfmigrate_runtime.learn.io import (
    read_batch_examples, read_batch_features, read_batch_record_features, read_keyed_batch_examples,
    read_keyed_batch_features,
)  # fmt: skip
from tfmigrate_runtime.learn.model_fn import ModeKeys, ModelFnOps
from tfmigrate_runtime.contrib.of_learn.interfaces import NotFittedError
from tfmigrate_runtime.learn.run_config import _DEFAULT_UID_WHITE_LIST, RunConfig, TaskType
from tfmigrate_runtime.learn.utils import (
    InputFnOps, build_parsing_serving_input_fn, make_export_strategy,
)  # fmt: skip
from tfmigrate_runtime.train.export_strategy import ExportStrategy

__all__ = [
    "_DEFAULT_UID_WHITE_LIST", "DNNClassifier", "DNNLinearCombinedClassifier",
    "DNNLinearCombinedRegressor", "DNNRegressor", "Environment", "Estimator", "Evaluable",
    "Experiment", "ExportStrategy", "InputFnOps", "LinearClassifier", "LinearRegressor",
    "MetricSpec", "ModeKeys", "ModelFnOps", "NotFittedError", "PredictionKey", "ProblemType",
    "RunConfig", "SKCompat", "TaskType", "Trainable", "build_parsing_serving_input_fn",
    "infer_real_valued_columns_from_input", "infer_real_valued_columns_from_input_fn", "io",
    "learn_runner", "make_export_strategy", "models", "monitors", "preprocessing",
    "read_batch_examples", "read_batch_features", "read_batch_record_features",
    "read_keyed_batch_examples", "read_keyed_batch_features", "utils",
]  # fmt: skip
