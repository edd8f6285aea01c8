"""The name that TensorFlow 1.x documents for any spelling of it."""

from functools import lru_cache

from tfmigrate.tables import symbol_table
from tfmigrate.tables.deep_paths import DEEP_PATHS
from tfmigrate.tables.runtime_modules import RUNTIME, VENDORED


@lru_cache(maxsize=1 << 16)
def canonical(qualified: str) -> str:
    """Returns the name TensorFlow 1.x documents for any spelling of it.

    Args:
        qualified: a dotted name ("tensorflow.compat.v1.estimator.Estimator").

    Returns:
        The public name ("tensorflow.estimator.Estimator"); other names as they are.
    """
    public = _nearer(qualified)
    return public if public == qualified else canonical(public)


def _nearer(qualified: str) -> str:
    """Returns a name closer to the public one, or the name itself if it is public."""
    while qualified.startswith("tensorflow.compat.v1"):
        if (suffix := qualified[len("tensorflow.compat.v1") :]) and not suffix.startswith("."):
            break
        qualified = "tensorflow" + suffix
    name = qualified
    while name:
        if name in DEEP_PATHS:
            return DEEP_PATHS[name] + qualified[len(name) :]
        name = name.rpartition(".")[0]
    return _public(qualified) if ".python." in qualified else qualified


def not_vendored(qualified: str) -> str:
    """Returns the runtime's name of what a program imports from its own copy (``--vendor``)."""
    root, dot, tail = qualified.partition(".")
    return f"{RUNTIME}{dot}{tail}" if root == VENDORED else qualified


def _public(qualified: str) -> str:
    """Returns the public tf.contrib package for one in its folder ``python``."""
    package, _, path = qualified.partition(".python.")
    if not package.startswith("tensorflow.contrib."):
        return qualified
    parts = path.split(".")
    for start in range(len(parts) - 1, -1, -1):
        name = ".".join((package, *parts[start:]))
        below = name.removeprefix("tensorflow.")
        if name in DEEP_PATHS or symbol_table.is_found(below, symbol_table.OLD):
            return name
    return qualified
