"""tf.contrib.learn: Experiment, its Estimator, and what belongs to them.

Written from semantics.md, 2, on tensorflow-estimator and MonitoredTrainingSession, apart from
``tfmigrate_runtime.learn``, which migrated programs use.
"""

from tfmigrate_runtime.contrib.of_learn import preprocessing
from tfmigrate_runtime.contrib.of_learn.interfaces import Evaluable, Trainable
from tfmigrate_runtime.contrib.of_learn.keys import (
    COLLECTION_DEF_KEY_FOR_INPUT_FEATURE_KEYS,
    MetricKey,
    PredictionKey,
    ProblemType,
)
from tfmigrate_runtime.contrib.of_learn.metric_spec import MetricSpec
from tfmigrate_runtime.tf1_shim.contrib.learn import (
    basic_session_run_hooks,
    datasets,
    head,
    learn_runner,
    monitored_session,
    monitors,
    utils,
)
from tfmigrate_runtime.tf1_shim.contrib.learn import learn_io as io
from tfmigrate_runtime.tf1_shim.contrib.learn.base_estimator import BaseEstimator
from tfmigrate_runtime.tf1_shim.contrib.learn.canned import (
    DNNClassifier,
    DNNEstimator,
    DNNLinearCombinedClassifier,
    DNNLinearCombinedEstimator,
    DNNLinearCombinedRegressor,
    DNNRegressor,
    LinearClassifier,
    LinearEstimator,
    LinearRegressor,
)
from tfmigrate_runtime.tf1_shim.contrib.learn.columns import (
    infer_real_valued_columns_from_input,
    infer_real_valued_columns_from_input_fn,
)
from tfmigrate_runtime.tf1_shim.contrib.learn.estimator import Estimator
from tfmigrate_runtime.tf1_shim.contrib.learn.experiment import Experiment
from tfmigrate_runtime.tf1_shim.contrib.learn.head import (
    Head,
    multi_class_head,
    no_op_train_fn,
    poisson_regression_head,
    regression_head,
)
from tfmigrate_runtime.tf1_shim.contrib.learn.interfaces import NotFittedError
from tfmigrate_runtime.tf1_shim.contrib.learn.learn_io import (
    read_batch_examples,
    read_batch_features,
    read_batch_record_features,
    read_keyed_batch_examples,
    read_keyed_batch_features,
)
from tfmigrate_runtime.tf1_shim.contrib.learn.model_fn import ModeKeys, ModelFnOps
from tfmigrate_runtime.tf1_shim.contrib.learn.monitors import NanLossDuringTrainingError
from tfmigrate_runtime.tf1_shim.contrib.learn.run_config import (
    ClusterConfig,
    Environment,
    RunConfig,
    TaskType,
)
from tfmigrate_runtime.tf1_shim.contrib.learn.saved_model import GraphRewriteSpec
from tfmigrate_runtime.tf1_shim.contrib.learn.sk_compat import SKCompat
from tfmigrate_runtime.tf1_shim.contrib.learn.utils import (
    InputFnOps,
    build_default_serving_input_fn,
    build_parsing_serving_input_fn,
    make_export_strategy,
)
from tfmigrate_runtime.train.export_strategy import ExportStrategy

# Modules of the package that the runtime has, too.
ROOTS = ("tfmigrate_runtime.contrib.of_learn",)
__all__ = [
    "COLLECTION_DEF_KEY_FOR_INPUT_FEATURE_KEYS", "BaseEstimator", "ClusterConfig", "DNNClassifier",
    "DNNEstimator", "DNNLinearCombinedClassifier", "DNNLinearCombinedEstimator",
    "DNNLinearCombinedRegressor", "DNNRegressor", "Environment", "Estimator", "Evaluable",
    "Experiment", "ExportStrategy", "GraphRewriteSpec", "Head", "InputFnOps", "LinearClassifier",
    "LinearEstimator", "LinearRegressor", "MetricKey", "MetricSpec", "ModeKeys", "ModelFnOps",
    "NanLossDuringTrainingError", "NotFittedError", "PredictionKey", "ProblemType", "RunConfig",
    "SKCompat", "TaskType", "Trainable", "basic_session_run_hooks",
    "build_default_serving_input_fn", "build_parsing_serving_input_fn", "datasets", "head",
    "infer_real_valued_columns_from_input", "infer_real_valued_columns_from_input_fn", "io",
    "learn_runner", "make_export_strategy", "monitored_session", "monitors", "multi_class_head",
    "no_op_train_fn", "poisson_regression_head", "preprocessing", "read_batch_examples",
    "read_batch_features", "read_batch_record_features", "read_keyed_batch_examples",
    "read_keyed_batch_features", "regression_head", "utils",
]  # fmt: skip
