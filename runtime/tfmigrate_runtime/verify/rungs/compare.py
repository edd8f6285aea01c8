"""Comparing the training of two traces: its steps, variables and losses."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from tfmigrate_runtime.verify.causes import FirstDifference
from tfmigrate_runtime.verify.diagnosis.graph_differences import unreached_limits, without_effect
from tfmigrate_runtime.verify.rounding.tolerance import FACTOR, Finding, Tolerance, worst_of
from tfmigrate_runtime.verify.rungs.compare_updates import lengths, of_variables
from tfmigrate_runtime.verify.rungs.differences import Difference, greatest_difference, only_in_one
from tfmigrate_runtime.verify.traces.trace import Array, Trace, at_seen_steps
from tfmigrate_runtime.verify.wording import SIDES, counted, not_in_trace

_SMALL_UPDATE = 0.1  # of the greatest: a ratio to less says nothing
_RATIO_TOLERANCE = 1e-3  # how close a ratio must be to N or 1/N to be reported as such
FIRST_STEP_DIFFERS = "The initial values are the same, so the first step has "
DEPENDS_ON_CHANCE = "depends on chance"  # figure of a rung that is skipped for that reason


@dataclass(frozen=True)
class Samples:
    """The final losses of several runs of programs that are not reproducible.

    Attributes:
        original: the final loss of each run of the original.
        migrated: of the migrated program.
    """

    original: tuple[float, ...]
    migrated: tuple[float, ...]


@dataclass(frozen=True)
class Outcome:
    """The result of one comparison.

    Attributes:
        same: whether it holds.
        figure: the measured figure, in a few words.
        tolerance: what it was measured against, "" for exact comparisons.
        details: what differs and the likely cause, or notes where it holds.
        skipped: it could not be compared; ``details`` has the reason.
        samples: the final losses, where several runs were compared.
        reservations: what the verdict adds to "the same", in a few words each.
        not_compared: what of the rung was not compared, with the reason, in a few words each.
        decided: False where the findings show neither that it holds nor that it fails.
        cause: a code of ``causes.CAUSES``, "" for that of the rung.
        first: where the programs first differ, None where that is not a single place.
        certain: whether no random number can explain the difference.
        findings: the comparisons of all variables, where some of them differ.
    """

    same: bool
    figure: str
    tolerance: str = ""
    details: tuple[str, ...] = ()
    skipped: bool = False
    samples: Samples | None = None
    reservations: tuple[str, ...] = ()
    not_compared: tuple[str, ...] = ()
    decided: bool = True
    cause: str = ""
    first: FirstDifference | None = None
    certain: bool = False
    findings: Mapping[str, Finding] | None = field(default=None, compare=False, repr=False)


def by_chance(reason: str) -> Outcome:
    """Returns the outcome of a rung that is skipped because it depends on chance."""
    return Outcome(True, DEPENDS_ON_CHANCE, "", (reason,), skipped=True)


Check = Callable[[Trace, Trace, Tolerance], Outcome]


def not_recorded(
    what: str, *recorded: object, figure: str = "not recorded", not_compared: tuple[str, ...] = ()
) -> Outcome | None:
    """Returns the outcome where one of two traces has nothing to compare; None where both have.

    Args:
        what: is compared, in the plural.
        *recorded: what both traces have of it, None for nothing.
        figure: of the outcome.
        not_compared: the same.
    """
    if None not in recorded:
        return None
    reason = not_in_trace(SIDES[recorded.index(None)], what)
    return Outcome(True, figure, "", (reason,), skipped=True, not_compared=not_compared)


def steps(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
    """Rung 1: both programs trained, for the same global steps."""
    ours, theirs = len(migrated.step), len(original.step)
    if ours == theirs and np.array_equal(original.step, migrated.step):
        return Outcome(True, counted(ours, "step"))
    hint = "the number of steps, or of batches in the input, changed"
    if ours == theirs:
        hint = "global_step counts differently"
    details = (
        f"The original ran {theirs} steps (to global_step {original.step[-1]}), the migrated "
        f"program {ours} (to global_step {migrated.step[-1]}): {hint}.",
        *losses_before_the_end(original, migrated, tolerance),
    )
    first = FirstDifference(original=theirs, migrated=ours)
    return Outcome(False, f"{theirs} and {ours} steps", "", details, first=first)


def losses_before_the_end(
    original: Trace, migrated: Trace, tolerance: Tolerance
) -> tuple[str, ...]:
    """Describes where losses differ before one program ends: early stopping may follow from it."""
    original, migrated = at_seen_steps(original, migrated)
    count = min(len(original.loss), len(migrated.loss))
    apart = tolerance.losses(original.loss[:count], migrated.loss[:count]).beyond
    if not len(apart):
        return ()
    first = int(apart[0])
    return (
        f"The loss already differs at step {int(original.step[first])}: "
        f"original {original.loss[first]:.9g}, migrated {migrated.loss[first]:.9g}. This may be "
        "why the number of steps differs.",
    )


def trainable_variables(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
    """Rung 2: the same trainable variables, by name, shape and dtype."""
    lines = only_in_one(original.trainable, migrated.trainable)
    is_other_set = bool(lines)
    for name in {*original.trainable} & {*migrated.trainable}:
        old, new = _kind(original.initial[name]), _kind(migrated.initial[name])
        if old != new:
            lines[name] = f"{name} is {old} in the original, {new} in the migrated program."
    first = FirstDifference(variable=min(lines)) if lines else None
    details = [lines[name] for name in sorted(lines)]
    if is_other_set:
        details.append("Check variable scopes and layer names: checkpoints depend on them.")
    parameters = sum(original.initial[name].size for name in original.trainable)
    figure = f"{len(original.trainable)} ({counted(parameters, 'parameter')})"
    if details:
        figure = f"{len(original.trainable)} and {len(migrated.trainable)} variables"
    return Outcome(not details, figure, "", tuple(details or _renamed(migrated)), first=first)


def _renamed(migrated: Trace) -> list[str]:
    """Returns a note on variables that the recorder gave the original's names."""
    renamed = migrated.meta.get("renamed") or {}
    pairs = [f"{old} is {new}" for old, new in renamed.items() if old in migrated.trainable]
    if not pairs:
        return []
    return [
        f"{counted(len(pairs), 'variable')} of recurrent layers have other names in the migrated "
        f"program, as {pairs[0]}: the original's checkpoints do not restore there by name."
    ]


