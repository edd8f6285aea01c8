"""What rounding does to a program: it is run in lock-step once more, from states moved by rounding.

Every float of every recorded state is multiplied by 1 + e, with |e| of at most one unit in the last
place. How far each loss, update and result is then from what it was is the noise that any other
way to compute the same sums may have. In lock-step each step has only its own: it does not grow.

Where one element decides, as one whose gradient cancels does after Adam has divided by it, the
noise of one sample is one number, which may be small by chance. So a difference that is near to
what is allowed is compared with further ones, from states moved in other ways (``samples.py``).
Where rounding decides one of two ways to go on, ``switches.py`` has more of them.
"""

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

import numpy as np

from tfmigrate_runtime.verify.rounding.scaled_updates import is_scaled
from tfmigrate_runtime.verify.rounding.switches import may_explain
from tfmigrate_runtime.verify.rounding.tolerance import Finding, Noise, Tolerance
from tfmigrate_runtime.verify.rounding.updates import (
    UpdatesOfSteps,
    is_followed,
    rounding_of,
    with_changes,
)
from tfmigrate_runtime.verify.rungs.compare_batch import first_batch
from tfmigrate_runtime.verify.rungs.compare_updates import lengths, of_variables
from tfmigrate_runtime.verify.traces.recording import Recording
from tfmigrate_runtime.verify.traces.states_file import Plan, states_of_all, write_states_of_all
from tfmigrate_runtime.verify.traces.trace import (
    Array,
    Trace,
    at_common_steps,
    at_seen_steps,
    models_of,
)

PERTURBATIONS = 3  # at most
_NEAR = 5.0  # times what is allowed; no wrong program that was measured is nearer
_LOSS = 1e-3  # a share of a loss: no step in lock-step turns rounding into more
_RESULTS = 0.1, 1e-5  # the same of results, and in any case
_UPDATES = 0.1  # the same of updates; where a gradient is nothing but rounding it may be all


def measured(
    whose: str,
    pair: tuple[Recording, Recording],
    rerun: Callable[[Path], Recording],
    states: Path,
    perturbation: int = 0,
    units: float = 1.0,
    again: Mapping[str, Sequence[Plan | None]] | None = None,
) -> dict[str, Noise] | None:
    """Measures the noise of one of two programs.

    Args:
        whose: "original" or "migrated program".
        pair: the original's recording, and the migrated program's.
        rerun: runs that program from the states in a file.
        states: where to write them.
        perturbation: which way to move them.
        units: in the last place, by how many at most.
        again: which steps to make again in this run, by task and model.

    Returns:
        The noise of every task that trains; None where the run is that of another program: by one
        unit, where it differs by more than rounding, since it draws other random numbers.
    """
    original, migrated = pair
    base = original if whose == "original" else migrated
    write_states_of_all(states, _moved(original, perturbation, units), again)
    moved = states_of_all(states, original)
    recording = rerun(states)
    by_task = {}
    for name, trace in original.tasks.items():
        if not len(trace.step):
            continue
        runs = [each.tasks.get(name) for each in (base, recording)]
        if runs[0] is None or runs[1] is None:
            return None
        plans = (again or {}).get(name, ())
        noise = _of_task(whose, trace, (runs[0], runs[1]), moved.tasks[name], plans)
        if noise is None:
            return None
        # Moved by more, a program may choose other neighbours, which changes most updates.
        if units == 1.0 and not _is_rounding(at_common_steps(trace, noise.base)[0], noise):
            return None
        by_task[name] = noise
    return by_task


def further(first: Mapping[str, Noise], second: Mapping[str, Noise]) -> dict[str, Noise]:
    """Returns the noise of two runs, by element of losses and variables the greater one."""
    return {
        name: replace(noise, moved=_further(noise.base, first[name].moved, noise.moved))
        if name in first
        else noise
        for name, noise in second.items()
    }


