"""The names of ``tensorflow.examples.tutorials.mnist.input_data``."""

from tfmigrate_runtime.datasets.mnist.data_set import DataSet
from tfmigrate_runtime.datasets.mnist.idx_files import (
    dense_to_one_hot,
    extract_images,
    extract_labels,
)
from tfmigrate_runtime.datasets.mnist.read import read_data_sets

__all__ = ["DataSet", "dense_to_one_hot", "extract_images", "extract_labels", "read_data_sets"]
