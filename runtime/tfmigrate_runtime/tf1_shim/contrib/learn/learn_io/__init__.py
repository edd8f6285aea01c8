"""tf.contrib.learn.io: examples from files, by queues."""

from tfmigrate_runtime.compat.shim_estimator import numpy_input_fn, pandas_input_fn
from tfmigrate_runtime.tf1_shim.contrib.learn.learn_io import graph_io
from tfmigrate_runtime.tf1_shim.contrib.learn.learn_io.graph_io import (
    queue_parsed_features,
    read_batch_examples,
    read_batch_features,
    read_batch_record_features,
    read_keyed_batch_examples,
    read_keyed_batch_features,
)

__all__ = [
    "graph_io", "numpy_input_fn", "pandas_input_fn", "queue_parsed_features", "read_batch_examples",
    "read_batch_features", "read_batch_record_features", "read_keyed_batch_examples",
    "read_keyed_batch_features",
]  # fmt: skip