def _further(base: Trace, first: Trace, second: Trace) -> Trace:
    def chosen(one: Array, other: Array, old: Array | float = 0.0) -> Array:
        if one.dtype.kind != "f" or one.shape != other.shape:
            return one
        return np.where(np.abs(other - old) > np.abs(one - old), other, one)

    variables = {
        name: chosen(values, second.variables.get(name, values))
        for name, values in first.variables.items()
    }
    models = [
        _further(*three) for three in zip(base.models, first.models, second.models, strict=False)
    ]
    same = base.loss.shape == first.loss.shape
    loss = chosen(first.loss, second.loss, base.loss) if same else first.loss
    return replace(first, loss=loss, variables=variables, models=models)


def may_be_small(original: Recording, migrated: Recording, tolerance: Tolerance) -> bool:
    """Returns whether losses and variables are so near to what is allowed that noise decides."""
    shares = [0.0]
    for _, (old, new, limits) in _compared(original, migrated, tolerance):
        findings, losses = _findings(old, new, limits)
        of_lengths = lengths(old, new, limits).values()
        shares += [each.quotient for each in (losses, *findings.values(), *of_lengths)]
    return 1.0 < max(shares) <= _NEAR


def may_be_decisions(original: Recording, migrated: Recording, tolerance: Tolerance) -> bool:
    """Returns whether what differs may be due to decisions that rounding makes."""
    differs = False
    for _, (old, new, limits) in _compared(original, migrated, tolerance):
        findings, losses = _findings(old, new, limits)
        beyond = {name: each.beyond for name, each in findings.items() if len(each.beyond)}
        if not beyond and not len(losses.beyond):
            continue
        differs = True
        if not may_explain(findings, losses) or any(
            is_scaled(UpdatesOfSteps(name, old, new, None), rows) for name, rows in beyond.items()
        ):
            return False
    return differs


def rows_beyond(
    original: Recording, migrated: Recording, tolerance: Tolerance, base: Recording
) -> dict[tuple[str, int], list[int]]:
    """Returns the recorded states after steps that differ, the most different first.

    Args:
        original: its recording.
        migrated: the migrated program's.
        tolerance: for them.
        base: the recording whose states are counted.

    Returns:
        Their rows, by task and number of the model.
    """
    of_all = {}
    for (name, number), (old, new, limits) in _compared(original, migrated, tolerance):
        findings, losses = _findings(old, new, limits)
        quotients = np.zeros(len(old.variable_step))
        for each in (*findings.values(), losses):
            if len(each.apart) == len(quotients):
                quotients = np.maximum(quotients, each.quotients)
        rows = np.argsort(-quotients, kind="stable")[: np.count_nonzero(quotients > 1.0)]
        counted = models_of(base.tasks[name])[number].variable_step
        if np.array_equal(counted, old.variable_step):
            of_all[name, number] = rows.tolist()
        else:
            steps = counted.tolist()
            known = [step for step in old.variable_step[rows] if step in steps]
            of_all[name, number] = [steps.index(step) for step in known]
    return of_all


def _compared(
    original: Recording, migrated: Recording, tolerance: Tolerance
) -> Iterator[tuple[tuple[str, int], tuple[Trace, Trace, Tolerance]]]:
    """Yields what is compared of every model that a task trains, by task and number."""
    for name, trace in original.tasks.items():
        if name not in migrated.tasks or not len(trace.step):
            continue
        of_task = tolerance.of_task(name)
        pairs = zip(models_of(trace), models_of(migrated.tasks[name]), strict=False)
        for number, pair in enumerate(pairs):
            old, new = at_common_steps(*at_seen_steps(*pair))
            if not len(old.variable_step) or not len(old.step) or old.loss.shape != new.loss.shape:
                continue  # the programs have no step in common, which no noise explains
            limits = of_task.of_model(number - 1) if number else of_task
            yield (name, number), (old, new, limits.at_steps_of(old))


def _findings(old: Trace, new: Trace, tolerance: Tolerance) -> tuple[dict[str, Finding], Finding]:
    """Returns the comparisons of variables and of losses."""
    return of_variables(old, new, tolerance)[0], tolerance.losses(old.loss, new.loss)


