"""optimize_loss does on one device and on two replicas what it did on TensorFlow 1.15.

What it did is in optimize_loss.npz, by scripts/record/record_optimize_loss.py.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import optimize_loss_cases as cases
import pytest
import tensorflow.compat.v1 as tf
from long_tail import one_in

from tfmigrate_runtime import estimator, layers, slim
from tfmigrate_runtime.contrib import gradients
from tfmigrate_runtime.contrib.optimize_loss import optimize_loss

# Two devices to make a strategy of, on any machine: TensorFlow sees one CPU device by default.
tf.config.set_logical_device_configuration(
    tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2
)

# Ten float32 steps with the kernels of another version, and with sums in another order.
TOLERANCE = 1e-5
# Towers updated the averages one after the other, in an order of chance: six runs of TensorFlow
# 1.15 differ from another one by up to 0.078 and 0.024.
RACES = {"adaptive": 0.1, "adaptive_from_the_start": 0.03}
SCOPE_OF_SLOT = re.compile("variable/(?:OptimizeLoss|second)/(?!learning_rate)(.*)")
LIBRARY = cases.Library(
    optimize_loss=layers.optimize_loss,
    adaptive_clipping_fn=layers.adaptive_clipping_fn,
    wrap=lambda optimizer: optimizer,
    spec=estimator.EstimatorSpec,
    scope=lambda name: None,
)
with np.load(Path(__file__).parent / "optimize_loss.npz", allow_pickle=False) as _file:
    RECORDED = dict(_file)


def recorded(name: str, devices: int) -> dict[str, Any]:
    prefix = f"{devices}/{name}/"
    return {key[len(prefix) :]: v for key, v in RECORDED.items() if key.startswith(prefix)}


def run(name: str, replicas: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"]) if replicas > 1 else None
    config = estimator.RunConfig(
        train_distribute=strategy,
        global_batch=True,
        save_summary_steps=1,
        log_step_count_steps=None,
    )
    monkeypatch.setattr(gradients.tf, "truncated_normal", cases.constant_noise)
    arrays: dict[str, Any] = cases.run(
        LIBRARY,
        lambda model_fn, model_dir: estimator.Estimator(model_fn, model_dir, config),
        name,
        folder,
    )
    return arrays


def largest_difference(found: dict[str, Any], expected: dict[str, Any]) -> float:
    assert set(found) == set(expected)
    return max(
        float(np.max(np.abs(found[key] - value) / np.maximum(1.0, np.abs(value)), initial=0.0))
        for key, value in expected.items()
    )


def trained(arrays: dict[str, Any]) -> dict[str, Any]:
    """Returns losses and variables; towers had named slots as if optimize_loss had no scope."""
    return {
        SCOPE_OF_SLOT.sub(r"variable/\1", key): value
        for key, value in arrays.items()
        if not key.startswith("summary/")
    }


@pytest.mark.parametrize("name", cases.CASES)
def test_one_device(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = run(name, 1, tmp_path, monkeypatch)
    assert largest_difference(found, recorded(name, 1)) <= TOLERANCE


@pytest.mark.parametrize(
    "name", [n for n in cases.CASES if n not in cases.WITHOUT_TOWERS + cases.COUNTERS]
)
def test_two_replicas_are_as_two_towers(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = run(name, 2, tmp_path, monkeypatch)
    towers = recorded(name, 2)
    # Only the first replica makes summaries.
    expected = {k: v for k, v in towers.items() if not k.startswith("summary/tower_1/")}
    assert len(expected) < len(towers) or name in cases.WITHOUT_SUMMARIES
    assert largest_difference(found, expected) <= RACES.get(name, TOLERANCE)


@pytest.mark.parametrize(
    "name", one_in(3, [n for n in cases.CASES if n not in cases.NOT_THE_SAME_ON_TWO])
)
def test_two_replicas_train_as_one_device(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = run(name, 2, tmp_path, monkeypatch)
    assert largest_difference(trained(found), trained(recorded(name, 1))) <= TOLERANCE


def test_errors_are_those_of_tensorflow_1() -> None:
    assert cases.errors(optimize_loss) == json.loads(str(RECORDED["errors"]))


def test_where_it_is_found() -> None:
    assert slim.optimize_loss is layers.optimize_loss is optimize_loss
    assert slim.adaptive_clipping_fn is layers.adaptive_clipping_fn
    assert layers.OPTIMIZER_SUMMARIES == slim.OPTIMIZER_SUMMARIES
    assert {"Adam", "SGD"} < set(layers.OPTIMIZER_CLS_NAMES)
    assert "optimize_loss" in dir(layers)
