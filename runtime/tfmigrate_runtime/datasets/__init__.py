"""The data sets of ``tf.contrib.learn.datasets`` and of the MNIST tutorial, from files you have.

Nothing is downloaded: where a file is absent, the error says which one and where it is available.
"""

from tfmigrate_runtime import compat as compat  # refuses other versions of TensorFlow
from tfmigrate_runtime.datasets import base, mnist, synthetic, text_datasets
from tfmigrate_runtime.datasets.base import load_boston, load_iris
from tfmigrate_runtime.datasets.by_name import load_dataset, make_dataset

__all__ = [
    "base", "load_boston", "load_dataset", "load_iris", "make_dataset", "mnist", "synthetic",
    "text_datasets",
]  # fmt: skip