def _of_task(
    whose: str,
    original: Trace,
    runs: tuple[Trace, Trace],
    states: Trace,
    plans: Sequence[Plan | None],
) -> Noise | None:
    """Returns the noise of one task, of which ``runs`` are before and after its states moved."""
    base, again = runs
    if not _is_same_program(base, again):
        return None
    repeated = repeated_runs(base, again, plans)
    planned = zip(models_of(again), plans, strict=False)
    is_same = all(model.meta["again"]["same"] for model, plan in planned if repeated and plan)
    # A migrated program may make other steps than the original: only common ones are measured.
    original, base = at_common_steps(original, base)
    again, states = (at_common_steps(run, base)[0] for run in (again, states))
    return Noise(
        whose,
        base,
        with_changes(again, base, states, original),
        again=tuple(at_common_steps(each, base)[0] for each in repeated),
        same=bool(repeated) and is_same,
    )


def repeated_runs(base: Trace, again: Trace, plans: Sequence[Plan | None]) -> list[Trace]:
    """Returns by moved state the run in which only the repeated steps were moved.

    There are none where one of the steps that were to be made again was not.

    Args:
        base: the run whose steps are all as they were.
        again: the run in which steps were made again.
        plans: which steps of each model were to be.
    """
    pairs = list(zip(models_of(base), models_of(again), strict=False))
    by_model = [_repeated(*pair, plan) for pair, plan in zip(pairs, plans, strict=False)]
    # A model of which no step was to be made again is as it was in each of them.
    counts = {len(runs) for runs, plan in zip(by_model, plans, strict=False) if plan}
    if len(counts) != 1:
        return []
    return [
        replace(first, models=others)
        for first, *others in (
            [
                runs[number] if runs else unmoved(model)
                for runs, (model, _) in zip_longest(by_model, pairs)
            ]
            for number in range(*counts)
        )
    ]


def _repeated(base: Trace, again: Trace, plan: Plan | None) -> list[Trace]:
    """Returns the same of one model; the others that it has are those of ``base``."""
    rows = again.again.get("row", np.zeros(0, np.int64))
    if plan is None or set(rows.tolist()) != set(plan["rows"]):
        return []
    runs: list[Trace] = []
    while f"{len(runs)}/loss" in again.again:
        lead = f"{len(runs)}/variable/"
        run = unmoved(base)
        for name, values in run.variables.items():
            if (changes := again.again.get(lead + name)) is not None:
                _add_at(values, rows, changes)
        loss = base.loss
        if len(loss) == len(base.variable_step):
            loss = loss.copy()
            _add_at(loss, rows, again.again[f"{len(runs)}/loss"])
        meta = {**base.meta, "follow": again.meta.get("follow")}
        runs.append(replace(run, loss=loss, meta=meta))
    return runs


def unmoved(base: Trace) -> Trace:
    """Returns a run of which rounding has changed nothing: its variables are zeros."""
    variables = {
        # Pages of zeros that nothing is written to need no memory.
        name: np.zeros(values.shape, np.promote_types(values.dtype, np.float32))
        if values.dtype.kind == "f"
        else values
        for name, values in base.variables.items()
    }
    return replace(base, variables=variables, models=[unmoved(model) for model in base.models])


def _add_at(values: Array, rows: Array, changes: Array) -> None:
    values[rows] += np.where(np.isfinite(changes), changes, 0.0).astype(values.dtype)


def _moved(recording: Recording, perturbation: int = 0, units: float = 1.0) -> Recording:
    """Returns the states of a recording moved by rounding.

    A state that several tasks have recorded is moved alike in all of them.
    """
    tasks = {
        name: _moved_trace(trace, perturbation, units) for name, trace in recording.tasks.items()
    }
    return replace(recording, tasks=tasks)


