"""Summaries that only the chief's Supervisor fetches, and that wait for the other workers."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
import tensorflow.compat.v1 as tf
from cluster_support import start

from tfmigrate_runtime.between_graph.side_fetches import SideFetches

PROGRAM = Path(__file__).parent / "programs" / "supervised_summaries.py"


def test_summaries_are_fetched_with_a_step_of_all_workers(tmp_path: Path) -> None:
    tasks = start({}, tmp_path, [str(PROGRAM), str(tmp_path / "events")], worker=2)
    for task in tasks.values():
        assert task.wait() == 0, task.text()[-3000:]
        average, w = json.loads(task.text().partition("DONE ")[2].splitlines()[0])
        assert average == pytest.approx(4.5)  # one update of 1.5, the mean, a step
        assert w == pytest.approx(1 - 0.8**3)
    (events,) = (tmp_path / "events").glob("events*")
    found = [v.tag for e in tf.train.summary_iterator(str(events)) for v in e.summary.value]
    assert "loss" in found


def asked(fetches: SideFetches, *waits: int) -> tuple[threading.Thread, list[object]]:
    """Returns a thread that fetches "x", and what comes of it."""
    results: list[object] = []

    def fetch() -> None:
        try:
            results.append(fetches.fetched_with_a_step("x", waits))
        except tf.errors.OutOfRangeError as error:
            results.append(error)

    thread = threading.Thread(target=fetch)
    thread.start()
    return thread, results


def of_step(fetches: SideFetches, *waits: int) -> object:
    """Returns what a step fetches for a thread that has asked, or asks soon."""
    for _ in range(100):
        if (wanted := fetches.of_step(waits)) is not None:
            return wanted
        threading.Event().wait(0.01)
    return None


def test_a_step_with_the_same_reductions_has_them() -> None:
    fetches = SideFetches()
    thread, results = asked(fetches, 2, 3)
    assert of_step(fetches, 2) is None
    wanted = of_step(fetches, 1, 2, 3)
    assert wanted is not None and wanted.fetches == "x"  # type: ignore[attr-defined]
    assert fetches.of_step([1, 2, 3]) is None
    wanted.finish("summary")  # type: ignore[attr-defined]
    thread.join(10)
    assert results == ["summary"]


@pytest.mark.parametrize("in_step", [False, True])
def test_threads_end_with_the_training(in_step: bool) -> None:
    fetches = SideFetches()
    thread, results = asked(fetches, 1)
    if in_step:  # which fails
        of_step(fetches, 1).give_up()  # type: ignore[attr-defined]
    fetches.end()
    thread.join(10)
    again, later_results = asked(fetches, 1)
    again.join(10)
    assert [type(r) for r in (*results, *later_results)] == [tf.errors.OutOfRangeError] * 2
