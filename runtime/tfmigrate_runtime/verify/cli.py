"""``tfmigrate verify``: runs two programs and says whether they train the same."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from tfmigrate_runtime.verify.binding import check_trace, trace_beside
from tfmigrate_runtime.verify.cluster import Cluster, ClusterError
from tfmigrate_runtime.verify.cluster_trace import add_final_losses
from tfmigrate_runtime.verify.cluster_verify import (
    cluster_as_json,
    final_losses,
    original_python,
    print_cluster_report,
    run_original,
    runs_on_legacy,
    verify_cluster,
)
from tfmigrate_runtime.verify.free_randomness import OTHER_ORIGINAL, Programs
from tfmigrate_runtime.verify.html_figures import Compared
from tfmigrate_runtime.verify.ladder import CHECKPOINTS, Verdict, climb, compared_again
from tfmigrate_runtime.verify.options import UsageError, limits_of, on_gpus, parse, tolerance_of
from tfmigrate_runtime.verify.programs import (
    Pair,
    SourceError,
    at_revision,
    migrate_into,
    module_name,
    start_of,
)
from tfmigrate_runtime.verify.report import as_json, print_report
from tfmigrate_runtime.verify.rounding_runs import explained
from tfmigrate_runtime.verify.run_program import (
    Program,
    ProgramFailed,
    run_recorded,
)
from tfmigrate_runtime.verify.trace import Trace, TraceError, load_trace
from tfmigrate_runtime.verify.written_reports import (
    Report,
    ReportError,
    annotation,
    tell_github,
    write_report,
)

SAME, DIFFERENT, COULD_NOT_RUN, NOT_DECIDED = 0, 1, 2, 3
_EXIT_CODES = {"same": SAME, "different": DIFFERENT, "not decided": NOT_DECIDED}


REFUSED = (UsageError, SourceError, ClusterError, ProgramFailed, TraceError, ReportError)


def main(arguments: Sequence[str]) -> int:
    """Runs ``tfmigrate verify``; returns its exit code."""
    options = parse(arguments)
    errors = Console(stderr=True, soft_wrap=True, highlight=False)
    try:
        with options.tell:
            report = verified(options)
        for path in options.report:
            write_report(report, path)
        if options.format == "github":
            print(tell_github(report))
    except REFUSED as error:
        errors.print(f"tfmigrate verify: {error}", markup=False)
        if options.format == "github":
            print(annotation("error", f"could not be verified: {error}"))
        return COULD_NOT_RUN
    if options.format == "json":
        print(report.json(), end="")
    elif options.format == "text":
        report.show(Console(highlight=False))
    return _EXIT_CODES[report.verdict.word]


def verified(options: argparse.Namespace) -> Report:
    """Obtains the programs and their traces and compares them.

    Args:
        options: the command line, as ``options.parse`` returns it.

    Raises:
        one of REFUSED: the programs could not be run or compared.
    """
    with tempfile.TemporaryDirectory(prefix="tfmigrate-programs-") as folder:
        pair = _programs(options, Path(folder))
        named = pair.original if options.git is None else options.original
        options.original, options.migrated = pair.original, pair.migrated
        options.module = _module(options, named) if options.as_module else ""
        if options.cluster is not None:
            return _verify_cluster(options, pair)
        return _verify_program(options, pair)


def _verify_program(options: argparse.Namespace, pair: Pair) -> Report:
    """Verifies programs of one process."""
    verdict, original, migrated = verify(options, pair.warnings)
    return Report(
        verdict,
        [Compared("", original, migrated)],
        tolerance_of(options),
        pair.names,
        "",
        as_json(verdict, original, migrated, pair.names),
        lambda console: print_report(console, verdict, original, migrated, pair.names),
    )


def _programs(options: argparse.Namespace, folder: Path) -> Pair:
    """Returns the two programs that the command line asks to compare.

    Raises:
        UsageError: the options exclude each other, or a file is missing.
        SourceError: there are no two programs.
    """
    if options.git is not None:
        return at_revision(
            options.original,
            options.migrated,
            options.git,
            folder,
            options.tell,
        )
    if options.migrated is None:
        return migrate_into(
            start_of(options.original),
            options.root,
            folder,
            options.unsafe,
            options.tell,
            lambda line: options.tell(f"  | {line}"),
        )
    for script in (options.original, options.migrated):
        if not script.is_file():
            raise UsageError(f"{script}: no such file")
    names = (str(options.original), str(options.migrated))
    return Pair(options.original, options.migrated, names)


def _module(options: argparse.Namespace, original: Path) -> str:
    """Returns the name that both programs have as modules.

    Args:
        options: the command line, with the two files that are run.
        original: the first of them, where the user has it.

    Raises:
        UsageError: the migrated program has another name.
        SourceError: they cannot be modules.
    """
    name = module_name(original, options.root)
    end = tuple(name.split("."))
    for script in (options.original, options.migrated):
        if script.resolve().with_suffix("").parts[-len(end) :] != end:
            raise UsageError(f"{script} is not the module {name}, which -m would start")
    return name


def _verify_cluster(options: argparse.Namespace, pair: Pair) -> Report:
    """Verifies programs that run as a cluster.

    Raises:
        UsageError: the options exclude each other.
        ClusterError: --cluster cannot be.
        ProgramFailed: a program failed.
        TraceError: a trace cannot be used.
    """
    _check_options(options)
    Cluster.parse(options.cluster)
    if options.replicas is not None:
        raise UsageError("--replicas and --cluster: workers of a cluster have one replica each")
    stored = _stored_trace(options)
    tolerance = tolerance_of(options)
    with tempfile.TemporaryDirectory(prefix="tfmigrate-traces-") as folder:
        verdict, original, migrated = verify_cluster(
            options, tolerance, stored, Path(folder), options.tell
        )
    verdict = replace(verdict, warnings=pair.warnings + verdict.warnings)
    return Report(
        verdict,
        [
            Compared(task, trace, migrated.tasks[task])
            for task, trace in original.tasks.items()
            if task in migrated.tasks
        ],
        tolerance,
        pair.names,
        str(original.cluster),
        cluster_as_json(verdict, original, migrated, pair.names),
        lambda console: print_cluster_report(console, verdict, original, migrated, pair.names),
    )


def verify(options: argparse.Namespace, known: Sequence[str] = ()) -> tuple[Verdict, Trace, Trace]:
    """Obtains both traces and compares them.

    Args:
        options: the command line.
        known: what the report warns of besides.

    Raises:
        UsageError: the options exclude each other, or a file is missing.
        ProgramFailed: a program failed.
        TraceError: a trace cannot be used.
    """
    _check_options(options)
    tolerance = tolerance_of(options)
    with tempfile.TemporaryDirectory(prefix="tfmigrate-traces-") as folder:
        target = Path(folder) / "migrated.npz"
        source, warnings = _original_trace(options, Path(folder) / "original.npz")
        original = load_trace(source)
        _complete(options, original)
        is_stored = source != Path(folder) / "original.npz"
        written = None if is_stored else _checkpoint_beside(source)
        _run_migrated(options, target, source, written or source)
        migrated = load_trace(target)
        for name, trace in ((options.original, original), (options.migrated, migrated)):
            _check_fresh(name, trace)
        is_other = bool(warnings)
        warnings = [*known, *warnings, *_replica_warnings(options, migrated)]
        verdict = climb(original, migrated, tolerance, tuple(warnings))

        def again(side: int, values: Path | None = None, threads: int | None = None) -> Trace:
            new = Path(folder) / "again.npz"
            if side == 0:
                _run_original(options, new, values, threads)
            else:
                _run_migrated(options, new, values or source, threads=threads)
            return load_trace(new)

        programs = Programs(
            (original, migrated),
            lambda first, second: climb(first, second, tolerance),
            again,
            options.runs,
            is_stored,
            OTHER_ORIGINAL if is_stored and is_other else "",
        )
        verdict = explained(verdict, programs, again, tolerance, Path(folder))
        if not is_stored and verdict.failed is None and _checkpoint_beside(target) is not None:
            original = _restored_in_original(options, original, target)
            verdict = compared_again(verdict, CHECKPOINTS, original, migrated, tolerance)
    return verdict, original, migrated


def _check_fresh(name: Path, trace: Trace) -> None:
    # Some programs count a step twice (DNNLinearCombinedClassifier of tf.contrib.learn).
    start = int(trace.initial.get("global_step", trace.step[0] - 1))
    if start > 0:
        raise UsageError(
            f"{name} resumed from step {start} of an existing model_dir: "
            "give it a fresh one with {out}, for example -- --model_dir {out}, or --fresh-folder"
        )


def _checkpoint_beside(trace: Path) -> Path | None:
    """Returns the checkpoint that was written with a trace, None where there is none."""
    path = trace.with_suffix(".checkpoint")
    return path if any(trace.parent.glob(f"{path.name}*")) else None


def _restored_in_original(options: argparse.Namespace, original: Trace, migrated: Path) -> Trace:
    """Lets the original restore the migrated program's checkpoint; adds what came of it."""
    target = migrated.with_name("restored.npz")
    program = replace(
        _program_of_original(options), restore=_checkpoint_beside(migrated), only_restores=True
    )
    options.tell(f"running {program.shown()} to restore a checkpoint of the migrated program")
    run_recorded(program, target, limits_of(options), show_output=options.verbose)
    found = load_trace(target)
    meta = {**original.meta, "restored": found.meta.get("restored")}
    return replace(original, meta=meta, checkpoint=found.checkpoint, restored=found.restored)


