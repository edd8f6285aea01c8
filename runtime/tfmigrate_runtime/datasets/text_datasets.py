"""The DBpedia texts (``tf.contrib.learn.datasets.text_datasets``)."""

# A directory may be a URL (gs://...), which pathlib would mangle.
# ruff: noqa: PTH118

import os

import numpy as np
import tensorflow.compat.v1 as tf

from tfmigrate_runtime.datasets.base import Datasets, load_csv_without_header, shrink_csv

__all__ = ["DBPEDIA_URL", "load_dbpedia"]

DBPEDIA_URL = "https://github.com/le-scientifique/torchDatasets/raw/master/dbpedia_csv.tar.gz"


def load_dbpedia(size: str = "small", test_with_fake_data: bool = False) -> Datasets:
    """Reads dbpedia_data/dbpedia_csv/train.csv and test.csv; nothing is downloaded.

    The directory is looked for below that of the environment variable TF_EXP_BASE_DIR.

    Args:
        size: "small" for one row in 1000, which is written to a file next to the whole.
        test_with_fake_data: not possible: TensorFlow 1.x brought a few rows along.

    Returns:
        train and test: data str [examples, 2], target int32 [examples]; no validation.

    Raises:
        FileNotFoundError: the files are absent.
        ValueError: made-up data are asked for.
    """
    if test_with_fake_data:
        raise ValueError("tfmigrate_runtime does not include text_train.csv and text_test.csv")
    directory = os.path.join(os.getenv("TF_EXP_BASE_DIR", ""), "dbpedia_data", "dbpedia_csv")
    paths = [os.path.join(directory, name) for name in ("train.csv", "test.csv")]
    if absent := [path for path in paths if not tf.gfile.Exists(path)]:
        raise FileNotFoundError(
            f"{' and '.join(absent)}: no such file. Download and unpack {DBPEDIA_URL}"
        )
    parts = []
    for path in paths:
        if size == "small":
            shrink_csv(path, 1000)
            # As the file is named by shrink_csv, also where a directory has a dot in its name.
            path = path.replace(".", "_small.")
        parts.append(load_csv_without_header(path, np.int32, np.str_, target_column=0))
    return Datasets(parts[0], None, parts[1])
