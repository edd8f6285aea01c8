"""``tfmigrate verify --cluster``: runs both programs as clusters and compares them."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from tfmigrate_runtime.verify.binding import check_trace
from tfmigrate_runtime.verify.cluster import Cluster
from tfmigrate_runtime.verify.cluster_ladder import (
    climb_cluster,
    final_loss,
    runs_freely,
)
from tfmigrate_runtime.verify.cluster_trace import ClusterTrace, load_cluster_trace
from tfmigrate_runtime.verify.free_randomness import (
    OTHER_ORIGINAL,
    Programs,
    compared_freely,
    told_apart,
)
from tfmigrate_runtime.verify.ladder import Verdict
from tfmigrate_runtime.verify.limits import Limits
from tfmigrate_runtime.verify.options import limits_of
from tfmigrate_runtime.verify.report import (
    conclusion,
    in_words,
    loss_line,
    print_rungs,
    program_as_json,
    randomness_as_json,
    rungs_as_json,
    tensorflow_of,
)
from tfmigrate_runtime.verify.report_schema import FORMAT
from tfmigrate_runtime.verify.reservations import not_compared
from tfmigrate_runtime.verify.run_cluster import ClusterProgram, record_cluster
from tfmigrate_runtime.verify.tolerance import Tolerance
from tfmigrate_runtime.verify.trace import TraceError

Say = Callable[[str], None]


def verify_cluster(
    options: argparse.Namespace, tolerance: Tolerance, stored: Path | None, folder: Path, say: Say
) -> tuple[Verdict, ClusterTrace, ClusterTrace]:
    """Obtains the traces of both clusters and compares them.

    Args:
        options: the command line of ``tfmigrate verify``.
        tolerance: how close they must be.
        stored: a trace of the original, None to run it.
        folder: where traces may be written.
        say: tells what is being done.

    Raises:
        ClusterError: --cluster cannot be.
        ProgramFailed: a program failed.
        TraceError: a trace cannot be used.
    """
    warnings: list[str] = []
    source = stored or folder / "original.npz"
    if stored is None:
        run_original(options, source, folder, say)
    original = load_cluster_trace(source)
    cluster = original.cluster if options.cluster is None else Cluster.parse(options.cluster)
    if stored is not None:
        warnings += _complete(options, original, cluster, stored)
    if options.migrated_cluster is not None:
        cluster = Cluster.parse(options.migrated_cluster)
    program = ClusterProgram(
        options.migrated,
        options.arguments or (),
        cluster,
        sys.executable,
        options.turns,
        options.every,
        module=options.module,
        in_fresh_folder=options.fresh_folder,
    )
    target = folder / "migrated.npz"
    say(f"running {program.shown()}")
    with _output(options, folder, "migrated") as logs:
        record_cluster(program, target, limits_of(options), source, logs)
    migrated = load_cluster_trace(target)
    for name, trace in ((options.original, original), (options.migrated, migrated)):
        _check_fresh(name, trace)
    verdict = climb_cluster(original, migrated, tolerance, tuple(warnings))

    def again(side: int) -> ClusterTrace:
        if side == 0:
            options.cluster = options.cluster or str(cluster)
            run_original(options, folder / "again.npz", folder, say)
        else:
            say(f"running {program.shown()} again")
            record_cluster(program, folder / "again.npz", limits_of(options), source)
        return load_cluster_trace(folder / "again.npz")

    reason = "" if stored is None or not warnings else OTHER_ORIGINAL
    programs = Programs(
        (original, migrated),
        lambda first, second: climb_cluster(first, second, tolerance),
        again,
        options.runs,
        stored is not None,
        reason,
    )
    if verdict.failed is not None:
        verdict = told_apart(verdict, programs)
    elif runs_freely(original) or runs_freely(migrated):
        verdict = compared_freely(verdict, programs, original.meta.get("final_losses", ()))
    return verdict, original, migrated


def run_original(options: argparse.Namespace, source: Path, folder: Path, say: Say) -> None:
    """Records the original."""
    program = _program_of_original(options)
    say(f"running {program.shown()}")
    with _output(options, folder, "original") as logs:
        record_cluster(program, source, limits_of(options), None, logs)


def final_losses(options: argparse.Namespace, source: Path, folder: Path, say: Say) -> list[float]:
    """Returns the final losses of --runs runs of an original whose workers run freely.

    Args:
        options: the command line.
        source: the trace of the first run.
        folder: where traces may be written.
        say: tells what is being done.
    """
    first = load_cluster_trace(source)
    if not runs_freely(first):
        return []
    program, limits = _program_of_original(options), limits_of(options)
    return free_runs(program, first, options.runs, limits, folder, say)


def _program_of_original(options: argparse.Namespace) -> ClusterProgram:
    return ClusterProgram(
        options.original,
        options.arguments or (),
        Cluster.parse(options.cluster),
        original_python(options),
        options.turns,
        options.every,
        runs_on_legacy(options),
        options.module,
        options.fresh_folder,
    )


def runs_on_legacy(options: argparse.Namespace) -> bool:
    """Says whether an original that is run is run by the legacy runtime."""
    return bool(options.legacy or not options.reference_python)


def original_python(options: argparse.Namespace) -> str:
    """Returns the interpreter that runs an original."""
    return sys.executable if runs_on_legacy(options) else str(options.reference_python)


@contextlib.contextmanager
def _output(options: argparse.Namespace, folder: Path, which: str) -> Iterator[Path]:
    """Gives the folder for the output of a program's tasks; shows it with --verbose."""
    logs = (options.logs or folder / "logs") / which
    try:
        yield logs
    finally:
        for log in sorted(logs.glob("*.log")) if options.verbose else ():
            for line in log.read_text("utf-8", "replace").splitlines():
                print(f"{which} {log.stem} | {line}", file=sys.stderr)


