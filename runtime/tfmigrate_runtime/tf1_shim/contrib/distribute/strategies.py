"""The strategies of tf.contrib.distribute: those of compat.v1 with contrib's arguments.

A dataset that a program gives to one of them has the batches of one replica, as in TensorFlow 1.x
(``tf.contrib.distribute.MirroredStrategy.make_dataset_iterator``); the strategies of
``tf.distribute`` split each batch over the replicas.
"""

from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat import shim_distribute
from tfmigrate_runtime.compat.distribute import cluster_of_environment
from tfmigrate_runtime.compat.shim_distribute import all_local_devices as _all_local_devices

OneDeviceStrategy = tf.distribute.OneDeviceStrategy


def all_local_devices(num_gpus: int | None = None) -> Sequence[Any]:
    """Returns the first GPUs, all of them by default; the CPU where there are none.

    A number is not compared with the GPUs that there are, as in TensorFlow 1.15: a session says
    which is missing.
    """
    if num_gpus is None:
        return list(_all_local_devices())
    return list(shim_distribute.device_util.local_devices_from_num_gpus(num_gpus))


def get_cross_replica_context() -> tf.distribute.Strategy | None:
    """Returns the strategy outside of its replicas, None within one (tf.distribute of 1.15)."""
    inside = tf.distribute.in_cross_replica_context()
    return tf.distribute.get_strategy() if inside else None


class _BatchOfReplica:
    """What makes an input pipeline's batch that of one replica."""

    _input_workers: Any
    _container_strategy: Any

    def _make_dataset_iterator(self, dataset: Any) -> Any:
        return shim_distribute.DatasetIterator(
            dataset, self._input_workers, self._container_strategy()
        )

    @property
    def _global_batch_size(self) -> bool:
        return False


class MirroredStrategy(tf.distribute.Strategy):  # type: ignore[misc]
    """A copy of every variable on each device (tf.contrib.distribute.MirroredStrategy)."""

    _collective_key_base = 0  # which the classes of TensorFlow 2 have, and the next one reads

    def __init__(
        self,
        devices: Sequence[str] | None = None,
        num_gpus: int | None = None,
        num_gpus_per_worker: int | None = None,
        cross_device_ops: Any = None,
        auto_shard_dataset: bool = False,
        cross_tower_ops: Any = None,
    ) -> None:
        """Takes the arguments of TensorFlow 1.15, and ``cross_tower_ops`` of 1.12.

        Raises:
            NotImplementedError: ``auto_shard_dataset`` is true.
            ValueError: more than one of ``devices``, ``num_gpus`` and ``num_gpus_per_worker`` is
                given.
        """
        if cross_device_ops and cross_tower_ops:
            raise AssertionError("cross_device_ops and cross_tower_ops are the same argument")
        if num_gpus is not None and num_gpus_per_worker is not None:
            raise ValueError("You cannot specify both `num_gpus` and `num_gpus_per_worker`.")
        if auto_shard_dataset:
            raise NotImplementedError(
                "MirroredStrategy(auto_shard_dataset=True) is not emulated by the legacy runtime"
            )
        if num_gpus is None:
            num_gpus = num_gpus_per_worker
        if devices is None:
            devices = all_local_devices(num_gpus)
        elif num_gpus is not None:
            raise ValueError("Must only specify one of `devices` and `num_gpus_per_worker`.")
        super().__init__(_MirroredExtended(self, devices, cross_device_ops or cross_tower_ops))


class _MirroredExtended(_BatchOfReplica, shim_distribute.MirroredExtended):  # type: ignore[misc]
    """What MirroredStrategy does."""


class CollectiveAllReduceStrategy(tf.distribute.Strategy):  # type: ignore[misc]
    """Mirrored variables on all workers (tf.contrib.distribute.CollectiveAllReduceStrategy)."""

    _collective_key_base = 0

    def __init__(
        self,
        num_gpus_per_worker: int = 0,
        communication: Any = tf.distribute.experimental.CollectiveCommunication.AUTO,
    ) -> None:
        """Takes the arguments of TensorFlow 1.15; the cluster is that of TF_CONFIG.

        Raises:
            ValueError: TF_CONFIG has a cluster but no task, or no worker and no chief.
        """
        super().__init__(
            shim_distribute.CollectiveAllReduceExtended(
                self,
                cluster_resolver=cluster_of_environment(num_gpus_per_worker),
                communication_options=tf.distribute.experimental.CommunicationOptions(
                    implementation=communication
                ),
            )
        )


class ParameterServerStrategy(tf.distribute.Strategy):  # type: ignore[misc]
    """Variables on parameter servers (tf.contrib.distribute.ParameterServerStrategy)."""

    def __init__(self, num_gpus_per_worker: int = 0) -> None:
        """Takes the argument of TensorFlow 1.15; the cluster is that of TF_CONFIG.

        Raises:
            ValueError: TF_CONFIG has a cluster but no task, or no parameter server.
        """
        resolver = cluster_of_environment(num_gpus_per_worker)
        super().__init__(_ParameterServerExtended(self, cluster_resolver=resolver))


_ExtendedOfServers: Any = shim_distribute.ParameterServerStrategyExtended


class _ParameterServerExtended(_BatchOfReplica, _ExtendedOfServers):  # type: ignore[misc]
    """What ParameterServerStrategy does."""
