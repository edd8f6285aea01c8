"""A program in lock-step makes each step from the state of a trace, and inherits nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from verify_support import PROGRAMS, record

from tfmigrate_runtime.verify.trace import Trace

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
TAPE = """
import keras
import numpy as np
import tensorflow as tf
kernel = tf.Variable(tf.ones([3, 1]), name="kernel")
optimizer = keras.optimizers.SGD(
    keras.optimizers.schedules.PiecewiseConstantDecay([3], [0.1, 0.05]), momentum=0.9)
optimizer.build([kernel])
average = tf.train.ExponentialMovingAverage(0.5)
average.apply([kernel])
@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((x @ kernel - y) ** 2)
    optimizer.apply(tape.gradient(loss, [kernel]), [kernel])
    average.apply([kernel])
for number in range(8):
    x = np.random.RandomState(number).normal(size=(8, 3)).astype(np.float32)
    step(x, x[:, :1] - 1)
"""
PLAIN = "sessions.py", "weights", {}
HOOKS = "tiny.py", "kernel", {}
MIRRORED = "replicas.py", "net/kernel", {"replicas": 2}
NATIVE = "tape.py", "kernel", {}
ROW = 3  # after the fourth step


@pytest.mark.parametrize(
    "program", [PLAIN, HOOKS, MIRRORED, NATIVE], ids=lambda program: program[0]
)
def test_a_step_starts_from_the_state_of_the_trace(
    program: tuple[str, str, dict[str, Any]], tmp_path: Path
) -> None:
    """After one state the trace has another value: only the step from there on is another."""
    script, name, options = program
    path = PROGRAMS / script
    if not path.exists():
        path = tmp_path / script
        path.write_text(TAPE)
    first = record(path, tmp_path / "first.npz", **options)
    other = tmp_path / "other.npz"
    with np.load(tmp_path / "first.npz") as stored:
        arrays = dict(stored)
    arrays[f"variable/{name}"] = arrays[f"variable/{name}"].copy()
    arrays[f"variable/{name}"][ROW] += 1
    np.savez(other, **arrays)
    again = record(path, tmp_path / "again.npz", follow=other, **options)
    assert again.meta["follow"]["free"] == again.meta["follow"]["missing"] == []
    assert again.meta["follow"]["forced"] == len(first.step)
    for known, values in first.variables.items():
        equal = [_same(*pair) for pair in zip(values, again.variables[known], strict=True)]
        # An average is updated after its variable was given the state.
        assert all(equal[: ROW + ("Average" not in known)]), known
        assert all(equal[ROW + 2 :]), known
    changed = again.variables[name][ROW + 1] - first.variables[name][ROW + 1]
    assert np.abs(changed).max() > 0.1
    assert np.flatnonzero(first.loss != again.loss).tolist() == [ROW + 1]
    _ends_are_those_of_the_program(again)


def test_what_a_tape_program_starts_from_is_its_own_draw(tmp_path: Path) -> None:
    """Variables with the original's names were given its values at once: no draw was examined."""
    path = tmp_path / "tape.py"
    path.write_text(TAPE)
    record(path, tmp_path / "first.npz")
    with np.load(tmp_path / "first.npz") as stored:
        arrays = dict(stored)
    arrays["initial/kernel"] = np.full_like(arrays["initial/kernel"], 0.5)
    np.savez(tmp_path / "other.npz", **arrays)
    again = record(path, tmp_path / "again.npz", initial_values=tmp_path / "other.npz")
    assert "kernel" in again.meta["transferred"]
    assert (again.drawn["kernel"] == 1).all()
    assert (again.initial["kernel"] == 0.5).all()


def _same(first: Any, second: Any) -> bool:
    return bool(first.tobytes() == second.tobytes())


def _ends_are_those_of_the_program(trace: Trace) -> None:
    """What is given after the last step is not a change that the program made."""
    assert all(not changed for changed in trace.ends.values())


TOWERS = """
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python.training import moving_averages
tf.disable_v2_behavior()
kernel = tf.get_variable("kernel", [3, 1])
mean = tf.get_variable("mean", [3], initializer=tf.zeros_initializer(), trainable=False)
x = tf.placeholder(tf.float32, [8, 3])
losses = []
for part in tf.split(x, 2):
    update = moving_averages.assign_moving_average(mean, tf.reduce_mean(part, 0), 0.5, False)
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, update)
    losses.append(tf.reduce_mean((part @ kernel - 1) ** 2))
step = tf.train.get_or_create_global_step()
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.add_n(losses) / 2, step)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for number in range(4):
        rows = np.random.RandomState(number).normal(size=(8, 3))
        session.run(train, {x: rows + number})
"""


@pytest.mark.parametrize("order", ["first", "last"])
@pytest.mark.parametrize("tower", [0, 1])
def test_updates_of_other_towers_are_not_run(order: str, tower: int, tmp_path: Path) -> None:
    """Inception-like programs run the updates of one tower (hclhkbu/dlbench: of the first)."""
    every = "tf.get_collection(tf.GraphKeys.UPDATE_OPS))"
    text = TOWERS.replace(every, f"{every[:-1]}[{tower} : {tower} + 1])")
    assert text != TOWERS
    (tmp_path / "towers.py").write_text(text)
    trace = record(tmp_path / "towers.py", tmp_path / "trace.npz", order_of_updates=order)
    expected = np.zeros(3)
    for number, value in enumerate(trace.variables["mean"]):
        rows = np.random.RandomState(number).normal(size=(8, 3)) + number
        expected = 0.5 * expected + 0.5 * np.split(rows, 2)[tower].mean(axis=0)
        # float32 sums of four numbers
        np.testing.assert_allclose(value, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("order", ["first", "last"])
def test_towers_update_an_average_in_the_order_that_is_asked_for(
    order: str, tmp_path: Path
) -> None:
    (tmp_path / "towers.py").write_text(TOWERS)
    trace = record(tmp_path / "towers.py", tmp_path / "trace.npz", order_of_updates=order)
    assert json.loads(json.dumps(trace.meta["ordered_updates"])) == ["mean"]
    expected = np.zeros(3)
    for number, value in enumerate(trace.variables["mean"]):
        halves = np.split(np.random.RandomState(number).normal(size=(8, 3)) + number, 2)
        for half in halves if order == "first" else halves[::-1]:
            expected = 0.5 * expected + 0.5 * half.mean(axis=0)
        # float32 sums of four numbers
        np.testing.assert_allclose(value, expected, rtol=1e-5, atol=1e-6)
