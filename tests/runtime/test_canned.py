"""Ready-made models compute what those of TensorFlow 1.15 do."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

import canned_cases
import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from long_tail import one_in
from runtime_support import two_cpus

from tfmigrate_runtime import estimator

RECORDED = Path(__file__).parent / "canned_of_tensorflow_1_15.npz"
# float32 kernels of other versions, six steps; nothing amplifies the differences.
TOLERANCE = 1e-5


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
    return canned_cases.results(estimator, name, str(folder / "model"), config, start)


def name_over_replicas(key: str) -> str:
    """Returns the name that an optimizer's variable has under a strategy.

    Variables of a strategy have no parts, after which TensorFlow 1.15 named slots on one device,
    and with a global batch slots are named as TowerOptimizer named them: outside of all scopes.
    """
    key = re.sub(r"/(part|t)_0/", "/", key)
    return re.sub(r"^variable/.*/(beta._power)", r"variable/\1", key)


def assert_same(actual: dict[str, Any], expected: dict[str, Any]) -> None:
    assert set(actual) == set(expected)
    for key, value in expected.items():
        if value.dtype.kind in "fc":
            np.testing.assert_allclose(
                actual[key], value, rtol=TOLERANCE, atol=TOLERANCE, err_msg=key
            )
        else:
            np.testing.assert_array_equal(actual[key], value, err_msg=key)


@pytest.mark.parametrize("name", one_in(4, canned_cases.CASES))
def test_one_device_computes_what_tensorflow_1_15_did(name: str, tmp_path: Path) -> None:
    assert_same(computed(name, tmp_path, estimator.RunConfig()), recorded(name))


@pytest.mark.parametrize(
    "name", one_in(3, [name for name, case in canned_cases.CASES.items() if not case.per_batch])
)
def test_two_replicas_compute_what_one_device_of_tensorflow_1_15_did(
    name: str, tmp_path: Path
) -> None:
    # A sum over a batch is the sum of its parts' sums; a mean is the mean of its parts' means.
    reduction = None if name.endswith("_of_the_mean") else tf.losses.Reduction.SUM
    strategy = two_cpus()
    config = estimator.RunConfig(
        train_distribute=strategy,
        eval_distribute=strategy,
        global_batch=True,
        loss_reduction=reduction,
    )
    expected = {name_over_replicas(key): value for key, value in recorded(name).items()}
    assert_same(computed(name, tmp_path, config), expected)


def test_an_optimizer_with_a_minimize_of_its_own(tmp_path: Path) -> None:
    """1.15 gave it a loss and the global step, nothing more."""

    class Optimizer(tf.train.GradientDescentOptimizer):  # type: ignore[misc]
        def minimize(self, loss: Any, global_step: Any = None) -> Any:
            return super().minimize(loss, global_step)

    def input_fn() -> Any:
        return tf.data.Dataset.from_tensors(({"x": [[1.0]]}, [[1.0]])).repeat(2)

    columns = [tf.feature_column.numeric_column("x")]
    trained = estimator.LinearRegressor(columns, tmp_path, optimizer=Optimizer(0.1))
    trained.train(input_fn)
    # The error of 1 shrinks by 2 * 0.1 * (weight and bias: 2) of itself in each step.
    assert trained.evaluate(input_fn)["loss"] == pytest.approx(0.6**4, rel=1e-6)
