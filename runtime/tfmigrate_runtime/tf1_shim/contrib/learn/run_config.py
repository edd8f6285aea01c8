"""tf.contrib.learn's RunConfig, a tf.estimator.RunConfig that reads TF_CONFIG as in 1.x.

Only a "master" is chief in the environment "cloud", only worker 0 in all others; the address of
this task in the cluster is its session's master (semantics.md, 2).
"""

from __future__ import annotations

import json
import os
from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.shim_estimator import run_config as estimator_run_config

_SECONDS_BETWEEN_CHECKPOINTS = 600
# What may be replaced without learn_runner taking the RunConfig for another one.
_DEFAULT_UID_WHITE_LIST = [
    "tf_random_seed",
    "save_summary_steps",
    "save_checkpoints_steps",
    "save_checkpoints_secs",
    "session_config",
    "keep_checkpoint_max",
    "keep_checkpoint_every_n_hours",
    "log_step_count_steps",
]


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
        given = _tf_config()
        self._task_type = given.get("task", {}).get("type")
        self._task_id = self.get_task_id()
        self._cluster_spec = tf.train.ClusterSpec(given.get("cluster", {}))
        self._master: str | None = master
        if master is None:
            self._master = _address(self._cluster_spec, self._task_type, self._task_id)
        tasks = {job: len(hosts) for job, hosts in self._cluster_spec.as_dict().items()}
        self._num_ps_replicas = tasks.get(TaskType.PS, 0)
        self._num_worker_replicas = tasks.get(TaskType.WORKER, 0) + tasks.get(TaskType.MASTER, 0)
        self._environment = given.get("environment", Environment.LOCAL)
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
        return int(_tf_config().get("task", {}).get("index") or 0)


class RunConfig(ClusterConfig, estimator_run_config.RunConfig):  # type: ignore[misc]
    """How an Estimator runs."""

    _USE_DEFAULT = 0
    # What the tf.estimator.RunConfig of TensorFlow 1.15's time had not, outside of uid().
    _checkpoint_save_graph_def = True
    _experimental_distribute = None
    _service = None

    def __init__(
        self,
        master: str | None = None,
        num_cores: int = 0,
        log_device_placement: bool = False,
        gpu_memory_fraction: float = 1,
        tf_random_seed: int | None = None,
        save_summary_steps: int = 100,
        save_checkpoints_secs: int | None = _USE_DEFAULT,
        save_checkpoints_steps: int | None = None,
        keep_checkpoint_max: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000,
        log_step_count_steps: int | None = 100,
        protocol: str | None = None,
        evaluation_master: str = "",
        model_dir: str | None = None,
        session_config: Any = None,
        session_creation_timeout_secs: float = 7200,
    ) -> None:
        """Takes the settings, unchecked as in TensorFlow 1.15.

        Raises:
            ValueError: TF_CONFIG's cluster has no such task, or its model_dir is another one.
        """
        ClusterConfig.__init__(self, master=master, evaluation_master=evaluation_master)
        self._train_distribute = None
        self._eval_distribute = None
        self._experimental_max_worker_delay_secs = None
        self._device_fn = None
        self._tf_config = tf.ConfigProto(
            log_device_placement=log_device_placement,
            inter_op_parallelism_threads=num_cores,
            intra_op_parallelism_threads=num_cores,
            gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=gpu_memory_fraction),
        )
        if save_checkpoints_secs == RunConfig._USE_DEFAULT:  # 0 is taken for "not given" too
            by_steps = save_checkpoints_steps is not None
            save_checkpoints_secs = None if by_steps else _SECONDS_BETWEEN_CHECKPOINTS
        self._tf_random_seed = tf_random_seed
        self._save_summary_steps = save_summary_steps
        self._save_checkpoints_secs = save_checkpoints_secs
        self._save_checkpoints_steps = save_checkpoints_steps
        self._keep_checkpoint_max = keep_checkpoint_max
        self._keep_checkpoint_every_n_hours = keep_checkpoint_every_n_hours
        self._log_step_count_steps = log_step_count_steps
        self._protocol = protocol
        self._session_config = session_config
        self._model_dir = _model_dir(model_dir)
        self._session_creation_timeout_secs = session_creation_timeout_secs

    @property
    def tf_config(self) -> Any:
        """The ConfigProto of the server that Experiment starts."""
        return self._tf_config

    def uid(self, whitelist: Iterable[str] | None = None) -> str:
        """Returns a text that two RunConfigs share if they describe the same run.

        Args:
            whitelist: names of properties that may differ.
        """
        left_out = {
            f"_{name}" for name in (_DEFAULT_UID_WHITE_LIST if whitelist is None else whitelist)
        }
        state = {
            name: value
            for name, value in sorted(vars(self).items())
            if name not in left_out and not name.startswith("__")
        }
        if "_cluster_spec" in state:
            # A ClusterSpec prints as its address in memory in some versions.
            state["_cluster_spec"] = OrderedDict(sorted(state["_cluster_spec"].as_dict().items()))
        return ", ".join(f"{name}={value!r}" for name, value in state.items())


def _tf_config() -> dict[str, Any]:
    given: dict[str, Any] = json.loads(os.environ.get("TF_CONFIG") or "{}")
    return given


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


def _model_dir(given: str | None) -> str | None:
    from_environment = _tf_config().get("model_dir")
    if from_environment is not None:
        if given is not None and given != from_environment:
            raise ValueError(
                "`model_dir` provided in RunConfig construct, if set, must have the same value as "
                f"the model_dir in TF_CONFIG. model_dir: {given}\n"
                f'TF_CONFIG["model_dir"]: {from_environment}.\n'
            )
        tf.logging.info("Using model_dir in TF_CONFIG: %s", from_environment)
    return given or from_environment
