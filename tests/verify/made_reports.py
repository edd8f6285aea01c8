"""Reports of every kind, made from stored traces: no program is run for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from tfmigrate_runtime.verify.chance.free_randomness import (
    Programs,
    compared_freely,
    compared_with_chance,
)
from tfmigrate_runtime.verify.reports.written_reports import Report
from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs.ladder import Verdict, climb
from tfmigrate_runtime.verify.traces.recording import Recording, load_recording
from tfmigrate_runtime.verify.traces.trace import Trace, load_trace

FIXTURES = Path(__file__).parents[2] / "fixtures"
TRACE = FIXTURES / "replicate_model_fn/conv_batch_norm/trace.npz"
CLUSTER_TRACE = FIXTURES / "replica_device_setter/async_done_queue/trace.npz"
NAMES = ("old <b>.py", "new|.py")


def of_programs(
    migrated: Trace | Recording,
    original: Trace | Recording | None = None,
    free: Callable[[Verdict, tuple[Recording, Recording]], Verdict] | None = None,
    warnings: tuple[str, ...] = (),
) -> Report:
    """Returns the report on two programs.

    Args:
        migrated: the trace of the migrated one.
        original: of the original; the stored one by default.
        free: compares runs of programs that are not the same twice.
        warnings: of the verdict.
    """
    pair = Recording.of(original or load_trace(TRACE)), Recording.of(migrated)
    verdict = climb(*pair, Tolerance(), warnings)
    if free is not None:
        verdict = free(verdict, pair)
    return Report(verdict, *pair, Tolerance(), NAMES)


def same() -> Report:
    """Both are the same bit for bit."""
    return of_programs(load_trace(TRACE))


def close() -> Report:
    """They differ by less than they may, and there is something to warn of."""
    return of_programs(_shaken(load_trace(TRACE), 1e-7, 0), warnings=("a <warning>",))


def different() -> Report:
    """Losses are twice the original's, and every variable is another."""
    trace = load_trace(TRACE)
    wrong = {name: values + values.dtype.type(1) for name, values in trace.variables.items()}
    return of_programs(replace(trace, loss=trace.loss * 2, variables=wrong))


def different_later() -> Report:
    """The first ten steps are the same; later ones have infinite and undefined losses too."""
    trace = load_trace(TRACE)
    loss = trace.loss.copy()
    loss[10:] += 0.1
    loss[20], loss[30] = np.inf, np.nan
    return of_programs(replace(trace, loss=loss))


def free() -> Report:
    """Programs that are not the same twice."""
    trace = load_trace(TRACE)
    seeds = iter(range(1, 100))

    def compared(verdict: Verdict, traces: tuple[Recording, Recording]) -> Verdict:
        def again(_side: int) -> Recording:
            return Recording.of(_shaken(trace, 1e-2, next(seeds)))

        programs = Programs(traces, lambda a, b: climb(a, b, Tolerance()), again, 5)
        return compared_with_chance(verdict, programs)

    return of_programs(_shaken(trace, 1e-2, 0), free=compared)


def cluster() -> Report:
    """A cluster whose workers took turns."""
    trace = load_recording(CLUSTER_TRACE)
    return of_programs(trace, trace)


def cluster_different() -> Report:
    """A cluster one of whose workers has other losses."""
    trace = load_recording(CLUSTER_TRACE)
    wrong = trace.tasks["worker/1"]
    tasks = {**trace.tasks, "worker/1": replace(wrong, loss=wrong.loss + 0.5)}
    return of_programs(replace(trace, tasks=tasks), trace)


def cluster_free() -> Report:
    """A cluster whose workers ran freely."""
    trace = load_recording(CLUSTER_TRACE)
    losses = (0.1, 0.25, 0.3, 0.2, 0.22)
    meta = {**trace.meta, "turns": False, "final_losses": losses}
    freely = replace(trace, meta=meta)

    def compared(verdict: Verdict, pair: tuple[Recording, Recording]) -> Verdict:
        ends = iter(range(1, 100))

        def again(_side: int) -> Recording:
            factor = 1 + next(ends) / 100
            tasks = {n: replace(t, loss=t.loss * factor) for n, t in freely.tasks.items()}
            return replace(freely, tasks=tasks)

        programs = Programs(pair, lambda a, b: climb(a, b, Tolerance()), again, 5)
        return compared_freely(verdict, programs)

    return of_programs(freely, freely, compared)


def _shaken(trace: Trace, size: float, seed: int) -> Trace:
    """Returns a trace in lock-step, with noise of a relative size in losses and updates."""
    random = np.random.default_rng(seed)
    variables = {}
    for name, values in trace.variables.items():
        if values.dtype.kind == "f":
            before = np.concatenate([trace.initial[name][np.newaxis], values[:-1]])
            update = (values - before) * (1 + size * random.normal(size=values.shape))
            variables[name] = (before + update).astype(values.dtype)
    loss = trace.loss * (1 + size * random.normal(size=trace.loss.shape))
    meta = {**trace.meta, "follow": {"forced": len(trace.step), "free": [], "missing": []}}
    return replace(trace, meta=meta, loss=loss, variables={**trace.variables, **variables})


KINDS: dict[str, Callable[[], Report]] = {
    made.__name__: made
    for made in (
        *(same, close, different, different_later, free),
        *(cluster, cluster_different, cluster_free),
    )
}
