"""Reads the four files of MNIST from a directory."""

# A directory may be a URL (gs://...), which pathlib would mangle.
# ruff: noqa: PTH118, PTH119

import os
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.datasets.base import Datasets
from tfmigrate_runtime.datasets.mnist.data_set import DataSet
from tfmigrate_runtime.datasets.mnist.idx_files import extract_images, extract_labels

DEFAULT_SOURCE_URL = "https://storage.googleapis.com/cvdf-datasets/mnist/"

_FILES = (
    "train-images-idx3-ubyte",
    "train-labels-idx1-ubyte",
    "t10k-images-idx3-ubyte",
    "t10k-labels-idx1-ubyte",
)


def read_data_sets(
    train_dir: str,
    fake_data: bool = False,
    one_hot: bool = False,
    dtype: Any = tf.float32,
    reshape: bool = True,
    validation_size: int = 5000,
    seed: int | None = None,
    source_url: str = DEFAULT_SOURCE_URL,
) -> Datasets:
    """Reads MNIST (``tensorflow.examples.tutorials.mnist.input_data.read_data_sets``).

    Args:
        train_dir: the directory with the four IDX files, ending in ".gz" or not.
        fake_data: whether to read nothing, for next_batch(..., fake_data=True).
        one_hot: whether labels are vectors (float64 [examples, 10]), else uint8 [examples].
        dtype: uint8 for images in 0...255, float32 for 0...1.
        reshape: whether images are [examples, 784], else [examples, 28, 28, 1].
        validation_size: how many of the training examples are for validation: the first ones.
        seed: seed of the order of the batches.
        source_url: where to download the files, for the error when they are absent: nothing is
            downloaded, as TensorFlow 1.x did.

    Returns:
        train, validation and test, a DataSet each.

    Raises:
        FileNotFoundError: files are absent; it says which, and where they are available.
        ValueError: a file is not an IDX file, or validation_size is not in 0...examples.
    """
    if fake_data:
        return Datasets(*[DataSet([], [], True, one_hot, dtype, seed=seed) for _ in range(3)])
    paths = _paths(train_dir, source_url or DEFAULT_SOURCE_URL)
    arrays = []
    for path in paths:
        with tf.gfile.Open(path, "rb") as file:
            is_images = "images" in os.path.basename(path)
            arrays.append(extract_images(file) if is_images else extract_labels(file, one_hot))
    images, labels, test_images, test_labels = arrays
    if not 0 <= validation_size <= len(images):
        raise ValueError(
            f"Validation size should be between 0 and {len(images)}. Received: {validation_size}."
        )
    size = validation_size
    options: dict[str, Any] = {"dtype": dtype, "reshape": reshape, "seed": seed}
    return Datasets(
        train=DataSet(images[size:], labels[size:], **options),
        validation=DataSet(images[:size], labels[:size], **options),
        test=DataSet(test_images, test_labels, **options),
    )


def load_mnist(train_dir: str = "MNIST-data") -> Datasets:
    """Reads MNIST with read_data_sets' defaults (``tf.contrib.learn.datasets.mnist``)."""
    return read_data_sets(train_dir)


def _paths(directory: str, source_url: str) -> list[str]:
    """Returns the path of each file, packed where there are both."""
    paths, absent = [], []
    for name in _FILES:
        candidates = [os.path.join(directory, name + suffix) for suffix in (".gz", "")]
        there = [path for path in candidates if tf.gfile.Exists(path)]
        paths += there[:1]
        if not there:
            absent.append(f"{name}.gz")
    if absent:
        raise FileNotFoundError(
            f"{directory} does not contain {', '.join(absent)} (with or without .gz). Download "
            f"{'it' if len(absent) == 1 else 'them'} from {source_url}"
        )
    return paths
