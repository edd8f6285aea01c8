"""What tfmigrate_runtime.datasets.mnist has of tensorflow.examples.tutorials.mnist."""

from __future__ import annotations

from tfmigrate.tables.package import Package

_INPUT_DATA = frozenset(
    {"DataSet", "dense_to_one_hot", "extract_images", "extract_labels", "read_data_sets"}
)
PACKAGE = Package(
    "tensorflow.examples.tutorials.mnist",
    "tfmigrate_runtime.datasets.mnist",
    {
        "": _INPUT_DATA | {"DEFAULT_SOURCE_URL", "load_mnist"},
        "input_data": _INPUT_DATA,
        "mnist": frozenset(
            {
                "IMAGE_PIXELS",
                "IMAGE_SIZE",
                "NUM_CLASSES",
                "evaluation",
                "inference",
                "loss",
                "training",
            }
        ),
    },
)
