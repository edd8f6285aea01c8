"""tf.contrib.learn.datasets.mnist."""

from tfmigrate_runtime.datasets.mnist import (
    DEFAULT_SOURCE_URL,
    DataSet,
    dense_to_one_hot,
    extract_images,
    extract_labels,
    load_mnist,
    read_data_sets,
)

__all__ = [
    "DEFAULT_SOURCE_URL", "DataSet", "dense_to_one_hot", "extract_images", "extract_labels",
    "load_mnist", "read_data_sets",
]  # fmt: skip
