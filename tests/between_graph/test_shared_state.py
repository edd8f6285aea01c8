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
        (
            {"sets": 1, "callable": True, "leaves": {"0": 3, "1": 3}},
            descent(5.0, 0.1, 0.1, 0.1),
        ),
        ({"by_hook": [0]}, descent(0.0, 0.1, 0.05, 0.05)),
        # Of a graph that is finalized, as on TensorFlow 1.15; and all assign the same.
        (
            {"loads": 0, "by_hook": [0, 1], "before_step": 15, "steps": 17},
            descent(5.0, *[0.1] * 14, *[0.05] * 3),
        ),
        # What a step of one worker assigns is there for the next step.
        ({"in_step": 1}, descent(0.0, 0.1, 0.05, 0.05)),
    ],
    ids=str,
)
def test_assignments_of_one_worker(options: dict[str, Any], wanted: Any, tmp_path: Path) -> None:
    assert values_of(options, tmp_path) == wanted


def test_one_worker_assigns_what_the_optimizer_writes_too(tmp_path: Path) -> None:
    """The others have it in their next step, as on TensorFlow 1.x."""
    chief, other = started({"sets_in_step": 0}, tmp_path).values()
    values = [*descent(0.0, 0.1).expected, *descent(5.0, 0.1).expected * 2]
    assert chief.losses() == [5.0, 5.0, 5.0]
    assert other.losses() == pytest.approx(values, rel=1e-6)


@pytest.mark.parametrize(
    ("assigns", "shared_before_step"),
    [
        ("loads_by_hook", False),
        # The program has an operation for it, so that the workers look out for that.
        pytest.param("sets_by_hook", True, marks=pytest.mark.long),
    ],
)
def test_one_worker_assigns_late(assigns: str, shared_before_step: bool, tmp_path: Path) -> None:
    """Else the others have begun the step, as on TensorFlow 1.x: their gradient is of it."""
    found = values_of({assigns: [1], "before_step": 15, "steps": 17}, tmp_path)
    before = 5.0 if shared_before_step else 1 - 0.8**14
    after = 5.0 - 0.1 * ((5.0 - 1) + (before - 1))
    assert found[14:] == pytest.approx([after, *descent(after, 0.1, 0.1).expected], rel=1e-6)


def test_what_one_worker_runs_alone_needs_no_other(tmp_path: Path) -> None:
    """An initializer, a moving average over the workers, a metric of its own."""
    options = {"initializes_by_hook": [0], "evaluates": 0, "optimizer": "proximal"}
    tasks = started(options, tmp_path)
    first, other = (task.losses() for task in tasks.values())
    # w and its slot, which is not initialized again.
    w, sum_of_squares, values = 0.0, 0.1, []
    for step in range(3):
        w = 0.0 if step == 1 else w
        gradient = 2 * (w - 1)
        sum_of_squares += gradient**2
        w -= 0.1 * gradient / sum_of_squares**0.5
        values.append(w)
    assert first == other == pytest.approx(values, rel=1e-6)
    found = [line for line in tasks["worker0"].text().splitlines() if line.startswith("FOUND")]
    assert found == ["FOUND 0.5 0.0", "FOUND 1.0 0.0", "FOUND 1.5 0.0"]


@pytest.mark.parametrize(
    ("options", "alone"),
    [
        ({"more": [1]}, "worker 1 has more float32 (2,)"),
        (
            {"wide": [0]},
            "worker 0 has by_task float32 (3,); only worker 1 has by_task float32 (2,)",
        ),
        (
            {"frozen": [1]},
            "worker 0 has by_task float32 (2,); "
            "only worker 1 has by_task float32 (2,) (not trained)",
        ),
    ],
    ids=["a variable", "its shape", "whether it is trained"],
)
def test_workers_with_other_variables_do_not_train(
    options: dict[str, Any], alone: str, tmp_path: Path
) -> None:
    chief, other = started(options, tmp_path).values()
    assert chief.wait() == other.wait() == 1
    said = "worker 1 runs another version of the program than worker 0"
    assert f"{said}: only {alone}. Start" in chief.text()
    assert "worker 0 runs another version of the program than worker 1" in other.text()


def test_workers_that_run_other_steps_end(tmp_path: Path) -> None:
    """As UPDATE_OPS of the chief alone: TensorFlow would wait for ever."""
    chief, other = started({"averages_in_step": 0}, tmp_path).values()
    assert chief.wait() == other.wait() == 1
    for task in (chief, other):
        assert "the workers update different variables in step" in task.text()
    assert "only worker 0 has average" in chief.text()
    assert "only worker 0 has average" in other.text()


@pytest.mark.parametrize("options", [{"fed": "constant"}, {"fed": "default", "computed": True}])
def test_a_rate_that_is_fed_has_no_effect(options: dict[str, Any], tmp_path: Path) -> None:
    """As on TensorFlow 1.15, where the chief's queue runner applied gradients, without feeds."""
    assert values_of(options, tmp_path) == descent(0.0, 0.1, 0.1, 0.1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"adds": [0, 1]}, "workers 0 and 1 each changed the variable w before step 1"),
        pytest.param(
            {"adds_by_hook": [0, 1], "before_step": 15, "steps": 20},
            "workers 0 and 1 each changed the variable w before step 15",
            marks=pytest.mark.long,
        ),
        ({"behind": [1], "steps": 300}, "copies of the variable w differ after step 101"),
        ({"behind_at_end": [1]}, "copies of the variable w differ after step 3"),
    ],
    ids=["both add", "both add late", "nobody saw it", "nobody saw it at the end"],
)
def test_copies_that_differ_end_the_training(
    options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    tasks = started(options, tmp_path)
    assert [task.wait() for task in tasks.values()] == [1, 1]
    assert any(message in task.text() for task in tasks.values()), tasks["worker0"].text()[-3000:]


def test_a_worker_that_ends_alone_does_not_wait_long(tmp_path: Path) -> None:
    first, second = started({"leaves": {"1": 2}}, tmp_path).values()
    assert second.wait() == 0
    assert "has not compared its variables" in second.text()
    assert first.wait(30) == 1
    assert f"lost worker 1 ({second.address})" in first.text()


@pytest.mark.long
def test_a_chief_that_evaluates_at_the_end_is_not_disturbed(tmp_path: Path) -> None:
    first, second = started({"stays": {"0": 6}}, tmp_path).values()
    assert [second.wait(), first.wait()] == [0, 0]
    for task in (first, second):
        assert "has not compared its variables" in task.text()
