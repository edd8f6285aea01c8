"""Times ``tfmigrate verify`` of every fixture against one recorded run of each of its programs.

    python scripts/report/verification_time.py
    python scripts/report/verification_time.py --select 'experiment/*' --legacy

Prints, by fixture, the wall time of the command as a multiple of that of the two runs, made one
after the other on the same machine, and the median of all. Without --legacy the original has a
trace of TensorFlow 1.15: only the migrated program is run, and what is timed against is two runs of
it. No recording is kept from one run for another. Programs start cold, as a user's do.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from tfmigrate_runtime.verify.running.kept_recordings import FOLDER_VARIABLE
from tfmigrate_runtime.verify.running.program import Program
from tfmigrate_runtime.verify.running.run_program import run_recorded

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "fixtures"
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "mutations")]

from recorded_cases import Case, load_case, program_of  # noqa: E402
from verify_command import TIMEOUT_SECONDS, command_line, run_command  # noqa: E402


def seconds_of_two_runs(case: Case, legacy: bool) -> float:
    """Returns how long one recorded run of each program takes, without a comparison."""
    migrated = program_of(case, case.migrated)
    original = replace(program_of(case, case.original), legacy=True) if legacy else migrated
    start = time.monotonic()
    for program in (original, migrated):
        _run(program)
    return time.monotonic() - start


def _run(program: Program) -> None:
    with tempfile.TemporaryDirectory(prefix="tfmigrate-time-") as folder:
        run_recorded(program, Path(folder) / "trace.npz", TIMEOUT_SECONDS)


def seconds_of_verify(case: Case, legacy: bool) -> tuple[float, int]:
    """Returns how long the command takes, and its exit code."""
    with tempfile.TemporaryDirectory(prefix="tfmigrate-kept-") as folder:
        os.environ[FOLDER_VARIABLE] = folder
        start = time.monotonic()
        ended = run_command(command_line(case, case.migrated, legacy), sys.executable)
        return time.monotonic() - start, ended.code


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--select", default="*/*", help="FAMILY/FIXTURE, a pattern")
    parser.add_argument("--legacy", action="store_true", help="run originals, too")
    options = parser.parse_args()
    ratios = []
    for path in sorted(FIXTURES.glob(f"{options.select}/case.toml")):
        case = load_case(path.parent)
        runs = seconds_of_two_runs(case, options.legacy)
        verify, code = seconds_of_verify(case, options.legacy)
        ratios.append(verify / runs)
        name = f"{path.parent.parent.name}/{path.parent.name}"
        print(f"{name:<50} {ratios[-1]:.2f}  exit code {code}", flush=True)
    print(f"median of {len(ratios)}: {statistics.median(ratios):.2f}, most {max(ratios):.2f}")


if __name__ == "__main__":
    main()
