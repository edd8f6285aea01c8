"""What must not pass as the same although no tolerance of the ladder is exceeded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from made_command import climb
from traces import STEPS, trace

from tfmigrate_runtime.verify.ladder import Verdict
from tfmigrate_runtime.verify.tolerance import Tolerance
from tfmigrate_runtime.verify.trace import Trace, at_common_steps


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


@pytest.mark.parametrize("scale", [1e-3, 1e-4])
def test_little_training_is_compared_by_its_own_measure(scale: float) -> None:
    """All that the kernel trains is `scale`; 5 % of 1e-4 are less than the 1e-5 allowed."""
    start = np.zeros((2, 3), np.float32)
    way = np.linspace(0, scale, STEPS + 1, dtype=np.float32)[1:, np.newaxis, np.newaxis]
    base = trace()

    def with_way(factor: float) -> Trace:
        kernel = start + way * np.float32(factor)
        return trace(
            initial={**base.initial, "dense/kernel": start},
            variables={**base.variables, "dense/kernel": kernel},
        )

    assert climb(with_way(1.0), with_way(1.005), Tolerance()).same
    verdict = climb(with_way(1.0), with_way(1.05), Tolerance())
    assert verdict.failed is verdict.rungs[4]
    assert f"(tolerance {scale / 100:.0e})" in notes(verdict)


def test_a_small_loss_is_compared_by_its_own_measure() -> None:
    small = trace(loss=trace().loss * 1e-6)
    assert climb(small, trace(loss=small.loss * 1.001), Tolerance()).same
    assert not climb(small, trace(loss=small.loss * 2), Tolerance()).same


def test_what_does_not_train_is_named() -> None:
    base = trace()
    still = np.broadcast_to(base.initial["dense/kernel"], (STEPS, 2, 3))
    made = trace(variables={**base.variables, "dense/kernel": still})
    verdict = climb(made, made, Tolerance())
    assert verdict.same
    assert (
        "1 of 1 trainable variables moved by no more than the tolerance, so the comparison "
        "says little about them: dense/kernel."
    ) in notes(verdict)
    assert "moved by no more" not in notes(climb(base, base, Tolerance()))


def test_large_values_are_compared_as_float32_can_hold_them() -> None:
    """At 1e4 neighbours in float32 are 1e-3 apart: 1e-5 would demand equal bits."""
    base = trace()
    large = {**base.variables, "dense/kernel": base.variables["dense/kernel"] + np.float32(1e4)}
    original = trace(variables=large, loss=base.loss + 1e4)
    near = {**large, "dense/kernel": np.nextafter(large["dense/kernel"], np.float32(9e9))}
    verdict = climb(original, trace(variables=near, loss=base.loss + 1e4 + 1e-3), Tolerance())
    assert verdict.same
    assert "dense/kernel reaches 1e+04, where float32 is only exact to 1e-02." in notes(verdict)
    far = {**large, "dense/kernel": large["dense/kernel"] + np.float32(0.1)}
    assert climb(original, trace(variables=far, loss=original.loss), Tolerance()).failed is not None
    assert not climb(original, trace(variables=large, loss=original.loss + 0.2), Tolerance()).same
    bits = Tolerance(loss=0.0, variable=0.0)
    assert climb(original, original, bits).same
    assert not climb(original, trace(variables=near, loss=original.loss), bits).same


def test_weights_under_a_scope_that_is_called_moving_are_not_loose() -> None:
    assert Tolerance().of_variable("moving_object/conv/kernel") == 1e-5
    assert Tolerance().of_variable("bn/moving_mean") == 5e-3
    assert Tolerance().of_variable("moving_variance") == 5e-3
    assert Tolerance().of_variable("bn/moving_mean/Adam") == 1e-5


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
