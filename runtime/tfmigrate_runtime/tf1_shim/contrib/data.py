"""tf.contrib.data: what tf.data took over from it, and what it did not.

The classes of the core were here in TensorFlow 1.2 and 1.3, before there was tf.data.
"""

import tensorflow.compat.v1 as tf

from tfmigrate_runtime import data
from tfmigrate_runtime.tf1_shim.names_of import names_of, taken

_look_up, _names = names_of(__name__, data)
__getattr__ = _look_up
_OF_CORE = taken(
    tf.data.experimental,
    """
    AUTOTUNE Counter CsvDataset Optional RandomDataset Reducer SqlDataset TFRecordWriter
    bucket_by_sequence_length choose_from_datasets copy_to_device dense_to_sparse_batch
    enumerate_dataset get_next_as_optional get_single_element group_by_reducer group_by_window
    ignore_errors make_batched_features_dataset make_csv_dataset make_saveable_from_iterator
    map_and_batch parallel_interleave parse_example_dataset prefetch_to_device rejection_resample
    sample_from_datasets scan shuffle_and_repeat unbatch unique
    """,
) | taken(tf.data, "Dataset FixedLengthRecordDataset Iterator TFRecordDataset TextLineDataset")
globals().update(_OF_CORE)
__all__ = [*_OF_CORE]
__all__ += _names
