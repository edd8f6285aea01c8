"""Workers that take turns."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from tfmigrate_runtime.verify.recorder.sessions import cluster_worker
from tfmigrate_runtime.verify.recorder.sessions.cluster_worker import Worker
from tfmigrate_runtime.verify.shared import state_of


def take_steps(worker: Worker, steps: int, order: list[int], index: int) -> None:
    worker.wait_for_chief()
    worker.begin()
    for _ in range(steps):
        worker.before_step(False)
        order.append(index)
        worker.after_step()
        time.sleep(0.01)  # what a program does after a step is part of its turn
        order.append(index)
    worker.finish()


def run(folder: Path, steps: tuple[int, ...]) -> list[int]:
    """Lets workers make so many steps each; returns who made each of them."""
    order: list[int] = []
    threads = [
        threading.Thread(
            target=take_steps,
            args=(Worker(index, len(steps), str(folder), True), count, order, index),
            daemon=True,
        )
        for index, count in enumerate(steps)
    ]
    for thread in reversed(threads):
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    return order


def test_workers_make_one_step_each_in_order(tmp_path: Path) -> None:
    assert run(tmp_path, (4, 4, 4)) == [0, 0, 1, 1, 2, 2] * 4


def test_a_worker_that_has_ended_is_not_waited_for(tmp_path: Path) -> None:
    assert run(tmp_path, (2, 4, 3)) == [
        worker for worker in [0, 1, 2, 0, 1, 2, 1, 2, 1] for _ in range(2)
    ]


def test_a_worker_that_waits_for_others_lets_its_turn_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_worker, "_PATIENCE_SECONDS", 0.2)
    first, second = (Worker(index, 2, str(tmp_path), True) for index in range(2))
    for worker in (first, second):
        worker.begin()
        worker.before_step(False)
        worker.after_step()
    second.before_step(False)  # the first has not come back for its second step
    second.after_step()
    state = state_of(str(tmp_path), 1)
    assert (state["steps"], state["skipped"]) == (2, 2)


def test_synchronous_workers_do_not_wait_for_each_other(tmp_path: Path) -> None:
    second = Worker(1, 2, str(tmp_path), True)
    second.before_step(True)  # would wait for the first one's step, which waits for this one
    assert state_of(str(tmp_path), 1)["state"] == "step"


@pytest.mark.parametrize("turns", [False, True])
def test_synchronous_workers_with_initial_tokens_begin_together(
    tmp_path: Path, turns: bool
) -> None:
    """The first one could make all the steps with the tokens of the others."""
    first, second = (Worker(index, 2, str(tmp_path), turns) for index in range(2))
    first.begin()
    begun = threading.Thread(target=first.before_step, args=(True, True), daemon=True)
    begun.start()
    begun.join(0.3)
    assert begun.is_alive()
    second.begin()
    begun.join(60)
    assert not begun.is_alive()
    second.before_step(True, True)
    second.after_step()
    second.before_step(True, True)  # does not wait for the first one's step


def test_synchronous_workers_begin_a_step_once_the_chief_has_given_the_state(
    tmp_path: Path,
) -> None:
    """A worker that gives, or goes on, before all have come would change a step under way."""
    seen: list[tuple[str, int]] = []

    def work(worker: Worker, index: int) -> None:
        worker.begin()
        for number in range(3):
            worker.before_step(True)
            worker.meet(lambda: seen.append(("given", index)))
            seen.append(("step", number))
            worker.after_step()
            time.sleep(0.05 * index)  # what a program does after a step
        worker.finish()

    workers = [Worker(index, 3, str(tmp_path), False) for index in range(3)]
    threads = [
        threading.Thread(target=work, args=(worker, index), daemon=True)
        for index, worker in enumerate(workers)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    chief = [place for place, (what, index) in enumerate(seen) if (what, index) == ("given", 0)]
    steps = {n: [p for p, each in enumerate(seen) if each == ("step", n)] for n in range(3)}
    for number, given in enumerate(chief, start=1):
        assert max(steps[number - 1]) < given < min(steps[number])
    assert len(chief) == 2
