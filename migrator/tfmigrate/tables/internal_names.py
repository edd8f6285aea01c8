"""Names of tensorflow.python, TensorFlow's own modules, that TensorFlow 2 no longer has."""

from collections.abc import Collection
from functools import cache

from tfmigrate.tables.chains import and_above
from tfmigrate.tables.listed import listed, sections

PACKAGE = "tensorflow.python"
_OTHERS = sections("other_objects")
# Classes that are there still and are those of TensorFlow 2; compat.v1 has TensorFlow 1.15's.
_OTHER_CLASSES = {
    f"{PACKAGE}.{name}": public for name, public in _OTHERS["tensorflow.python"].became.items()
}
# Functions that returned tf.TensorShape([...]) of their arguments, and the names of these.
SHAPES = {
    f"{PACKAGE}.framework.tensor_shape.scalar": (),
    f"{PACKAGE}.framework.tensor_shape.vector": ("length",),
    f"{PACKAGE}.framework.tensor_shape.matrix": ("rows", "cols"),
}


def moved_name(qualified: str) -> str | None:
    """Returns where what a removed module held is now, or the module itself; None for others."""
    for old, new in _OTHERS["moved"].became.items():
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
    renamed = _OTHERS["public with another name"].became
    return public_names | {f"{PACKAGE}.{name}": public for name, public in renamed.items()}


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
