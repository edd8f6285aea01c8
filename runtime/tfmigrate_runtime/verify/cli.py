"""``tfmigrate verify``: runs two programs and says whether they train the same."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from tfmigrate_runtime.verify.cluster import Cluster, ClusterError
from tfmigrate_runtime.verify.cluster_verify import (
    original_python,
    print_cluster_json,
    print_cluster_report,
    runs_on_legacy,
    verify_cluster,
)
from tfmigrate_runtime.verify.ladder import Verdict, climb
from tfmigrate_runtime.verify.record_gpus import HELP, DevicesError, read_choice
from tfmigrate_runtime.verify.report import print_json, print_report
from tfmigrate_runtime.verify.run_program import (
    REFERENCE_VARIABLE,
    Program,
    ProgramFailed,
    run_recorded,
)
from tfmigrate_runtime.verify.tolerance import Loose, Tolerance
from tfmigrate_runtime.verify.trace import Trace, TraceError, changed_sources, load_trace

SAME, DIFFERENT, COULD_NOT_RUN = 0, 1, 2
_EPILOG = """\
The original is run by a real TensorFlow 1.x where one is given (--reference-python), else a trace
of it is used (--trace, or trace.npz beside ORIGINAL), else it is run by the legacy runtime on this
interpreter's TensorFlow (docs/legacy.md), which --legacy asks for. The migrated program is run by
this interpreter. Both programs are EXECUTED as they are: verify only what you would run.

{out} in the program's arguments stands for a fresh folder in each run: use it for the model_dir.
Without "--" the migrated program gets the arguments that a stored trace was recorded with.

examples:
  tfmigrate verify original.py migrated.py --replicas 2 --reference-python ~/tf1/bin/python \\
      -- --model_dir {out} --train_steps 120
  tfmigrate verify original.py migrated.py --replicas 2 --trace trace.npz -- --model_dir {out}
  tfmigrate verify original.py migrated.py --legacy --devices gpu:2 -- --model_dir {out}
  tfmigrate verify original.py migrated.py --cluster ps=1,worker=2 --turns \\
      --reference-python ~/tf1/bin/python -- --job_name={job_name} --task_index={task_index} \\
      --ps_hosts={ps_hosts} --worker_hosts={worker_hosts} --logdir={out}

With --cluster every task is told who it is by these placeholders and by TF_CONFIG; {out} is one
folder for all. Tasks run on this machine, without GPUs. One that fails ends the run at once.

exit codes:
  0  They train the same.
  1  They do not.
  2  A program could not be run, or the command line is wrong.
