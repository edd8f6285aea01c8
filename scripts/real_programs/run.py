"""Takes public programs of TensorFlow 1.x through everything, and writes down what came of it.

    python scripts/real_programs/run.py [NAME ...] --reference-python ~/tf1/bin/python
    python scripts/real_programs/run.py --table    # into docs/explanation/coverage.md
    python scripts/real_programs/run.py --target keras ...    # the programs of programs_keras/
    python scripts/real_programs/run.py --target eager ...    # the programs of programs_eager/

Every program of programs/*.toml is fetched from GitHub (or a folder of clones: --mirror), given
made-up data, migrated with its whole repository, imported, and verified: the original on the
TensorFlow 1.15.5 of --reference-python, the migrated one on this interpreter's. The programs are
EXECUTED. Every outcome is a line of the log at once; the table takes the last one of each, and
keeps the rows of programs that the log lacks.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from dataclasses import asdict
from functools import partial
from pathlib import Path

from programs_table import write_table
from real_program import FOLDERS, BadProgramError, all_programs
from rich.console import Console
from rich.status import Status
from run_one import Outcome, run_one


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="of programs (default: all)")
    parser.add_argument(
        "--reference-python",
        type=Path,
        default=os.environ.get("TFMIGRATE_REFERENCE_PYTHON"),
        help="an interpreter with TensorFlow 1.15.5 (default: $TFMIGRATE_REFERENCE_PYTHON)",
    )
    parser.add_argument("--mirror", type=Path, help="a folder with clones, named owner+name")
    parser.add_argument("--target", choices=list(FOLDERS), default="default")
    parser.add_argument("--log", type=Path, default=Path("real_programs.jsonl"))
    parser.add_argument("--keep", type=Path, help="run in this folder, and leave all there")
    parser.add_argument("--skip-done", action="store_true", help="leave out what the log has")
    parser.add_argument(
        "--table", action="store_true", help="write the log into docs/explanation/coverage.md"
    )
    return parser.parse_args()


def _tell(status: Status, name: str, step: str) -> None:
    status.update(f"{name}: {step}")


def read_log(path: Path) -> dict[str, Outcome]:
    """Returns the last outcome of every program."""
    if not path.exists():
        return {}
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {line["name"]: Outcome(**line) for line in lines}


def main() -> int:
    """Runs the programs that are asked for; 1 where one is not as its file says."""
    arguments = _arguments()
    console = Console(highlight=False)
    try:
        programs = all_programs(arguments.target)
    except BadProgramError as error:
        print(error, file=sys.stderr)
        return 2
    if arguments.table:
        write_table(arguments.target, programs, read_log(arguments.log))
        return 0
    unknown = sorted(set(arguments.names) - {program.name for program in programs})
    if unknown or arguments.reference_python is None:
        print(f"unknown: {unknown}" if unknown else "--reference-python", file=sys.stderr)
        return 2
    done = read_log(arguments.log) if arguments.skip_done else {}
    unexpected = 0
    for program in programs:
        if (arguments.names and program.name not in arguments.names) or program.name in done:
            continue
        if program.outcome == "no original":
            continue
        with tempfile.TemporaryDirectory() as made:
            scratch = arguments.keep / program.name if arguments.keep else Path(made)
            scratch.mkdir(parents=True, exist_ok=True)
            with console.status(program.name) as status:
                outcome = run_one(
                    program,
                    arguments.mirror,
                    arguments.reference_python,
                    scratch.resolve(),
                    partial(_tell, status, program.name),
                )
        with arguments.log.open("a", encoding="utf-8") as log:
            log.write(json.dumps(asdict(outcome)) + "\n")
        unexpected += outcome.outcome != program.outcome
        figures = f"loss {outcome.loss}, variables {outcome.variables}" if outcome.same else ""
        console.print(f"{program.name}: {outcome.outcome} {figures}{outcome.reason}", markup=False)
    return int(unexpected > 0)


if __name__ == "__main__":
    sys.exit(main())
