"""What must not pass as the same although no tolerance of the ladder is exceeded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from made_command import climb
from traces import STEPS, trace

from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs.ladder import Verdict
from tfmigrate_runtime.verify.traces.trace import Trace, at_common_steps


def notes(verdict: Verdict) -> str:
    return "\n".join(line for r in verdict.rungs if r.outcome for line in r.outcome.details)


def transferred(drawn: Any, start: Any, name: str = "dense/kernel") -> tuple[Trace, Trace]:
    """Two traces that are equal because the start of a variable was taken over."""
    base = trace()
    start = np.asarray(start, np.float32)
    values = {
        name: np.broadcast_to(start, (STEPS, *start.shape))
        + np.arange(1.0, STEPS + 1, dtype=np.float32).reshape(-1, *[1] * start.ndim)
    }
    made = trace(
        initial={**base.initial, name: start},
        variables={**base.variables, **values},
        meta={**base.meta, "transferred": [name]},
    )
    return made, trace(**{**vars(made), "drawn": {name: np.asarray(drawn, np.float32)}})


def test_another_draw_of_the_same_distribution_is_the_same() -> None:
    rng = np.random.RandomState(0)
    for size in ((2, 3), (4, 4), (100, 100)):
        for _ in range(50):
            pair = transferred(rng.normal(size=size), rng.normal(size=size))
            assert climb(*pair, Tolerance()).same, notes(climb(*pair, Tolerance()))


def test_a_transferred_value_hides_no_other_distribution() -> None:
    rng = np.random.RandomState(0)
    verdict = climb(
        *transferred(rng.normal(size=(40, 40)), rng.normal(size=(40, 40)) * 2), Tolerance()
    )
    assert verdict.failed is verdict.rungs[2]
    assert "dense/kernel is drawn from a different distribution: mean" in notes(verdict)


@pytest.mark.parametrize(
    ("factor", "shift", "told"),
    [(1.05, 0.0, "1.05 times its values."), (1.0, 0.01, "1 times its values, +0.01.")],
)
def test_a_transferred_value_hides_no_draw_by_another_factor(
    factor: float, shift: float, told: str
) -> None:
    """5 % of a standard deviation are less than another draw may differ by."""
    start = np.random.RandomState(0).normal(size=(3, 4))
    verdict = climb(*transferred(start * factor + shift, start), Tolerance())
    assert verdict.failed is verdict.rungs[2]
    assert f"original's random numbers on a different scale: {told}" in notes(verdict)


def test_a_draw_that_is_rounded_otherwise_is_the_same() -> None:
    start = np.random.RandomState(0).normal(size=(30, 40)).astype(np.float32)
    assert climb(*transferred(np.nextafter(start, np.float32(9)), start), Tolerance()).same


def test_a_transferred_value_hides_no_other_constant() -> None:
    verdict = climb(*transferred(np.ones((2, 3)), np.zeros((2, 3))), Tolerance())
    assert verdict.failed is verdict.rungs[2]
    assert notes(verdict) == (
        "dense/kernel starts from 0 in the original, from 1 in the migrated program."
    )


def test_a_transferred_statistic_is_a_difference() -> None:
    pair = transferred([0.5, 0.25], [0.0, 0.0], "bn/moving_mean")
    verdict = climb(*pair, Tolerance())
    assert verdict.failed is verdict.rungs[2]
    assert "bn/moving_mean starts from 0 in the original, from 0.5, 0.25 in" in notes(verdict)


@pytest.mark.parametrize("scale", [1e-3, 1e-9])
def test_little_training_is_compared_by_its_own_measure(scale: float) -> None:
    start = np.zeros((2, 3), np.float32)
    way = np.linspace(0, scale, STEPS + 1, dtype=np.float32)[1:, np.newaxis, np.newaxis]
    base = trace()

    def with_way(factor: float) -> Trace:
        kernel = start + way * np.float32(factor)
        return trace(
            initial={**base.initial, "dense/kernel": start},
            variables={**base.variables, "dense/kernel": kernel},
        )

    assert climb(with_way(1.0), with_way(1 + 2e-6), Tolerance()).same
    verdict = climb(with_way(1.0), with_way(1.001), Tolerance())
    assert verdict.failed is verdict.rungs[4]
    assert "Its update differs by 0.001 of its size" in notes(verdict)


def test_a_constant_factor_that_no_single_update_shows_is_found() -> None:
    """A learning rate of 1.00003 times: a third of what any one update may be off by."""
    base = trace()
    start = base.initial["dense/kernel"].astype(np.float64)
    kernel = base.variables["dense/kernel"].astype(np.float64)
    steps = np.diff(np.concatenate([start[np.newaxis], kernel]), axis=0)
    follow = {"forced": STEPS, "free": [], "missing": []}

    def with_factors(*factors: float) -> Trace:
        scale = np.array(factors).reshape(-1, 1, 1)
        longer = (kernel + (scale - 1) * steps).astype(np.float32)
        return trace(
            variables={**base.variables, "dense/kernel": longer},
            meta={**base.meta, "follow": follow},
        )

    verdict = climb(base, with_factors(*[1 + 3e-5] * STEPS), Tolerance())
    assert verdict.failed is verdict.rungs[4]
    assert "All updates of dense/kernel together are longer or shorter by 3.0e-05" in notes(verdict)
    assert climb(base, with_factors(*[1 + 2e-6] * STEPS), Tolerance()).same


def test_a_small_loss_is_compared_by_its_own_measure() -> None:
    small = trace(loss=trace().loss * 1e-6)
    assert climb(small, trace(loss=small.loss * 1.00005), Tolerance()).same
    assert not climb(small, trace(loss=small.loss * 1.001), Tolerance()).same


def test_a_small_result_is_compared_by_its_own_measure() -> None:
    small = trace(evaluations=[{"error": np.float32(1e-6)}])
    other = trace(evaluations=[{"error": np.float32(1.01e-6)}])
    assert climb(small, small, Tolerance()).same
    assert not climb(small, other, Tolerance()).same


def test_what_does_not_train_is_named() -> None:
    base = trace()
    still = np.broadcast_to(base.initial["dense/kernel"], (STEPS, 2, 3))
    made = trace(variables={**base.variables, "dense/kernel": still})
    verdict = climb(made, made, Tolerance())
    assert verdict.same
    assert (
        "1 of 1 trainable variables never move, so the comparison says little about them: "
        "dense/kernel."
    ) in notes(verdict)
    assert "never move" not in notes(climb(base, base, Tolerance()))


def test_large_values_are_compared_as_float32_can_hold_them() -> None:
    """At 1e4 neighbors in float32 are 1e-3 apart: no update is known better."""
    base = trace()
    large = {**base.variables, "dense/kernel": base.variables["dense/kernel"] + np.float32(1e4)}
    start = {**base.initial, "dense/kernel": base.initial["dense/kernel"] + np.float32(1e4)}
    original = trace(variables=large, initial=start, loss=base.loss + 1e4)
    near = {**large, "dense/kernel": np.nextafter(large["dense/kernel"], np.float32(9e9))}

    def other(values: dict[str, Any], more: float) -> Trace:
        return trace(variables=values, initial=start, loss=original.loss + more)

    assert climb(original, other(near, 1e-3), Tolerance()).same
    far = {**large, "dense/kernel": large["dense/kernel"].copy()}
    far["dense/kernel"][2:] += np.float32(0.1)
    assert climb(original, other(far, 0.0), Tolerance()).failed is not None
    assert not climb(original, other(large, 2.0), Tolerance()).same
    bits = Tolerance(loss=0.0, variable=0.0)
    assert climb(original, original, bits).same
    assert not climb(original, other(near, 0.0), bits).same


def test_trainings_of_other_models_are_said_or_a_difference() -> None:
    two = trace(meta={**trace().meta, "ignored_sessions": [{"first_step": 0}]})
    assert climb(two, two, Tolerance()).same
    assert "Other models (1 session) were not compared:" in notes(climb(two, two, Tolerance()))
    verdict = climb(two, trace(), Tolerance())
    assert verdict.failed is verdict.rungs[0]


def test_steps_that_a_program_trains_twice_are_all_compared() -> None:
    steps = np.array([1, 2, 3, 1, 2])
    twice = trace(step=steps, variable_step=steps)
    assert at_common_steps(twice, twice)[0].variable_step.tolist() == steps.tolist()
    kernel = twice.variables["dense/kernel"].copy()
    kernel[4] += 1
    wrong = trace(**{**vars(twice), "variables": {**twice.variables, "dense/kernel": kernel}})
    assert not climb(twice, wrong, Tolerance()).same
