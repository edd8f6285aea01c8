"""tf.contrib.data: what tf.data took over from it, and what it did not.

The classes of the core were here in TensorFlow 1.2 and 1.3, before there was tf.data.
"""

from __future__ import annotations

import tensorflow.compat.v1 as tf

from tfmigrate_runtime import data

__all__ = [
    "AUTOTUNE",
    "Counter",
    "CsvDataset",
    "Dataset",
    "FixedLengthRecordDataset",
    "Iterator",
    "Optional",
    "RandomDataset",
    "Reducer",
    "SqlDataset",
    "TFRecordDataset",
    "TFRecordWriter",
    "TextLineDataset",
    "assert_element_shape",
    "batch_and_drop_remainder",
    "bucket_by_sequence_length",
    "choose_from_datasets",
    "copy_to_device",
    "dense_to_sparse_batch",
    "enumerate_dataset",
    "get_next_as_optional",
    "get_single_element",
    "group_by_reducer",
    "group_by_window",
    "ignore_errors",
    "make_batched_features_dataset",
    "make_csv_dataset",
    "make_saveable_from_iterator",
    "map_and_batch",
    "padded_batch_and_drop_remainder",
    "parallel_interleave",
    "parse_example_dataset",
    "prefetch_to_device",
    "read_batch_features",
    "reduce_dataset",
    "rejection_resample",
    "sample_from_datasets",
    "scan",
    "shuffle_and_repeat",
    "sliding_window_batch",
    "sloppy_interleave",
    "unbatch",
    "unique",
]

AUTOTUNE = tf.data.experimental.AUTOTUNE
Counter = tf.data.experimental.Counter
CsvDataset = tf.data.experimental.CsvDataset
Optional = tf.data.experimental.Optional
RandomDataset = tf.data.experimental.RandomDataset
Reducer = tf.data.experimental.Reducer
SqlDataset = tf.data.experimental.SqlDataset
TFRecordWriter = tf.data.experimental.TFRecordWriter
bucket_by_sequence_length = tf.data.experimental.bucket_by_sequence_length
choose_from_datasets = tf.data.experimental.choose_from_datasets
copy_to_device = tf.data.experimental.copy_to_device
dense_to_sparse_batch = tf.data.experimental.dense_to_sparse_batch
enumerate_dataset = tf.data.experimental.enumerate_dataset
get_next_as_optional = tf.data.experimental.get_next_as_optional
get_single_element = tf.data.experimental.get_single_element
group_by_reducer = tf.data.experimental.group_by_reducer
group_by_window = tf.data.experimental.group_by_window
ignore_errors = tf.data.experimental.ignore_errors
make_batched_features_dataset = tf.data.experimental.make_batched_features_dataset
make_csv_dataset = tf.data.experimental.make_csv_dataset
make_saveable_from_iterator = tf.data.experimental.make_saveable_from_iterator
map_and_batch = tf.data.experimental.map_and_batch
parallel_interleave = tf.data.experimental.parallel_interleave
parse_example_dataset = tf.data.experimental.parse_example_dataset
prefetch_to_device = tf.data.experimental.prefetch_to_device
rejection_resample = tf.data.experimental.rejection_resample
sample_from_datasets = tf.data.experimental.sample_from_datasets
scan = tf.data.experimental.scan
shuffle_and_repeat = tf.data.experimental.shuffle_and_repeat
unbatch = tf.data.experimental.unbatch
unique = tf.data.experimental.unique
Dataset = tf.data.Dataset
FixedLengthRecordDataset = tf.data.FixedLengthRecordDataset
Iterator = tf.data.Iterator
TFRecordDataset = tf.data.TFRecordDataset
TextLineDataset = tf.data.TextLineDataset
assert_element_shape = data.assert_element_shape
batch_and_drop_remainder = data.batch_and_drop_remainder
padded_batch_and_drop_remainder = data.padded_batch_and_drop_remainder
read_batch_features = data.read_batch_features
reduce_dataset = data.reduce_dataset
sliding_window_batch = data.sliding_window_batch
sloppy_interleave = data.sloppy_interleave
