"""What tfmigrate_runtime.learn has of tf.contrib.learn."""

from __future__ import annotations

from tfmigrate.tables.package import Package

_INPUTS = frozenset(
    {"InputFnOps", "build_default_serving_input_fn", "build_parsing_serving_input_fn"}
)
_READERS = frozenset(
    {
        "read_batch_examples",
        "read_batch_features",
        "read_batch_record_features",
        "read_keyed_batch_examples",
        "read_keyed_batch_features",
    }
)
PACKAGE = Package(
    "tensorflow.contrib.learn",
    "tfmigrate_runtime.learn",
    {
        "": frozenset(
            {
                "_DEFAULT_UID_WHITE_LIST",
                "DNNClassifier",
                "DNNLinearCombinedClassifier",
                "DNNLinearCombinedRegressor",
                "DNNRegressor",
                "Environment",
                "Estimator",
                "Evaluable",
                "Experiment",
                "ExportStrategy",
                "InputFnOps",
                "LinearClassifier",
                "LinearRegressor",
                "MetricSpec",
                "ModeKeys",
                "ModelFnOps",
                "NotFittedError",
                "PredictionKey",
                "ProblemType",
                "RunConfig",
                "SKCompat",
                "TaskType",
                "Trainable",
                "build_parsing_serving_input_fn",
                "make_export_strategy",
            }
        )
        | _READERS,
        "io": _READERS | {"numpy_input_fn", "pandas_input_fn", "queue_parsed_features"},
        "learn_runner": frozenset({"run", "tune"}),
        "monitors": frozenset({"ValidationMonitor"}),
        "preprocessing": frozenset(
            {
                "TOKENIZER_RE",
                "ByteProcessor",
                "CategoricalProcessor",
                "CategoricalVocabulary",
                "VocabularyProcessor",
                "tokenizer",
            }
        ),
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
    {"ModeKeys": frozenset({"EVAL", "INFER", "TRAIN", "validate"})},
)