def _run_migrated(
    options: argparse.Namespace,
    target: Path,
    initial_values: Path,
    restore: Path | None = None,
    threads: int | None = None,
) -> None:
    """Records the migrated program of one process."""
    program = Program(
        options.migrated,
        options.arguments,
        sys.executable,
        options.replicas,
        options.every,
        devices=options.devices,
        checkpoint=target.with_suffix(".checkpoint"),
        restore=restore,
        module=options.module,
        in_fresh_folder=options.fresh_folder,
        threads=threads,
    )
    options.tell(f"running {program.shown()}")
    run_recorded(program, target, limits_of(options), initial_values, options.verbose)


def _check_options(options: argparse.Namespace) -> None:
    if options.legacy and options.trace:
        raise UsageError("--legacy runs the original, --trace takes the place of running it")
    if options.devices is None:
        return
    if options.replicas is not None or options.cluster is not None:
        raise UsageError("--devices is for programs of one process, and instead of --replicas")
    if on_gpus(options) and options.reference_python and not options.legacy:
        raise UsageError("--devices: TensorFlow 1.x is run on CPUs; give --legacy for GPUs")


def _stored_trace(options: argparse.Namespace) -> Path | None:
    """Returns the trace that the original is compared by, None where it is run."""
    trace: Path | None = options.trace
    if trace is not None or options.legacy or options.reference_python:
        return trace
    return trace_beside(options.original, options.tell)


