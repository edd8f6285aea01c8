"""tf.contrib.learn.datasets: the readers of files that migrated programs have too."""

from tfmigrate_runtime.datasets import (
    load_boston,
    load_dataset,
    load_iris,
    make_dataset,
    synthetic,
    text_datasets,
)
from tfmigrate_runtime.tf1_shim.contrib.learn.datasets import base, mnist

__all__ = [
    "base", "load_boston", "load_dataset", "load_iris", "make_dataset", "mnist", "synthetic",
    "text_datasets",
]  # fmt: skip
