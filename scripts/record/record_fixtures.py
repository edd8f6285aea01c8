"""Records the golden traces of fixtures with a real TensorFlow 1.x.

python scripts/record/record_fixtures.py fixtures/*/* --reference-python PATH

tests/equivalence reads them.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from recorded_cases import load_case, record_golden

from tfmigrate_runtime.verify.running.run_program import REFERENCE_VARIABLE
from tfmigrate_runtime.verify.running.surroundings import ProgramFailed
from tfmigrate_runtime.verify.traces.trace import TraceError


def main(arguments: Sequence[str]) -> int:
    """Records each fixture given; returns 0, or 2 where one failed."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("cases", nargs="+", type=Path, metavar="CASE", help="folder of a fixture")
    parser.add_argument(
        "--reference-python",
        default=os.environ.get(REFERENCE_VARIABLE),
        help=f"an interpreter with TensorFlow 1.x (default: ${REFERENCE_VARIABLE})",
    )
    options = parser.parse_args(arguments)
    if not options.reference_python:
        parser.error(f"pass --reference-python or set {REFERENCE_VARIABLE}")
    for folder in options.cases:
        try:
            case = load_case(folder)
            recording = record_golden(case, options.reference_python)
        except (ProgramFailed, TraceError) as failure:
            print(failure, file=sys.stderr)
            return 2
        steps = ", ".join(
            f"{name} {len(trace.step)} steps, loss {trace.loss[0]:.6g} .. {trace.loss[-1]:.6g}"
            for name, trace in recording.tasks.items()
            if len(trace.step)
        )
        print(f"{case.trace}: TensorFlow {recording.meta['tensorflow']}, {steps.strip()}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
