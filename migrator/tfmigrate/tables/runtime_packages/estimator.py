"""What tfmigrate_runtime.estimator has of tf.estimator."""

from __future__ import annotations

from tfmigrate.tables.package import Package

PACKAGE = Package(
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
                # From the inside of tf.estimator.
                "_load_global_step_from_checkpoint_dir",
                "add_metrics",
                "classifier_parse_example_spec",
                "forward_features",
                "model_to_estimator",
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
        # Of tf.contrib.estimator, and of the inside of tf.estimator.
        "heads": frozenset(
            {
                "LossSpec",
                "_binary_logistic_head_with_sigmoid_cross_entropy_loss",
                "_binary_logistic_or_multi_class_head",
                "_multi_class_head_with_softmax_cross_entropy_loss",
                "_regression_head",
                "binary_classification_head",
                "logistic_regression_head",
                "multi_class_head",
                "poisson_regression_head",
                "regression_head",
            }
        ),
        "inputs": frozenset(
            {
                "numpy_input_fn",
                "pandas_input_fn",
            }
        ),
        "tpu": frozenset(
            {
                "InputPipelineConfig",
                "RunConfig",
                "TPUConfig",
                "TPUEstimator",
                "TPUEstimatorSpec",
            }
        ),
    },
    {"ModeKeys": frozenset({"EVAL", "PREDICT", "TRAIN"})},
)
