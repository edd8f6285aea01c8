"""``tf.contrib.learn.io``: arrays and files as input."""

from tfmigrate_runtime.contrib.graph_io import (
    queue_parsed_features,
    read_batch_examples,
    read_batch_features,
    read_batch_record_features,
    read_keyed_batch_examples,
    read_keyed_batch_features,
)
from tfmigrate_runtime.estimator import inputs
from tfmigrate_runtime.train.passed_on import with_defaults

__all__ = [
    "numpy_input_fn", "pandas_input_fn", "queue_parsed_features", "read_batch_examples",
    "read_batch_features", "read_batch_record_features", "read_keyed_batch_examples",
    "read_keyed_batch_features",
]  # fmt: skip

# They shuffle where nothing else is said.
numpy_input_fn = with_defaults(inputs.numpy_input_fn, shuffle=True)
pandas_input_fn = with_defaults(inputs.pandas_input_fn, shuffle=True)
