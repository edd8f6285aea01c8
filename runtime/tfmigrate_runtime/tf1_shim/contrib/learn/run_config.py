"""tf.contrib.learn's RunConfig, a tf.estimator.RunConfig that reads TF_CONFIG as in 1.x."""

from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.shim_estimator import run_config as estimator_run_config
from tfmigrate_runtime.contrib.of_learn.cluster_config import (
    DEFAULT_UID_WHITE_LIST as _DEFAULT_UID_WHITE_LIST,
)
from tfmigrate_runtime.contrib.of_learn.cluster_config import (
    ClusterConfig,
    Environment,
    TaskType,
    checked_model_dir,
    config_proto,
    tf_config,
)

__all__ = ["_DEFAULT_UID_WHITE_LIST", "ClusterConfig", "Environment", "RunConfig", "TaskType"]

_SECONDS_BETWEEN_CHECKPOINTS = 600


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
        self._tf_config = config_proto(num_cores, log_device_placement, gpu_memory_fraction)
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
        self._protocol, self._session_config = protocol, session_config
        self._model_dir = checked_model_dir(model_dir)
        if (from_environment := tf_config().get("model_dir")) is not None:
            tf.logging.info("Using model_dir in TF_CONFIG: %s", from_environment)
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
