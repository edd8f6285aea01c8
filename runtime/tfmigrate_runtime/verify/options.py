"""The command line of ``tfmigrate verify``."""

import argparse
import functools
import itertools
import os
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NoReturn

from tfmigrate_runtime.verify.reports.report_schema import PrintCause, PrintSchema
from tfmigrate_runtime.verify.reports.written_reports import WRITERS
from tfmigrate_runtime.verify.request import (
    LOOPBACK,
    NAMESPACES,
    ON_GPUS,
    SECONDS,
    UsageError,
    VerifyRequest,
)
from tfmigrate_runtime.verify.rounding.tolerance import FACTOR, SHARE
from tfmigrate_runtime.verify.running.limits import Limits, gib
from tfmigrate_runtime.verify.running.run_program import REFERENCE_VARIABLE
from tfmigrate_runtime.verify.shared import HELP

_Group = argparse._ArgumentGroup
_EPILOG = """\
Both programs are EXECUTED as they are: verify only code that you would run. The migrated program
runs on this interpreter. For the original, the first of these is used: a stored trace (--trace), a
real TensorFlow 1.x (--reference-python), trace.npz next to ORIGINAL, or the legacy runtime on this
interpreter's TensorFlow (docs/explanation/tf1_shim.md), which --legacy forces.

{out} in the program's arguments is replaced by a fresh folder for each run: use it for the
model_dir. Without "--" the migrated program gets the arguments of the stored trace.

examples:
  tfmigrate verify train.py --replicas 2 -- --model_dir {out} --train_steps 120
  tfmigrate verify train.py --git HEAD~1 --replicas 2 -- --model_dir {out}
  tfmigrate verify original.py migrated.py --replicas 2 --reference-python ~/tf1/bin/python \\
      -- --model_dir {out} --train_steps 120
  tfmigrate verify original.py migrated.py --replicas 2 --trace trace.npz -- --model_dir {out}
  tfmigrate verify original.py migrated.py --legacy --devices gpu:2 -- --model_dir {out}
  tfmigrate verify original.py migrated.py --cluster ps=1,worker=2 --turns \\
      --reference-python ~/tf1/bin/python -- --job_name={job_name} --task_index={task_index} \\
      --ps_hosts={ps_hosts} --worker_hosts={worker_hosts} --logdir={out}

With --cluster each task gets its job and index by these placeholders and by TF_CONFIG; all tasks
share one {out}. Tasks run on this machine, without GPUs; with --hosts netns each on a host of its
own, in a network namespace. If one fails, all are killed.

exit codes:
  0  The programs train the same.
  1  The programs do not train the same.
  2  A program could not be run, or the command line is wrong.
  3  Not decided: the programs draw random numbers that cannot be pinned and several runs show no
     difference, or no step has finite numbers.
"""


@dataclass(frozen=True)
class CommandLine:
    """A command line.

    Attributes:
        attributes: of the ``VerifyRequest``.
        format: how the verdict is printed: text, json or github.
        reports: files that get a report.
        quiet: whether to report no progress.
        record: a file that gets the original's trace, with which nothing is compared.
        written_map: a file that gets how the variables of a port were paired.
    """

    attributes: dict[str, Any]
    format: str
    reports: tuple[Path, ...]
    quiet: bool
    record: Path | None = None
    written_map: Path | None = None

    def request(self) -> VerifyRequest:
        """Returns the request.

        Raises:
            UsageError: options exclude each other or cannot be read.
            ClusterError: an invalid cluster.
        """
        return VerifyRequest(**self.attributes)


def _add_cluster_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("clusters (programs with parameter servers and workers)")
    group.add_argument(
        "--cluster", metavar="JOBS", help="run both programs as these jobs, such as ps=1,worker=2"
    )
    group.add_argument(
        "--migrated-cluster",
        metavar="JOBS",
        help="jobs of the migrated program, if they differ from --cluster; none: it is one process "
        "whose replicas are the original's synchronous workers, and gets no arguments with "
        "placeholders of tasks",
    )
    group.add_argument(
        "--turns",
        action="store_true",
        help="let asynchronous workers take turns, one step each, for an exact comparison",
    )
    group.add_argument(
        "--hosts",
        choices=(LOOPBACK, NAMESPACES),
        default=LOOPBACK,
        help="run all tasks on this host (default), or each in its own network namespace with "
        "its own address, as on separate hosts (Linux; root or user namespaces)",
    )
    for name, metavar, what in (
        ("delay", "MS", "milliseconds that a packet takes from one host to another"),
        ("loss", "PERCENT", "share of packets that are lost between hosts"),
    ):
        group.add_argument(
            f"--network-{name}",
            type=float,
            default=0.0,
            metavar=metavar,
            help=f"with --hosts netns: {what} (default: 0)",
        )
    group.add_argument(
        "--logs",
        type=Path,
        metavar="DIR",
        help="keep the output of each task, as in DIR/original/worker-0.log",
    )