def free_runs(
    program: ClusterProgram,
    first: ClusterTrace,
    runs: int,
    limits: Limits,
    folder: Path,
    say: Say,
) -> list[float]:
    """Returns the final losses of a run that was made and of further ones.

    Raises:
        ProgramFailed: a run failed.
    """
    losses = [final_loss(first)]
    for number in range(2, runs + 1):
        say(f"running it again, workers run freely ({number} of {runs})")
        record_cluster(program, folder / "again.npz", limits)
        losses.append(final_loss(load_cluster_trace(folder / "again.npz")))
    return losses


def _complete(
    options: argparse.Namespace, original: ClusterTrace, cluster: Cluster, stored: Path
) -> list[str]:
    """Takes over from a stored trace what the command line leaves open; returns warnings."""
    other = "" if str(cluster) == str(original.cluster) else str(original.cluster)
    warnings = check_trace(options, stored, original.meta, other)
    if options.arguments is None:
        options.arguments = list(original.meta["args"])
    options.turns = options.turns or original.turns
    if options.turns and not original.turns and not original.synchronous:
        raise TraceError(f"{stored}: its workers ran freely; record it with --turns")
    return warnings


def _check_fresh(name: Path, trace: ClusterTrace) -> None:
    first = min((int(task.step[0]) for task in trace.tasks.values() if len(task.step)), default=1)
    if first > len(trace.tasks):
        raise TraceError(
            f"{name} resumed from step {first - 1} of an existing folder: give it a fresh one with "
            "{out}, for example -- --logdir={out}, or --fresh-folder"
        )


def print_cluster_report(
    console: Console,
    verdict: Verdict,
    original: ClusterTrace,
    migrated: ClusterTrace,
    names: tuple[str, str],
) -> None:
    """Prints the ladder as a table, and below it the losses of all workers and what was found."""
    sides = (("original", names[0], original), ("migrated", names[1], migrated))
    for label, name, trace in sides:
        version = tensorflow_of(trace.meta)
        line = f"{label}  {name}  (TensorFlow {version}; {trace.cluster}{_order(trace)})"
        console.print(Text(line), soft_wrap=True)
    console.print()
    lines = [
        f"{label}  {task}  {loss_line(own)}"
        for label, _, trace in sides
        for task, own in trace.tasks.items()
        if len(own.loss)
    ]
    randomness = randomness_as_json(verdict, original.chief, migrated.chief)
    lines.append(f"random numbers of the chief: {in_words(randomness)}")
    print_rungs(console, verdict, lines)


def cluster_as_json(
    verdict: Verdict, original: ClusterTrace, migrated: ClusterTrace, names: tuple[str, str]
) -> dict[str, Any]:
    """Returns the verdict as a JSON object.

    Its keys are those of a verdict on one program (``report.as_json``), with ``randomness`` of the
    chief, but ``original`` and
    ``migrated`` have ``name``, ``tensorflow``, ``python``, ``legacy``, ``cluster`` (tasks by job),
    ``turns``, ``synchronous``, ``mirrored``, ``placement`` (device by variable) and ``tasks``:
    ``steps``, ``first_loss`` and ``last_loss`` by task.
    """
    return {
        "format": FORMAT,
        "same": verdict.same,
        "decided": verdict.undecided is None,
        "conclusion": conclusion(verdict),
        "not_compared": not_compared(verdict),
        "warnings": list(verdict.warnings),
        "randomness": randomness_as_json(verdict, original.chief, migrated.chief),
        "rungs": rungs_as_json(verdict),
        "original": _cluster_as_json(names[0], original),
        "migrated": _cluster_as_json(names[1], migrated),
    }


def _cluster_as_json(name: str, trace: ClusterTrace) -> dict[str, object]:
    tasks = {}
    for task, own in trace.tasks.items():
        tasks[task] = {"steps": len(own.step), "first_loss": None, "last_loss": None}
        if len(own.loss):
            losses = program_as_json(task, own)
            tasks[task].update({key: losses[key] for key in ("first_loss", "last_loss")})
    return {
        "name": name,
        "tensorflow": trace.meta["tensorflow"],
        "python": trace.meta["python"],
        "legacy": bool(trace.meta.get("legacy")),
        "cluster": trace.cluster.jobs,
        "turns": trace.turns,
        "synchronous": trace.synchronous,
        "mirrored": trace.mirrored,
        "placement": trace.placement,
        "tasks": tasks,
    }


def _order(trace: ClusterTrace) -> str:
    if len(trace.tasks) == 1:
        return ""
    if trace.synchronous:
        return "; workers are synchronous"
    return "; workers take turns" if trace.turns else "; workers run freely"
