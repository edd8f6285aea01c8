"""In the place of ``tensorflow.python.distribute.estimator_training``."""

from __future__ import annotations

from typing import Any


def init_run_config(config: Any, tf_config: dict[str, Any]) -> None:
    """Reads a RunConfig's cluster from TF_CONFIG (tf.estimator.RunConfig with a strategy)."""
    config._distribute_coordinator_mode = None
    config._init_distributed_setting_from_environment_var(tf_config)
    config._maybe_overwrite_session_config_for_distributed_training()


def should_run_distribute_coordinator(config: Any) -> bool:
    """Says whether train_and_evaluate is left to the distribute coordinator."""
    return bool(getattr(config, "_distribute_coordinator_mode", None))