def _moved_trace(trace: Trace, perturbation: int, units: float) -> Trace:
    def moved(name: str, values: Array, steps: Sequence[int] | Array) -> Array:
        # Decisions come from what is trained; of Adam's powers, 32 units are 0.002 of a step. By
        # one unit all is moved save counters: the global step of hclhkbu/dlbench is a float.
        if name not in trace.trainable and (units > 1.0 or is_counter(name, trace)):
            return values
        return _moved_rows([zlib.crc32(name.encode()), perturbation], values, steps, units)

    def moved_initially(name: str, values: Array) -> Array:
        first = trace.variables.get(name, values[np.newaxis])[:1]
        # What the first step leaves as it is shows which optimizer makes it (a GAN has two).
        is_left = len(first) and first[0].tobytes() == values.tobytes()
        steps = trace.variable_step[:1] if is_left else [0]
        of_start: Array = moved(name, values[np.newaxis], steps)[0]
        return of_start

    return replace(
        trace,
        initial={n: moved_initially(n, v) for n, v in trace.initial.items()},
        variables={n: moved(n, v, trace.variable_step) for n, v in trace.variables.items()},
        models=[_moved_trace(model, perturbation, units) for model in trace.models],
    )


def is_counter(name: str, trace: Trace) -> bool:
    """Returns whether a variable holds nothing but whole numbers and is not trained."""
    values = trace.variables.get(name, trace.initial.get(name, np.zeros(0)))
    return name not in trace.trainable and bool((values % 1 == 0).all())


def _moved_rows(
    key: list[int], values: Array, steps: Sequence[int] | Array, units: float = 1.0
) -> Array:
    """Returns the values of a variable after these steps, moved."""
    if values.dtype.kind != "f" or not len(values):
        return values
    unit = units * float(np.finfo(values.dtype).eps)
    moved = [
        row * (1 + unit * np.random.default_rng([*key, int(step)]).uniform(-1, 1, row.shape))
        for row, step in zip(values, steps, strict=True)
    ]
    return np.stack(moved).astype(values.dtype)


def _is_same_program(base: Trace, again: Trace) -> bool:
    """Whether a run makes the same steps, of the same form, from the same first batch."""
    return (
        base.loss.shape == again.loss.shape
        and np.array_equal(base.variable_step, again.variable_step)
        and base.variables.keys() == again.variables.keys()
        and all(base.variables[n].shape == v.shape for n, v in again.variables.items())
        and first_batch(base, again).same
    )


def _is_rounding(original: Trace, noise: Noise) -> bool:
    """Whether two runs differ by rounding only, not by random numbers."""
    if not np.array_equal(np.isfinite(noise.base.loss), np.isfinite(noise.moved.loss)):
        return False
    finding = Tolerance(noise=noise).losses(original.loss, original.loss)
    usual = float(np.median(finding.size)) if len(finding.size) else 0.0
    if (finding.noise > _LOSS * np.maximum(finding.size, usual)).any():
        return False
    if any(_beyond(*pair) for pair in _results(noise)):
        return False
    shares = [
        share
        for name in original.trainable
        if name in noise.moved.variables and is_followed(noise.moved, name)
        if (share := rounding_of(name, original, noise)) is not None
    ]
    return not shares or float(np.median(shares)) <= _UPDATES


def _results(noise: Noise) -> Iterator[tuple[Array, Array]]:
    """Yields the results of both runs that have the same form."""
    base, moved = noise.base, noise.moved
    for kind in ("evaluations", "predictions"):
        for first, second in zip(getattr(base, kind), getattr(moved, kind), strict=False):
            yield from ((first[name], second[name]) for name in first if name in second)
    yield base.fetched, moved.fetched


def _beyond(first: Array, second: Array) -> bool:
    """Whether results differ by more than rounding."""
    old, new = np.asarray(first), np.asarray(second)
    if old.shape != new.shape or old.dtype.kind != "f":
        return False
    share, least = _RESULTS
    limit = np.maximum(share * np.abs(old), least)
    return bool((np.abs(new - old) > limit).any())
