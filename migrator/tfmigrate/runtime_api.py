"""Packages of TensorFlow 1.x that packages of the runtime stand for, as the migrator knows them.

The migrator does not import the runtime; a test compares these tables with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Package:
    """A package of TensorFlow 1.x, and the one of the runtime with the same names.

    Attributes:
        source: its name in TensorFlow 1.x ("tensorflow.estimator"); "" where there is none.
        target: that of the runtime ("tfmigrate_runtime.estimator").
        modules: the names that the runtime has, by the module below both ("" for the package).
    """

    source: str
    target: str
    modules: Mapping[str, frozenset[str]]

    @property
    def name(self) -> str:
        """What the runtime's package is called when it is imported."""
        return self.target.rpartition(".")[2]

    @property
    def title(self) -> str:
        """How people write the package of TensorFlow 1.x."""
        return self.source.replace("tensorflow.", "tf.", 1)

    def has(self, qualified: str) -> bool:
        """Says whether a name of TensorFlow 1.x is the package itself or in it."""
        return (qualified + ".").startswith(self.source + ".")

    def offers_qualified(self, qualified: str) -> bool:
        """Says whether a name of TensorFlow 1.x is in the package and the runtime has it."""
        name = qualified.removeprefix(self.source).lstrip(".")
        return self.has(qualified) and self.offers(name)

    def offers(self, name: str) -> bool:
        """Says whether the runtime has a name.

        Args:
            name: the part after the package ("export.PredictOutput", "ModeKeys.TRAIN"); "" for the
                package.
        """
        parts = name.split(".") if name else []
        for depth in range(len(parts), -1, -1):
            known = self.modules.get(".".join(parts[:depth]))
            if known is not None:
                return depth == len(parts) or parts[depth] in known
        return False


