"""The task of contrib.learn's TF_CONFIG as the runtime has it, where a master is called chief."""

import os
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.contrib.of_learn import cluster_config
from tfmigrate_runtime.contrib.of_learn.cluster_config import Environment, TaskType
from tfmigrate_runtime.estimator.task import CHIEFS, EVALUATOR, WORKER, Task, parsed


def read_environment() -> dict[str, Any]:
    """Returns what TF_CONFIG says, nothing where there is none.

    Raises:
        ValueError: it is not valid JSON.
    """
    environment: dict[str, Any] = parsed(os.environ.get("TF_CONFIG") or "{}")
    return environment


class ClusterConfig(cluster_config.ClusterConfig):
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
        read_environment()  # in words of ours where it cannot be read
        super().__init__(master, evaluation_master)
        if self._task_id == 0 and not self._has_chief():
            tf.logging.warning(
                "No task of TF_CONFIG is the chief, so training waits for one. contrib.learn "
                'used the first "master" if "environment" was "cloud", and the first "worker" if '
                "not."
            )

    def _has_chief(self) -> bool:
        if self._task_type is None or not self._master:
            return self.is_chief
        cloud = self._environment == Environment.CLOUD
        return bool(self._num_of(TaskType.MASTER if cloud else TaskType.WORKER))

    def _num_of(self, job: str) -> int:
        return len(self._cluster_spec.as_dict().get(job, ()))

    def _task_of_process(self) -> Task:
        """Returns the task as the runtime has it, where a master is called chief.

        Raises:
            ValueError: the cluster has both names for it.
        """
        kind, index = self._task_type or WORKER, self._task_id
        cluster = self._cluster_spec.as_dict()
        # The evaluator is not a part of the cluster that trains.
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
