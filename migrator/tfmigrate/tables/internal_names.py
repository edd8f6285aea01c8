"""Names of tensorflow.python, TensorFlow's own modules, that TensorFlow 2 no longer has."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from importlib import resources

from tfmigrate.tables.chains import and_above

PACKAGE = "tensorflow.python"
# Functions that got another name when they became public (tf.nest, in TensorFlow 2.13).
_RENAMED = {
    f"{PACKAGE}.util.nest.is_sequence": "nest.is_nested",
}

# Modules whose functions another module of TensorFlow's own still has, under the same names.
_MOVED = {f"{PACKAGE}.training.training_ops": f"{PACKAGE}.ops.gen_training_ops"}


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
    text = resources.files("tfmigrate").joinpath("data/internal_names.txt").read_text("utf-8")
    lines = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    # Those of the estimator package are a matter of tf.estimator's rules.
    found = {
        f"{PACKAGE}.{name}": "".join(public)
        for _, name, *public in lines
        if name.split(".")[0] != "estimator"
    }
    return found | _RENAMED


def gone_names() -> Collection[str]:
    """Returns the removed names and modules."""
    return _table().keys()


def is_gone(qualified: str) -> bool:
    """Says whether a name ("tensorflow.python.framework.ops.Tensor"), or its module, is removed."""
    return qualified.startswith(PACKAGE) and any(name in _table() for name in and_above(qualified))


def public_name(qualified: str) -> tuple[str, str] | None:
    """Returns the public name of the same object, and the attributes that are used.

    Args:
        qualified: a removed name ("tensorflow.python.framework.ops.Tensor.get_shape").

    Returns:
        The name below ``tf`` and the rest ("Tensor", ".get_shape"); None where there is none.
    """
    for name in and_above(qualified):
        if _table().get(name):
            return _table()[name], qualified.removeprefix(name)
    return None
