"""Records the golden traces of fixtures with a real TensorFlow 1.x.

python -m tfmigrate_runtime.verify.golden fixtures/*/* --reference-python PATH
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from tfmigrate_runtime.verify.case import load_case
from tfmigrate_runtime.verify.run_program import (
    REFERENCE_VARIABLE,
    Program,
    ProgramFailed,
    run_recorded,
)

TIMEOUT_SECONDS = 600.0


def main(arguments: Sequence[str]) -> int:
    """Records each fixture given; returns 0, or 2 where one failed."""
    parser = argparse.ArgumentParser(prog="golden", description=__doc__)
    parser.add_argument("cases", nargs="+", type=Path, metavar="CASE", help="folder of a fixture")
    parser.add_argument(
        "--reference-python",
        default=os.environ.get(REFERENCE_VARIABLE),
        help=f"an interpreter with TensorFlow 1.x (default: ${REFERENCE_VARIABLE})",
    )
    options = parser.parse_args(arguments)
    if not options.reference_python:
        parser.error(f"give --reference-python or set {REFERENCE_VARIABLE}")
    for folder in options.cases:
        case = load_case(folder)
        program = Program(
            case.original, case.arguments, options.reference_python, replicas=case.replicas
        )
        try:
            run_recorded(program, case.trace, TIMEOUT_SECONDS)
        except ProgramFailed as failure:
            print(failure, file=sys.stderr)
            return 2
        print(f"{case.trace}: {case.trace.stat().st_size / 1024:.0f} KiB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
