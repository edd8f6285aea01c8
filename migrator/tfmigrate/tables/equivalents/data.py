"""tf.contrib.data."""

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.data"
# Each was a deprecated alias of the one in tf.data.experimental (contrib/data/python/ops).
_EXPERIMENTAL = (
    "AUTOTUNE", "Counter", "CsvDataset", "Optional", "RandomDataset", "Reducer", "SqlDataset",
    "TFRecordWriter", "bucket_by_sequence_length", "choose_from_datasets", "copy_to_device",
    "dense_to_sparse_batch", "enumerate_dataset", "get_next_as_optional", "get_single_element",
    "group_by_reducer", "group_by_window", "ignore_errors", "make_batched_features_dataset",
    "make_csv_dataset", "make_saveable_from_iterator", "map_and_batch", "parallel_interleave",
    "parse_example_dataset", "prefetch_to_device", "rejection_resample", "sample_from_datasets",
    "scan", "shuffle_and_repeat", "unbatch", "unique",
)  # fmt: skip
# TensorFlow 1.2 and 1.3 had these here, before there was tf.data.
_CORE = ("Dataset", "FixedLengthRecordDataset", "Iterator", "TFRecordDataset", "TextLineDataset")
NAMES: Mapping[str, Equivalent] = {
    **{name: Equivalent(f"data.experimental.{name}") for name in _EXPERIMENTAL},
    **{name: Equivalent(f"data.{name}") for name in _CORE},
}
MISSING: Mapping[str, Missing] = {
    "CheckpointInputPipelineHook": Missing(
        "it saved the position of the input pipeline with the checkpoint, for Estimators only",
        "remove the hook; a resumed training reads its input from the beginning",
    ),
    "Dataset.read_batch_features": Missing(
        "tf.data.Dataset has no such method",
        "use tf.data.experimental.make_batched_features_dataset",
    ),
    "LMDBDataset": Missing(
        "TensorFlow is no longer built with LMDB",
        "read the file with the lmdb package in tf.data.Dataset.from_generator",
    ),
}
