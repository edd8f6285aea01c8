"""What one synchronous worker alone writes reaches the others, as by parameter servers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tensorflow.compat.v1 as tf
from cluster_support import Task, start

PROGRAM = Path(__file__).parent / "programs" / "shared_writes.py"


def started(options: dict[str, Any], folder: Path) -> dict[str, Task]:
    return start({}, folder, [str(PROGRAM), json.dumps(options)], worker=2)


def values_of(options: dict[str, Any], folder: Path) -> list[float]:
    """Returns w after each step, which is the same on both workers."""
    tasks = started(options, folder)
    values = []
    for task in tasks.values():
        assert task.wait() == 0, task.text()[-3000:]
        values.append(json.loads(task.text().partition("DONE ")[2].splitlines()[0]))
    assert values[0] == values[1]
    return list(values[0])


def descent(start: float, *rates: float) -> Any:
    """Returns w after each step of gradient descent on (w - 1) ** 2, to the rounding of float32."""
    values = [start]
    for rate in rates:
        values.append(values[-1] - rate * 2 * (values[-1] - 1))
    return pytest.approx(values[1:], rel=1e-6)


@pytest.fixture
def checkpoint(tmp_path: Path) -> str:
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable("w", [], initializer=tf.constant_initializer(5.0))
        session.run(tf.global_variables_initializer())
        return str(tf.train.Saver().save(session, str(tmp_path / "five")))


def test_a_checkpoint_that_one_worker_restores_in_the_session(
    checkpoint: str, tmp_path: Path
) -> None:
    found = values_of({"restores": 0, "checkpoint": checkpoint}, tmp_path)
    assert found == descent(5.0, 0.1, 0.1, 0.1)  # TensorFlow 1.15: 4.2, 3.56, ...


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({"sets": 1}, descent(5.0, 0.1, 0.1, 0.1)),
        ({"by_hook": 0}, descent(0.0, 0.1, 0.05, 0.05)),
        # What a step of one worker assigns is there for the next step.
        ({"in_step": 1}, descent(0.0, 0.1, 0.05, 0.05)),
    ],
    ids=str,
)
def test_assignments_of_one_worker(options: dict[str, Any], wanted: Any, tmp_path: Path) -> None:
    assert values_of(options, tmp_path) == wanted


@pytest.mark.parametrize("options", [{"fed": "constant"}, {"fed": "default", "computed": True}])
def test_a_rate_that_is_fed_has_no_effect(options: dict[str, Any], tmp_path: Path) -> None:
    """As on TensorFlow 1.15, where the chief's queue runner applied gradients, without feeds."""
    assert values_of(options, tmp_path) == descent(0.0, 0.1, 0.1, 0.1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"adds": [0, 1]}, "workers 0 and 1 each changed the variable w before step 1"),
        ({"behind": [1], "steps": 300}, "copies of the variable w differ before step"),
    ],
    ids=["both add", "nobody saw it"],
)
def test_copies_that_differ_end_the_training(
    options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    tasks = started(options, tmp_path)
    assert [task.wait() for task in tasks.values()] == [1, 1]
    assert any(message in task.text() for task in tasks.values()), tasks["worker0"].text()[-3000:]
