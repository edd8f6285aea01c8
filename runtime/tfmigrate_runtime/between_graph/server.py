"""The server of a task, as ``tf.train.Server`` starts it."""

import sys
from typing import Any, NoReturn

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.between_graph import default_placement, mirrored
from tfmigrate_runtime.between_graph.strategies import is_training_job
from tfmigrate_runtime.between_graph.tasks import training_task
from tfmigrate_runtime.estimator.task import Task
from tfmigrate_runtime.train import sigterm
from tfmigrate_runtime.train.peers import listening, named, say_unknown
from tfmigrate_runtime.train.waits import watch_sessions


class UnneededServer:
    """A parameter server of workers that keep the variables themselves."""

    def __init__(self, job: str, index: int) -> None:
        """Starts nothing."""
        self._name = f"{job} {index}"

    def join(self) -> NoReturn:
        """Reports that the task is not needed, and ends the process with exit code 0.

        ``tf.train.Server.join`` never returned, so that what comes after it must not be run.
        """
        print(
            f"{self._name}: the workers train synchronously with mirrored variables, so "
            "parameter servers are not needed and this one exits.",
            flush=True,
        )
        sys.exit(0)

    @property
    def target(self) -> str:
        """There is none.

        Raises:
            RuntimeError: always.
        """
        raise RuntimeError(
            f"{self._name} cannot create a session: the workers train synchronously with mirrored "
            "variables, so parameter servers are not needed"
        )


def Server(  # noqa: N802
    server_or_cluster_def: Any,
    job_name: str | None = None,
    task_index: int | None = None,
    protocol: str | None = None,
    config: Any = None,
    start: bool = True,
    sync_replicas: Any = False,
) -> Any:
    """Starts the server of a task.

    Args:
        server_or_cluster_def: as ``tf.train.Server`` takes it.
        job_name: the job of this task.
        task_index: its number in the job.
        protocol: as ``tf.train.Server`` takes it.
        config: a ConfigProto, or None.
        start: whether the server is started.
        sync_replicas: whether the workers train in lockstep.

    Returns:
        A ``tf.train.Server``. Operations that the program placed on no task go where TensorFlow
        1.x put them, in all sessions of the process. In lockstep it knows the other workers only,
        and a task that is not a worker gets an UnneededServer.

    Raises:
        UnknownError: its port is taken.
        ValueError: the cluster has no such task; eager execution is on.
    """
    if not sync_replicas:
        default_placement.place_as_tensorflow_1(default_placement.cluster_of(server_or_cluster_def))
        task = default_placement.task_of(server_or_cluster_def, job_name, task_index)
        if not task.is_known:  # as the server says
            return tf.train.Server(server_or_cluster_def, job_name, task_index)
        _watch(task)
        with listening(task):
            return tf.train.Server(
                server_or_cluster_def, job_name, task_index, protocol, config, start
            )
    cluster = server_or_cluster_def
    if isinstance(cluster, tf.train.ServerDef):
        job_name = job_name or cluster.job_name
        task_index = cluster.task_index if task_index is None else task_index
        protocol = protocol or cluster.protocol
        cluster = cluster.cluster
    job, index = job_name or "", task_index or 0
    if not is_training_job(job):
        return UnneededServer(job, index)
    task = training_task(cluster, job, index)
    strategy = mirrored.strategy_of(task)
    sigterm.prepare(task)
    say_unknown(named(task), task.peers())
    with listening(task):
        return tf.train.Server(
            tf.train.ClusterSpec(task.cluster),
            job_name=task.type,
            task_index=task.index,
            protocol=protocol,
            config=strategy.update_config_proto(config or tf.ConfigProto()),
            start=start,
        )


def _watch(task: Task) -> None:
    """Has this task say for whom it waits."""
    sigterm.prepare(task)
    if is_training_job(task.type):
        watch_sessions(task, default_placement.needed)
