"""Comparing traces of clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from traces import trace

from tfmigrate_runtime.verify.chance.run_statistics import final_loss
from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs.ladder import Verdict, climb
from tfmigrate_runtime.verify.traces.recording import Recording
from tfmigrate_runtime.verify.traces.trace import Trace

PLACEMENT = {"dense/kernel": "/job:ps/task:0", "bn/moving_mean": "/job:ps/task:1"}


def task(offset: int = 0, about: dict[str, Any] | None = None, **changes: Any) -> Trace:
    made = trace(**changes)
    meta = {**made.meta, "placement": PLACEMENT, "skipped": 0, "replicas": None, **(about or {})}
    return replace(made, meta=meta, step=made.step * 2 - 1 + offset, variable_step=made.step)


def cluster(
    first: Trace | None = None, second: Trace | None = None, turns: bool = True
) -> Recording:
    tasks = {"worker/0": first or task(), "worker/1": second or task(1)}
    return Recording({"cluster": {"ps": 2, "worker": 2}, "turns": turns}, tasks)


def failing(verdict: Verdict) -> tuple[str, str]:
    assert verdict.failed is not None
    assert verdict.failed.outcome is not None
    return verdict.failed.name, "\n".join(verdict.failed.outcome.details)


def test_equal_clusters_train_the_same() -> None:
    verdict = climb(cluster(), cluster(), Tolerance())
    assert verdict.same
    assert [rung.verdict for rung in verdict.rungs] == ["same"] * 9
    assert not verdict.warnings


def test_a_loss_of_another_worker_counts() -> None:
    other = task(1, loss=np.linspace(2.0, 1.1, 5))
    verdict = climb(cluster(), cluster(second=other), Tolerance())
    name, details = failing(verdict)
    assert name == "same loss at every step"
    assert "worker/1: The loss first differs at step 4" in details
    assert "worker/0" not in details


def test_a_worker_that_makes_other_steps_differs() -> None:
    short = task(1)
    short = replace(short, step=short.step[:-1], loss=short.loss[:-1])
    name, details = failing(climb(cluster(), cluster(second=short), Tolerance()))
    assert name == "all train the same steps"
    assert "worker/1: The original ran 5 steps" in details


def test_a_worker_that_never_trains_differs() -> None:
    none = task(1)
    none = replace(none, step=none.step[:0], loss=none.loss[:0])
    name, details = failing(climb(cluster(), cluster(second=none), Tolerance()))
    assert name == "all train the same steps"
    assert details == "worker/1: This task trains only in the original."


def test_a_variable_elsewhere_differs() -> None:
    moved = {**PLACEMENT, "bn/moving_mean": "/job:ps/task:0"}
    other = cluster(task(about={"placement": moved}))
    name, details = failing(climb(cluster(), other, Tolerance()))
    assert name == "same trainable variables"
    assert details == (
        "bn/moving_mean is on /job:ps/task:1 in the original, on /job:ps/task:0 in the migrated "
        "program."
    )


def test_mirrored_variables_have_no_place() -> None:
    about = {"placement": {}, "mirrored": True, "synchronous": True}
    mirrored = cluster(task(about=about), task(1, about=about))
    verdict = climb(cluster(), mirrored, Tolerance())
    assert verdict.same
    outcome = verdict.rungs[1].outcome
    assert outcome is not None
    assert outcome.figure == "1 (6 parameters), mirrored"
    assert outcome.details == ("The migrated program mirrors its variables on the workers.",)


def test_mirrored_copies_that_started_apart_differ() -> None:
    about = {"mirrored": True, "synchronous": True}
    drawn = {"dense/kernel": np.ones((2, 3), np.float32)}
    mirrored = cluster(task(about=about), task(1, about=about, drawn=drawn))
    name, details = failing(climb(cluster(), mirrored, Tolerance()))
    assert name == "same initial values, batch"
    assert details == "The initial value of dense/kernel on worker/1 differs from the chief's."


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("/job:ps/task:0", "/job:ps/replica:0/task:0/device:CPU:0", True),
        ("/job:ps", "/job:ps/task:0/device:cpu:*", True),
        ("/job:ps/task:0", "/job:ps/task:1", False),
        ("/job:ps/task:0", "/job:worker/task:0", False),
        ("/job:worker/task:0/device:CPU:0", "/job:worker/task:0/device:GPU:0", False),
        ("", "/device:CPU:0", True),
    ],
)
def test_places_are_compared_by_what_they_mean(one: str, other: str, same: bool) -> None:
    assert (cluster().place(one) == cluster().place(other)) is same


def test_a_variable_on_no_task_is_where_its_tensorflow_puts_it() -> None:
    placement = {**PLACEMENT, "bn/moving_mean": "/device:CPU:0"}
    old = cluster(task(about={"placement": placement}))
    by_hand = cluster(task(about={"placement": {**PLACEMENT, "bn/moving_mean": "/job:ps/task:0"}}))
    new = cluster(task(about={"placement": placement}))
    old.meta["tensorflow"], new.meta["tensorflow"] = "1.15.5", "2.21.0"
    assert climb(old, by_hand, Tolerance()).same
    assert old.place("/job:worker") == ("worker", "0", "CPU:0")
    name, details = failing(climb(old, new, Tolerance()))
    assert name == "same trainable variables"
    assert "bn/moving_mean is on " in details


def test_free_runs_leave_losses_to_chance() -> None:
    original = cluster(turns=False)
    assert final_loss(original.tasks) == 1.0  # the last of five losses of each worker
    losses = np.linspace(2.0, 0.1, 5)
    other = cluster(task(loss=losses), task(1, loss=losses), turns=False)
    verdict = climb(original, other, Tolerance())
    assert [rung.verdict for rung in verdict.rungs[3:6]] == ["skipped"] * 3


def test_skipped_turns_are_told() -> None:
    verdict = climb(cluster(), cluster(task(about={"skipped": 2})), Tolerance())
    assert verdict.warnings == (
        "worker/0 of the migrated program did not wait for 2 turns of other workers: later results "
        "depend on timing",
    )


def test_files_and_hooks_of_every_worker_count() -> None:
    hooks = {**task().meta["written"], "hooks": {"Logger": 4}}
    other = cluster(second=task(1, about={"written": hooks}))
    name, details = failing(climb(cluster(), other, Tolerance()))
    assert name == "same files and hooks"
    assert "worker/1: Hook Logger" in details


def fetching(offset: int, *runs: list[int], values: Sequence[float] = ()) -> Trace:
    forms = [[["loss", "float32", [], 1, False]]]
    about = {"fetches": {"forms": forms, "runs": list(runs), "left_out": 0}}
    return replace(task(offset, about=about), fetched=np.array(values))


def test_what_every_worker_fetches_counts_from_its_first_step_on() -> None:
    original = cluster(second=fetching(1, [0, 0], [2, 0], values=[9.0, 0.5]))
    same = cluster(second=fetching(1, [0, 0], [0, 0], [2, 0], values=[7.0, 8.0, 0.5]))
    assert climb(original, same, Tolerance()).same
    other = cluster(second=fetching(1, [0, 0], [2, 0], values=[9.0, 0.6]))
    name, details = failing(climb(original, other, Tolerance()))
    assert name == "same calls and results"
    assert "worker/1: Session run 1 without training, after step 2: loss is 0.5" in details