ESTIMATOR = Package(
    "tensorflow.estimator",
    "tfmigrate_runtime.estimator",
    {
        "": frozenset(
            {
                "BaselineClassifier",
                "BaselineEstimator",
                "BaselineRegressor",
                "BestExporter",
                "BinaryClassHead",
                "CheckpointSaverHook",
                "CheckpointSaverListener",
                "DNNClassifier",
                "DNNEstimator",
                "DNNLinearCombinedClassifier",
                "DNNLinearCombinedEstimator",
                "DNNLinearCombinedRegressor",
                "DNNRegressor",
                "Estimator",
                "EstimatorSpec",
                "EvalSpec",
                "ExperimentSchedule",
                "Exporter",
                "FeedFnHook",
                "FinalExporter",
                "FinalOpsHook",
                "GlobalStepWaiterHook",
                "Head",
                "LatestExporter",
                "LinearClassifier",
                "LinearEstimator",
                "LinearRegressor",
                "LoggingTensorHook",
                "LogisticRegressionHead",
                "ModeKeys",
                "MultiClassHead",
                "MultiHead",
                "MultiLabelHead",
                "NanLossDuringTrainingError",
                "NanTensorHook",
                "PoissonRegressionHead",
                "ProfilerHook",
                "RegressionHead",
                "RunConfig",
                "SecondOrStepTimer",
                "SessionRunArgs",
                "SessionRunContext",
                "SessionRunHook",
                "SessionRunValues",
                "StepCounterHook",
                "StopAtStepHook",
                "SummarySaverHook",
                "TrainSpec",
                "VocabInfo",
                "WarmStartSettings",
                "add_metrics",
                "classifier_parse_example_spec",
                "regressor_parse_example_spec",
                "train_and_evaluate",
            }
        ),
        "experimental": frozenset(
            {
                "InMemoryEvaluatorHook",
                "build_raw_supervised_input_receiver_fn",
                "call_logit_fn",
                "dnn_logit_fn_builder",
                "linear_logit_fn_builder",
                "make_early_stopping_hook",
                "make_stop_at_checkpoint_step_hook",
                "stop_if_higher_hook",
                "stop_if_lower_hook",
                "stop_if_no_decrease_hook",
                "stop_if_no_increase_hook",
            }
        ),
        "export": frozenset(
            {
                "ClassificationOutput",
                "ExportOutput",
                "PredictOutput",
                "RegressionOutput",
                "ServingInputReceiver",
                "TensorServingInputReceiver",
                "build_parsing_serving_input_receiver_fn",
                "build_raw_serving_input_receiver_fn",
            }
        ),
        "inputs": frozenset(
            {
                "numpy_input_fn",
                "pandas_input_fn",
            }
        ),
    },
)
_INPUTS = frozenset(
    {"InputFnOps", "build_default_serving_input_fn", "build_parsing_serving_input_fn"}
)
LEARN = Package(
    "tensorflow.contrib.learn",
    "tfmigrate_runtime.learn",
    {
        "": frozenset(
            {
                "Estimator",
                "Experiment",
                "ExportStrategy",
                "InputFnOps",
                "MetricSpec",
                "ModeKeys",
                "ModelFnOps",
                "NotFittedError",
                "PredictionKey",
                "ProblemType",
                "RunConfig",
                "SKCompat",
                "TaskType",
                "build_parsing_serving_input_fn",
                "make_export_strategy",
            }
        ),
        "learn_runner": frozenset({"run", "tune"}),
        "monitors": frozenset({"ValidationMonitor"}),
        "utils": _INPUTS | {"make_export_strategy"},
        "utils.input_fn_utils": _INPUTS,
        "utils.saved_model_export_utils": frozenset(
            {
                "BestModelSelector",
                "extend_export_strategy",
                "garbage_collect_exports",
                "make_best_model_export_strategy",
                "make_export_strategy",
                "make_parsing_export_strategy",
            }
        ),
    },
)
TRAINING = Package(
    "tensorflow.contrib.training",
    "tfmigrate_runtime.training",
    {
        "": frozenset(
            {
                "GreedyLoadBalancingStrategy",
                "HParams",
                "RandomStrategy",
                "byte_size_load_fn",
                "parse_values",
            }
        )
    },
)
LAYERS = Package(
    "tensorflow.contrib.layers",
    "tfmigrate_runtime.layers",
    {
        "": frozenset(
            {
                "GDN",
                "OPTIMIZER_CLS_NAMES",
                "OPTIMIZER_SUMMARIES",
                "RevBlock",
                "apply_regularization",
                "avg_pool2d",
                "avg_pool3d",
                "batch_norm",
                "bias_add",
                "bow_encoder",
                "conv1d",
                "conv2d",
                "conv2d_in_plane",
                "conv2d_transpose",
                "conv3d",
                "conv3d_transpose",
                "convolution",
                "convolution1d",
                "convolution2d",
                "convolution2d_in_plane",
                "convolution2d_transpose",
                "convolution3d",
                "convolution3d_transpose",
                "dense_to_sparse",
                "dropout",
                "elu",
                "embed_sequence",
                "flatten",
                "fully_connected",
                "gdn",
                "group_norm",
                "images_to_sequence",
                "instance_norm",
                "l1_l2_regularizer",
                "l1_regularizer",
                "l2_regularizer",
                "layer_norm",
                "legacy_fully_connected",
                "legacy_linear",
                "legacy_relu",
                "linear",
                "max_pool2d",
                "max_pool3d",
                "maxout",
                "one_hot_encoding",
                "optimize_loss",
                "recompute_grad",
                "relu",
                "relu6",
                "repeat",
                "rev_block",
                "safe_embedding_lookup_sparse",
                "scale_gradient",
                "separable_conv2d",
                "separable_convolution2d",
                "sequence_to_images",
                "softmax",
                "spatial_softmax",
                "stack",
                "sum_regularizer",
                "summarize_activation",
                "summarize_activations",
                "summarize_collection",
                "summarize_tensor",
                "summarize_tensors",
                "unit_norm",
                "variance_scaling_initializer",
                "xavier_initializer",
                "xavier_initializer_conv2d",
            }
        )
    },
)
# It stands for functions of tf.train, but for no package of TensorFlow 1.x as a whole.
BETWEEN_GRAPH = Package(
    "",
    "tfmigrate_runtime.between_graph",
    {
        "": frozenset(
            {
                "MonitoredTrainingSession",
                "Server",
                "Supervisor",
                "SyncReplicasOptimizer",
                "multi_worker_mirrored_strategy",
                "parameter_server_strategy",
                "strategy",
            }
        )
    },
)
TOWERS = Package(
    "",
    "tfmigrate_runtime.towers",
    {"": frozenset({"central_storage_strategy", "run"})},
)
COORDINATOR = Package(
    "",
    "tfmigrate_runtime.coordinator",
    {
        "": frozenset(
            {
                "MonitoredTrainingSession",
                "ParameterServerStrategy",
                "Result",
                "Server",
                "Session",
                "Supervisor",
                "parameter_server_strategy",
            }
        )
    },
)
PACKAGES = (ESTIMATOR, LEARN, TRAINING, LAYERS)
