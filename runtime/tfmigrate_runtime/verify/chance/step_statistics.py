"""Programs whose steps draw other random numbers than the original's: each step is a sample.

In lock-step both programs make step k from the same state and batch. Where a mask of dropout cannot
be the original's, the loss and the length of each update are two draws of one distribution if the
programs are the same, and it is as likely that they are exchanged. A test by random exchanges of
steps shows a difference; without one the verdict is "not decided".
"""

import math
from dataclasses import replace

import numpy as np

from tfmigrate_runtime.verify.causes import DISTRIBUTION
from tfmigrate_runtime.verify.rounding.updates import updates_of
from tfmigrate_runtime.verify.rungs.compare import Outcome, by_chance
from tfmigrate_runtime.verify.rungs.ladder import Verdict
from tfmigrate_runtime.verify.traces.trace import Array, Trace, at_common_steps
from tfmigrate_runtime.verify.wording import counted

NAME = "steps as samples"
_FIRST_OF_CHANCE = 4  # the rung of losses
_EXCHANGES = 20_000
_SIGNIFICANT = 1e-3
_FEWEST = 4  # steps
_NOT_NORMAL = 100.0  # times as likely, at most, as normal numbers are to be far apart
_ROUNDING = 1e-6  # spread of what does not depend on the random numbers
_SIGMAS = 4.0  # a mean that far from zero would be significant


def are_samples(verdict: Verdict, original: Trace, migrated: Trace) -> bool:
    """Whether random numbers of the steps may be why programs differ."""
    failed = verdict.failed
    if failed is None or failed.number < _FIRST_OF_CHANCE or not _draws(migrated, "free"):
        return False
    drawn = original.meta.get("step_draws")
    is_drawn = drawn is None or bool(drawn["kinds"]) or bool(drawn["left_out"])
    return is_drawn and not _others_move(original, migrated)


def _others_move(original: Trace, migrated: Trace) -> bool:
    """Returns whether a step trains a variable in one program only: no chance does that."""
    if not np.array_equal(original.variable_step, migrated.variable_step):
        return False
    for name in set(original.trainable).intersection(migrated.trainable):
        if name in original.variables and name in migrated.variables:
            updates = updates_of(name, original, migrated, None)
            moved = [np.any(each != 0, axis=1) for each in (updates.old, updates.new)]
            if (moved[0] != moved[1]).any():
                return True
    return False


def compared_by_steps(verdict: Verdict, original: Trace, migrated: Trace) -> Verdict:
    """Judges programs that differ by their steps, of which each is a sample.

    Args:
        verdict: the rung that fails is one of those that depend on random numbers.
        original: its trace.
        migrated: that of the program, in lock-step with it.
    """
    failed = verdict.failed
    assert failed is not None
    outcome = _compared(original, migrated)
    skipped = by_chance(
        "Random numbers of the steps are not the original's, so these values depend on chance."
    )
    rungs = [
        replace(rung, outcome=skipped) if rung.number >= failed.number else rung
        for rung in verdict.rungs
    ]
    return replace(verdict, rungs=tuple(rungs)).with_rung(NAME, outcome)


def _draws(migrated: Trace, which: str) -> list[str]:
    """Returns the draws of the steps that stayed "free", or those by "unknown" settings."""
    return list((migrated.meta.get("native") or {}).get("draws", {}).get(which, ()))


