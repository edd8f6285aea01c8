"""contrib.learn's RunConfig: tf.estimator's, with the cluster as it was read before "chief".

contrib.learn knew a "master" where tf.estimator has a "chief", and which task is chief depends on
the environment of TF_CONFIG. learn_runner compares uid() to see that the Estimator has this one.
"""

from collections import OrderedDict
from collections.abc import Collection
from typing import Any

from tfmigrate_runtime import estimator
from tfmigrate_runtime.contrib.of_learn.cluster_config import (
    DEFAULT_UID_WHITE_LIST as _DEFAULT_UID_WHITE_LIST,
)
from tfmigrate_runtime.contrib.of_learn.cluster_config import (
    Environment,
    TaskType,
    checked_model_dir,
    config_proto,
)
from tfmigrate_runtime.learn.cluster_config import ClusterConfig
from tfmigrate_runtime.train.passed_on import pass_on

__all__ = ["_DEFAULT_UID_WHITE_LIST", "ClusterConfig", "Environment", "RunConfig", "TaskType"]

_USE_DEFAULT = 0
_SECONDS_BETWEEN_CHECKPOINTS = 600
_OF_CLUSTER = (
    "environment", "evaluation_master", "is_chief", "master", "num_ps_replicas",
    "num_worker_replicas", "task_id", "task_type", "tf_config",
)  # fmt: skip


class RunConfig(ClusterConfig, estimator.RunConfig):
    """Configuration of an Estimator (``tf.contrib.learn.RunConfig``).

    The fields of ``estimator.RunConfig`` that contrib.learn did not have are keywords. What
    TF_CONFIG says is read as ClusterConfig has it.
    """

    def __init__(
        self,
        master: str | None = None,
        num_cores: int = 0,
        log_device_placement: bool = False,
        gpu_memory_fraction: float = 1,
        tf_random_seed: int | None = None,
        save_summary_steps: int | None = 100,
        save_checkpoints_secs: int | None = _USE_DEFAULT,
        save_checkpoints_steps: int | None = None,
        keep_checkpoint_max: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000,
        log_step_count_steps: int | None = 100,
        protocol: str | None = None,
        evaluation_master: str | None = "",
        model_dir: str | None = None,
        session_config: Any = None,
        session_creation_timeout_secs: int = 7200,
        **fields: Any,
    ) -> None:
        """Reads the arguments and TF_CONFIG.

        Args:
            master: the session's target. None: this task's server of the cluster, "" without one.
            num_cores: threads of ``tf_config``, 0 for TensorFlow's choice.
            log_device_placement: of ``tf_config``.
            gpu_memory_fraction: of ``tf_config``.
            tf_random_seed: the graph's random seed, None for another one in each run.
            save_summary_steps: steps between summaries, None for never.
            save_checkpoints_secs: seconds between checkpoints. 0: 600 if no steps are given. None:
                no checkpoints by time.
            save_checkpoints_steps: steps between checkpoints. Not together with seconds.
            keep_checkpoint_max: how many checkpoints are kept; None or 0 for all.
            keep_checkpoint_every_n_hours: keep one for good every so many hours.
            log_step_count_steps: steps between log lines with the loss, None for never.
            protocol: kept for compatibility.
            evaluation_master: the evaluation session's target.
            model_dir: where checkpoints and events are written; TF_CONFIG's without it.
            session_config: a ``tf.ConfigProto``.
            session_creation_timeout_secs: how long a worker waits for its session.
            **fields: the other fields of ``estimator.RunConfig``, ``train_distribute`` for example.

        Raises:
            ValueError: both kinds of checkpoint intervals are given (in TensorFlow 1.x training
                failed), a value is not valid, or TF_CONFIG is not, or has another model_dir.
        """
        ClusterConfig.__init__(self, master, evaluation_master)
        self._tf_config = config_proto(num_cores, log_device_placement, gpu_memory_fraction)
        if save_checkpoints_secs == _USE_DEFAULT and save_checkpoints_secs is not None:
            by_steps = save_checkpoints_steps is not None
            save_checkpoints_secs = None if by_steps else _SECONDS_BETWEEN_CHECKPOINTS
        model_dir = model_dir or None
        pass_on(estimator.RunConfig.__init__, locals(), **fields)

    @property
    def tf_config(self) -> Any:
        """The ``tf.ConfigProto`` of num_cores, log_device_placement and gpu_memory_fraction.

        Estimators never used it (TensorFlow 1.15's contrib.learn); ``session_config`` is theirs.
        """
        return self._tf_config

    def uid(self, whitelist: Collection[str] | None = None) -> str:
        """Returns a string that is another one for a RunConfig that makes another execution.

        Args:
            whitelist: the names of fields that do not matter. None: those of seeds, intervals of
                checkpoints and summaries, and the session's configuration.
        """
        ignored = _DEFAULT_UID_WHITE_LIST if whitelist is None else whitelist
        state: dict[str, Any] = {
            **self._fields,
            **{name: getattr(self, name) for name in _OF_CLUSTER},
            "cluster_spec": OrderedDict(sorted(self.cluster_spec.as_dict().items())),
        }
        names = sorted(set(state) - set(ignored))
        return ", ".join(f"_{name}={state[name]!r}" for name in names)

    def _read_environment(self) -> None:
        self._task = self._task_of_process()
        self._fields["model_dir"] = checked_model_dir(self._fields["model_dir"]) or None
