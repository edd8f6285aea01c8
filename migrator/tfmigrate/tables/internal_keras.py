"""Names of tensorflow.python.keras, TensorFlow's own Keras, and their public names in tf.keras."""

from collections.abc import Collection
from functools import cache

from tfmigrate.tables import symbol_table
from tfmigrate.tables.chains import Chain, and_above
from tfmigrate.tables.listed import listed, sections
from tfmigrate.tables.present_names import KERAS_2, KERAS_3, missing_part

PACKAGE = "tensorflow.python.keras"
TENSORFLOW_KERAS, V1_KERAS = "tensorflow.keras", "tensorflow.compat.v1.keras"
_PUBLIC = (TENSORFLOW_KERAS, V1_KERAS)
_OTHER_NAMES = sections("other_objects")["tf.keras"].others
_BEFORE_1_11 = f"{PACKAGE}._impl.keras"


def is_internal(qualified: str) -> bool:
    """Returns whether a name is in tensorflow.python.keras, or is that."""
    return (qualified + ".").startswith(PACKAGE + ".")


def public_keras_name(qualified: str, kerases: Collection[str]) -> str | None:
    """Returns the public name of the same thing ("tensorflow.keras.layers.Dense").

    Returns:
        The name, below ``tensorflow.compat.v1`` where only that has it; None where TensorFlow 1.15
        had no such name, or current TensorFlow lacks it.
    """
    if below := _below(qualified):
        moved = next((name for name in and_above(below) if name in _table()), None)
        if moved is not None and not _table()[moved]:
            return None
        if moved is not None:
            below = _table()[moved] + below[len(moved) :]
        elif not symbol_table.is_found(f"keras.{below}", symbol_table.OLD):
            return None
    return keras_2_name(below) if KERAS_3 not in kerases else _present(below, _PUBLIC, kerases)


def keras_2_name(below: str) -> str | None:
    """Returns the name of what TensorFlow 1.15 had as ``tf.keras.<below>``, with Keras 2.

    Returns:
        The name, below ``tensorflow.compat.v1`` where TensorFlow 2 has another class in its place;
        None where it is in neither.
    """
    return _present(below, (V1_KERAS,) if differs_in_v2(below) else _PUBLIC, (KERAS_2,))


def differs_in_v2(below: str) -> bool:
    """Returns whether TensorFlow 2 has another class where TensorFlow 1.x had one in tf.keras."""
    return any(name in _OTHER_NAMES for name in and_above(below))


def moved_below(below: str) -> str:
    """Returns where in tf.keras a name of Keras' own modules is ("layers.core.Dense")."""
    for name in and_above(below):
        if _table().get(name):
            return _table()[name] + below[len(name) :]
    return below


def _present(below: str, roots: Collection[str], kerases: Collection[str]) -> str | None:
    for root in roots:
        parent, _, last = f"{root}.{below}".rstrip(".").rpartition(".")
        if not any(missing_part(_chain(parent, last), keras) for keras in kerases):
            return f"{parent}.{last}"
    return None


def has_other_public_name(qualified: str) -> bool:
    """Returns whether TensorFlow 1.15 showed another object, or the same, under tf.keras."""
    below = _below(qualified)
    return symbol_table.is_found(f"keras.{below}", symbol_table.OLD)


def _chain(parent: str, last: str) -> Chain:
    """Returns how a file reaches a name; nothing can be imported from compat.v1.keras."""
    v1 = "tensorflow.compat.v1"
    if parent.startswith(v1):
        return Chain(v1, "", f"{parent}.{last}".removeprefix(f"{v1}."))
    return Chain(parent, last)


def _below(qualified: str) -> str:
    package = _BEFORE_1_11 if (qualified + ".").startswith(_BEFORE_1_11 + ".") else PACKAGE
    return qualified.removeprefix(package).lstrip(".")


@cache
def _table() -> dict[str, str]:
    """Returns the public names that are other ones; "" for those of other objects."""
    lines = (line.split() for line in listed("internal_keras"))
    return {name: "".join(public) for _, name, *public in lines}
