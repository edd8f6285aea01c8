"""Reports of every kind, made from stored traces: no program is run for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from tfmigrate_runtime.verify.cluster_ladder import climb_cluster
from tfmigrate_runtime.verify.cluster_trace import ClusterTrace, load_cluster_trace
from tfmigrate_runtime.verify.cluster_verify import cluster_as_json, print_cluster_report
from tfmigrate_runtime.verify.free_randomness import Programs, compared_freely, told_apart
from tfmigrate_runtime.verify.html_figures import Compared
from tfmigrate_runtime.verify.ladder import Verdict, climb
from tfmigrate_runtime.verify.report import as_json, print_report
from tfmigrate_runtime.verify.tolerance import Tolerance
from tfmigrate_runtime.verify.trace import Trace, load_trace
from tfmigrate_runtime.verify.written_reports import Report

FIXTURES = Path(__file__).parents[2] / "fixtures"
TRACE = FIXTURES / "replicate_model_fn/conv_batch_norm/trace.npz"
CLUSTER_TRACE = FIXTURES / "replica_device_setter/async_done_queue/trace.npz"
NAMES = ("old <b>.py", "new|.py")


def of_programs(
    migrated: Trace,
    original: Trace | None = None,
    free: Callable[[Verdict, tuple[Trace, Trace]], Verdict] | None = None,
    warnings: tuple[str, ...] = (),
) -> Report:
    """Returns the report on two programs of one process.

    Args:
        migrated: the trace of the migrated one.
        original: of the original; the stored one by default.
        free: compares runs of programs that are not the same twice.
        warnings: of the verdict.
    """
    original = original or load_trace(TRACE)
    verdict = climb(original, migrated, Tolerance(), warnings)
    if free is not None:
        verdict = free(verdict, (original, migrated))
    return Report(
        verdict,
        [Compared("", original, migrated)],
        Tolerance(),
        NAMES,
        "",
        as_json(verdict, original, migrated, NAMES),
        lambda console: print_report(console, verdict, original, migrated, NAMES),
    )


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

    def compared(verdict: Verdict, traces: tuple[Trace, Trace]) -> Verdict:
        def again(_side: int) -> Trace:
            return _shaken(trace, 1e-2, next(seeds))

        programs = Programs(traces, lambda a, b: climb(a, b, Tolerance()), again, 5)
        return told_apart(verdict, programs)

    return of_programs(_shaken(trace, 1e-2, 0), free=compared)


def cluster() -> Report:
    """A cluster whose workers took turns."""
    trace = load_cluster_trace(CLUSTER_TRACE)
    return of_clusters(trace, trace)


def cluster_different() -> Report:
    """A cluster one of whose workers has other losses."""
    trace = load_cluster_trace(CLUSTER_TRACE)
    wrong = trace.tasks["worker/1"]
    tasks = {**trace.tasks, "worker/1": replace(wrong, loss=wrong.loss + 0.5)}
    return of_clusters(trace, replace(trace, tasks=tasks))


def cluster_free() -> Report:
    """A cluster whose workers ran freely."""
    trace = load_cluster_trace(CLUSTER_TRACE)
    meta = {**trace.meta, "turns": False}
    freely = replace(trace, meta=meta)

    def compared(verdict: Verdict) -> Verdict:
        ends = iter(range(1, 100))

        def again(_side: int) -> ClusterTrace:
            factor = 1 + next(ends) / 100
            tasks = {n: replace(t, loss=t.loss * factor) for n, t in freely.tasks.items()}
            return replace(freely, tasks=tasks)

        pair = (freely, freely)
        programs = Programs(pair, lambda a, b: climb_cluster(a, b, Tolerance()), again, 5)
        return compared_freely(verdict, programs, (0.1, 0.25, 0.3, 0.2, 0.22))

    return of_clusters(freely, freely, compared)


def of_clusters(
    original: ClusterTrace,
    migrated: ClusterTrace,
    freely: Callable[[Verdict], Verdict] = lambda verdict: verdict,
) -> Report:
    """Returns the report on two programs that ran as clusters."""
    verdict = freely(climb_cluster(original, migrated, Tolerance()))
    compared = [Compared(task, own, migrated.tasks[task]) for task, own in original.tasks.items()]
    return Report(
        verdict,
        compared,
        Tolerance(),
        NAMES,
        str(original.cluster),
        cluster_as_json(verdict, original, migrated, NAMES),
        lambda console: print_cluster_report(console, verdict, original, migrated, NAMES),
    )


def _shaken(trace: Trace, size: float, seed: int) -> Trace:
    """Returns a trace with noise of a relative size in losses, and of an absolute one elsewhere."""
    random = np.random.default_rng(seed)
    variables = {
        name: values + (size * random.normal(size=values.shape)).astype(values.dtype)
        for name, values in trace.variables.items()
        if values.dtype.kind == "f"
    }
    loss = trace.loss * (1 + size * random.normal(size=trace.loss.shape))
    return replace(trace, loss=loss, variables={**trace.variables, **variables})


KINDS: dict[str, Callable[[], Report]] = {
    made.__name__: made
    for made in (
        *(same, close, different, different_later, free),
        *(cluster, cluster_different, cluster_free),
    )
}
