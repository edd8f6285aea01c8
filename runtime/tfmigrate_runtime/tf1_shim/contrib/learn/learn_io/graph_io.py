"""contrib/learn/python/learn/learn_io/graph_io.py."""

from tfmigrate_runtime.contrib.graph_io import (
    queue_parsed_features,
    read_batch_examples,
    read_batch_features,
    read_batch_record_features,
    read_keyed_batch_examples,
    read_keyed_batch_features,
)

__all__ = [
    "queue_parsed_features", "read_batch_examples", "read_batch_features",
    "read_batch_record_features", "read_keyed_batch_examples", "read_keyed_batch_features",
]  # fmt: skip
