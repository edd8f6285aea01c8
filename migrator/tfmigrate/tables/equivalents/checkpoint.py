"""tf.contrib.checkpoint."""

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.checkpoint"
# Aliases of the same classes (contrib/checkpoint/__init__.py).
NAMES: Mapping[str, Equivalent] = {
    "CheckpointManager": Equivalent("train.CheckpointManager"),
    "PythonStateWrapper": Equivalent("train.experimental.PythonState"),
}
_TRACKED = "lists and dictionaries need no wrapper to be tracked"
MISSING: Mapping[str, Missing] = {
    "": Missing("it is no longer public", "use tf.train.Checkpoint"),
    "Checkpointable": Missing("it is no longer public", "use tf.Module"),
    "List": Missing(_TRACKED, "use a list"),
    "Mapping": Missing(_TRACKED, "use a dictionary"),
    "list_objects": Missing(
        "it is no longer public", "use tf.train.list_variables on a checkpoint"
    ),
}
