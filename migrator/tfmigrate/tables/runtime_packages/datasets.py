"""What tfmigrate_runtime.datasets has of tf.contrib.learn.datasets."""

from __future__ import annotations

from tfmigrate.tables.package import Package
from tfmigrate.tables.runtime_packages.mnist import PACKAGE as MNIST

PACKAGE = Package(
    "tensorflow.contrib.learn.datasets",
    "tfmigrate_runtime.datasets",
    {
        "": frozenset({"load_boston", "load_dataset", "load_iris", "make_dataset"}),
        "base": frozenset(
            {
                "Dataset",
                "Datasets",
                "load_boston",
                "load_csv_with_header",
                "load_csv_without_header",
                "load_iris",
                "maybe_download",
                "shrink_csv",
            }
        ),
        "synthetic": frozenset({"circles", "spirals"}),
        "text_datasets": frozenset({"DBPEDIA_URL", "load_dbpedia"}),
        **{".".join(filter(None, ["mnist", path])): names for path, names in MNIST.modules.items()},
    },
)