def _add_source_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("where the programs come from")
    group.add_argument(
        "--git",
        metavar="REV",
        help="take ORIGINAL from this commit and MIGRATED (default: the same file) from the work "
        "tree",
    )
    group.add_argument(
        "--root",
        type=Path,
        metavar="DIR",
        help="if MIGRATED is omitted: the folder with all files of the program (default: that of "
        "ORIGINAL, or the one above its package)",
    )
    group.add_argument(
        "--unsafe", action="store_true", help="if MIGRATED is omitted: migrate with --unsafe"
    )


def parse(arguments: Sequence[str]) -> CommandLine:
    """Parses the arguments; those of the program follow ``--``."""
    own_arguments = list(arguments)
    program: list[str] | None = None
    if "--" in own_arguments:
        cut = own_arguments.index("--")
        own_arguments, program = own_arguments[:cut], own_arguments[cut + 1 :]
    options = vars(_parser(wants_json(own_arguments)).parse_args(own_arguments))
    memory, disk = options["memory_limit"], options["disk_limit"]
    attributes = {field.name: options.get(field.name) for field in fields(VerifyRequest)}
    attributes.update(
        arguments=None if program is None else tuple(program),
        limits=Limits(options["timeout"], memory and gib(memory), disk and gib(disk)),
        loose=tuple(options["loose"]),
    )
    reports = tuple(options["report"])
    more = (options["quiet"], options["record"], options["write_map"])
    return CommandLine(attributes, options["format"], reports, *more)


def wants_json(arguments: Sequence[str]) -> bool:
    """Returns whether arguments, which need not be right, ask for a document."""
    own = list(arguments)
    own = own[: own.index("--")] if "--" in own else own
    return "--format=json" in own or ("--format", "json") in itertools.pairwise(own)


class _Parser(argparse.ArgumentParser):
    """Raises what is wrong, so that it becomes a document too."""

    def __init__(self, as_document: bool, **options: Any) -> None:
        super().__init__(**options)
        self._as_document = as_document

    def error(self, message: str) -> NoReturn:
        if self._as_document:
            raise UsageError(message)
        super().error(message)