def _compared(original: Trace, migrated: Trace) -> Outcome:
    old, new = at_common_steps(original, migrated)
    shares = _differences(old, new)
    count = counted(len(_draws(migrated, "free")), "draw")
    lines = [f"{count} of a step could not be the original's: {_why_free(original)}."]
    if unknown := _draws(migrated, "unknown"):
        kinds = original.meta.get("step_draws", {}).get("kinds", {}).values()
        types = {each.partition("[")[0] for each in unknown}
        known = sorted({kind for kind in kinds if kind.partition("[")[0] in types})
        lines.append(
            f"The migrated program draws by {', '.join(unknown)}, the original by "
            f"{', '.join(known)}: their settings, in the order of the op's, differ."
        )
        return Outcome(False, "other settings", "", tuple(lines), cause=DISTRIBUTION)
    steps = len(new.variable_step)
    if not shares or steps < _FEWEST:
        lines.append(f"{counted(steps, 'step')} decide nothing.")
        return Outcome(True, counted(steps, "step"), "", tuple(lines), decided=False)
    chance, name = _chance(shares)
    mean = 100 * float(shares[name].mean())
    error = 100 * float(shares[name].std(ddof=1) / np.sqrt(steps))
    figure, limit = f"{steps} steps, p = {chance:.2g}", f"p > {_SIGNIFICANT:g}"
    lines.append(
        f"Over {steps} steps {name} is on average {abs(mean):.2g} % "
        f"{'longer' if mean > 0 else 'shorter'} than the original's (standard error {error:.2g} %)."
    )
    if chance <= _SIGNIFICANT:
        return Outcome(False, figure, limit, tuple(lines), cause=DISTRIBUTION)
    least = 100 * min(float(v.std(ddof=1)) for v in shares.values()) * _SIGMAS / np.sqrt(steps)
    lines.append(f"Differences below about {least:.2g} % cannot be detected with this many steps.")
    return Outcome(True, figure, limit, tuple(lines), decided=False)


def _why_free(original: Trace) -> str:
    if original.meta.get("step_draws") is None:
        return "its trace has none: record it again"
    return "they are drawn in a loop or an unknown branch, are too many, or of another shape"


def _differences(original: Trace, migrated: Trace) -> dict[str, Array]:
    """Returns by step how far the loss, and the length of each update, is apart, as a share."""
    is_at = np.isin(original.step, original.variable_step)
    pairs = {}
    if original.loss.shape == migrated.loss.shape:
        pairs["the loss"] = original.loss[is_at], migrated.loss[is_at]
    for name, values in original.variables.items():
        if name not in migrated.variables or values.dtype.kind != "f":
            continue
        updates = updates_of(name, original, migrated, None)
        lengths = [np.linalg.norm(each, axis=1) for each in (updates.old, updates.new)]
        pairs[f"the update of {name}"] = lengths[0], lengths[1]
    shares = {}
    for name, (old, new) in pairs.items():
        sums = np.abs(old) + np.abs(new)
        if len(sums) != len(original.variable_step) or not np.isfinite(sums).all():
            continue
        share = 2 * (new - old) / np.where(sums > 0, sums, 1.0)
        if share.std() > _ROUNDING:
            shares[name] = share
    return shares


def _chance(differences: dict[str, Array]) -> tuple[float, str]:
    """Returns how likely exchanged steps are as far apart, and what is the farthest.

    Few steps can only be exchanged in few ways: what is far beyond its spread is judged by that.
    """
    values = np.stack(list(differences.values()))
    scaled = values / np.sqrt((values**2).sum(axis=1))[:, np.newaxis]
    signs = np.random.default_rng(0).choice([-1.0, 1.0], (_EXCHANGES, values.shape[1]))
    seen = np.abs(scaled.sum(axis=1))
    others = np.abs(signs @ scaled.T).max(axis=1)
    chance = (1 + np.sum(others >= seen.max() * (1 - 1e-12))) / (1 + _EXCHANGES)
    spread = values.std(axis=1, ddof=1) / np.sqrt(values.shape[1])
    sigmas = np.abs(values.mean(axis=1)) / spread
    by_spread = _NOT_NORMAL * len(values) * _beyond(float(sigmas.max()), values.shape[1] - 1)
    return min(float(chance), by_spread), list(differences)[int(np.argmax(seen))]


def _beyond(sigmas: float, freedom: int) -> float:
    """Returns how likely a number of Student's distribution is farther from 0, on either side."""
    part = np.linspace(0, 1, 20_001)[:-1]
    place = sigmas + part / (1 - part)
    density = (1 + place**2 / freedom) ** (-(freedom + 1) / 2) / (1 - part) ** 2
    lead = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)
    return float(2 * density.mean() * math.exp(lead) / math.sqrt(freedom * math.pi))
