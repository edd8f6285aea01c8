"""What is measured of several runs, and the test of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from simulated import Simulation
from traces import STEPS, trace

from tfmigrate_runtime.verify.chance.free_randomness import Programs, compared_runs
from tfmigrate_runtime.verify.chance.run_statistics import (
    FINAL_LOSS,
    Measured,
    compare_groups,
    least_chance,
    measured,
    one_draw,
    visible,
)
from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs.ladder import climb
from tfmigrate_runtime.verify.traces.recording import Recording
from tfmigrate_runtime.verify.traces.trace import Trace


def differ(first: Trace, again: Trace) -> bool:
    pair = Recording.of(first), Recording.of(again)
    programs = Programs(pair, lambda a, b: climb(a, b, Tolerance()), lambda _: pair[0], 5)
    return programs.differ(*pair)


def ends(losses: list[float]) -> list[Measured]:
    return [{FINAL_LOSS: loss} for loss in losses]


def simulated(count: int, rng: np.random.Generator, rate: float = 0.05) -> list[Measured]:
    seeds = rng.integers(1 << 30, size=count).tolist()
    return [measured({"": Simulation(rate=rate, seed=seed, steps=200).run()}) for seed in seeds]


def test_a_program_that_is_the_same_twice() -> None:
    assert not differ(trace(), trace())
    assert differ(trace(), trace(loss=np.linspace(2.0, 1.1, STEPS)))
    started = {name: value + 1 for name, value in trace().initial.items()}
    assert differ(trace(), replace(trace(), initial=started))


def test_a_program_that_was_given_other_values_is_the_same_twice() -> None:
    given = trace(drawn={"dense/kernel": np.ones((2, 3), np.float32)})
    assert not differ(given, given)
    assert differ(given, trace(drawn={"dense/kernel": np.zeros((2, 3), np.float32)}))


def test_the_final_loss_is_that_of_the_last_steps() -> None:
    assert measured({"": trace(loss=np.arange(100.0))})[FINAL_LOSS] == np.arange(75.0, 100.0).mean()
    assert measured({"": trace(loss=np.array([3.0]))})[FINAL_LOSS] == 3.0


def test_the_chance_is_the_share_of_splits() -> None:
    # Of the six ways to choose two of four, two differ as much as this one.
    assert compare_groups(ends([1.0, 2.0]), ends([3.0, 4.0])).chance == pytest.approx(2 / 6)
    assert compare_groups(ends([1.0, 1.0]), ends([1.0, 1.0])).chance == 1.0
    least = compare_groups(ends([1, 2, 3, 4]), ends([11, 12, 13, 14])).chance
    assert least == pytest.approx(2 / 70) == pytest.approx(least_chance(4, 4))
    found = compare_groups(ends([1.0] * 5), ends([float("nan")] * 5)).chance
    assert found == pytest.approx(2 / 252)


def test_large_samples_are_drawn() -> None:
    rng = np.random.default_rng(1)
    groups = [ends(rng.normal(mean, size=20).tolist()) for mean in (0, 0, 3)]
    same = compare_groups(groups[0], groups[1])
    other = compare_groups(groups[0], groups[2])
    assert other.chance < 0.001 < 0.05 < same.chance


def test_runs_that_are_all_the_same_are_one() -> None:
    assert len(one_draw(ends([1.0] * 5))) == 1
    assert len(one_draw(ends([1.0, 1.0, 2.0]))) == 3


def test_false_alarms_are_as_rare_as_is_said() -> None:
    """Two groups of runs of one program differ in at most 2 % of the cases."""
    rng = np.random.default_rng(2)
    chances = [compare_groups(simulated(5, rng), simulated(5, rng)).chance for _ in range(100)]
    # 100 cases of 2 %: more than 7 have a chance below 2e-3; the seed is fixed.
    assert sum(chance <= 0.02 for chance in chances) <= 7


def test_a_learning_rate_that_is_a_third_larger_is_found_by_five_runs() -> None:
    """The final losses of 200 steps show it hardly ever; how far the kernel moves does."""
    rng = np.random.default_rng(3)
    pairs = [(simulated(5, rng), simulated(5, rng, 0.065)) for _ in range(20)]
    assert sum(compare_groups(*pair).chance <= 0.02 for pair in pairs) >= 18
    alone = [[ends([run[FINAL_LOSS] for run in runs]) for runs in pair] for pair in pairs]
    assert sum(compare_groups(*pair).chance <= 0.02 for pair in alone) <= 6


def test_a_difference_is_confirmed_by_as_many_runs_again() -> None:
    first, second = ends([1.0, 1.1, 0.9, 1.05, 0.95]), ends([2.0, 2.1, 1.9, 2.05, 1.95])
    again = [{FINAL_LOSS: loss + 0.01} for group in (first, second) for loss in _of(group)]
    outcome = compared_runs(first, second, lambda: ([*first, *again[:5]], [*second, *again[5:]]))
    assert not outcome.same
    assert outcome.figure.startswith("10 runs of each, p = ")
    mixed = compared_runs(first, second, lambda: ([*first, *again[5:]], [*second, *again[:5]]))
    assert mixed.same
    assert mixed.samples is not None and len(mixed.samples.original) == 10


def _of(runs: list[Measured]) -> list[float]:
    return [run[FINAL_LOSS] for run in runs]


def test_what_a_report_says() -> None:
    outcome = compared_runs(ends([1.0, 1.1, 0.9, 1.05, 0.95]), ends([1.02, 1.12, 0.88, 1.0, 1.1]))
    assert outcome.same
    assert outcome.figure.startswith("5 runs of each, p = ")
    assert "Final losses of 5 runs of the original: 1, 1.1, 0.9, 1.05, 0.95; " in outcome.details[0]
    assert "Differences below about 0.1" in outcome.details[-1]
    assert visible([1.0], [1.0, 2.0]) > 0


def test_what_hardly_moves_is_no_measurement() -> None:
    """Biases of a model that starts from one constant: rounding alone moves them."""

    def run(seed: int, of_bias: float) -> Measured:
        noise = np.random.RandomState(seed).normal(size=(STEPS, 4))
        kernel = np.cumsum(1e-3 * (1 + noise), axis=0).astype(np.float32)
        bias = np.full((STEPS, 2), of_bias, np.float32) * np.arange(1, STEPS + 1)[:, np.newaxis]
        variables = {"kernel": kernel, "bias": bias.astype(np.float32)}
        names = [
            {"name": n, "shape": [4], "dtype": "float32", "trainable": True} for n in variables
        ]
        made = trace(variables=variables, initial={n: 0 * v[0] for n, v in variables.items()})
        return measured({"": replace(made, meta={**made.meta, "variables": names})})

    old = [run(seed, 1.7552e-10) for seed in range(10)]
    assert compare_groups(old, [run(seed, 1.5796e-10) for seed in range(10, 20)]).chance > 0.02
    # What is trained in one program only is another matter.
    assert compare_groups(old, [run(seed, 1e-4) for seed in range(10, 20)]).chance < 1e-3
