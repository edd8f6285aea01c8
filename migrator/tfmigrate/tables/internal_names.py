"""Names of tensorflow.python, TensorFlow's own modules, that TensorFlow 2 no longer has."""

from collections.abc import Collection
from functools import cache

from tfmigrate.tables.chains import and_above
from tfmigrate.tables.listed import listed

PACKAGE = "tensorflow.python"
# Functions that got another name when they became public (tf.nest, in TensorFlow 2.13).
_RENAMED = {f"{PACKAGE}.util.nest.is_sequence": "nest.is_nested"}

# Classes that are there still and are those of TensorFlow 2; compat.v1 has TensorFlow 1.15's.
_OTHER_CLASSES = {
    f"{PACKAGE}.framework.device.DeviceSpec": "DeviceSpec",
    f"{PACKAGE}.data.ops.dataset_ops.Dataset": "data.Dataset",
    **{
        f"{PACKAGE}.data.ops.readers.{name}": f"data.{name}"
        for name in ("FixedLengthRecordDataset", "TFRecordDataset", "TextLineDataset")
    },
    **{
        f"{PACKAGE}.data.experimental.ops.{module}.{name}": f"data.experimental.{name}"
        for module, name in (
            ("counter", "Counter"),
            ("interleave_ops", "choose_from_datasets"),
            ("interleave_ops", "sample_from_datasets"),
            ("random_ops", "RandomDataset"),
            ("readers", "CsvDataset"),
            ("readers", "SqlDataset"),
            ("readers", "make_batched_features_dataset"),
            ("readers", "make_csv_dataset"),
        )
    },
}

# Modules and functions that another module of TensorFlow's own still has, under the same names.
_MOVED = {
    "tensorflow.models.rnn.rnn_cell": f"{PACKAGE}.ops.rnn_cell",  # before TensorFlow 0.8
    f"{PACKAGE}.estimator.util.fn_args": f"{PACKAGE}.util.function_utils.fn_args",
    f"{PACKAGE}.training.training_ops": f"{PACKAGE}.ops.gen_training_ops",
}

# Functions that returned tf.TensorShape([...]) of their arguments, and the names of these.
SHAPES = {
    f"{PACKAGE}.framework.tensor_shape.scalar": (),
    f"{PACKAGE}.framework.tensor_shape.vector": ("length",),
    f"{PACKAGE}.framework.tensor_shape.matrix": ("rows", "cols"),
}


def moved_name(qualified: str) -> str | None:
    """Returns where what a removed module held is now, or the module itself; None for others."""
    for old, new in _MOVED.items():
        if (qualified + ".").startswith(old + "."):
            return new + qualified.removeprefix(old)
    return None


@cache
def _table() -> dict[str, str]:
    """Returns the public name of each removed name, "" where there is none.

    The list is made by scripts/tables/list_internal_names.py.
    """
    lines = (line.split() for line in listed("internal_names"))
    # Those of the estimator package are a matter of tf.estimator's rules.
    public_names = {
        f"{PACKAGE}.{name}": "".join(public)
        for _, name, *public in lines
        if name.split(".")[0] != "estimator"
    }
    return public_names | _RENAMED


def gone_names() -> Collection[str]:
    """Returns the removed names and modules."""
    return _table().keys()


def is_gone(qualified: str) -> bool:
    """Returns whether a name ("tensorflow.python.ops.Tensor"), or its module, is removed."""
    return qualified.startswith(PACKAGE) and any(name in _table() for name in and_above(qualified))


def is_other_class(qualified: str) -> bool:
    """Returns whether a name is that of TensorFlow 2's class or function, not of 1.15's."""
    return any(name in _OTHER_CLASSES for name in and_above(qualified))


def public_name(qualified: str) -> tuple[str, str] | None:
    """Returns the public name of the same object, and the attributes that are used.

    Args:
        qualified: a removed or changed name ("tensorflow.python.framework.ops.Tensor.get_shape").

    Returns:
        The name below ``tf`` and the rest ("Tensor", ".get_shape"); None where there is none.
    """
    for name in and_above(qualified):
        if public := _table().get(name) or _OTHER_CLASSES.get(name):
            return public, qualified.removeprefix(name)
    return None
