"""The classes and functions of ``data/written_out``, and which of them use which."""

PIECES = (
    *("Variable", "BasicLSTMCell", "BatchNormalization", "PrecisionOfClass", "RecallOfClass"),
    *("AUCOfClass", "MetricOf", "Adam", "Adagrad", "RMSprop", "Momentum", "SparseMomentum"),
    *("InOneReplica", "SumOfSquares", "SumOfDifferences", "MeanOfElements", "BatchLoss"),
    *("NumericColumn", "BucketizedColumn", "rows_of", "IdentityColumn", "VocabularyColumn"),
    *("HashedColumn", "IndicatorColumn", "EmbeddingColumn", "join_columns", "parse_spec_of"),
    *("read_mnist", "numpy_dataset", "same_each_time", "batches_of_replicas", "inputs_of"),
    *("steps_of", "checkpoint_of", "save_weights", "restore_weights", "SaveCheckpoints"),
    *("write_scalars", "WriteSummaries", "check_alone", "train_model", "evaluate_model"),
    *("predict_rows", "export_model", "EvaluateCheckpoints"),
    *("LatestExporter", "BestExporter", "FinalExporter", "EvaluateAndExport"),
    *("HParams", "ValidationMonitor", "EarlyStoppingMonitor", "ExportCheckpoints", "Experiment"),
)
"""Their names, in the order in which a file gets them."""

USES: dict[str, tuple[str, ...]] = {
    "train_model": (
        *("SaveCheckpoints", "WriteSummaries", "check_alone", "restore_weights", "steps_of"),
    ),
    "evaluate_model": ("restore_weights", "steps_of", "write_scalars"),
    "WriteSummaries": ("steps_of", "write_scalars"),
    "predict_rows": ("restore_weights",),
    "export_model": ("restore_weights",),
    "ValidationMonitor": ("evaluate_model", "steps_of"),
    "EarlyStoppingMonitor": ("ValidationMonitor",),
    "EvaluateCheckpoints": ("evaluate_model", "steps_of"),
    "BestExporter": ("LatestExporter",),
    "EvaluateAndExport": ("EvaluateCheckpoints",),
    "SaveCheckpoints": ("save_weights",),
    "save_weights": ("checkpoint_of",),
    **{f"{name}Column": ("rows_of",) for name in ("Identity", "Vocabulary", "Hashed")},
    "restore_weights": ("checkpoint_of",),
}
"""What each needs."""

_COLUMNS = ("Numeric", "Bucketized", "Identity", "Vocabulary", "Hashed", "Indicator", "Embedding")
MODULES: dict[str, tuple[str, ...]] = {
    "rows_of": ("math",),
    "BestExporter": ("json",),
    "check_alone": ("json",),
    **{f"{name}Column": ("dataclasses",) for name in _COLUMNS},
    "NumericColumn": ("dataclasses", "math"),
}
"""The modules of the standard library that each needs."""
