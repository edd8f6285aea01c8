"""How contrib.learn reads TF_CONFIG: a cluster of "master", "worker" and "ps" tasks.

Only a "master" is chief in the environment "cloud", only worker 0 in all others; the address of
this task in the cluster is its session's master (semantics.md, 2).
"""

import json
import os
from typing import Any

import tensorflow.compat.v1 as tf

# What may be replaced without learn_runner taking the RunConfig for another one.
DEFAULT_UID_WHITE_LIST = [
    "tf_random_seed", "save_summary_steps", "save_checkpoints_steps", "save_checkpoints_secs",
    "session_config", "keep_checkpoint_max", "keep_checkpoint_every_n_hours",
    "log_step_count_steps",
]  # fmt: skip


class Environment:
    """Values of TF_CONFIG's "environment"."""

    CLOUD = "cloud"
    GOOGLE = "google"
    LOCAL = "local"


class TaskType:
    """Jobs of a cluster that contrib.learn knows."""

    MASTER = "master"
    PS = "ps"
    WORKER = "worker"


class ClusterConfig:
    """The cluster of TF_CONFIG and this process's task in it."""

    def __init__(self, master: str | None = None, evaluation_master: str | None = None) -> None:
        """Reads TF_CONFIG.

        Args:
            master: the session's target, in place of this task's address.
            evaluation_master: the target of evaluations.

        Raises:
            ValueError: the cluster has no such task.
        """
        settings = tf_config()
        self._task_type = settings.get("task", {}).get("type")
        self._task_id = self.get_task_id()
        self._cluster_spec = tf.train.ClusterSpec(settings.get("cluster", {}))
        self._master: str | None = master
        if master is None:
            self._master = _address(self._cluster_spec, self._task_type, self._task_id)
        tasks = {job: len(hosts) for job, hosts in self._cluster_spec.as_dict().items()}
        self._num_ps_replicas = tasks.get(TaskType.PS, 0)
        self._num_worker_replicas = tasks.get(TaskType.WORKER, 0) + tasks.get(TaskType.MASTER, 0)
        self._environment = settings.get("environment", Environment.LOCAL)
        in_cloud = self._environment == Environment.CLOUD
        chief = TaskType.MASTER if in_cloud else TaskType.WORKER
        self._is_chief = self._task_id == 0 and self._task_type in (None, chief)
        self._evaluation_master = evaluation_master or ""

    @property
    def cluster_spec(self) -> Any:
        """The tf.train.ClusterSpec, an empty one without a cluster."""
        return self._cluster_spec

    @property
    def environment(self) -> str:
        """What TF_CONFIG says, "local" by default."""
        return str(self._environment)

    @property
    def evaluation_master(self) -> str:
        """The target of evaluations' sessions."""
        return self._evaluation_master

    @property
    def is_chief(self) -> bool:
        """Whether this task saves checkpoints and initializes variables."""
        return self._is_chief

    @property
    def master(self) -> Any:
        """The target of the training session; "" in this process."""
        return self._master

    @property
    def num_ps_replicas(self) -> int:
        """The number of parameter servers."""
        return self._num_ps_replicas

    @property
    def num_worker_replicas(self) -> int:
        """The number of workers and masters."""
        return self._num_worker_replicas

    @property
    def task_id(self) -> int:
        """The index of this task, 0 where TF_CONFIG names none."""
        return self._task_id

    @property
    def task_type(self) -> Any:
        """The job of this task."""
        job: str | None = self._task_type
        return job

    @staticmethod
    def get_task_id() -> int:
        """Returns the index of this task in TF_CONFIG, 0 where it names none."""
        return int(tf_config().get("task", {}).get("index") or 0)


def tf_config() -> dict[str, Any]:
    """Returns what TF_CONFIG says, nothing where there is none."""
    settings: dict[str, Any] = json.loads(os.environ.get("TF_CONFIG") or "{}")
    return settings


def _address(cluster: Any, job: str | None, index: int) -> str:
    """Returns the target of a task's session, "" where it needs no server."""
    jobs = cluster.as_dict()
    alone = len(jobs) == 1 and all(len(tasks) == 1 for tasks in jobs.values())
    if not jobs or alone or not job:
        return ""
    hint = f"{cluster}\n\nNote that these %s may be coming from the TF_CONFIG environment variable."
    if job not in jobs:
        raise ValueError(f"{job} is not a valid task_type in the cluster_spec:\n" + hint % "values")
    if not 0 <= index < len(cluster.job_tasks(job)):
        raise ValueError(
            f"{index} is not a valid task_id for task_type {job} in the cluster_spec:\n"
            + hint % "value"
        )
    return f"grpc://{cluster.job_tasks(job)[index]}"


def checked_model_dir(model_dir: str | None) -> str | None:
    """Returns the folder of a RunConfig, which TF_CONFIG may name.

    Raises:
        ValueError: it names another one.
    """
    from_environment: str | None = tf_config().get("model_dir")
    if from_environment is not None and model_dir not in (None, from_environment):
        raise ValueError(
            "`model_dir` provided in RunConfig construct, if set, must have the same value as "
            f"the model_dir in TF_CONFIG. model_dir: {model_dir}\n"
            f'TF_CONFIG["model_dir"]: {from_environment}.\n'
        )
    return model_dir or from_environment


def config_proto(num_cores: int, log_device_placement: bool, gpu_memory_fraction: float) -> Any:
    """Returns the ConfigProto of a RunConfig's arguments."""
    return tf.ConfigProto(
        log_device_placement=log_device_placement,
        inter_op_parallelism_threads=num_cores,
        intra_op_parallelism_threads=num_cores,
        gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=gpu_memory_fraction),
    )
