"""The cluster and the task that a program passes to its server."""

from collections.abc import Sequence
from typing import Any

import tensorflow as tf2
import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.task import CHIEFS, WORKER, Task

TRAINING_JOBS = (*CHIEFS, WORKER)


def addresses_by_job(cluster: Any) -> dict[str, Sequence[str]]:
    """Returns the addresses of a cluster's tasks by their job.

    Args:
        cluster: a ``ClusterSpec``, or what one is made of.
    """
    return dict(tf.train.ClusterSpec(cluster).as_dict())


def training_task(cluster: Any, job: str, index: int) -> Task:
    """Returns a task in the part of the cluster whose jobs train.

    A "master" is called "chief", the one name that MultiWorkerMirroredStrategy knows.

    Args:
        cluster: a ``ClusterSpec``, or what one is made of.
        job: the job of the task: "worker", "chief" or "master".
        index: its number in the job.

    Raises:
        ValueError: the cluster has no such task, or both a chief and a master.
    """
    jobs = addresses_by_job(cluster)
    if all(jobs.get(name) for name in CHIEFS):
        raise ValueError(
            f"the cluster {jobs} has both a chief and a master, which are the same task: remove one"
        )
    training = {_renamed(name): list(jobs[name]) for name in TRAINING_JOBS if jobs.get(name)}
    if (job := _renamed(job)) not in training or not 0 <= index < len(training[job]):
        raise ValueError(
            f"task {index} of job {job!r} cannot train synchronously in the cluster {jobs}: use "
            f"one of the jobs {', '.join(TRAINING_JOBS)}"
        )
    return Task(job, index, training)


def _renamed(job: str) -> str:
    return CHIEFS[0] if job in CHIEFS else job


def resolver(task: Task, gpus: int) -> Any:
    """Returns the cluster resolver that describes a task.

    Args:
        task: the task and its cluster.
        gpus: how many GPUs each task uses.
    """
    return tf2.distribute.cluster_resolver.SimpleClusterResolver(
        tf.train.ClusterSpec(task.cluster),
        task_type=task.type,
        task_id=task.index,
        num_accelerators={"GPU": gpus},
        rpc_layer="grpc",
    )
