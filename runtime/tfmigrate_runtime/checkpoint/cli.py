"""The command line of ``tfmigrate checkpoint``."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tfmigrate_runtime.verify.map_file import RefusedError
from tfmigrate_runtime.verify.running.failed_output import last_words_in
from tfmigrate_runtime.verify.running.surroundings import environment

OK, FAILED = 0, 2
_EPILOG = """\
OLD is a checkpoint of TensorFlow 1.x (model_dir/model.ckpt-2000, or a folder for its last one). NEW
is what PROGRAM reads: a file of Keras (model_dir/model.weights.h5, or .keras), or a checkpoint of
its tf.train.Checkpoint (a name or a folder). With --like it is the other way round. Weights, moving
averages, slots of the optimizer and the number of steps are converted: training continues there.

PROGRAM is EXECUTED up to the first fit, evaluate or predict of its model, or up to the first
restore or training step, which is not run. Its variables are paired with those of the checkpoint by
names, shapes and --map.

examples:
  tfmigrate checkpoint convert /tmp/model /tmp/model/model.weights.h5 --program train.py \\
      -- --model_dir /tmp/model
  tfmigrate checkpoint convert /tmp/old /tmp/new/ --program train.py -- --logdir /tmp/new
  tfmigrate checkpoint convert /tmp/model/model.weights.h5 /tmp/back/model.ckpt-4000 \\
      --program train.py --like /tmp/model/model.ckpt-2000 -- --model_dir /tmp/model

exit codes:
  0  The checkpoint is written.
  2  It could not be converted, or the command line is wrong.
"""


def parser() -> argparse.ArgumentParser:
    """Returns the parser of the command."""
    command_parser = argparse.ArgumentParser(
        prog="tfmigrate checkpoint",
        usage="tfmigrate checkpoint convert OLD NEW --program FILE [OPTIONS] [-- PROGRAM ARGS]",
        description="Converts a checkpoint of the original program to one of the program that "
        "tfmigrate --target keras makes of it, or back.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command_parser.add_argument("command", choices=("convert",), help="What to do.")
    command_parser.add_argument("old", metavar="OLD", help="The checkpoint to convert.")
    command_parser.add_argument(
        "new", metavar="NEW", help="Where to write the converted checkpoint."
    )
    command_parser.add_argument(
        "--program", required=True, metavar="FILE", help="The migrated program."
    )
    command_parser.add_argument(
        "--like",
        metavar="CHECKPOINT",
        help="A checkpoint of the original program, of any step; needed if OLD is one of PROGRAM. "
        "NEW gets its names and shapes.",
    )
    command_parser.add_argument(
        "--map", metavar="FILE", help="A JSON file that pairs variables, as for tfmigrate verify."
    )
    command_parser.add_argument(
        "--in-order",
        action="store_true",
        help="Pair variables in the order in which they are created if their names are ambiguous.",
    )
    command_parser.add_argument(
        "--verbose", "-v", action="store_true", help="List the paired variables."
    )
    return command_parser


def main(arguments: Sequence[str]) -> int:
    """Runs ``tfmigrate checkpoint``; returns its exit code."""
    words = list(arguments)
    end = words.index("--") if "--" in words else len(words)
    options = parser().parse_args(words[:end])
    try:
        _check(options)
        lines = _converted(options, words[end + 1 :])
    except RefusedError as error:
        print(f"tfmigrate checkpoint: {error}", file=sys.stderr)
        return FAILED
    print("\n".join(lines if options.verbose else _main_lines(lines)))
    return OK


def _main_lines(lines: list[str]) -> list[str]:
    return [line for line in lines if not line.startswith(" ")]


def _check(options: argparse.Namespace) -> None:
    # TensorFlow is not imported here: checkpoints are read in the program's process.
    is_keras = [path.endswith((".weights.h5", ".keras")) for path in (options.old, options.new)]
    if all(is_keras):
        raise RefusedError(
            f"{options.old} and {options.new} are both of Keras: one of them is a checkpoint of "
            "TensorFlow 1.x"
        )
    if is_keras[0] and not options.like:
        raise RefusedError("--like CHECKPOINT is needed: it has the names of the original")
    if is_keras[0] and not Path(options.old).exists():
        raise RefusedError(f"{options.old} does not exist")
    if not Path(options.program).is_file():
        raise RefusedError(f"{options.program} does not exist")


def _place(path: str) -> str:
    """Returns an absolute path; that of a folder ends with a slash."""
    is_folder = path.endswith(os.sep) or Path(path).is_dir()
    return str(Path(path).absolute()) + (os.sep if is_folder else "")


def _converted(options: argparse.Namespace, arguments: list[str]) -> list[str]:
    """Runs the program, which converts; returns lines about what was done."""
    with tempfile.TemporaryDirectory(prefix="tfmigrate-checkpoint-") as name:
        folder = Path(name)
        request: dict[str, Any] = {
            "old": str(Path(options.old).absolute()),
            "new": _place(options.new),
            "like": options.like and str(Path(options.like).absolute()),
            "map": options.map and str(Path(options.map).absolute()),
            "in_order": options.in_order,
            "answer": str(folder / "answer.json"),
        }
        (folder / "request.json").write_text(json.dumps(request), "utf-8")
        command = [sys.executable, "-m", "tfmigrate_runtime.checkpoint.in_program"]
        command += [str(folder / "request.json"), options.program, *arguments]
        log = folder / "output.log"
        with log.open("wb") as stream:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=subprocess.STDOUT,
                env=environment(),
                check=False,
            )
        try:
            answer = json.loads((folder / "answer.json").read_text("utf-8"))
        except FileNotFoundError:
            reason = f"{options.program} ended with exit code {done.returncode}"
            raise RefusedError(reason + last_words_in(log)) from None
    if "error" in answer:
        raise RefusedError(answer["error"])
    lines: list[str] = answer["lines"]
    return lines
