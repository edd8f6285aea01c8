"""What chance cannot explain: found with one run's numbers in the place of the other's."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from traces import trace

from tfmigrate_runtime.verify import shared
from tfmigrate_runtime.verify.chance.structure import with_numbers_of
from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs.compare_written import written
from tfmigrate_runtime.verify.traces.recording import Recording
from tfmigrate_runtime.verify.traces.trace import Trace

LOSS = [[".", "loss", "scalar", 1, False], [".", "loss", "scalar", 2, False]]
BY_CLOCK = [".", "global_step/sec", "scalar", 1, True]


def writing(events: list[list[Any]], values: list[float]) -> Trace:
    made = trace(event_values=np.array(values))
    return replace(made, meta={**made.meta, "written": _written(events)})


def _written(events: list[list[Any]]) -> dict[str, Any]:
    return {"events": events, "saves": [], "left_out": 0, "kept": {}, "hooks": {}}


def numbers(original: Trace, migrated: Trace) -> Trace:
    return with_numbers_of(Recording.of(original), Recording.of(migrated)).chief


def test_summaries_that_a_clock_adds_hide_no_values() -> None:
    original = writing(LOSS, [2.0, 1.0])
    migrated = writing([LOSS[0], BY_CLOCK, LOSS[1]], [2.5, 100.0, 1.5])
    assert not written(original, migrated, Tolerance()).same
    same_numbers = numbers(original, migrated)
    assert same_numbers.event_values.tolist() == [2.0, 100.0, 1.0]
    assert written(original, same_numbers, Tolerance()).same


def test_other_steps_stay_a_difference() -> None:
    original = writing(LOSS, [2.0, 1.0])
    migrated = writing(LOSS[:1], [2.0])
    assert not written(original, numbers(original, migrated), Tolerance()).same


def test_values_of_one_tag_and_step_keep_their_order() -> None:
    twice = [LOSS[0], LOSS[0]]
    same_numbers = numbers(writing(twice, [2.0, 1.0]), writing(twice, [5.0, 6.0]))
    assert same_numbers.event_values.tolist() == [2.0, 1.0]


def test_a_checkpoint_that_is_written_twice_is_a_difference() -> None:
    save = {"folder": ".", "name": "m", "steps": 1, "timed": False, "tensors": []}
    twice, once = writing([], []), writing([], [])
    twice.meta["written"].update(saves=[save, save], kept={})
    once.meta["written"].update(saves=[save], kept={})
    outcome = written(twice, once, Tolerance())
    assert not outcome.same
    assert "2 by the original and 1 by the migrated program" in outcome.details[0]
    assert written(twice, twice, Tolerance()).same


def test_summaries_that_were_not_recorded_are_mentioned(monkeypatch: pytest.MonkeyPatch) -> None:
    original = writing(LOSS, [2.0, 1.0])
    assert written(original, original, Tolerance()).details == ()
    monkeypatch.setattr(shared, "MOST_EVENTS", 2)
    found = written(original, original, Tolerance()).details
    assert found == ("Only the first 2 summaries were compared.",)
