"""Tables in CSV files (``tf.contrib.learn.datasets.base``)."""

# A directory may be a URL (gs://...), which pathlib would mangle.
# ruff: noqa: PTH118

import csv
import os
from typing import Any, NamedTuple

import numpy as np
import tensorflow.compat.v1 as tf

__all__ = [
    "Dataset", "Datasets", "load_boston", "load_csv_with_header", "load_csv_without_header",
    "load_iris", "maybe_download", "shrink_csv",
]  # fmt: skip


class Dataset(NamedTuple):
    """Examples and what is to be predicted of them."""

    data: Any
    target: Any


class Datasets(NamedTuple):
    """The parts of a data set."""

    train: Any
    validation: Any
    test: Any


def load_csv_with_header(
    filename: str, target_dtype: Any, features_dtype: Any, target_column: int = -1
) -> Dataset:
    """Reads a table whose first row has the number of examples and that of features.

    Args:
        filename: the CSV file.
        target_dtype: type of the target.
        features_dtype: type of the features.
        target_column: the column that is the target.

    Returns:
        data features_dtype [examples, features], target target_dtype [examples].
    """
    with tf.gfile.Open(filename) as file:
        rows = csv.reader(file)
        header = next(rows)
        data = np.zeros((int(header[0]), int(header[1])), dtype=features_dtype)
        target = np.zeros(int(header[0]), dtype=target_dtype)
        for index, row in enumerate(rows):
            target[index] = np.asarray(row.pop(target_column), dtype=target_dtype)
            data[index] = np.asarray(row, dtype=features_dtype)
    return Dataset(data, target)


def load_csv_without_header(
    filename: str, target_dtype: Any, features_dtype: Any, target_column: int = -1
) -> Dataset:
    """Reads a table without a header.

    Args:
        filename: the CSV file.
        target_dtype: type of the target.
        features_dtype: type of the features.
        target_column: the column that is the target.

    Returns:
        data features_dtype [examples, features], or an object [examples] of
        features_dtype [features] where rows differ in length; target target_dtype [examples].
    """
    data, target = [], []
    with tf.gfile.Open(filename) as file:
        for row in csv.reader(file):
            target.append(row.pop(target_column))
            data.append(np.asarray(row, dtype=features_dtype))
    together: Any = np.empty(len(data), object)
    if len({len(row) for row in data}) > 1:
        together[:] = data
    else:
        together = np.array(data)
    return Dataset(together, np.array(target, dtype=target_dtype))


def shrink_csv(filename: str, ratio: int) -> None:
    """Writes every ratio-th row of a table to a file next to it ("x.csv" to "x_small.csv")."""
    with tf.gfile.Open(filename.replace(".", "_small."), "w") as small:
        writer = csv.writer(small)
        with tf.gfile.Open(filename) as file:
            for index, row in enumerate(csv.reader(file)):
                if index % ratio == 0:
                    writer.writerow(row)


def load_iris(data_path: str | None = None) -> Dataset:
    """Reads the iris table, as TensorFlow 1.x had it with a header row.

    Args:
        data_path: the CSV file, which must be given: none comes with this package.

    Returns:
        data float64 [examples, 4], target int64 [examples].

    Raises:
        ValueError: no file is given.
    """
    return load_csv_with_header(_given(data_path, "iris"), np.int64, np.float64)


def load_boston(data_path: str | None = None) -> Dataset:
    """Reads the table of Boston house prices, as TensorFlow 1.x had it with a header row.

    Args:
        data_path: the CSV file, which must be given: none comes with this package.

    Returns:
        data float64 [examples, 13], target float64 [examples].

    Raises:
        ValueError: no file is given.
    """
    return load_csv_with_header(_given(data_path, "boston_house_prices"), np.float64, np.float64)


def _given(path: str | None, name: str) -> str:
    if path is None:
        raise ValueError(
            f"tfmigrate_runtime does not include {name}.csv: pass its path as data_path. "
            f"TensorFlow 1.x has the file in contrib/learn/python/learn/datasets/data/{name}.csv"
        )
    return path


def maybe_download(filename: str, work_directory: str, source_url: str) -> str:
    """Returns the path of a file that is there already; nothing is downloaded.

    Args:
        filename: its name.
        work_directory: the directory it is in.
        source_url: where TensorFlow 1.x would have had it from.

    Returns:
        The path.

    Raises:
        FileNotFoundError: the file is absent.
    """
    path = os.path.join(work_directory, filename)
    if not tf.gfile.Exists(path):
        raise FileNotFoundError(f"{path} does not exist. Download it from {source_url}")
    return path
