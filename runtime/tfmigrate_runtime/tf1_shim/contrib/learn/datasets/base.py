"""tf.contrib.learn.datasets.base."""

from tfmigrate_runtime.datasets.base import (
    Dataset,
    Datasets,
    load_boston,
    load_csv_with_header,
    load_csv_without_header,
    load_iris,
    maybe_download,
    shrink_csv,
)

__all__ = [
    "Dataset", "Datasets", "load_boston", "load_csv_with_header", "load_csv_without_header",
    "load_iris", "maybe_download", "shrink_csv",
]  # fmt: skip
