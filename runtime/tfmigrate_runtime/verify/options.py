"""The command line of ``tfmigrate verify``."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from tfmigrate_runtime.verify.limits import Limits, gib
from tfmigrate_runtime.verify.report_schema import PrintSchema
from tfmigrate_runtime.verify.request import ON_GPUS, SECONDS, VerifyRequest
from tfmigrate_runtime.verify.run_program import REFERENCE_VARIABLE
from tfmigrate_runtime.verify.shared import HELP
from tfmigrate_runtime.verify.tolerance import Tolerance
from tfmigrate_runtime.verify.written_reports import WRITERS

_Group = argparse._ArgumentGroup
_EPILOG = """\
The original is run by a real TensorFlow 1.x where one is given (--reference-python), else a trace
of it is used (--trace, or trace.npz beside ORIGINAL), else it is run by the legacy runtime on this
interpreter's TensorFlow (docs/explanation/tf1_shim.md), which --legacy asks for. The migrated
program is run by this interpreter. Both programs are EXECUTED as they are: verify only what you
would run.

{out} in the program's arguments stands for a fresh folder in each run: use it for the model_dir.
Without "--" the migrated program gets the arguments that a stored trace was recorded with.

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

With --cluster every task is told who it is by these placeholders and by TF_CONFIG; {out} is one
folder for all. Tasks run on this machine, without GPUs. One that fails ends the run at once.

exit codes:
  0  They train the same.
  1  They do not.
  2  A program could not be run, or the command line is wrong.
  3  Not decided: random numbers are free in the programs, and several runs of both show no
     difference, or no step has finite numbers.
"""


@dataclass(frozen=True)
class CommandLine:
    """A command line.

    Attributes:
        asked: the attributes of the ``VerifyRequest``.
        format: how the verdict is printed: text, json or github.
        reports: files that get a report.
        quiet: whether progress is not reported.
    """

    asked: dict[str, Any]
    format: str
    reports: tuple[Path, ...]
    quiet: bool

    def request(self) -> VerifyRequest:
        """Returns what is asked for.

        Raises:
            UsageError: options exclude each other, or cannot be read.
            ClusterError: there can be no such cluster.
        """
        return VerifyRequest(**self.asked)


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
        "--logs",
        type=Path,
        metavar="DIR",
        help="keep the output of every task, as DIR/original/worker-0.log",
    )


def _add_source_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("where the programs come from")
    group.add_argument(
        "--git",
        metavar="REV",
        help="take ORIGINAL from this commit, and MIGRATED (default: the same file) from the work "
        "tree",
    )
    group.add_argument(
        "--root",
        type=Path,
        metavar="DIR",
        help="without MIGRATED: the folder of the program's files (default: ORIGINAL's, or the one "
        "above its package)",
    )
    group.add_argument(
        "--unsafe", action="store_true", help="without MIGRATED: migrate with --unsafe"
    )


def parse(arguments: Sequence[str]) -> CommandLine:
    """Parses the arguments; those of the program stand behind ``--``."""
    given = list(arguments)
    program: list[str] | None = None
    if "--" in given:
        cut = given.index("--")
        given, program = given[:cut], given[cut + 1 :]
    options = vars(_parser().parse_args(given))
    memory, disk = options["memory_limit"], options["disk_limit"]
    asked = {field.name: options.get(field.name) for field in fields(VerifyRequest)}
    asked.update(
        arguments=None if program is None else tuple(program),
        limits=Limits(options["timeout"], memory and gib(memory), disk and gib(disk)),
        loose=tuple(options["loose"]),
    )
    return CommandLine(asked, options["format"], tuple(options["report"]), options["quiet"])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tfmigrate verify",
        usage="tfmigrate verify ORIGINAL [MIGRATED] [OPTIONS] [-- PROGRAM ARGS]",
        description="Runs the original and the migrated program and shows whether they train the "
        "same: step by step, variable by variable.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("original", type=Path, metavar="ORIGINAL", help="the TensorFlow 1.x script")
    parser.add_argument(
        "migrated",
        type=Path,
        nargs="?",
        metavar="MIGRATED",
        help="the migrated script (default: what tfmigrate makes of a copy of ORIGINAL's folder)",
    )
    _add_source_options(parser)
    runs = parser.add_argument_group("how to run them")
    _add_run_options(runs)
    _add_limit_options(runs)
    _add_cluster_options(parser)
    _add_output_options(parser)
    return parser


def _add_run_options(runs: _Group) -> None:
    runs.add_argument(
        "-m",
        "--module",
        dest="as_module",
        action="store_true",
        help="start both as modules, as python -m trainer.task starts trainer/task.py in --root "
        "(default: the folder above its package)",
    )
    runs.add_argument(
        "--fresh-folder",
        action="store_true",
        help="run each in a fresh folder with links to all files of this one: for programs that "
        "write to a folder of their own (./logs) and cannot be told {out}",
    )
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
        "--force-trace",
        action="store_true",
        help="use a stored trace although it is of another program, of other sources or of other "
        "arguments",
    )


def _add_limit_options(runs: _Group) -> None:
    runs.add_argument(
        "--timeout",
        type=float,
        default=SECONDS,
        metavar="S",
        help="seconds for each (default: 600)",
    )
    runs.add_argument(
        "--runs",
        type=int,
        default=5,
        metavar="N",
        help="runs of programs that are not the same twice (free random numbers; workers of a "
        "cluster without --turns), which are compared; a difference is confirmed by as many again "
        "(default: 5)",
    )
    runs.add_argument(
        "--map",
        type=Path,
        metavar="FILE",
        help="which variable of a Keras program is which of the original's, as JSON "
        "(docs/reference/verify.md; default: by names, shapes and order of creation)",
    )
    for name, what in (("memory", "resident memory"), ("disk", "temporary files")):
        runs.add_argument(
            f"--{name}-limit",
            type=float,
            metavar="GIB",
            help=f"end a program whose {what} take more (default: nine tenths of what is free)",
        )
    runs.add_argument(
        "--every", type=int, default=1, metavar="K", help="compare variables every K steps"
    )


def _add_output_options(parser: argparse.ArgumentParser) -> None:
    limits = parser.add_argument_group("how close they must be (largest absolute difference)")
    for name, what in (("loss", "losses"), ("variable", "variables"), ("metric", "metrics")):
        limits.add_argument(
            f"--{name}-tolerance",
            type=float,
            metavar="X",
            help=f"for {what} (default: {getattr(Tolerance(), name):g}; on GPUs {ON_GPUS:g})",
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
    output.add_argument(
        "--format",
        choices=("text", "json", "github"),
        default="text",
        help="github: an annotation, and the summary of the step of GitHub Actions",
    )
    output.add_argument(
        "--report",
        type=_report,
        action="append",
        default=[],
        metavar="FILE",
        help="write a report too: a page with both loss curves (.html), Markdown (.md) or JSON "
        "(.json); may be repeated",
    )
    output.add_argument(
        "--json-schema", action=PrintSchema, help="print the schema of --format json, and exit"
    )
    output.add_argument("-q", "--quiet", action="store_true", help="do not tell what is being run")
    output.add_argument(
        "-v",
        "--verbose",
        dest="show_output",
        action="store_true",
        help="show the programs' output",
    )


def _report(text: str) -> Path:
    path = Path(text)
    if path.suffix not in WRITERS:
        raise argparse.ArgumentTypeError(f"{text}: the name must end in {', '.join(WRITERS)}")
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"{text}: there is no folder {path.parent}")
    return path
