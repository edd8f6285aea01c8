"""Programs whose loop a coordinator runs train as they should, on real clusters."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import tensorflow.compat.v1 as tf
from coordinator_support import running

CONSTRUCTS = Path(__file__).parent / "programs" / "constructs_program.py"
# float32 sums of a few products in another order: some units in the last place of values near 1.
TOLERANCE = 1e-6
TRUE = np.arange(6).reshape(3, 2) / 5


def descent(steps: int) -> tuple[list[float], np.ndarray, np.ndarray]:
    """Returns losses and weights of sequential gradient descent, in float64."""
    w, b, losses = np.zeros((3, 2)), np.zeros(2), []
    for step in range(steps):
        x = np.random.RandomState(step).uniform(-1, 1, [8, 3]).astype(np.float32).astype(float)
        error = x @ w + b - (x @ TRUE + 1)
        losses.append(float(np.mean(error**2)))
        gradient = 2 * error / error.size
        w, b = w - 0.1 * x.T @ gradient, b - 0.1 * gradient.sum(0)
    return losses, w, b


def test_one_step_in_flight_is_sequential_gradient_descent(program: Path, tmp_path: Path) -> None:
    with running(program, tmp_path) as cluster:
        result = cluster.train("--steps=9", in_flight=1)
    losses, w, b = descent(10)
    np.testing.assert_allclose(result["losses"], losses, rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(result["w"], w, rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(result["b"], b, rtol=0, atol=TOLERANCE)
    assert result["steps"] == list(range(10))


def test_a_supervised_program_trains_with_steps_in_flight(program: Path, tmp_path: Path) -> None:
    logdir = tmp_path / "log"
    with running(program, tmp_path, ps=2) as cluster:
        result = cluster.train("--session=supervisor", "--steps=99", f"--logdir={logdir}")
    assert result["steps"] == list(range(100))
    # replica_device_setter goes round robin over the parameter servers, in the order of creation.
    servers = [result["devices"][name] for name in ("w", "b", "global_step")]
    assert servers == ["/job:ps/task:0", "/job:ps/task:1", "/job:ps/task:0"]
    # Gradients are at most as old as there are workers: the problem is convex and converges still.
    assert np.mean(result["losses"][-10:]) < 0.02 * result["losses"][0]
    reader = tf.train.load_checkpoint(str(logdir))
    assert reader.get_tensor("global_step") == 100
    np.testing.assert_allclose(reader.get_tensor("b"), [1, 1], rtol=0, atol=0.1)


def test_hooks_and_checkpoints_of_a_monitored_session(program: Path, tmp_path: Path) -> None:
    logdir = tmp_path / "log"
    arguments = ("--session=monitored", "--optimizer=adam", f"--logdir={logdir}")
    with running(program, tmp_path) as cluster:
        first = cluster.train(*arguments, "--steps=30")
        reader = tf.train.load_checkpoint(str(logdir))
        assert (first["steps"][0], first["steps"][-1]) == (0, 29)
        assert reader.get_tensor("global_step") == 30
        assert {"w/Adam", "w/Adam_1", "beta1_power"} <= reader.get_variable_to_shape_map().keys()
        # A coordinator that is started again goes on from the checkpoint, on the same servers.
        second = cluster.train(*arguments, "--steps=60")
    assert (second["steps"][0], second["steps"][-1]) == (30, 59)
    assert second["losses"][0] < 0.5 * first["losses"][0]
    assert tf.train.load_checkpoint(str(logdir)).get_tensor("global_step") == 60


def test_training_goes_on_without_a_worker_that_died(program: Path, tmp_path: Path) -> None:
    with running(program, tmp_path) as cluster:
        chief = cluster.chief("--steps=3000")
        chief.wait_for("step 200")
        cluster.jobs["worker", 1].kill()
        assert chief.wait() == 0, chief.text()[-4000:]
        assert "step 3000\n" in chief.text()


def test_calls_give_what_a_plain_session_gives(tmp_path: Path) -> None:
    with running(CONSTRUCTS, tmp_path) as cluster:
        chief = cluster.chief(in_flight=1)
        assert chief.wait() == 0, chief.text()[-4000:]
        assert "DONE" in chief.text()
