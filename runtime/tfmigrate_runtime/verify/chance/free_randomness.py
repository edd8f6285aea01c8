"""Programs that are not reproducible: both are run several times and compared.

Random numbers that the recorder cannot pin (a generator that takes its seed from the clock, threads
that fill a queue) make two runs of one program differ. Chance explains a difference only where the
original is not reproducible, and only a difference of values: different steps, names, shapes, calls
or distributions of draws stay findings. The rest is compared over several runs
(``run_statistics``). That can show a difference but not its absence: without one the verdict is
"not decided".
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from tfmigrate_runtime.verify.causes import DISTRIBUTION
from tfmigrate_runtime.verify.chance.run_statistics import (
    FINAL_LOSS,
    Measured,
    compare_groups,
    least_chance,
    measured,
    one_draw,
    visible,
    visible_movement,
)
from tfmigrate_runtime.verify.chance.structure import as_if_copied, as_started, with_numbers_of
from tfmigrate_runtime.verify.rungs.compare import Outcome, Samples, by_chance
from tfmigrate_runtime.verify.rungs.compare_batch import first_batch
from tfmigrate_runtime.verify.rungs.ladder import Rung, Verdict
from tfmigrate_runtime.verify.running.surroundings import ProgramFailed
from tfmigrate_runtime.verify.traces.recording import Recording
from tfmigrate_runtime.verify.wording import counted

OTHER_ORIGINAL = "its files or arguments differ from those of the stored trace"
NAME = "several runs of both"
_FREE = "Workers run freely: pass --turns for an exact comparison."
_AHEAD = (
    "Synchronous workers run ahead on the initial tokens: pass num_tokens=0 to the "
    "SyncReplicasOptimizer's tokens or hook for an exact comparison."
)
LEAST_RUNS = 5  # of each; with four the smallest p is 0.029, which is never significant
_NOT_REPRODUCIBLE = "not reproducible"
START = "same initial values, batch"
_LAST_OF_DRAWS = 4  # the rung of losses: random numbers show no later
_NEVER_BY_CHANCE = ("same trainable variables", "same checkpoints")
_SIGNIFICANT = 0.02
# A first significant test is confirmed by as many runs again: that leaves one false alarm of 1000.
_CONFIRMED = 1e-3


@dataclass
class Programs:
    """Two programs that can be run again.

    Attributes:
        first: the traces that were compared, the original's first.
        climb: compares two traces.
        again: runs one of them, by its position, again, in lock-step where the first run was.
        runs: how many of each are compared where they are not reproducible.
        original_is_stored: whether the original's trace is a stored one.
        cannot_run: why the original cannot be run again; "" where it can.
        free: runs the migrated program freely; None where ``again`` does.
    """

    first: tuple[Recording, Recording]
    climb: Callable[[Recording, Recording], Verdict]
    again: Callable[[int], Recording]
    runs: int
    original_is_stored: bool = False
    cannot_run: str = ""
    free: Callable[[], Recording] | None = None
    _made: tuple[list[Recording], list[Recording]] = field(default_factory=lambda: ([], []))
    _free: list[Recording] = field(default_factory=list)

    def migrated(self, count: int) -> list[Recording]:
        """Returns this many runs of the migrated program."""
        runs = self._made[1] or [self.first[1]]
        self._made[1][:] = runs + [self.again(1) for _ in range(count - len(runs))]
        return self._made[1][:count]

    def samples(self, count: int) -> list[Recording]:
        """Returns this many free runs of the migrated program."""
        if self.free is None:
            return self.migrated(count)
        self._free += [self.free() for _ in range(count - len(self._free))]
        return self._free[:count]

    def original(self, count: int) -> list[Recording]:
        """Returns this many runs of the original; only the stored one where it cannot be run.

        The stored one is left out where runs differ from it: other software may have made it.
        """
        if self.cannot_run:
            return [self.first[0]]
        runs = self._made[0] or [self.first[0]]
        if len(runs) == 1 and count > 1:
            try:
                runs.append(self.again(0))
            except ProgramFailed:
                if not self.original_is_stored:
                    raise
                self.cannot_run = "a stored trace was used, and the original could not be run here"
                return runs
            if self.original_is_stored and self.differ(runs[0], runs[1]):
                del runs[0]
        self._made[0][:] = runs + [self.again(0) for _ in range(count - len(runs))]
        return self._made[0][:count]

    def differ(self, first: Recording, again: Recording) -> bool:
        """Whether two runs of one program differ in anything that chance can change.

        Their own initial values are compared, even where others were copied over them.
        """
        return self.differing_rung(as_started(first), as_started(again)) is not None

    def differing_rung(self, first: Recording, again: Recording) -> Rung | None:
        """Returns the rung at which two runs differ."""
        failed = self.climb(first, again).failed
        return None if failed is None or failed.name in _NEVER_BY_CHANCE else failed


def left_to_chance(verdict: Verdict) -> bool:
    """Whether chance may explain a verdict."""
    failed = verdict.failed
    if failed is None or failed.name in _NEVER_BY_CHANCE:
        return False
    return failed.outcome is None or not failed.outcome.certain


def left_to_rounding(verdict: Verdict) -> bool:
    """Whether rounding may explain a verdict: it changes nothing that programs start from."""
    return left_to_chance(verdict) and verdict.failed is not None and verdict.failed.name != START


def compared_with_chance(verdict: Verdict, programs: Programs, may_race: bool = False) -> Verdict:
    """Finds out whether a difference comes from the programs or from chance.

    Args:
        verdict: what the ladder came to.
        programs: both programs.
        may_race: whether ops of one step may race, as what reads an average and what updates it:
            neither threads nor random numbers of the program show that.

    Returns:
        The verdict, with findings about chance in its details; or one in which the rungs that
        depend on chance are skipped, and several runs are compared.
    """
    if verdict.failed is None or not left_to_chance(verdict):
        return verdict
    count = 1 if programs.first[1].repeats_itself and not may_race else 2
    pairs = programs.original(2), programs.migrated(count)
    is_free = [len(runs) > 1 and programs.differ(runs[0], runs[1]) for runs in pairs]
    if not any(is_free):
        if not programs.cannot_run:
            return verdict
        reason = f"Whether the original is reproducible is unknown: {programs.cannot_run}."
        return verdict.with_details(reason)
    count = max(programs.runs, LEAST_RUNS)
    originals = programs.original(count)
    if not programs.cannot_run and not any(
        programs.differ(originals[0], run) for run in originals[1:]
    ):
        return _lost_seed(verdict, programs, originals, programs.migrated(count))
    migrated = programs.samples(count)
    certain_verdict = _structural(programs, originals, migrated)
    if certain_verdict is None and not programs.cannot_run:
        certain_verdict = _where_original_is_fixed(programs, originals, migrated)
    return certain_verdict or _compared(verdict, programs, originals, migrated)


def with_lost_seed(verdict: Verdict, programs: Programs) -> Verdict:
    """Finds out whether random numbers of the migrated program differ in every run.

    Args:
        verdict: it differs from the original, which is reproducible.
        programs: both programs.
    """
    failed = verdict.failed
    if failed is None or failed.number > _LAST_OF_DRAWS or programs.original_is_stored:
        return verdict
    if programs.first[1].repeats_itself or not programs.differ(*programs.migrated(2)):
        return verdict
    count = max(programs.runs, LEAST_RUNS)
    return _lost_seed(verdict, programs, programs.first[:1], programs.migrated(count))


def _lost_seed(
    verdict: Verdict,
    programs: Programs,
    originals: Sequence[Recording],
    migrated: Sequence[Recording],
) -> Verdict:
    """Judges a migrated program that is not reproducible where the original is."""
    apart = sum(programs.climb(originals[0], run).failed is not None for run in migrated)
    counts = "All runs of the original are the same"
    # Of synchronous workers that race, runs of the original may be the same by chance.
    if apart == len(migrated) and not programs.first[0].races:
        return verdict.with_details(
            f"{counts}; those of the migrated program differ from each other: it draws random "
            "numbers without a seed where the original does not. Look for a lost seed.",
            first=True,
        )
    reason = (
        f"{counts}; {len(migrated) - apart} of {len(migrated)} runs of the migrated program match "
        "them, the others do not."
    )
    return _open(verdict, programs, Outcome(True, _NOT_REPRODUCIBLE, "", (reason,)))


def _structural(
    programs: Programs, originals: Sequence[Recording], migrated: Sequence[Recording]
) -> Verdict | None:
    """Returns a verdict on what does not depend on random numbers, None where that is the same."""
    first = originals[0]
    own = [_structure(programs, first, as_if_copied(first, run)).failed for run in originals]
    reason = (
        "The original is not reproducible, but this does not depend on its random numbers: all "
        f"its {len(originals)} runs agree here, and no run of the migrated program agrees with "
        "them."
    )
    return _certain(own, [_structure(programs, first, run) for run in migrated], reason)


def _certain(
    own: Sequence[Rung | None], verdicts: Sequence[Verdict], reason: str
) -> Verdict | None:
    """Returns a verdict on a rung before those at which runs of the original differ, if any.

    No run of the migrated program agrees with them there.
    """
    fixed = min((rung.number for rung in own if rung is not None), default=1_000)
    failing = [verdict.failed for verdict in verdicts if verdict.failed]
    if len(failing) < len(verdicts) or max(rung.number for rung in failing) >= fixed:
        return None
    return verdicts[0].with_details(reason, first=True)


def _structure(programs: Programs, first: Recording, run: Recording) -> Verdict:
    """Compares what does not depend on random numbers, such as the shape of the first batch."""
    copied_run = with_numbers_of(first, run)
    verdict = programs.climb(first, copied_run)
    position = [rung.name for rung in verdict.rungs].index(START)
    if verdict.failed is not None and verdict.failed.number <= position + 1:
        return verdict
    # The first step cannot show that a batch only looks different: its numbers were copied.
    old, new = first.tasks, copied_run.tasks
    forms = [first_batch(old[name], trace) for name, trace in new.items() if name in old]
    if (other := next((outcome for outcome in forms if not outcome.same), None)) is None:
        return verdict
    failing = replace(verdict.rungs[position], outcome=other)
    later = [replace(rung, outcome=None) for rung in verdict.rungs[position + 1 :]]
    return replace(verdict, rungs=(*verdict.rungs[:position], failing, *later))


def _where_original_is_fixed(
    programs: Programs, originals: Sequence[Recording], migrated: Sequence[Recording]
) -> Verdict | None:
    """Returns a verdict on rungs at which the original is reproducible, None on the others."""
    first = originals[0]
    own = [programs.differing_rung(first, as_if_copied(first, run)) for run in originals[1:]]
    reason = (
        f"The original is not reproducible, but its {len(originals)} runs agree up to this rung; "
        "no run of the migrated program agrees with them."
    )
    return _certain(own, [programs.climb(first, run) for run in migrated], reason)


def _compared(
    verdict: Verdict,
    programs: Programs,
    originals: Sequence[Recording],
    migrated: Sequence[Recording],
) -> Verdict:
    def more() -> tuple[list[Measured], list[Measured]]:
        count = 2 * max(programs.runs, LEAST_RUNS)
        return _measured(programs.original(count)), _measured(programs.samples(count))

    outcome = compared_runs(_measured(originals), _measured(migrated), more)
    if programs.cannot_run:
        reason = f"Only one run of the original was compared: {programs.cannot_run}."
        outcome = replace(outcome, details=(reason, *outcome.details))
    return _open(verdict, programs, outcome)


def _measured(runs: Sequence[Recording]) -> list[Measured]:
    return [measured(run.tasks) for run in runs]


def compared_freely(verdict: Verdict, programs: Programs) -> Verdict:
    """Compares programs whose workers run freely, by several runs of both.

    Args:
        verdict: what the ladder came to, which does not fail.
        programs: both programs; the original's trace may have the final losses of several runs.
    """
    stored = programs.first[0].meta.get("final_losses", ())
    count = max(programs.runs, LEAST_RUNS)
    originals: Sequence[Measured] = [{FINAL_LOSS: loss} for loss in stored]

    def runs(number: int) -> tuple[Sequence[Measured], Sequence[Measured]]:
        own = originals or _measured(programs.original(number))
        return own, _measured(programs.samples(number))

    outcome = compared_runs(*runs(count), lambda: runs(2 * count))
    ahead = any(recording.runs_ahead for recording in programs.first)
    lines = (*outcome.details, _AHEAD if ahead else _FREE)
    last = replace(outcome, decided=not outcome.same, details=lines)
    return verdict.with_rung(NAME, last)


def compared_runs(
    originals: Sequence[Measured],
    migrated: Sequence[Measured],
    more: Callable[[], tuple[Sequence[Measured], Sequence[Measured]]] | None = None,
) -> Outcome:
    """Compares measurements of several runs.

    Args:
        originals: of the original.
        migrated: of the migrated program.
        more: returns these and as many further runs; None where no more can be made.
    """
    chance, figure = _chance(originals, migrated)
    if chance <= _SIGNIFICANT and more is not None:
        originals, migrated = more()
        chance, figure = _chance(originals, migrated)
        limit = _CONFIRMED
    else:
        limit = _SIGNIFICANT if more is None else _CONFIRMED
    samples = Samples(
        tuple(run[FINAL_LOSS] for run in originals if FINAL_LOSS in run),
        tuple(run[FINAL_LOSS] for run in migrated if FINAL_LOSS in run),
    )
    is_apart = chance <= limit
    details = _described(originals, migrated, chance) + (
        () if is_apart else _power(originals, migrated)
    )
    cause = DISTRIBUTION if is_apart else ""
    return Outcome(not is_apart, figure, f"p > {limit:g}", details, samples=samples, cause=cause)


def _chance(originals: Sequence[Measured], migrated: Sequence[Measured]) -> tuple[float, str]:
    first, second = one_draw(originals), one_draw(migrated)
    chance = compare_groups(first, second).chance
    counts = f"{len(originals)} and {len(migrated)} runs"
    if len(originals) == len(migrated):
        counts = f"{len(originals)} runs of each"
    return chance, f"{counts}, p = {chance:.2g}"


def _described(
    originals: Sequence[Measured], migrated: Sequence[Measured], chance: float
) -> tuple[str, ...]:
    """Describes the final losses of the runs, their clearest differences, and p."""
    ends = [", ".join(f"{run[FINAL_LOSS]:.5g}" for run in runs) for runs in (originals, migrated)]
    lines = [
        f"Final losses of {counted(len(originals), 'run')} of the original: {ends[0]}; of "
        f"{counted(len(migrated), 'run')} of the migrated program: {ends[1]}."
    ]
    for which, runs in (("original", originals), ("migrated program", migrated)):
        if len(runs) > 1 and len(one_draw(runs)) == 1:
            lines.append(f"All runs of the {which} are the same: they count as one.")
    clearest = compare_groups(one_draw(originals), one_draw(migrated)).clearest
    lines += [
        f"{name}: {old:.5g} in the original, {new:.5g} in the migrated program (means)."
        for name, old, new in (clearest if chance <= _SIGNIFICANT else ())
    ]
    lines.append(
        f"p = {chance:.2g}, by a permutation test of losses, variable movements and metrics: of "
        "all ways to split these runs into two groups, this share differs at least as much."
    )
    return tuple(lines)


def _power(originals: Sequence[Measured], migrated: Sequence[Measured]) -> tuple[str, ...]:
    """Describes the smallest differences that these runs would have shown."""
    first, second = one_draw(originals), one_draw(migrated)
    if least_chance(len(first), len(second)) > _SIGNIFICANT:
        return (
            f"No difference can be detected with {len(first)} and {len(second)} distinct runs, "
            f"however large: at least {LEAST_RUNS} of each are needed.",
        )
    size = visible([run[FINAL_LOSS] for run in first], [run[FINAL_LOSS] for run in second])
    name, share = visible_movement(first, second)
    moves = f", or below {100 * share:.2g} % in {name}," if name else ""
    return (
        f"Differences below about {size:.2g} in the final loss{moves} cannot be detected with this "
        "many runs. Increase --runs to detect smaller ones.",
    )


def _open(verdict: Verdict, programs: Programs, outcome: Outcome) -> Verdict:
    """Returns a verdict that skips rungs from the failed one on and adds a comparison of runs."""
    failed = verdict.failed
    number = failed.number if failed is not None else 1_000
    which = "original"
    if programs.cannot_run or outcome.figure == _NOT_REPRODUCIBLE:
        which = "migrated program"
    skipped = by_chance(f"The {which} is not reproducible, so these values depend on chance.")
    copied_run = with_numbers_of(*programs.first)
    fixed = {
        rung.name: rung.outcome for rung in programs.climb(programs.first[0], copied_run).rungs
    }
    rungs = []
    for rung in verdict.rungs:
        if rung.number < number:
            rungs.append(rung)
        elif rung.name in _NEVER_BY_CHANCE:
            rungs.append(replace(rung, outcome=fixed[rung.name] if outcome.same else None))
        else:
            rungs.append(replace(rung, outcome=skipped))
    lines = (f"The {which} is not reproducible: its own runs differ.", *outcome.details)
    last = replace(outcome, decided=not outcome.same, details=lines)
    return replace(verdict, rungs=tuple(rungs)).with_rung(NAME, last)
