"""tf.contrib.checkpoint."""

from __future__ import annotations

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.checkpoint"
# Aliases of the same classes (contrib/checkpoint/__init__.py).
NAMES: Mapping[str, Equivalent] = {
    "CheckpointManager": Equivalent("train.CheckpointManager"),
    "PythonStateWrapper": Equivalent("train.experimental.PythonState"),
}
_TRACKED = "lists and dictionaries are tracked without a wrapper"
MISSING: Mapping[str, Missing] = {
    "": Missing("it is no public name any more", "use tf.train.Checkpoint"),
    "Checkpointable": Missing("it is no public name any more", "use tf.Module"),
    "List": Missing(_TRACKED, "use a list"),
    "Mapping": Missing(_TRACKED, "use a dictionary"),
    "list_objects": Missing(
        "it is no public name any more", "use tf.train.list_variables on a checkpoint"
    ),
}
