"""Variables in parts (``partitioner=``), on several replicas.

Towers kept them: each part is initialized, clipped and trained by itself, and checkpoints have the
whole. Strategies of tf.distribute join the parts, with a warning in the log, and so did
``train_distribute`` of TensorFlow 1.15: other initial values, other slots, another norm.
"""

import contextlib
from collections.abc import Iterator
from typing import Any
from unittest import mock

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat import variables


class _PartOnReplicas(variables.saveable_object.SaveableObject):  # type: ignore[misc]
    """Restores a part on all replicas; TensorFlow restores the first one's only."""

    def __init__(self, part: Any, saved: Any) -> None:
        super().__init__(saved.op, saved.specs, saved.name)
        self._copies = part.values

    def restore(self, restored_tensors: Any, restored_shapes: Any) -> Any:
        """Returns the op that restores it."""
        return tf.group(*(tf.assign(copy, restored_tensors[0]) for copy in self._copies))


@contextlib.contextmanager
def of_towers(strategy: Any) -> Iterator[None]:
    """Lets a strategy keep the parts of variables, and Savers restore them.

    Args:
        strategy: None for one device, which keeps them anyway.
    """
    # A hook may evaluate, in a graph of its own, while the graph of training is built around it.
    if strategy is None or strategy.extended._allow_variable_partition():
        yield
        return
    saveables = variables.saveable_object_util.saveable_objects_for_op

    def of_all_replicas(value: Any, name: str) -> Iterator[Any]:
        if not isinstance(value, (list, tuple, variables.PartitionedVariable)):
            yield from saveables(value, name)
            return
        parts = list(value)
        # Outside of replicas, as in a warm start, only copies can be read.
        copies = [part.values[0] if hasattr(part, "values") else part for part in parts]
        for part, saved in zip(parts, saveables(copies, name), strict=True):
            yield _PartOnReplicas(part, saved) if hasattr(part, "values") else saved

    savers = variables.saveable_object_util
    with (
        mock.patch.object(savers, "saveable_objects_for_op", of_all_replicas),
        mock.patch.object(strategy.extended, "_allow_variable_partition", lambda: True),
    ):
        yield
