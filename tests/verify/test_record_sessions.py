"""Programs that train without an Estimator are recorded as well."""

from __future__ import annotations

import numpy as np
import pytest
from verify_support import PROGRAMS, record

from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs.ladder import climb
from tfmigrate_runtime.verify.traces.trace import Trace

pytestmark = pytest.mark.usefixtures("tensorflow_installed")

SCRIPT = PROGRAMS / "sessions.py"
STEPS = 6
RATE, MOMENTUM = 0.05, 0.9


def linear_model(trace: Trace) -> tuple[list[float], np.ndarray]:
    """Returns the losses and final weights of the program, computed by NumPy from its start."""
    weights = trace.initial["weights"].astype(np.float64)
    bias = np.zeros(1)
    moved = [np.zeros((3, 1)), np.zeros(1)]
    losses = []
    for step in range(STEPS):
        x = np.random.RandomState(step).normal(size=(8, 3)).astype(np.float32).astype(np.float64)
        error = x @ weights + bias - x @ np.array([[1.0], [-2.0], [0.5]])
        losses.append(float(np.mean(error**2)))
        gradients = [2 * x.T @ error / 8, 2 * error.sum(0) / 8]
        moved = [MOMENTUM * m + g for m, g in zip(moved, gradients, strict=True)]
        weights, bias = weights - RATE * moved[0], bias - RATE * moved[1]
    return losses, weights


@pytest.mark.parametrize(
    "kind", ["plain", "supervisor", "monitored", "operation_run", "no_global_step", "gradients"]
)
def test_every_step_of_every_kind_of_session_is_recorded(kind, tmp_path) -> None:
    trace = record(SCRIPT, tmp_path / "trace.npz", "--kind", kind, "--logdir", "{out}")
    losses, weights = linear_model(trace)
    assert trace.step.tolist() == list(range(1, STEPS + 1))
    assert trace.variable_step.tolist() == list(range(1, STEPS + 1))
    # float32 sums of eight numbers about one.
    np.testing.assert_allclose(trace.loss, losses, atol=1e-5)
    np.testing.assert_allclose(trace.variables["weights"][-1], weights, atol=1e-5)
    assert set(trace.variables) >= {"weights/Momentum", "bias/Momentum"}
    assert trace.trainable == ["weights", "bias"]


def test_the_first_of_two_losses_counts(tmp_path) -> None:
    trace = record(SCRIPT, tmp_path / "trace.npz", "--kind", "two_losses")
    assert len(trace.step) == STEPS
    start = trace.initial["weights"]
    x = np.random.RandomState(0).normal(size=(8, 3)).astype(np.float32)
    wanted = float(np.mean((x @ (start - np.array([[1.0], [-2.0], [0.5]], np.float32))) ** 2))
    assert trace.loss[0] == pytest.approx(wanted, abs=1e-5)
    assert trace.tower_loss is None


def test_initial_values_are_taken_over(tmp_path) -> None:
    """A session without hooks starts from the other trace's values, too."""
    first = record(SCRIPT, tmp_path / "first.npz")
    with np.load(tmp_path / "first.npz") as stored:
        arrays = {key: stored[key] for key in stored.files}
    arrays["initial/weights"] = np.full((3, 1), 0.25, np.float32)
    np.savez(tmp_path / "other.npz", **arrays)
    second = record(SCRIPT, tmp_path / "second.npz", initial_values=tmp_path / "other.npz")
    assert second.meta["transferred"] == ["weights"]
    assert (second.initial["weights"] == 0.25).all()
    assert (second.drawn["weights"] == first.initial["weights"]).all()
    np.testing.assert_allclose(second.loss, linear_model(second)[0], atol=1e-5)


def test_towers_are_one_with_the_mean_loss(tmp_path) -> None:
    options = ["--kind", "towers"]
    trace = record(SCRIPT, tmp_path / "towers.npz", *options, replicas=2)
    assert trace.tower_loss is not None
    assert trace.tower_loss.shape == (STEPS, 2)
    np.testing.assert_array_equal(trace.tower_loss.mean(1), trace.loss)
    assert trace.meta["devices"]["mapped"] == {"GPU:0": "CPU:0", "GPU:1": "CPU:1"}
    swapped = record(SCRIPT, tmp_path / "swapped.npz", *options, "--swap", replicas=2)
    verdict = climb(trace, swapped, Tolerance())
    assert verdict.failed is not None
    assert verdict.failed.name == "same loss at every step"
    assert verdict.failed.outcome is not None
    assert "tower" in verdict.failed.outcome.details[0]
