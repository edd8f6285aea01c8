"""Units that rounding puts on either side of zero: what they change is allowed, no fault is."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from changed_program import Changed
from trainer import Trainer

from tfmigrate_runtime.verify.rounding import scaled_updates, switches
from tfmigrate_runtime.verify.rounding.noise import _moved
from tfmigrate_runtime.verify.rounding.scaled_updates import is_scaled
from tfmigrate_runtime.verify.rounding.tolerance import Finding, Tolerance
from tfmigrate_runtime.verify.rounding.updates import Updates
from tfmigrate_runtime.verify.traces.recording import Recording
from tfmigrate_runtime.verify.traces.trace import Array

STEPS, ELEMENTS = 6, 40
ROUNDED = ("ROUNDING = 0.0", "ROUNDING = 2e-7")


@pytest.mark.usefixtures("tensorflow_installed")
def test_a_layer_whose_units_rounding_decides(changed: Changed) -> None:
    said = changed("decided_units.py", ROUNDED)
    assert (said.code, said.failed) == (0, [])


@pytest.mark.usefixtures("tensorflow_installed")
@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(("0.01, 0.01)", "0.01, 0.010005)"), id="rate"),
        pytest.param(("(rate, 0.9)", "(rate, 0.9, use_nesterov=True)"), id="momentum"),
    ],
)
def test_faults_of_such_a_layer_are_found(changed: Changed, fault: tuple[str, str]) -> None:
    """A rate that is 1.0005 times as great in the second half of the steps only."""
    said = changed("decided_units.py", ROUNDED, fault)
    assert (said.code, said.failed) == (1, ["same variables and slots"])


def unit_of(step: int, size: float = 0.01) -> Array:
    """By how much one unit changes the update of a step: all elements, in no common direction."""
    return size * np.random.RandomState(step).normal(size=ELEMENTS)


def in_parts(updates: Updates) -> Any:
    """Returns the updates as they are computed: a few steps at a time."""

    def at(steps: slice) -> Updates:
        noise = updates.noise and (updates.noise[0][steps], updates.noise[1][steps])
        wide = tuple(each[steps] for each in updates.wide)
        arrays = (updates.old, updates.new, updates.unit, updates.starts)
        return Updates(*(each[steps] for each in arrays), noise=noise, wide=wide)

    def parts() -> list[Updates]:
        return [at(slice(first, first + 4)) for first in range(0, len(updates.old), 4)]

    return SimpleNamespace(at=at, parts=parts, slots_at=lambda steps: [])


def judged(
    differences: dict[int, Array], runs: list[dict[int, Array]], by_one: Array | float = 3e-8
) -> Finding:
    """Compares updates as ``compared`` does, and allows what decisions change."""
    finding, updates = compared(differences, runs, by_one)
    return switches.allowed({"kernel": finding}, {"kernel": updates})["kernel"]


def compared(
    differences: dict[int, Array], runs: list[dict[int, Array]], by_one: Array | float = 3e-8
) -> tuple[Finding, Any]:
    """Compares updates that differ in these steps, with what runs changed in theirs.

    Args:
        differences: by step.
        runs: from states moved by ``switches.UNITS``.
        by_one: what a run from states moved by one unit changed.
    """
    old = np.random.RandomState(9).normal(size=(STEPS, ELEMENTS))
    new, wide = old.copy(), [np.full_like(old, 1e-6) for _ in runs]
    for step, change in differences.items():
        new[step] += change
    for run, changes in zip(wide, runs, strict=True):
        for step, change in changes.items():
            run[step] += change
    unit = np.full_like(old, 1e-9)
    starts = np.random.RandomState(7).normal(size=old.shape)
    updates = Updates(old, new, unit, starts, (old, old + by_one), tuple(wide))
    return Tolerance().judged(old, new, updates.noise, unit=unit), in_parts(updates)


def test_updates_times_one_number_are_no_decision() -> None:
    """They need no further runs: a learning rate that is another one in a few steps."""
    old = np.random.RandomState(9).normal(size=(STEPS, ELEMENTS))
    new = old * np.array([1, 1.1, 1, 0, 1, 1])[:, np.newaxis] + 1e-9
    decided = old + np.stack([unit_of(step) for step in range(STEPS)])
    unit = np.full_like(old, 1e-9)
    starts = np.random.RandomState(7).normal(size=old.shape)
    assert is_scaled(in_parts(Updates(old, new, unit, starts)), [1, 3])
    clipped = old - 0.1 * (old + 0.1 * starts)  # the update of a slot: 0.1 of the gradient less
    assert is_scaled(in_parts(Updates(old, clipped, unit, starts)), [1, 3])
    assert not is_scaled(in_parts(Updates(old, decided, unit, starts)), [1, 3])
    few = [each[:, :4] for each in (old, new, unit, starts)]
    assert not is_scaled(in_parts(Updates(*few)), [1, 3])


def test_a_rate_under_nesterovs_momentum_is_no_decision() -> None:
    """The gradient is 0.1 times, the momentum as it was: no multiple of update and value."""
    old, starts, slot = (
        np.random.RandomState(seed).normal(size=(2, ELEMENTS)) for seed in (1, 2, 3)
    )
    gradient = old - 0.81 * slot
    updates = in_parts(Updates(old, old - 0.9 * gradient, np.full_like(old, 1e-9), starts))
    assert not is_scaled(updates, [0, 1])
    updates.slots_at = lambda steps: [slot[steps]]
    assert is_scaled(updates, [0, 1])


def with_decay(decided: int, clips: bool = False) -> Finding:
    """Compares updates with a weight decay that the original has not.

    Args:
        decided: in how many steps rounding alone decides for a unit that matters more.
        clips: whether it changes all elements alike then, as the limit of a global norm does.
    """
    old = np.random.RandomState(9).normal(size=(STEPS, ELEMENTS))
    starts = np.random.RandomState(7).normal(size=old.shape)
    moved = old.copy()
    for step in range(decided):
        moved[step] += 0.1 * old[step] if clips else unit_of(step, 0.1)
    new, unit = old + 0.005 * starts, np.full_like(old, 1e-9)
    finding = Tolerance().judged(old, new, (old, moved), unit=unit)
    updates = in_parts(Updates(old, new, unit, starts, (old, moved)))
    return scaled_updates.without_noise(finding, updates, Tolerance().share)


def test_what_rounding_decides_hides_no_weight_decay() -> None:
    """A small net: noise of 0.2 of the updates in 3 of 14 steps was allowed in all of them."""
    assert list(with_decay(0).beyond) == list(range(STEPS))
    assert list(with_decay(3).beyond) == list(range(STEPS))
    assert list(with_decay(3, clips=True).beyond) == []


def test_steps_that_a_unit_changes_as_it_does_in_a_run_are_right() -> None:
    assert list(judged({1: unit_of(1), 4: unit_of(4)}, [{}, {2: unit_of(2)}]).beyond) == []


def test_steps_in_which_one_unit_decides_are_no_smooth_rounding() -> None:
    """A net of millions of units: it was called different, as 32 units changed only 5 times more.

    A right program is further from the original than states moved by one unit are.
    """
    differences = {step: unit_of(step) for step in range(STEPS)}
    wide = [{step: unit_of(step + seed) for step in range(STEPS)} for seed in (10, 20)]
    by_one = np.full((STEPS, ELEMENTS), 3e-8)
    for step in (1, 2, 4):
        by_one[step] += unit_of(step + 30, 0.002)
    assert list(judged(differences, wide, by_one).beyond) == []
    smooth = np.stack([unit_of(step + 30, 0.01 / 32) for step in range(STEPS)])
    assert len(judged(differences, wide, smooth).beyond) == STEPS  # 32 units change it 32 times


@pytest.mark.parametrize(
    ("differences", "runs"),
    [
        pytest.param({1: unit_of(1)}, [{}, {}], id="no run decides otherwise"),
        pytest.param({1: unit_of(1, 0.1)}, [{2: unit_of(2)}], id="more than a unit"),
        pytest.param({s: unit_of(s) for s in (1, 2, 3)}, [{2: unit_of(2)}], id="more steps"),
        pytest.param(
            {s: unit_of(s) for s in range(STEPS)},
            [{s: unit_of(s) for s in range(3)}],
            id="all steps",
        ),
        pytest.param({1: unit_of(1)}, [{2: 0.01 * np.eye(ELEMENTS)[0]}], id="one element"),
    ],
)
def test_what_no_unit_explains_is_different(
    differences: dict[int, Array], runs: list[dict[int, Array]]
) -> None:
    assert set(judged(differences, runs).beyond) == set(differences)


@pytest.mark.parametrize("reaches", [False, True])
def test_what_follows_all_units_is_allowed_no_decision(reaches: bool) -> None:
    """The head of a net, whose trunk's units are decided, was wrong by 0.9 of its update."""
    decided = [{2: unit_of(2)}, {4: unit_of(4)}]
    hardly = {2: unit_of(7, 2e-5)} if reaches else {}  # less than a difference that counts
    pairs = {
        "trunk": compared({}, decided),
        "head": compared({1: unit_of(1, 0.008)}, [hardly, {}]),
    }
    findings, updates = ({n: pair[i] for n, pair in pairs.items()} for i in (0, 1))
    assert list(switches.allowed(findings, updates)["head"].beyond) == ([] if reaches else [1])


def test_a_factor_is_no_unit() -> None:
    """Its elements are no further apart than those that a unit changes."""
    old = np.random.RandomState(9).normal(size=(STEPS, ELEMENTS))
    found = judged({3: 0.02 * old[3]}, [{2: unit_of(2, 0.02)}])
    assert list(found.beyond) == [3]


def test_counters_of_floats_are_not_moved() -> None:
    """The global step of hclhkbu/dlbench is float32: moved, it was another number of steps."""
    original = Trainer().run()
    steps = np.arange(1, 9, dtype=np.float32)
    counted = replace(
        original,
        initial={**original.initial, "global_step": np.zeros((), np.float32)},
        variables={**original.variables, "global_step": steps},
    )
    moved = _moved(Recording.of(counted)).chief
    assert np.array_equal(moved.variables["global_step"], steps)
    assert not np.array_equal(moved.variables["one/kernel"], counted.variables["one/kernel"])
