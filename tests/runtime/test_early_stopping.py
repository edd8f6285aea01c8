"""Hooks that end training early, by what evaluations wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from runtime_support import batches, config, linear_model

from tfmigrate_runtime import estimator
from tfmigrate_runtime.estimator import early_stopping, experimental


def write_evaluations(folder: str, values: dict[int, float], metric: str = "accuracy") -> None:
    """Writes event files as ``evaluate`` does."""
    with tf.Graph().as_default(), tf.summary.FileWriter(folder) as writer:
        for step, value in values.items():
            summary = tf.Summary(value=[tf.Summary.Value(tag=metric, simple_value=value)])
            writer.add_summary(summary, step)


def made(folder: Path, **fields: Any) -> Any:
    return estimator.Estimator(linear_model(), folder, config(**fields))


def steps_until_stop(trained: Any, hook: Any, steps: int = 6) -> int:
    trained.train(batches(), steps=steps, hooks=[hook])
    return int(trained.get_variable_value("global_step"))


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="must be an Estimator"):
        experimental.make_early_stopping_hook("no estimator", lambda: True)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="must be callable"):
        experimental.make_early_stopping_hook(made(tmp_path), True)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="Only one of"):
        experimental.stop_if_lower_hook(made(tmp_path), "loss", 1.0, run_every_steps=1)
    with pytest.raises(ValueError, match="every_secs"):
        experimental.stop_if_lower_hook(made(tmp_path), "loss", 1.0, run_every_secs=None)


@pytest.mark.parametrize("replicas", [1, 2])
def test_training_goes_on_without_a_reason_to_stop(tmp_path: Path, replicas: int) -> None:
    trained = made(tmp_path, replicas=replicas)
    hook = experimental.stop_if_higher_hook(
        trained, "accuracy", 0.5, run_every_secs=None, run_every_steps=1
    )
    assert steps_until_stop(trained, hook) == 6  # there are no evaluations
    write_evaluations(trained.eval_dir(), {1: 0.4, 2: 0.5})
    assert steps_until_stop(trained, hook) == 12


@pytest.mark.parametrize(
    ("make", "limit", "values", "stops"),
    [
        ("stop_if_higher_hook", 0.5, {1: 0.4, 2: 0.6}, True),
        ("stop_if_lower_hook", 0.5, {1: 0.6, 2: 0.5}, False),
        ("stop_if_lower_hook", 0.5, {1: 0.6, 2: 0.4}, True),
        ("stop_if_no_increase_hook", 10, {0: 0.1, 5: 0.2, 14: 0.1}, False),
        ("stop_if_no_increase_hook", 10, {0: 0.1, 5: 0.2, 15: 0.2}, True),
        ("stop_if_no_decrease_hook", 10, {0: 0.5, 10: 0.4, 20: 0.3}, False),
        ("stop_if_no_decrease_hook", 10, {0: 0.5, 10: 0.5}, True),
    ],
)
def test_reasons_to_stop(
    tmp_path: Path, make: str, limit: float, values: dict[int, float], stops: bool
) -> None:
    trained = made(tmp_path, replicas=1)
    write_evaluations(trained.eval_dir(), values)
    hook = getattr(experimental, make)(
        trained, "accuracy", limit, run_every_secs=None, run_every_steps=1
    )
    # The timer triggers at the first step that it sees.
    assert steps_until_stop(trained, hook) == (1 if stops else 6)


def test_early_evaluations_do_not_count(tmp_path: Path) -> None:
    trained = made(tmp_path, replicas=1)
    write_evaluations(str(tmp_path / "elsewhere"), {1: 0.9, 20: 0.4})
    hook = experimental.stop_if_higher_hook(
        trained,
        "accuracy",
        0.5,
        eval_dir=str(tmp_path / "elsewhere"),
        min_steps=10,
        run_every_secs=None,
        run_every_steps=1,
    )
    assert steps_until_stop(trained, hook) == 6


def test_the_stop_is_a_variable_that_other_workers_see(tmp_path: Path) -> None:
    trained = made(tmp_path, replicas=2)
    hook = experimental.make_early_stopping_hook(
        trained, lambda: True, run_every_secs=None, run_every_steps=1
    )
    assert steps_until_stop(trained, hook) == 1
    assert trained.get_variable_value("signal_early_stopping/STOP")
    worker = made(tmp_path, replicas=2)
    follower = early_stopping._StopWithOthersHook()
    assert steps_until_stop(worker, follower) == 2


def test_train_and_evaluate_stops_when_the_loss_does_not_decrease(tmp_path: Path) -> None:
    def flat(labels: Any, output: Any) -> Any:
        return tf.reduce_mean(tf.stop_gradient(labels) * 0.0 + 1.0) + 0.0 * tf.reduce_sum(output)

    trained = estimator.Estimator(linear_model(flat), tmp_path, config(save_checkpoints_steps=2))
    hook = experimental.stop_if_no_decrease_hook(
        trained, "loss", 4, run_every_secs=None, run_every_steps=1
    )
    metrics, _ = estimator.train_and_evaluate(
        trained,
        estimator.TrainSpec(batches(), max_steps=50, hooks=[hook]),
        estimator.EvalSpec(batches(epochs=1), steps=None, throttle_secs=0),
    )
    # Evaluated after steps 2, 4 and 6; the hook may look before or after the last one is made.
    assert metrics is not None
    assert int(metrics["global_step"]) in (6, 7)
    np.testing.assert_allclose(metrics["loss"], 1.0)


def test_a_decreasing_loss_trains_to_the_end(tmp_path: Path) -> None:
    trained = estimator.Estimator(linear_model(), tmp_path, config(save_checkpoints_steps=2))
    hook = experimental.stop_if_no_decrease_hook(
        trained, "loss", 4, run_every_secs=None, run_every_steps=1
    )
    metrics, _ = estimator.train_and_evaluate(
        trained,
        estimator.TrainSpec(batches(), max_steps=9, hooks=[hook]),
        estimator.EvalSpec(batches(epochs=1), steps=None, throttle_secs=0),
    )
    assert metrics is not None
    assert int(metrics["global_step"]) == 9
