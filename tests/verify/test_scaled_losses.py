"""Losses that a port gives its optimizer scaled, with gradients that are divided by the scale."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from traces import STEPS, trace

from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs import compare, compare_losses
from tfmigrate_runtime.verify.traces.trace import Trace

ORIGINAL = trace()


def port(
    factor: float, *, other_loss_at: int | None = None, other_updates_from: int | None = None
) -> Trace:
    """Returns a port whose losses are scaled, and differ at and from these steps."""
    losses = ORIGINAL.loss * factor
    if other_loss_at is not None:
        losses[other_loss_at - 1] *= 1.1
    values = {name: rows.copy() for name, rows in ORIGINAL.variables.items()}
    if other_updates_from is not None:
        values["dense/kernel"][other_updates_from - 1 :] += 0.01
    meta = {**ORIGINAL.meta, "native": {}}
    return replace(ORIGINAL, meta=meta, loss=losses, variables=values)


def losses(migrated: Trace) -> compare.Outcome:
    return compare_losses.losses(ORIGINAL, migrated, Tolerance())


@pytest.mark.parametrize("other_updates_from", [None, 2, 3, STEPS])
def test_the_scale_alone_is_no_difference(other_updates_from: int | None) -> None:
    """Rung 5 reports the updates, of which the losses until there show the scale."""
    outcome = losses(port(0.5, other_updates_from=other_updates_from))
    assert outcome.same
    assert "gives its optimizer 0.5 times the original's loss" in outcome.details[-1]


def test_other_losses_are_reported_without_the_scale() -> None:
    outcome = losses(port(0.5, other_loss_at=4, other_updates_from=4))
    assert not outcome.same
    assert outcome.first is not None
    assert outcome.first.step == 4
    assert "ratio 1.1" in outcome.details[0]
    assert "Losses differ at 1 of 5 steps." in outcome.details[1]


@pytest.mark.parametrize(
    "migrated",
    [
        pytest.param(port(0.5, other_updates_from=1), id="the first step updates otherwise"),
        pytest.param(port(0.5, other_loss_at=1, other_updates_from=3), id="no one scale"),
        pytest.param(replace(port(0.5), meta=ORIGINAL.meta), id="losses that are reported"),
    ],
)
def test_the_scale_may_be_the_difference(migrated: Trace) -> None:
    outcome = losses(migrated)
    assert not outcome.same
    assert outcome.first is not None
    assert outcome.first.step == 1
    assert np.isclose(outcome.first.migrated, migrated.loss[0])


@pytest.mark.parametrize(("of_second", "is_same"), [(1.0, True), (1.1, False)])
def test_the_losses_of_towers_are_compared_without_the_scale(
    of_second: float, is_same: bool
) -> None:
    towers = np.stack([ORIGINAL.loss - 0.1, ORIGINAL.loss + 0.1], axis=1)
    old = replace(ORIGINAL, tower_loss=towers)
    new = replace(port(2.0), tower_loss=2.0 * towers * [1.0, of_second])
    assert compare_losses.losses(old, new, Tolerance()).same is is_same
