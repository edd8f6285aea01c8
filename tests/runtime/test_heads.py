"""Heads compute what those of TensorFlow 1.15 do."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import canned_cases
import head_cases
import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from runtime_support import two_cpus
from test_canned import assert_same, name_over_replicas

from tfmigrate_runtime import estimator

RECORDED = Path(__file__).parent / "heads_of_tensorflow_1_15.npz"


@functools.cache
def recorded(name: str) -> dict[str, Any]:
    """Returns what TensorFlow 1.15 computed in a case."""
    with np.load(RECORDED) as arrays:
        return {key[len(name) + 1 :]: arrays[key] for key in arrays if key.startswith(f"{name}/")}


def computed(name: str, folder: Path, config: Any) -> dict[str, Any]:
    """Returns what the runtime computes from the same initial values."""
    initial = {
        key[len("initial/") :]: value
        for key, value in recorded(name).items()
        if key.startswith("initial/")
    }
    start = canned_cases.write_checkpoint(initial, str(folder))
    return head_cases.results(estimator, name, str(folder / "model"), config, start)


@pytest.mark.parametrize("name", head_cases.CASES)
def test_one_device_computes_what_tensorflow_1_15_did(name: str, tmp_path: Path) -> None:
    assert_same(computed(name, tmp_path, estimator.RunConfig()), recorded(name))


@pytest.mark.parametrize("name", head_cases.CASES)
def test_two_replicas_compute_what_one_device_of_tensorflow_1_15_did(
    name: str, tmp_path: Path
) -> None:
    strategy = two_cpus()
    # The sum over a batch is the sum of its parts' sums; its mean is the mean of their means.
    with tf.Graph().as_default():
        by_sum = head_cases.CASES[name].head(estimator).loss_reduction == "sum"
    config = estimator.RunConfig(
        train_distribute=strategy,
        eval_distribute=strategy,
        global_batch=True,
        loss_reduction=tf.losses.Reduction.SUM if by_sum else None,
    )
    expected = {name_over_replicas(key): value for key, value in recorded(name).items()}
    assert_same(computed(name, tmp_path, config), expected)


@pytest.mark.parametrize("name", head_cases.ERRORS)
def test_errors_are_those_of_tensorflow_1_15(name: str) -> None:
    assert head_cases.message(estimator, name) == recorded("error")[name]
