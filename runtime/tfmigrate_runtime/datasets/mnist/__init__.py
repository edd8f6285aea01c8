"""MNIST from its files, in the batches of TensorFlow 1.x.

It has the names of ``tensorflow.examples.tutorials.mnist`` and of
``tf.contrib.learn.datasets.mnist``.
"""

from tfmigrate_runtime.datasets.mnist import input_data, mnist
from tfmigrate_runtime.datasets.mnist.data_set import DataSet
from tfmigrate_runtime.datasets.mnist.idx_files import (
    dense_to_one_hot,
    extract_images,
    extract_labels,
)
from tfmigrate_runtime.datasets.mnist.read import DEFAULT_SOURCE_URL, load_mnist, read_data_sets

__all__ = [
    "DEFAULT_SOURCE_URL", "DataSet", "dense_to_one_hot", "extract_images", "extract_labels",
    "input_data", "load_mnist", "mnist", "read_data_sets",
]  # fmt: skip
