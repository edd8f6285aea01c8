"""Final losses of several runs, compared as distributions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from traces import STEPS, trace

from tfmigrate_runtime.verify.free_randomness import (
    Runs,
    chance_of_difference,
    differs_from_itself,
    final_loss,
)
from tfmigrate_runtime.verify.tolerance import Tolerance


def test_a_program_that_is_the_same_twice() -> None:
    assert not differs_from_itself(trace(), trace(), Tolerance())
    other = trace(loss=np.linspace(2.0, 1.1, STEPS))
    assert differs_from_itself(trace(), other, Tolerance())
    started = {name: value + 1 for name, value in trace().initial.items()}
    assert differs_from_itself(trace(), replace(trace(), initial=started), Tolerance())


def test_the_final_loss_is_that_of_the_last_steps() -> None:
    assert final_loss(trace(loss=np.arange(100.0))) == np.arange(75.0, 100.0).mean()
    assert final_loss(trace(loss=np.array([3.0]))) == 3.0


def test_the_chance_is_the_share_of_splits() -> None:
    # Of the six ways to choose two of four, two differ as much as this one.
    assert chance_of_difference([1.0, 2.0], [3.0, 4.0]) == pytest.approx(2 / 6)
    assert chance_of_difference([1.0, 1.0], [1.0, 1.0]) == 1.0
    least = chance_of_difference([1, 2, 3, 4], [11, 12, 13, 14])
    assert least == pytest.approx(2 / 70)
    assert chance_of_difference([1.0] * 5, [float("nan")] * 5) == pytest.approx(2 / 252)


def test_large_samples_are_drawn() -> None:
    rng = np.random.default_rng(1)
    same = chance_of_difference(rng.normal(size=20).tolist(), rng.normal(size=20).tolist())
    other = chance_of_difference(rng.normal(size=20).tolist(), rng.normal(3, size=20).tolist())
    assert other < 0.001 < 0.05 < same


def test_false_alarms_are_as_rare_as_is_said() -> None:
    """Two samples of one distribution differ significantly in at most 2 % of the cases."""
    rng = np.random.default_rng(2)
    outcomes = [
        Runs(tuple(rng.exponential(size=5)), tuple(rng.exponential(size=5))).outcome().same
        for _ in range(400)
    ]
    # 400 cases of 2 %: more than 18 have a chance below 1e-3; the seed is fixed.
    assert outcomes.count(False) <= 18


def test_what_a_report_says() -> None:
    outcome = Runs((1.0, 1.1, 0.9, 1.05, 0.95), (2.0, 2.1, 1.9, 2.05, 1.95)).outcome()
    assert not outcome.same
    assert outcome.figure == "p = 0.0079"
    assert "5 runs of the original end at 1, 1.1, 0.9, 1.05, 0.95" in outcome.details[0]
    assert "Means 1 and 2" in outcome.details[1]
    assert "show a difference of about 0.14" in outcome.details[2]
    assert Runs((1.0, 1.1, 0.9, 1.05), (1.02, 1.12, 0.88, 1.0)).outcome().same