"""


class UsageError(Exception):
    """The command line asks for something that cannot be done."""


def main(arguments: Sequence[str]) -> int:
    """Runs ``tfmigrate verify``; returns its exit code."""
    options = _parse(arguments)
    errors = Console(stderr=True, soft_wrap=True, highlight=False)
    names = (str(options.original), str(options.migrated))
    try:
        if options.cluster is not None:
            return _verify_cluster(options, names)
        verdict, original, migrated = verify(options)
    except (UsageError, ClusterError, ProgramFailed, TraceError) as error:
        errors.print(f"tfmigrate verify: {error}", markup=False)
        return COULD_NOT_RUN
    if options.format == "json":
        print_json(verdict, original, migrated, names)
    else:
        print_report(Console(highlight=False), verdict, original, migrated, names)
    return SAME if verdict.same else DIFFERENT


def _verify_cluster(options: argparse.Namespace, names: tuple[str, str]) -> int:
    """Verifies programs that run as a cluster; returns the exit code.

    Raises:
        UsageError: the options exclude each other, or a file is missing.
        ClusterError: --cluster cannot be.
        ProgramFailed: a program failed.
        TraceError: a trace cannot be used.
    """
    _check_files(options)
    Cluster.parse(options.cluster)
    if options.replicas is not None:
        raise UsageError("--replicas and --cluster: workers of a cluster have one replica each")
    stored = _stored_trace(options)
    with tempfile.TemporaryDirectory(prefix="tfmigrate-traces-") as folder:
        verdict, original, migrated = verify_cluster(
            options, _tolerance(options), stored, Path(folder), lambda line: _say(options, line)
        )
    if options.format == "json":
        print_cluster_json(verdict, original, migrated, names)
    else:
        print_cluster_report(Console(highlight=False), verdict, original, migrated, names)
    return SAME if verdict.same else DIFFERENT


def verify(options: argparse.Namespace) -> tuple[Verdict, Trace, Trace]:
    """Obtains both traces and compares them.

    Raises:
        UsageError: the options exclude each other, or a file is missing.
        ProgramFailed: a program failed.
        TraceError: a trace cannot be used.
    """
    _check_files(options)
    with tempfile.TemporaryDirectory(prefix="tfmigrate-traces-") as folder:
        source, warnings = _original_trace(options, Path(folder) / "original.npz")
        original = load_trace(source)
        _complete(options, original)
        target = Path(folder) / "migrated.npz"
        program = Program(
            options.migrated,
            options.arguments,
            sys.executable,
            options.replicas,
            options.every,
            devices=options.devices,
        )
        _say(options, f"running {program.shown()}")
        run_recorded(program, target, options.timeout, source, options.verbose)
        migrated = load_trace(target)
    for name, trace in ((options.original, original), (options.migrated, migrated)):
        if trace.step[0] != 1:
            raise UsageError(
                f"{name} went on from step {int(trace.step[0]) - 1} of an old model_dir: "
                "give it a fresh one with {out}, for example -- --model_dir {out}"
            )
    warnings += _replica_warnings(options, migrated)
    return climb(original, migrated, _tolerance(options), tuple(warnings)), original, migrated


def _check_files(options: argparse.Namespace) -> None:
    for script in (options.original, options.migrated):
        if not script.is_file():
            raise UsageError(f"{script}: no such file")
    if options.legacy and options.trace:
        raise UsageError("--legacy runs the original, --trace takes the place of running it")
    if options.devices is None:
        return
    if options.replicas is not None or options.cluster is not None:
        raise UsageError("--devices is for programs of one process, and instead of --replicas")
    try:
        kind, _ = read_choice(options.devices)
    except DevicesError as error:
        raise UsageError(str(error)) from error
    if kind == "gpu" and options.reference_python and not options.legacy:
        raise UsageError("--devices: TensorFlow 1.x is run on CPUs; give --legacy for GPUs")


def _stored_trace(options: argparse.Namespace) -> Path | None:
    """Returns the trace that the original is compared by, None where it is run."""
    trace: Path | None = options.trace
    if trace is not None or options.legacy or options.reference_python:
        return trace
    return _trace_beside(options.original)


def _original_trace(options: argparse.Namespace, target: Path) -> tuple[Path, list[str]]:
    """Returns a trace of the original, recorded now or stored, and warnings about it."""
    stored = _stored_trace(options)
    if stored is None:
        program = Program(
            options.original,
            options.arguments or (),
            original_python(options),
            options.replicas,
            options.every,
            runs_on_legacy(options),
            options.devices,
        )
        _say(options, f"running {program.shown()}")
        run_recorded(program, target, options.timeout, show_output=options.verbose)
        return target, []
    _say(options, f"using the trace {stored} for {options.original}")
    meta = load_trace(stored).meta
    warnings = [
        f"{source} has changed since {stored} was recorded"
        for source in changed_sources(options.original, meta["sources"])
    ]
    if options.arguments is not None and list(meta["args"]) != list(options.arguments):
        recorded = " ".join(meta["args"])
        warnings.append(f"{stored} was recorded with other arguments: {recorded}")
    if options.replicas is not None and meta["replicas"] != options.replicas:
        warnings.append(f"{stored} was recorded with --replicas {meta['replicas']}")
    return stored, warnings


def _trace_beside(original: Path) -> Path | None:
    """Returns the trace that lies beside a program, or beside the folder of one with modules."""
    beside = original.with_name("trace.npz")
    if beside.is_file():
        return beside
    above = original.resolve().parent.with_name("trace.npz")
    if above.is_file() and not changed_sources(original, load_trace(above).meta["sources"]):
        return above
    return None


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


def _tolerance(options: argparse.Namespace) -> Tolerance:
    own = []
    for text in options.loose:
        pattern, equals, value = text.partition("=")
        try:
            own.append(Loose(pattern, float(value), "asked for by --loose"))
        except ValueError:
            raise UsageError(f"--loose {text}: expected PATTERN=TOLERANCE") from None
        del equals
    default = Tolerance(
        options.loss_tolerance, options.variable_tolerance, options.metric_tolerance
    )
    return replace(default, loose=(*own, *default.loose))


def _say(options: argparse.Namespace, line: str) -> None:
    """Tells what is being done, on stderr: it may take minutes."""
    if not options.quiet:
        print(line, file=sys.stderr, flush=True)


def _add_cluster_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("programs that run as a cluster (replica_device_setter)")
    group.add_argument(
        "--cluster", metavar="JOBS", help="run them as these jobs, such as ps=1,worker=2"
    )
    group.add_argument(
        "--migrated-cluster", metavar="JOBS", help="the migrated program's, where it needs others"
    )
    group.add_argument(
        "--turns",
        action="store_true",
        help="asynchronous workers make one step each in turns: all can be compared exactly",
    )
    group.add_argument(
        "--runs",
        type=int,
        default=5,
        metavar="N",
        help="without --turns, runs of an asynchronous original: the migrated program's final loss "
        "must lie in their spread (default: 5)",
    )
    group.add_argument(
        "--logs",
        type=Path,
        metavar="DIR",
        help="keep the output of every task, as DIR/original/worker-0.log",
    )


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    given = list(arguments)
    program: list[str] | None = None
    if "--" in given:
        cut = given.index("--")
        given, program = given[:cut], given[cut + 1 :]
    parser = argparse.ArgumentParser(
        prog="tfmigrate verify",
        usage="tfmigrate verify ORIGINAL MIGRATED [OPTIONS] [-- PROGRAM ARGS]",
        description="Runs the original and the migrated program and shows whether they train the "
        "same: step by step, variable by variable.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("original", type=Path, metavar="ORIGINAL", help="the TensorFlow 1.x script")
    parser.add_argument("migrated", type=Path, metavar="MIGRATED", help="the migrated script")
    runs = parser.add_argument_group("how to run them")
    runs.add_argument(
        "--replicas",
        type=int,
        metavar="N",
        help="towers or replicas: N CPU devices take the places of GPUs (default: as many "
        "as the trace was recorded with)",
    )
    runs.add_argument(
        "--devices",
        metavar="DEVICES",
        help=f"what programs find where they look for GPUs, instead of --replicas: {HELP}",
    )
    runs.add_argument(
        "--reference-python",
        metavar="PATH",
        default=os.environ.get(REFERENCE_VARIABLE),
        help=f"an interpreter with TensorFlow 1.x (default: ${REFERENCE_VARIABLE})",
    )
    runs.add_argument(
        "--legacy",
        action="store_true",
        help="run the original by the legacy runtime, on this interpreter's TensorFlow (default "
        "where there is neither an interpreter with TensorFlow 1.x nor a trace)",
    )
    runs.add_argument("--trace", type=Path, help="a stored trace of the original")
    runs.add_argument(
        "--timeout", type=float, default=600.0, metavar="S", help="seconds for each (default: 600)"
    )
    runs.add_argument(
        "--every", type=int, default=1, metavar="K", help="compare variables every K steps"
    )
    _add_cluster_options(parser)
    limits = parser.add_argument_group("how close they must be (largest absolute difference)")
    for name, what in (("loss", "losses"), ("variable", "variables"), ("metric", "metrics")):
        limits.add_argument(
            f"--{name}-tolerance",
            type=float,
            default=getattr(Tolerance(), name),
            metavar="X",
            help=f"for {what} (default: %(default)g)",
        )
    limits.add_argument(
        "--loose",
        action="append",
        default=[],
        metavar="PATTERN=X",
        help="for variables whose name matches; may be repeated (default: "
        "*moving_mean and *moving_variance=0.005)",
    )
    output = parser.add_argument_group("output")
    output.add_argument("--format", choices=("text", "json"), default="text")
    output.add_argument("-q", "--quiet", action="store_true", help="do not tell what is being run")
    output.add_argument("-v", "--verbose", action="store_true", help="show the programs' output")
    options = parser.parse_args(given)
    options.arguments = program
    return options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
