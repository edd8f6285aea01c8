"""The strategies that replace ``tf.train.replica_device_setter``."""

from operator import attrgetter
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.between_graph import mirrored, tasks
from tfmigrate_runtime.between_graph.parameter_servers import ParameterServerStrategy
from tfmigrate_runtime.estimator.task import Task, read_task
from tfmigrate_runtime.train.passed_on import pass_on


def parameter_server_strategy(
    ps_tasks: int = 0,
    ps_device: str = "/job:ps",
    worker_device: str = "/job:worker",
    merge_devices: bool = True,
    cluster: Any = None,
    ps_ops: Any = None,
    ps_strategy: Any = None,
    placed_by_hand: bool = False,
) -> Any:
    """Returns the strategy of a worker that trains on its own, with parameter servers.

    The parameters are those of ``tf.train.replica_device_setter``, which does the placement.

    Args:
        ps_tasks: the number of parameter servers, where there is no cluster.
        ps_device: the device of the parameter servers.
        worker_device: the device of operations that are not variables.
        merge_devices: whether a device that the program chose is completed, or taken as it is.
        cluster: a ``ClusterSpec``, or what one is made of.
        ps_ops: types of operations that are placed on parameter servers.
        ps_strategy: chooses the parameter server of an operation; round robin without it.
        placed_by_hand: whether everything stays where the program put it by ``tf.device``.

    Returns:
        A ``tf.distribute.experimental.ParameterServerStrategy`` of compat.v1; the default strategy
        where ``replica_device_setter`` returns None: without parameter servers.

    Raises:
        TypeError: ps_strategy cannot be called.
    """
    setter = pass_on(tf.train.replica_device_setter, locals())
    if placed_by_hand:
        setter = attrgetter("device")
    if setter is None:
        return tf.distribute.get_strategy()
    worker = tf.DeviceSpec.from_string(worker_device)
    cluster_resolver = None
    if cluster is not None:
        jobs = tasks.addresses_by_job(cluster)
        ps_tasks = len(jobs[tf.DeviceSpec.from_string(ps_device).job])
        if worker.task is not None:
            cluster_resolver = tasks.resolver(Task(worker.job, worker.task, jobs), 0)
    return ParameterServerStrategy(setter, worker_device, ps_tasks, cluster_resolver)


def multi_worker_mirrored_strategy(
    ps_tasks: int = 0,
    ps_device: str = "/job:ps",
    worker_device: str = "/job:worker",
    merge_devices: bool = True,
    cluster: Any = None,
    ps_ops: Any = None,
    ps_strategy: Any = None,
) -> Any:
    """Returns the strategy of a worker that trains in lockstep with the others.

    The parameters are those of ``tf.train.replica_device_setter``. Variables are mirrored on the
    workers, so that what places them on parameter servers has no effect.

    Args:
        ps_tasks: without effect.
        ps_device: without effect.
        worker_device: the device of this worker; its task may be missing where ``Server`` was
            called, or TF_CONFIG has it.
        merge_devices: without effect.
        cluster: a ``ClusterSpec``, or what one is made of; that of ``Server`` where it is None.
        ps_ops: without effect.
        ps_strategy: without effect.

    Returns:
        The one ``tf.distribute.experimental.MultiWorkerMirroredStrategy`` of compat.v1 that this
        process has; the default strategy where there is no cluster.

    Raises:
        ValueError: the worker's task is not known or not in the cluster; the process has a
            strategy as another task; eager execution is on.
    """
    process_strategy = mirrored.made()
    device = tf.DeviceSpec.from_string(worker_device)
    if cluster is None:
        return process_strategy if process_strategy is not None else tf.distribute.get_strategy()
    if device.task is not None:
        return mirrored.strategy_of(
            tasks.training_task(cluster, device.job or "worker", device.task), worker_device
        )
    if process_strategy is not None:
        return process_strategy
    task = read_task()
    if not task.cluster:
        raise ValueError(
            f"worker_device={worker_device!r} does not name this worker's task: pass a device "
            "such as '/job:worker/task:1'"
        )
    return mirrored.strategy_of(tasks.training_task(cluster, task.type, task.index), worker_device)


def strategy(*arguments: Any, sync_replicas: Any, **options: Any) -> Any:
    """Returns the strategy of a program whose workers train in lockstep behind a flag.

    Args:
        *arguments: those of ``tf.train.replica_device_setter``.
        sync_replicas: whether they do: the program's own condition for SyncReplicasOptimizer.
        **options: the same by keyword.

    Returns:
        ``multi_worker_mirrored_strategy`` of the arguments, or ``parameter_server_strategy``.

    Raises:
        ValueError: as they do.
        TypeError: as they do.
    """
    make = multi_worker_mirrored_strategy if sync_replicas else parameter_server_strategy
    return make(*arguments, **options)


def is_synchronous(of: Any) -> bool:
    """Returns whether a strategy is one for workers in lockstep."""
    return isinstance(of, mirrored.MultiWorkerMirroredStrategy)


def is_training_job(job: str) -> bool:
    """Returns whether the tasks of a job train, and do not only serve."""
    return job in tasks.TRAINING_JOBS
