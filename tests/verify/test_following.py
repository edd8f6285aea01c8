"""A program in lock-step makes each step from the state of a trace, and inherits nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from verify_support import PROGRAMS, record

from tfmigrate_runtime.verify.traces.trace import Trace

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
