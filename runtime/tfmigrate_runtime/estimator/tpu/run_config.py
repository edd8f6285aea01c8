"""The configuration of a TPUEstimator, as far as it applies without TPUs."""

from __future__ import annotations

import json
import os
import re
from typing import Any, NamedTuple

from tfmigrate_runtime.estimator import run_config
from tfmigrate_runtime.train.passed_on import with_fields

_ITERATIONS = re.compile(r"([1-9]\d*)([smh]?)")
_SECONDS = {"s": 1, "m": 60, "h": 3600}


class InputPipelineConfig:
    """How a TPU's input was divided over hosts and cores."""

    PER_SHARD_V1 = 1
    PER_HOST_V1 = 2
    PER_HOST_V2 = 3
    BROADCAST = 4
    SLICED = 5


class _Fields(NamedTuple):
    iterations_per_loop: int | str
    num_shards: int | None
    num_cores_per_replica: int | None
    per_host_input_for_training: int
    tpu_job_name: str | None
    initial_infeed_sleep_secs: int | None
    input_partition_dims: Any
    eval_training_input_configuration: int
    experimental_host_call_every_n_steps: int


class TPUConfig(_Fields):
    """The fields of tf.estimator.tpu.TPUConfig, checked as there.

    Without TPUs only ``iterations_per_loop`` has an effect: on how often steps are logged.
    """

    def __new__(
        cls,
        iterations_per_loop: int | str = 2,
        num_shards: int | None = None,
        num_cores_per_replica: int | None = None,
        per_host_input_for_training: bool | int = True,
        tpu_job_name: str | None = None,
        initial_infeed_sleep_secs: int | None = None,
        input_partition_dims: Any = None,
        eval_training_input_configuration: int = InputPipelineConfig.PER_HOST_V1,
        experimental_host_call_every_n_steps: int = 1,
    ) -> TPUConfig:
        """Checks the fields.

        Raises:
            ValueError: a field has a value that it cannot have.
            TypeError: a number is not an int.
        """
        iterations_of(iterations_per_loop)
        if num_shards is not None:
            _check_positive(num_shards, "TPUConfig num_shards")
        if input_partition_dims is not None:
            _check_partition(
                input_partition_dims, per_host_input_for_training, num_cores_per_replica
            )
        if num_cores_per_replica not in (None, 1, 2, 4, 8, 16, 32, 64, 128):
            raise ValueError(
                "num_cores_per_replica must be 1, 2, 4, 8, 16, 32, 64, 128; "
                f"got {num_cores_per_replica}"
            )
        if eval_training_input_configuration not in (
            InputPipelineConfig.PER_HOST_V1,
            InputPipelineConfig.SLICED,
        ):
            raise ValueError(
                "eval_training_input_configuration must be PER_HOST_V1 or SLICED; "
                f"got {eval_training_input_configuration}"
            )
        if initial_infeed_sleep_secs:
            _check_positive(initial_infeed_sleep_secs, "TPUConfig initial_infeed_sleep_secs")
        # True is 1 and equals PER_SHARD_V1, which False represents.
        if isinstance(per_host_input_for_training, bool):
            per_host_input_for_training = (
                InputPipelineConfig.PER_HOST_V1
                if per_host_input_for_training
                else InputPipelineConfig.PER_SHARD_V1
            )
        service = json.loads(os.environ.get("TF_CONFIG") or "{}").get("service", {})
        tpu_job_name = tpu_job_name or service.get("tpu_worker_job_name")
        return with_fields(cls, locals())


class RunConfig(run_config.RunConfig):
    """A RunConfig with a TPUConfig."""

    def __init__(
        self,
        tpu_config: TPUConfig | None = None,
        evaluation_master: str | None = None,
        master: str | None = None,
        cluster: Any = None,
        **kwargs: Any,
    ) -> None:
        """Takes what tf.estimator.tpu.RunConfig took.

        Args:
            tpu_config: the TPUConfig, None for the default.
            evaluation_master: "" or None.
            master: "" or None.
            cluster: None.
            **kwargs: the fields of a RunConfig.

        Raises:
            NotImplementedError: the address of a TPU, or a resolver for it, is given.
        """
        if cluster is not None or master or evaluation_master:
            raise NotImplementedError(
                "RunConfig(cluster=..., master=..., evaluation_master=...) is the address of a "
                "TPU, but tfmigrate_runtime trains on CPUs and GPUs: remove these arguments"
            )
        super().__init__(**kwargs)
        self._tpu_config = tpu_config or TPUConfig()

    @property
    def tpu_config(self) -> TPUConfig:
        """The TPUConfig."""
        return self._tpu_config

    @property
    def cluster(self) -> Any:
        """The resolver of a TPU's address: None."""
        return None

    def replace(self, **changes: Any) -> RunConfig:
        """Returns a copy with other values of some fields, ``tpu_config`` among them.

        Raises:
            ValueError: a field does not exist, or the result is not valid.
        """
        tpu_config = changes.pop("tpu_config", self._tpu_config)
        new = super().replace(**changes)
        assert isinstance(new, RunConfig)
        new._tpu_config = tpu_config
        return new


def iterations_of(iterations_per_loop: int | str) -> tuple[int, bool]:
    """Returns how long a loop on a TPU was: a number, and whether it counts seconds.

    Raises:
        ValueError: it is neither a positive number nor a time, as "30s" or "1h".
    """
    if (match := _ITERATIONS.fullmatch(str(iterations_per_loop))) is None:
        raise ValueError(
            "Invalid TPUConfig `iterations_per_loop` value. Value must be positive integer value "
            "or time-based value `<N><s|m|h>`, for example `3600s`, `60m`, `1h`."
        )
    number, unit = match.groups()
    return int(number) * _SECONDS.get(unit, 1), bool(unit)


def _check_positive(value: Any, name: str) -> None:
    if not isinstance(value, int):
        raise TypeError(f"{name} must be int, got {type(value)}")
    if value <= 0:
        raise ValueError(f"{name} must be positive, got {value}")


def _check_partition(dimensions: Any, per_host_input: bool | int, cores: int | None) -> None:
    if len(dimensions) not in (1, 2):
        raise ValueError("input_partition_dims must be a list/tuple with one or two elements.")
    if per_host_input is not InputPipelineConfig.PER_HOST_V2:
        raise ValueError("input_partition_dims is only supported in PER_HOST_V2 mode.")
    if cores is None:
        raise ValueError("input_partition_dims requires setting num_cores_per_replica.")
