"""tf.contrib.checkpoint."""

from __future__ import annotations

from collections.abc import Mapping

from tfmigrate.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.checkpoint"
# Each was the class that is in tf.train (contrib/checkpoint/__init__.py).
NAMES: Mapping[str, Equivalent] = {
    "CheckpointManager": Equivalent("train.CheckpointManager"),
    "PythonStateWrapper": Equivalent("train.experimental.PythonState"),
}
_PLAIN = Missing(
    "objects are tracked without it",
    "use tf.train.Checkpoint, and plain attributes, lists and dicts",
)
MISSING: Mapping[str, Missing] = dict.fromkeys(
    ("Checkpointable", "List", "Mapping", "NoDependency", "NumpyState"), _PLAIN
)
