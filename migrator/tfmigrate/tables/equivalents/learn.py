"""tf.contrib.learn."""

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.learn"
_LEARN_IO = "it filled queues of the graph for the Estimators of tf.contrib.learn"
_DATA = Missing(
    _LEARN_IO,
    "read with tf.data: tf.data.experimental.make_batched_features_dataset, or TFRecordDataset, "
    "batch and tf.parse_example",
)
_ARRAYS = Missing(
    "it extracted arrays from pandas or dask frames",
    "use frame.to_numpy(), or tfmigrate_runtime.estimator.inputs.pandas_input_fn",
)
_ACTIONS = Missing(
    "it trained a graph in its own session, before MonitoredTrainingSession existed",
    "use tf.train.MonitoredTrainingSession, or an Estimator",
)
_HEAD = Missing(
    "tf.contrib.learn's heads return ModelFnOps and reduce losses differently",
    "use a head of tfmigrate_runtime.estimator (RegressionHead, MultiClassHead, ...) with "
    "loss_reduction SUM_OVER_BATCH_SIZE, or compute the loss in the model function",
)
_BASE = Missing(
    "it was the abstract base of tf.contrib.learn's Estimators",
    "derive from tfmigrate_runtime.learn.Estimator",
)
_MONITOR = Missing(
    "SessionRunHooks replaced this monitor within TensorFlow 1.x",
    "use a hook of tf.train: LoggingTensorHook, StopAtStepHook, CheckpointSaverHook, "
    "SummarySaverHook, NanTensorHook, or your own SessionRunHook",
)
_MODELS = Missing(
    "it built a single layer for the first Estimators",
    "write the layer with tf.layers or tfmigrate_runtime.layers",
)
_OPS = Missing(
    "it was a private helper of the first Estimators", "use tf.nn.embedding_lookup, or tf.one_hot"
)
NAMES: Mapping[str, Equivalent] = {
    "NanLossDuringTrainingError": Equivalent("train.NanLossDuringTrainingError"),
    # Modules of the folder python that re-exported names of core TensorFlow.
    **{
        f"basic_session_run_hooks.{name}": Equivalent(f"train.{name}")
        for name in (
            "CheckpointSaverHook",
            "LoggingTensorHook",
            "NanLossDuringTrainingError",
            "NanTensorHook",
            "StepCounterHook",
            "StopAtStepHook",
            "SummarySaverHook",
        )
    },
    **{
        f"monitored_session.{name}": Equivalent(f"train.{name}")
        for name in (
            "ChiefSessionCreator",
            "MonitoredSession",
            "Scaffold",
            "SessionCreator",
            "WorkerSessionCreator",
        )
    },
}
MISSING: Mapping[str, Missing] = {
    "BaseEstimator": _BASE,
    "DNNEstimator": _HEAD,
    "DNNLinearCombinedEstimator": _HEAD,
    "DynamicRnnEstimator": Missing(
        "its RNNs over feature columns were removed with tf.contrib",
        "write a model function with tf.nn.dynamic_rnn",
    ),
    "Head": _HEAD,
    "KMeansClustering": Missing(
        "its kernels were removed with tf.contrib.factorization",
        "use scikit-learn's KMeans, or implement the steps with tf.math.unsorted_segment_mean",
    ),
    "LinearEstimator": _HEAD,
    "LogisticRegressor": Missing(
        "it built a classifier from a model function that returns logits",
        "compute the loss and the metrics in the model function "
        "(tf.losses.sigmoid_cross_entropy, tf.metrics.auc)",
    ),
    "SVM": Missing(
        "its optimizer (SDCA) was removed with tf.contrib.linear_optimizer",
        "use LinearClassifier with tf.losses.hinge_loss, or scikit-learn's LinearSVC",
    ),
    "binary_svm_head": _HEAD,
    "evaluate": _ACTIONS,
    "extract_dask_data": _ARRAYS,
    "extract_dask_labels": _ARRAYS,
    "extract_pandas_data": _ARRAYS,
    "extract_pandas_labels": _ARRAYS,
    "extract_pandas_matrix": _ARRAYS,
    "graph_actions": _ACTIONS,
    "head": _HEAD,
    "infer": _ACTIONS,
    "infer_real_valued_columns_from_input": Missing(
        "it inferred feature columns from the arrays of x",
        "declare the columns: layers.real_valued_column('', dimension=x.shape[1])",
    ),
    "infer_real_valued_columns_from_input_fn": Missing(
        "it called an input function to infer feature columns",
        "declare the columns: layers.real_valued_column(name, dimension)",
    ),
    **{
        f"io.{name}": _ARRAYS
        for name in (
            "extract_dask_data",
            "extract_dask_labels",
            "extract_pandas_data",
            "extract_pandas_labels",
            "extract_pandas_matrix",
        )
    },
    "io.generator_input_fn": _DATA,
    "io.read_keyed_batch_examples_shared_queue": _DATA,
    "io.read_keyed_batch_features_shared_queue": _DATA,
    "models": _MODELS,
    **{
        f"monitors.{name}": _MONITOR
        for name in (
            "BaseMonitor",
            "CaptureVariable",
            "CheckpointSaver",
            "EveryN",
            "GraphDump",
            "LoggingTrainable",
            "NanLoss",
            "PrintTensor",
            "RunHookAdapterForMonitors",
            "StepCounter",
            "StopAtStep",
            "SummarySaver",
            "SummaryWriterCache",
            "get_default_monitors",
            "replace_monitors_with_hooks",
        )
    },
    "monitors.ExportMonitor": Missing(
        "it wrote session bundles, the export format before SavedModel",
        "export after training with the Estimator's export_saved_model, or during it with a "
        "LatestExporter in the EvalSpec of train_and_evaluate",
    ),
    "multi_class_head": _HEAD,
    "multi_head": _HEAD,
    "multi_label_head": _HEAD,
    "no_op_train_fn": Missing(
        "it was a helper of tf.contrib.learn's heads", "pass `lambda loss: tf.no_op()` instead"
    ),
    "ops": _OPS,
    "poisson_regression_head": _HEAD,
    **dict.fromkeys(
        ("read_keyed_batch_examples_shared_queue", "read_keyed_batch_features_shared_queue"), _DATA
    ),
    "regression_head": _HEAD,
    "run_feeds": _ACTIONS,
    "run_n": _ACTIONS,
    "train": _ACTIONS,
}
