"""Small packages of tf.contrib that nothing stands for."""

from __future__ import annotations

from collections.abc import Mapping

from tfmigrate.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib"
NAMES: Mapping[str, Equivalent] = {}
MISSING: Mapping[str, Missing] = {
    "android": Missing("it was for builds", "remove it"),
    "gdr": Missing("it was for builds", "remove it; tf.distribute chooses the transport"),
    "hvx": Missing("it was for builds", "remove it"),
    "memory_stats": Missing(
        "its operations were compiled into tf.contrib",
        "use tf.config.experimental.get_memory_info('GPU:0') between steps",
    ),
    "mpi": Missing("TensorFlow is no longer built with MPI", "use tf.distribute, or Horovod"),
    "mpi_collectives": Missing(
        "TensorFlow is no longer built with MPI", "use tf.distribute, or Horovod"
    ),
    "verbs": Missing("it was for builds", "remove it; tf.distribute chooses the transport"),
}