def _original_trace(options: argparse.Namespace, target: Path) -> tuple[Path, list[str]]:
    """Returns a trace of the original, recorded now or stored, and warnings about it."""
    stored = _stored_trace(options)
    if stored is None:
        _run_original(options, target)
        return target, []
    options.tell(f"using the trace {stored} for {options.original}")
    return stored, check_trace(options, stored, load_trace(stored).meta)


def _program_of_original(options: argparse.Namespace) -> Program:
    return Program(
        options.original,
        options.arguments or (),
        original_python(options),
        options.replicas,
        options.every,
        runs_on_legacy(options),
        options.devices,
        module=options.module,
        in_fresh_folder=options.fresh_folder,
    )


def _run_original(
    options: argparse.Namespace,
    target: Path,
    values: Path | None = None,
    threads: int | None = None,
) -> None:
    """Records the original of one process."""
    written = target.with_suffix(".checkpoint")
    program = replace(_program_of_original(options), checkpoint=written, threads=threads)
    options.tell(f"running {program.shown()}")
    run_recorded(program, target, limits_of(options), values, options.verbose)


def record_original(options: argparse.Namespace, target: Path) -> None:
    """Runs the original and stores its trace, in the place of an older one.

    Raises:
        one of REFUSED: it could not be run.
    """
    with tempfile.TemporaryDirectory(prefix=".trace-", dir=target.parent) as folder:
        new = Path(folder) / target.name
        if options.cluster is None:
            _run_original(options, new)
        else:
            run_original(options, new, Path(folder), options.tell)
            losses = final_losses(options, new, Path(folder), options.tell)
            if losses:
                add_final_losses(new, losses)
        new.replace(target)


def _complete(options: argparse.Namespace, original: Trace) -> None:
    """Takes over from the original's trace what the command line leaves open."""
    if options.arguments is None:
        options.arguments = list(original.meta["args"])
    if options.replicas is None and options.devices is None:
        options.replicas = original.meta["replicas"]


def _replica_warnings(options: argparse.Namespace, migrated: Trace) -> list[str]:
    built = migrated.replicas_built
    wanted = migrated.meta["replicas"]
    if wanted is None or built is None or built == wanted:
        return []
    return [
        f"{options.migrated} trained on {built} of {wanted} replicas: is it told to use "
        "them (a flag for several GPUs)?"
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