def _parser(as_document: bool) -> argparse.ArgumentParser:
    parser = _Parser(
        as_document,
        prog="tfmigrate verify",
        usage="tfmigrate verify ORIGINAL [MIGRATED] [OPTIONS] [-- PROGRAM ARGS]",
        description="Runs the original and the migrated program and reports whether they train the "
        "same, step by step and variable by variable.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("original", type=Path, metavar="ORIGINAL", help="the TensorFlow 1.x script")
    parser.add_argument(
        "migrated",
        type=Path,
        nargs="?",
        metavar="MIGRATED",
        help="the migrated script (default: migrate a copy of ORIGINAL's folder)",
    )
    _add_source_options(parser)
    group = parser.add_argument_group("how to run them")
    _add_run_options(group)
    _add_limit_options(group)
    _add_cluster_options(parser)
    _add_output_options(parser)
    return parser


def _add_run_options(group: _Group) -> None:
    flag = functools.partial(group.add_argument, action="store_true")
    flag(
        "-m",
        "--module",
        dest="as_module",
        help="start both programs as modules: trainer/task.py as python -m trainer.task, in --root "
        "(default: the folder above its package)",
    )
    flag(
        "--fresh-folder",
        help="run each program in a fresh folder with links to the files of the current one, for "
        "programs with a fixed output folder (./logs) that do not take {out}",
    )
    group.add_argument(
        "--replicas",
        type=int,
        metavar="N",
        help="number of towers or replicas: N CPU devices in place of GPUs (default: that of the "
        "trace)",
    )
    group.add_argument(
        "--devices",
        metavar="DEVICES",
        help=f"devices that the programs see as GPUs, instead of --replicas: {HELP}",
    )
    group.add_argument(
        "--reference-python",
        metavar="PATH",
        default=os.environ.get(REFERENCE_VARIABLE),
        help=f"an interpreter with TensorFlow 1.x (default: ${REFERENCE_VARIABLE})",
    )
    group.add_argument(
        "--migrated-python",
        metavar="PATH",
        help="the interpreter of the migrated program, as of a port to PyTorch or JAX, which needs "
        "no TensorFlow (default: this one)",
    )
    flag(
        "--legacy",
        help="run the original on the legacy runtime, with this interpreter's TensorFlow (default "
        "without --reference-python or a trace)",
    )
    group.add_argument(
        "--trace", type=Path, metavar="FILE", help="use this stored trace of the original"
    )
    group.add_argument(
        "--record",
        type=Path,
        metavar="FILE",
        help="run the original alone and store its trace, for --trace",
    )
    flag(
        "--batches",
        help="record the batch of every step of the original, for a port to be fed (large)",
    )
    flag(
        "--fresh",
        help="record the original again, even if its recording is kept from an earlier run and "
        "its files, arguments and interpreter are the same",
    )
    flag(
        "--force-trace", help="use a stored trace even if its program, sources or arguments differ"
    )


def _add_limit_options(group: _Group) -> None:
    group.add_argument(
        "--steps",
        type=int,
        metavar="N",
        help="end both programs after N steps: what they do later is not compared",
    )
    group.add_argument(
        "--fail-fast",
        action="store_true",
        help="end the migrated program soon after its first step that differs beyond doubt, and "
        "confirm that by no further runs: an answer in one run, for a loop of edits",
    )
    group.add_argument(
        "--timeout",
        type=float,
        default=SECONDS,
        metavar="S",
        help="seconds that each run may take (default: 600)",
    )
    group.add_argument(
        "--total-timeout",
        dest="total_seconds",
        type=float,
        metavar="S",
        help="seconds that all runs together may take (default: no limit)",
    )
    group.add_argument(
        "--runs",
        type=int,
        default=5,
        metavar="N",
        help="runs of each program to compare where runs are not reproducible (random numbers that "
        "cannot be pinned; workers of a cluster without --turns); a difference is confirmed by as "
        "many further runs (default: 5)",
    )
    group.add_argument(
        "--map",
        type=Path,
        metavar="FILE",
        help="JSON file that pairs variables of a migrated Keras program with the original's "
        "(docs/reference/verify.md; default: by names, shapes and order of creation)",
    )
    group.add_argument(
        "--write-map",
        type=Path,
        metavar="FILE",
        help="write how the variables of a port were paired, as a map to read, change and keep",
    )
    for name, what in (
        ("memory", "uses more resident memory"),
        ("disk", "writes more temporary files"),
    ):
        group.add_argument(
            f"--{name}-limit",
            type=float,
            metavar="GIB",
            help=f"kill a program that {what} than this (default: 90 %% of what is free)",
        )
    group.add_argument(
        "--every",
        type=int,
        default=1,
        metavar="K",
        help="compare variables every K steps (default: 1)",
    )


def _add_output_options(parser: argparse.ArgumentParser) -> None:
    limits = parser.add_argument_group(
        "tolerances (largest absolute differences, instead of the rule in verification.md)"
    )
    for name, what in (("loss", "losses"), ("variable", "variables"), ("metric", "metrics")):
        limits.add_argument(
            f"--{name}-tolerance",
            type=float,
            metavar="X",
            help=f"for {what} (default: {SHARE:g} of the size, on GPUs {ON_GPUS:g}, or {FACTOR:g} "
            "times what rounding changes)",
        )
    limits.add_argument(
        "--loose",
        action="append",
        default=[],
        metavar="PATTERN=X",
        help="for variables whose names match the pattern; may be repeated",
    )
    output = parser.add_argument_group("output")
    output.add_argument(
        "--format",
        choices=("text", "json", "github"),
        default="text",
        help="how to print the report (default: text); github prints annotations and writes the "
        "step summary of GitHub Actions",
    )
    output.add_argument(
        "--report",
        type=_report,
        action="append",
        default=[],
        metavar="FILE",
        help="also write a report: a page with both loss curves (.html), Markdown (.md) or JSON "
        "(.json); may be repeated",
    )
    output.add_argument(
        "--json-schema", action=PrintSchema, help="print the JSON Schema of --format json and exit"
    )
    output.add_argument(
        "--explain",
        action=PrintCause,
        metavar="CODE",
        help="print what a code of --format json's cause means, and what to change, and exit",
    )
    output.add_argument("-q", "--quiet", action="store_true", help="do not report progress")
    output.add_argument(
        "-v",
        "--verbose",
        dest="show_output",
        action="store_true",
        help="show the output of the programs",
    )


def _report(text: str) -> Path:
    path = Path(text)
    if path.suffix not in WRITERS:
        raise argparse.ArgumentTypeError(f"{text}: the name must end in {', '.join(WRITERS)}")
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"{text}: no such folder: {path.parent}")
    return path
