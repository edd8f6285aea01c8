"""Queues of input: parts of tf.train.batch, of which tf.contrib.training.bucket is made."""

# tf.contrib.staging.StagingArea. tf.raw_ops has its ops, not the class.
from tensorflow.python.ops.data_flow_ops import StagingArea as StagingArea
from tensorflow.python.training.input import (
    _as_original_type,
    _as_tensor_list,
    _dtypes,
    _restore_sparse_tensors,
    _shapes,
    _store_sparse_tensors,
    _validate_keep_input,
    _which_queue,
)

__all__ = [
    "StagingArea", "_as_original_type", "_as_tensor_list", "_dtypes", "_restore_sparse_tensors",
    "_shapes", "_store_sparse_tensors", "_validate_keep_input", "_which_queue",
]  # fmt: skip
