"""How contrib.learn reads TF_CONFIG: a cluster of "master", "worker" and "ps" tasks."""

from __future__ import annotations

import os
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.task import CHIEFS, EVALUATOR, WORKER, Task, parsed


class Environment:
    """Where a process runs: ``environment`` of TF_CONFIG."""

    CLOUD = "cloud"
    GOOGLE = "google"
    LOCAL = "local"


class TaskType:
    """The kinds of tasks (``tf.contrib.learn.TaskType``)."""

    MASTER = "master"
    PS = "ps"
    WORKER = "worker"


def read_environment() -> dict[str, Any]:
    """Returns what TF_CONFIG says, nothing where there is none.

    Raises:
        ValueError: it is not valid JSON.
    """
    given: dict[str, Any] = parsed(os.environ.get("TF_CONFIG") or "{}")
    return given


class ClusterConfig:
    """The task of this process, and its cluster (contrib.learn's ``ClusterConfig``).

    Who is chief: without a task type the task of index 0; in the environment "cloud" the first
    master; else the first worker.
    """

    def __init__(self, master: str | None = None, evaluation_master: str | None = None) -> None:
        """Reads TF_CONFIG.

        Args:
            master: the session's target. None: this task's server, "" where there is one task.
            evaluation_master: the evaluation session's target, "" if None.

        Raises:
            ValueError: TF_CONFIG is not valid JSON, or its task is not in its cluster.
        """
        given = read_environment()
        self._task_type = given.get("task", {}).get("type")
        self._task_id = self.get_task_id()
        self._cluster_spec = tf.train.ClusterSpec(given.get("cluster", {}))
        self._environment = given.get("environment", Environment.LOCAL)
        self._master = self._address() if master is None else master
        self._evaluation_master = evaluation_master or ""
        if self._task_id == 0 and not self._has_chief():
            tf.logging.warning(
                "No task of TF_CONFIG is the chief, so training waits for one. contrib.learn "
                'used the first "master" if "environment" was "cloud", and the first "worker" if '
                "not."
            )

    @staticmethod
    def get_task_id() -> int:
        """Returns the index of the task in TF_CONFIG, 0 without one."""
        return int(read_environment().get("task", {}).get("index") or 0)

    @property
    def cluster_spec(self) -> Any:
        """The ``tf.train.ClusterSpec`` of TF_CONFIG, also of a single task."""
        return self._cluster_spec

    @property
    def environment(self) -> str:
        """Where this process runs: "local" by default; see Environment."""
        return str(self._environment)

    @property
    def evaluation_master(self) -> str:
        """The evaluation session's target: "" for this process."""
        return self._evaluation_master

    @property
    def is_chief(self) -> bool:
        """Whether this task makes the variables, and writes checkpoints and summaries."""
        return self._task_id == 0 and self._task_type in (None, self._type_of_chief())

    @property
    def master(self) -> str:
        """The session's target: "" for this process."""
        return self._master

    @property
    def num_ps_replicas(self) -> int:
        """The number of parameter servers."""
        return self._count(TaskType.PS)

    @property
    def num_worker_replicas(self) -> int:
        """The number of workers and masters, 0 without a cluster."""
        return self._count(TaskType.WORKER) + self._count(TaskType.MASTER)

    @property
    def task_id(self) -> int:
        """The index of this task among those of its kind."""
        return self._task_id

    @property
    def task_type(self) -> Any:
        """The kind of this task, None where TF_CONFIG names none."""
        return self._task_type

    def _count(self, job: str) -> int:
        return len(self._cluster_spec.as_dict().get(job, ()))

    def _type_of_chief(self) -> str:
        cloud = self._environment == Environment.CLOUD
        return TaskType.MASTER if cloud else TaskType.WORKER

    def _has_chief(self) -> bool:
        if self._task_type is None or not self._master:
            return self.is_chief
        return self._count(self._type_of_chief()) > 0

    def _address(self) -> str:
        """Returns the target of this task's server.

        Raises:
            ValueError: the task is not in the cluster.
        """
        spec, kind, index = self._cluster_spec, self._task_type, self._task_id
        alone = len(spec.jobs) == 1 and spec.num_tasks(spec.jobs[0]) == 1
        if not spec or not kind or alone:
            return ""
        source = "may be coming from the TF_CONFIG environment variable."
        if kind not in spec.jobs:
            raise ValueError(
                f"{kind} is not a valid task_type in the cluster_spec:\n{spec}\n\n"
                f"Note that these values {source}"
            )
        addresses = spec.job_tasks(kind)
        if not 0 <= index < len(addresses):
            raise ValueError(
                f"{index} is not a valid task_id for task_type {kind} in the cluster_spec:\n{spec}"
                f"\n\nNote that these value {source}"
            )
        return f"grpc://{addresses[index]}"

    def _task_of_process(self) -> Task:
        """Returns the task as the runtime has it, where a master is called chief.

        Raises:
            ValueError: the cluster has both names for it.
        """
        kind, index = self._task_type or WORKER, self._task_id
        cluster = self._cluster_spec.as_dict()
        cluster.pop(EVALUATOR, None)
        in_cluster = bool(self._master and self._task_type) and index < len(cluster.get(kind, ()))
        if not in_cluster:
            return Task(kind, index, {}, read_environment())
        chief, master = CHIEFS
        if chief in cluster and master in cluster:
            raise ValueError(
                "If `master` node exists in `cluster`, job `chief` is not supported. They are the "
                "same task: remove one of them from TF_CONFIG"
            )
        return Task(kind, index, cluster, read_environment()).with_chief
