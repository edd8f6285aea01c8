"""Decisions that rounding makes: on which side of zero a unit is, which of a pool is the greatest.

A unit whose value is zero save for rounding passes its gradient in one program and not in the
other. Nothing else differs: the loss is the same, the next step too. No share of the size covers it
(one unit changed updates by 0.06 of their size), and states moved by one unit in the last place
seldom reach it: kernels of two versions differ by more. So the original is run with what it trains
moved by ``UNITS`` units. What that changes in proportion, as sums do, is rounding, and is allowed
nothing; what changes by more is a decision, and so is what one unit had changed nearly as much: in
a net of millions of units some change sides at each movement, and how many grows with its size. Of
decisions, three times the greatest is allowed, where

* no more steps need it than twice those in which one run decided otherwise, and not all of them
  unless that run did in all: a fault is in every step;
* the updates as a whole are as near as single elements, and so is their length: Adam makes a full
  step of one gradient that is zero save for rounding, while the other elements of its kernel prove
  a fault; and another learning rate changes all elements alike, which no unit does: a variable
  that differs by a multiple of its update or value is allowed nothing, whatever others are.

Which unit it is decides which variables change by how much: a scale of batch normalization hardly
does where the unit's channel is added to nothing. So what most variables are allowed, all are that
a decision has reached in any run, however little. What follows all units, as the last layer does,
changes in proportion only, and is allowed nothing.

Needed by hclhkbu/dlbench, a ResNet in two towers: five of six steps differ, by up to 0.005 and each
by one or two units of 400,000. In 16 runs by 1 and 4 units none of the last layer changed sides; in
three runs by 64 units as many did as between TensorFlow 1.15 and 2.21. And by a residual network of
nine ReLUs on 64 images of 32 by 32: one unit changed updates by 0.002, 32 units by 0.003 to 0.02,
TensorFlow 2.21 by as much as these, in each step.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from tfmigrate_runtime.verify.rounding.scaled_updates import is_scaled
from tfmigrate_runtime.verify.rounding.tolerance import (
    FACTOR,
    SHARE,
    Finding,
    Noise,
    divided,
    joined,
)
from tfmigrate_runtime.verify.rounding.updates import ROUNDING_ALONE, Updates, UpdatesOfSteps
from tfmigrate_runtime.verify.traces.trace import Array

UNITS = 32.0  # in the last place; sums change by 1e-5 of an update then
RUNS = 4  # at most
_JUMP = 2.0  # times what the greater movement explains
_FLAT = 0.25  # the same, where a single unit has decided
_QUIET = 0.25  # of the steps, in which one unit decides nothing
_STEPS = 2  # for each step in which a run decided otherwise
_MOST = 0.9  # of the variables
_LEAST = 0.01  # of the share that any update may differ by


@dataclass(frozen=True)
class _Jumps:
    """What decisions change in the updates of one variable, as shares of its size.

    Attributes:
        steps: by run and step, whether one was made otherwise.
        highest: the greatest change of an element.
        parts: the same of all elements together, and along the update.
        apart: by step how far the two programs are apart, in these parts.
        is_reached: whether a decision has changed them at all.
    """

    steps: Array
    highest: float
    parts: tuple[float, float]
    apart: tuple[Array, Array]
    is_reached: bool


class _Steps(NamedTuple):
    """What is known of the updates of a variable by step, or by run and step.

    Attributes:
        lengths: of the original's updates.
        by_one: the greatest change by the run from states that differ by one unit.
        highest: the same of runs from states that differ by more.
        whole: the lengths of what these change.
        along: what they change along the update, as products with it.
        whole_apart: the length of what the migrated program's updates differ by.
        along_apart: the same along the update.
    """

    lengths: Array
    by_one: Array
    highest: Array
    whole: Array
    along: Array
    whole_apart: Array
    along_apart: Array


def allowed(
    findings: Mapping[str, Finding], updates: Mapping[str, UpdatesOfSteps]
) -> dict[str, Finding]:
    """Allows updates what decisions change.

    Args:
        findings: the comparisons of all variables.
        updates: of those whose updates were made from states moved by more, too.
    """
    jumps = {name: _jumps_of(findings[name], each) for name, each in updates.items()}
    differing = np.unique([row for each in findings.values() for row in each.beyond])
    if not jumps or not len(differing):
        return dict(findings)
    by_run = np.logical_or.reduce([each.steps for each in jumps.values()]).sum(axis=1).max()
    count = next(iter(jumps.values())).steps.shape[1]
    if len(differing) > min(_STEPS * by_run, count if by_run == count else count - 1):
        return dict(findings)
    of_any = [each for each in jumps.values() if each.highest]
    most = [
        float(np.quantile(shares, _MOST))
        for shares in zip(*((each.highest, *each.parts) for each in of_any), strict=True)
    ]
    return {
        name: _with(each, jumps[name], most)
        if name in jumps and jumps[name].is_reached and not is_scaled(updates[name], each.beyond)
        else each
        for name, each in findings.items()
    }


def _jumps_of(finding: Finding, updates: UpdatesOfSteps) -> _Jumps:
    steps = joined([_steps_of(part) for part in updates.parts()])
    by_one = divided(steps.by_one, finding.size)
    highest = divided(steps.highest, finding.size)
    parts = divided(steps.whole, steps.lengths), divided(steps.along, steps.lengths**2)
    # In a step without decisions, and by each unit alike: what is more is one that the greater
    # movement made, what is far less one that a single unit had made.
    smooth = UNITS * np.maximum(by_one, np.quantile(by_one, _QUIET))
    is_flat = (highest < _FLAT * UNITS * by_one) & (by_one < ROUNDING_ALONE)
    is_decided = (highest > _JUMP * smooth) | is_flat
    reached = np.isfinite(highest) & (highest > _LEAST * SHARE) & is_decided
    made = reached & (highest > SHARE)
    greatest = [float(np.where(made, each, 0.0).max()) for each in (highest, *parts)]
    apart = (
        divided(steps.whole_apart, steps.lengths),
        divided(steps.along_apart, steps.lengths**2),
    )
    return _Jumps(made, greatest[0], (greatest[1], greatest[2]), apart, bool(reached.any()))


def _steps_of(updates: Updates) -> _Steps:
    assert updates.noise is not None

    def beyond_unit(difference: Array) -> Array:
        return np.asarray(np.maximum(np.abs(difference) - updates.unit, 0.0))

    def whole_and_along(difference: Array) -> tuple[Array, Array]:
        whole = np.sqrt(np.sum(beyond_unit(difference) ** 2, axis=-1))
        return whole, np.abs(np.sum(difference * updates.old, axis=-1))

    changes = np.stack(updates.wide)
    return _Steps(
        np.sqrt(np.sum(updates.old**2, axis=1)),
        beyond_unit(updates.noise[1] - updates.noise[0]).max(axis=1),
        beyond_unit(changes).max(axis=2),
        *whole_and_along(changes),
        *whole_and_along(updates.new - updates.old),
    )


def _with(finding: Finding, jumps: _Jumps, most: Sequence[float]) -> Finding:
    """Returns a comparison that allows what changes of its own or of most variables need."""
    highest, *parts = (
        FACTOR * max(own, other)
        for own, other in zip((jumps.highest, *jumps.parts), most, strict=True)
    )
    limit = highest * finding.size
    rows = finding.apart <= limit
    for apart, allowed_part in zip(jumps.apart, parts, strict=True):
        rows &= apart <= allowed_part
    return replace(finding, limit=np.where(rows, np.maximum(finding.limit, limit), finding.limit))


def may_explain(findings: Mapping[str, Finding], losses: Finding) -> bool:
    """Returns whether decisions may be all that differs: not in the losses, nor in every step."""
    beyond = [(each, each.beyond) for each in findings.values() if len(each.beyond)]
    if len(losses.beyond) or not beyond:
        return False
    steps = {int(row) for _, rows in beyond for row in rows}
    # A network of millions of units decides in every step, and by one unit in the last place.
    decides = any((each.noise[rows] > SHARE * each.size[rows]).all() for each, rows in beyond)
    return decides or len(steps) < len(beyond[0][0].apart)


def with_run(known: Mapping[str, Noise], more: Mapping[str, Noise]) -> dict[str, Noise]:
    """Returns the noise of all tasks with one more run from states moved by ``UNITS``."""
    return {
        name: replace(noise, wide=(*noise.wide, more[name].moved)) if name in more else noise
        for name, noise in known.items()
    }
