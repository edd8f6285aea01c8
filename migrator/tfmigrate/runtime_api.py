"""The names that ``tfmigrate_runtime.estimator`` offers, as the migrator knows them.

The migrator does not import the runtime; a test compares this table with it.
"""

from __future__ import annotations

RUNTIME_MODULE = "tfmigrate_runtime.estimator"

NAMES = frozenset(
    {
        "BaselineClassifier",
        "BaselineEstimator",
        "BaselineRegressor",
        "BestExporter",
        "BinaryClassHead",
        "DNNClassifier",
        "DNNEstimator",
        "DNNLinearCombinedClassifier",
        "DNNLinearCombinedEstimator",
        "DNNLinearCombinedRegressor",
        "DNNRegressor",
        "Estimator",
        "EstimatorSpec",
        "EvalSpec",
        "Exporter",
        "FinalExporter",
        "Head",
        "LatestExporter",
        "LinearClassifier",
        "LinearEstimator",
        "LinearRegressor",
        "LogisticRegressionHead",
        "ModeKeys",
        "MultiClassHead",
        "MultiHead",
        "MultiLabelHead",
        "PoissonRegressionHead",
        "RegressionHead",
        "RunConfig",
        "TrainSpec",
        "WarmStartSettings",
        "train_and_evaluate",
    }
)
SUBMODULES: dict[str, frozenset[str]] = {
    "experimental": frozenset(
        {
            "build_raw_supervised_input_receiver_fn",
            "make_early_stopping_hook",
            "stop_if_higher_hook",
            "stop_if_lower_hook",
            "stop_if_no_decrease_hook",
            "stop_if_no_increase_hook",
        }
    ),
    "export": frozenset(
        {
            "ClassificationOutput",
            "PredictOutput",
            "RegressionOutput",
            "ServingInputReceiver",
            "TensorServingInputReceiver",
            "build_parsing_serving_input_receiver_fn",
            "build_raw_serving_input_receiver_fn",
        }
    ),
    "inputs": frozenset({"numpy_input_fn", "pandas_input_fn"}),
}


def offers(name: str) -> bool:
    """Says whether the runtime has a name of ``tf.estimator``.

    Args:
        name: the part after ``tf.estimator.`` ("export.PredictOutput", "ModeKeys.TRAIN").
    """
    head, _, rest = name.partition(".")
    if head in SUBMODULES:
        return not rest or rest.split(".")[0] in SUBMODULES[head]
    return head in NAMES
