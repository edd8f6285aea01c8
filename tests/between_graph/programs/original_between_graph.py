"""What the program of these tests had before its migration, on TensorFlow 1.15."""

from __future__ import annotations

from typing import Any, Callable  # noqa: UP035

import tensorflow.compat.v1 as tf

SyncReplicasOptimizer = tf.train.SyncReplicasOptimizer


class _Setter:
    """Runs a function as the block under a device setter was run."""

    def __init__(self, **options: Any) -> None:
        self._device = tf.train.replica_device_setter(**options)

    def run(self, function: Callable[..., Any]) -> Any:
        with tf.device(self._device):
            return function()


def strategy(*, sync_replicas: bool, **options: Any) -> _Setter:
    """Returns what places the operations of a function."""
    return _Setter(**options)


def Server(*arguments: Any, sync_replicas: bool, **options: Any) -> Any:  # noqa: N802
    """Starts a server."""
    return tf.train.Server(*arguments, **options)


def Supervisor(*arguments: Any, strategy: Any, **options: Any) -> Any:  # noqa: N802
    """Makes a supervisor."""
    return tf.train.Supervisor(*arguments, **options)


def MonitoredTrainingSession(*arguments: Any, strategy: Any, **options: Any) -> Any:  # noqa: N802
    """Makes a session."""
    return tf.train.MonitoredTrainingSession(*arguments, **options)
