"""Steps that draw other random numbers than the original's are samples of one distribution."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from simulated import Simulation

from tfmigrate_runtime.verify.chance.step_statistics import NAME, are_samples, compared_by_steps
from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs.ladder import Verdict, climb
from tfmigrate_runtime.verify.traces.trace import Trace

FREE = {"native": {"map": "", "draws": {"given": [], "free": ["0/0"]}}}
ORIGINAL = replace(Simulation(seed=1).run(), batch={})


def in_lock_step(simulation: Simulation, **meta: Any) -> Trace:
    """Returns a run with rows of its own, from the original's states."""
    states = [ORIGINAL.initial["kernel"], *ORIGINAL.variables["kernel"]]
    trace = replace(simulation.run(states), batch={})
    follow = {"forced": len(states) - 1, "free": [], "missing": []}
    return replace(trace, meta={**trace.meta, "follow": follow, **FREE, **meta})


def verdict_of(migrated: Trace) -> Verdict:
    verdict = climb(ORIGINAL, migrated, Tolerance())
    assert are_samples(verdict, ORIGINAL, migrated)
    return compared_by_steps(verdict, ORIGINAL, migrated)


def test_a_right_program_is_not_decided() -> None:
    for seed in range(20, 30):
        verdict = verdict_of(in_lock_step(Simulation(seed=seed)))
        assert verdict.failed is None and verdict.undecided is not None
        assert verdict.undecided.name == NAME


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (Simulation(seed=2, rate=0.15), "the update of kernel is on average "),
        (Simulation(seed=2, noise=3.0), "the loss is on average "),
        (Simulation(seed=2, rate=0.01), " % shorter than the original's"),
    ],
)
def test_a_wrong_program_is_different(wrong: Simulation, told: str) -> None:
    verdict = verdict_of(in_lock_step(wrong))
    assert verdict.failed is not None and verdict.failed.name == NAME
    assert verdict.failed.outcome is not None
    assert told in "\n".join(verdict.failed.outcome.details)


def test_few_steps_decide_nothing() -> None:
    short = in_lock_step(Simulation(seed=2, rate=0.5)).up_to(3)
    assert not are_samples(climb(ORIGINAL, short, Tolerance()), ORIGINAL, short)  # other steps
    verdict = climb(ORIGINAL.up_to(3), short, Tolerance())
    verdict = compared_by_steps(verdict, ORIGINAL.up_to(3), short)
    assert verdict.undecided is not None and verdict.undecided.outcome is not None
    assert verdict.undecided.outcome.details[-1] == "3 steps decide nothing."


def test_only_random_numbers_of_both_programs_make_samples() -> None:
    migrated = in_lock_step(Simulation(seed=2))
    verdict = climb(ORIGINAL, migrated, Tolerance())
    none = {**ORIGINAL.meta, "step_draws": {"kinds": {}, "left_out": 0}}
    assert not are_samples(verdict, replace(ORIGINAL, meta=none), migrated)
    given = {**migrated.meta, "native": {"draws": {"given": ["0/0"], "free": []}}}
    assert not are_samples(verdict, ORIGINAL, replace(migrated, meta=given))
    other = replace(migrated, initial={"kernel": np.ones(3, np.float32)})
    assert not are_samples(climb(ORIGINAL, other, Tolerance()), ORIGINAL, other)
