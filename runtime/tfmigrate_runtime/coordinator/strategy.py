"""The replacement of ``replica_device_setter`` in a coordinator's program."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.coordinator.cluster import Cluster

_connected: list[Cluster] = []


def connect(cluster_spec: Any) -> Cluster:
    """Makes this process the coordinator of a cluster; the first cluster is kept."""
    if not _connected:
        _connected.append(Cluster(cluster_spec))
    return _connected[0]


def cluster_of_this_process() -> Cluster:
    """Returns the cluster that this process coordinates.

    Raises:
        RuntimeError: there is none.
    """
    if not _connected:
        raise RuntimeError(
            "this process is not the coordinator of a cluster: create "
            'coordinator.Server(cluster, job_name="chief", task_index=0) first'
        )
    return _connected[0]


def steps_in_flight() -> int:
    """Returns how many steps may be under way, from TFMIGRATE_STEPS_IN_FLIGHT; 0 by default.

    0 represents twice the number of workers: each has a step, and the next one waits for it. With
    1 every step begins where the one before ended, and training is sequential.

    Raises:
        ValueError: the variable is not a number.
    """
    return int(os.environ.get("TFMIGRATE_STEPS_IN_FLIGHT", "0"))


class ParameterServerStrategy:
    """Places a replica function's variables as ``replica_device_setter`` did.

    There is one replica function, and its graph is the same on all workers.
    """

    def __init__(self, setter: Callable[[Any], str] | None) -> None:
        """Keeps the setter; None places nothing."""
        self._setter = setter

    def scope(self) -> AbstractContextManager[Any]:
        """Returns a context in which operations and variables are placed."""
        place: AbstractContextManager[Any] = tf.device(self._setter)
        return place

    def run(
        self,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Builds the graph of the replica function, and returns what it returns."""
        with self.scope():
            return fn(*args, **(kwargs or {}))


def parameter_server_strategy(
    ps_tasks: int = 0,
    ps_device: str = "/job:ps",
    worker_device: str = "/job:worker",
    merge_devices: bool = True,
    cluster: Any = None,
    ps_ops: Sequence[str] | None = None,
    ps_strategy: Callable[[Any], int] | None = None,
) -> ParameterServerStrategy:
    """Returns the strategy; the parameters are those of ``tf.train.replica_device_setter``.

    Every variable lies on the parameter server that the setter chooses for it, in the order of
    creation. The task of ``worker_device`` is not used: any worker may run a step.
    """
    # Variables must be resources that functions can share; TensorFlow 1.x had references.
    tf.enable_resource_variables()
    return ParameterServerStrategy(
        tf.train.replica_device_setter(
            ps_tasks, ps_device, worker_device, merge_devices, cluster, ps_ops, ps_strategy
        )
    )