def variables(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
    """Rung 5: the same update of each variable and optimizer slot in every recorded step."""
    if missing := only_in_one(original.variables, migrated.variables):
        hint = "Check the optimizer and the layers that create these variables."
        place = FirstDifference(variable=min(missing))
        lines = (*missing.values(), hint)
        return Outcome(False, f"{len(missing)} missing", "", lines, first=place)
    if not len(original.variable_step):
        return Outcome(
            False, "no common step", "", ("No step has recorded variables in both traces.",)
        )
    tolerance = tolerance.with_old_averages(original)
    findings, other = of_variables(original, migrated, tolerance)
    if other:
        return Outcome(False, f"{len(other)} of other shapes", "", tuple(other))
    if failed := [name for name, each in findings.items() if len(each.beyond)]:
        first = min(failed, key=lambda name: (findings[name].beyond[0], -_at_first(findings[name])))
        figure, limit = figures(findings[first])
        line, place = _first_update(first, findings, original, migrated)
        differ = f"{len(failed)} of {len(findings)} differ"
        return Outcome(False, differ, limit, (line,), first=place, findings=findings)
    if (long := _other_length(original, migrated, tolerance)) is not None:
        return long
    figure, limit = worst_figures(findings.values())
    notes = [
        *_loose_notes(findings, tolerance),
        *_unmoved_notes(original),
        *_together_notes(migrated),
        *without_effect(original.meta, migrated.meta),
        *rounding_notes(findings.values(), tolerance),
    ]
    compared, trained = len(original.variable_step), len(original.step)
    if compared < trained:
        notes.insert(0, f"Variables were compared after {compared} of {trained} steps.")
    left_out = [f"variables of {trained - compared} steps"] if compared < trained else []
    left_out += unreached_limits(original.meta, migrated.meta)
    return Outcome(True, figure, limit, tuple(notes), not_compared=tuple(left_out))


def _at_first(finding: Finding) -> float:
    """Returns the share of what is allowed at the first step that differs."""
    return float(finding.quotients[finding.beyond[0]])


def _first_update(
    name: str, findings: dict[str, Finding], original: Trace, migrated: Trace
) -> tuple[str, FirstDifference]:
    """Describes the first update that differs, that of the variable where it does most."""
    row = int(findings[name].beyond[0])
    step = int(original.variable_step[row])
    there = [other for other, each in findings.items() if row in each.beyond]
    old, new = (trace.variables[name][row] for trace in (original, migrated))
    worst = greatest_difference(old, new)
    after = f"after it {name}{worst.place} is {worst}"
    first = FirstDifference(step, name, worst.index, worst.original, worst.migrated)
    if old.dtype.kind not in "f":
        return f"Variables first differ at step {step}: {', '.join(there[:4])}. At {after}.", first
    line = (
        f"Variables first differ at step {step}: {len(there)} of {len(findings)} do, {name} the "
        f"most. {limits_of(findings[name], row, 'Its update ')}; {after}"
        f"{_update_ratio(name, row, worst, original, migrated)}."
    )
    return line, first


def _other_length(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome | None:
    """Finds a variable whose updates are a little too long or short, in all steps together."""
    findings = lengths(original, migrated, tolerance)
    if not (failed := {name: each for name, each in findings.items() if len(each.beyond)}):
        return None
    name = max(failed, key=lambda each: failed[each].quotient)
    figure, limit = figures(failed[name])
    line = (
        f"All updates of {name} together are longer or shorter by {figure} of their length "
        f"(allowed: {limit}): a constant factor, such as of the learning rate or the loss."
    )
    differ = f"{len(failed)} of {len(findings)} differ"
    return Outcome(False, differ, limit, (line,), cause="learning-rate")


def figures(finding: Finding) -> tuple[str, str]:
    """Returns how far a comparison is apart at most, and may be, as shares of the size there."""
    apart, limit = finding.relative
    return f"{apart:.1e}", f"{limit:.0e}"


def worst_figures(findings: Iterable[Finding]) -> tuple[str, str]:
    """Returns these of the comparison that uses most of what is allowed; "" of none."""
    worst = worst_of(findings)
    return ("", "") if worst is None else figures(worst)


def limits_of(finding: Finding, row: int, lead: str = "it ") -> str:
    """Describes by how much one row differs and what is allowed, as shares of its size."""
    if not (size := finding.size[row]):
        return f"{lead}differs by {finding.apart[row]:.3g} where the original's is 0"
    apart, limit, noise = (
        each[row] / size for each in (finding.apart, finding.limit, finding.noise)
    )
    rounding = f" (rounding alone: {noise:.2g})" if noise else ""
    return f"{lead}differs by {apart:.2g} of its size, {limit:.1g} is allowed{rounding}"


def rounding_notes(findings: Iterable[Finding], tolerance: Tolerance) -> tuple[str, ...]:
    """Notes what could be compared only to what rounding changes."""
    by_noise = [each for each in findings if (each.limit > 1.5 * tolerance.share * each.size).any()]
    if tolerance.noise is None or not by_noise:
        return ()
    whose, wide = tolerance.noise.whose, len(tolerance.noise.wide)
    note = (
        f"{FACTOR:g} times what rounding changes in the {whose} was allowed where that is more "
        f"than {tolerance.share:g} of the size ({counted(len(by_noise), 'comparison')})."
    )
    if not wide:
        return (note,)
    why = "There, rounding decides for a unit or a maximum"
    return (note, f"{why}, as it did in {counted(wide, 'run')} from states moved by more.")


def _unmoved_notes(original: Trace) -> list[str]:
    """Names variables that never move: their equality is weak evidence."""
    names = [
        name
        for name in original.trainable
        if name in original.variables and (original.variables[name] == original.initial[name]).all()
    ]
    if not names:
        return []
    return [
        f"{len(names)} of {len(original.trainable)} trainable variables never move, so the "
        f"comparison says little about them: {', '.join(names)}."
    ]


def _together_notes(migrated: Trace) -> list[str]:
    """Names the steps that were made in one call, as training makes them where nobody looks."""
    if not (unseen := migrated.meta.get("unseen", ())):
        return []
    return [
        f"Steps {unseen[0]} to {unseen[-1] + 1} were made in one call, as in production, and "
        "compared as one."
    ]


def _update_ratio(name: str, row: int, worst: Difference, original: Trace, migrated: Trace) -> str:
    """Describes the ratio of the updates where they differ most."""
    before = original.variables[name][row - 1] if row else original.initial[name]
    start = float(before[worst.index])
    update = original.variables[name][row].astype(np.float64) - before
    if abs(worst.original - start) < _SMALL_UPDATE * np.abs(update).max():
        return ""
    return ratio(
        worst.original - start, worst.migrated - start, migrated, "; there the updates have"
    )


def ratio(old: float, new: float, migrated: Trace, lead: str = ",") -> str:
    """Describes new/old, and notes where it is the number of replicas or its inverse."""
    if not np.isfinite(old) or not np.isfinite(new) or old == 0:
        return ""
    quotient = new / old
    text = f"{lead} ratio {quotient:.6g}"
    replicas = int(migrated.meta.get("replicas") or 1)
    for factor, name in ((float(replicas), str(replicas)), (1 / replicas, f"1/{replicas}")):
        if replicas > 1 and abs(quotient - factor) <= _RATIO_TOLERANCE * factor:
            text += f" = {name}, with {replicas} replicas: the batch or the loss scale is wrong"
    return text


def _loose_notes(findings: dict[str, Finding], tolerance: Tolerance) -> list[str]:
    notes = []
    for rule in tolerance.loose:
        apart = [
            float(each.apart.max(initial=0.0))
            for name, each in findings.items()
            if tolerance.loose_rule(name) is rule
        ]
        if apart:
            notes.append(
                f"A wider tolerance, {rule.tolerance:.0e}, was used for "
                f"{counted(len(apart), 'variable')} matching {rule.pattern} (largest difference "
                f"{max(apart):.1e}): {rule.reason}."
            )
    return notes


def _kind(array: Array) -> str:
    return f"{array.dtype} {list(array.shape)}"
