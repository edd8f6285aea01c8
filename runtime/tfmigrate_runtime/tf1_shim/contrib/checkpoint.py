"""tf.contrib.checkpoint: what could be saved in addition to variables, by its names of 1.x."""

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.shim_ops import autotrackable, base, data_structures

__all__ = [
    "CheckpointManager", "Checkpointable", "CheckpointableBase", "List", "Mapping", "NoDependency",
    "PythonStateWrapper",
]  # fmt: skip

CheckpointManager = tf.train.CheckpointManager
PythonStateWrapper = tf.train.experimental.PythonState
Checkpointable = autotrackable.AutoTrackable
CheckpointableBase = base.Trackable
List = data_structures.List
Mapping = data_structures.Mapping
NoDependency = data_structures.NoDependency
