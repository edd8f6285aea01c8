"""Verifies every fixture many times by the command: whatever it does not call the same is false.

    python scripts/report/false_alarms.py --runs 20 --log runs.jsonl
    python scripts/report/false_alarms.py --runs 5 --log runs.jsonl --legacy
    python scripts/report/false_alarms.py --log runs.jsonl --table

``tfmigrate verify`` is run on every fixture and its trace of TensorFlow 1.x (with --legacy on its
original by the legacy runtime), with the tolerances that it has of itself, all fixtures once before
any a second time. Every run is a line of the log at once; runs that it has are not made again, so
this can be interrupted, or made for some of the fixtures (--select).
Programs run in forks of a process that has imported TensorFlow (tests/warm_python).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs.compare_updates import of_variables
from tfmigrate_runtime.verify.traces.trace import Trace, at_common_steps

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "fixtures"
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "mutations")]

from recorded_cases import Case, load_case  # noqa: E402
from verify_command import command_line, run_command  # noqa: E402

_BUSY = "while True: pass"


@dataclass(frozen=True)
class Run:
    """One run of one program.

    Attributes:
        family: the folder of fixtures/.
        fixture: the folder in it.
        form: "migrated", or "legacy" for the original by the legacy runtime.
        number: of the run, from 1.
        alarm: what the command reported, or why it could not run a program; "" for nothing.
        code: its exit code.
        loss: the largest difference of losses, as a share of what is allowed without noise.
        variable: the same of the updates of variables.
        load: processes that wanted a core, mean of the minute up to the end of the run.
        seconds: it took.
    """

    family: str
    fixture: str
    form: str
    number: int
    alarm: str
    code: int
    loss: float
    variable: float
    load: float
    seconds: float


def run_once(case: Case, legacy: bool, python: str, number: int) -> Run:
    """Verifies a fixture's program by the command."""
    start = time.monotonic()
    ended = run_command(command_line(case, case.migrated, legacy), python)
    alarm = "" if ended.code == 0 else f"exit code {ended.code}: {ended.told}: {ended.details}"
    pairs = [(item.original, item.migrated) for item in ended.compared if len(item.original.loss)]
    differences = [_differences(*pair) for pair in pairs]
    return Run(
        case.folder.parent.name,
        case.folder.name,
        "legacy" if legacy else "migrated",
        number,
        alarm,
        ended.code,
        max((loss for loss, _ in differences), default=0.0),
        max((share for _, share in differences), default=0.0),
        os.getloadavg()[0],
        round(time.monotonic() - start, 1),
    )


def _differences(original: Trace, migrated: Trace) -> tuple[float, float]:
    original, migrated = at_common_steps(original, migrated)
    tolerance = Tolerance().with_old_averages(original)
    found = of_variables(original, migrated, tolerance)[0].values()
    share = max((each.quotient for each in found), default=0.0)
    if migrated.loss.shape != original.loss.shape:
        return float("inf"), share
    return tolerance.losses(original.loss, migrated.loss).quotient, share


def done_before(log: Path) -> list[Run]:
    """Returns the runs of a log."""
    if not log.exists():
        return []
    lines = log.read_text().splitlines()
    return [Run(**json.loads(line)) for line in lines if line.endswith("}")]


def make_runs(options: argparse.Namespace, python: str) -> None:
    """Makes the runs that are not in the log."""
    if options.log.exists() and not options.log.read_text().endswith("\n"):
        with options.log.open("a") as stream:
            stream.write("\n")  # after a line that was not written to its end
    form = "legacy" if options.legacy else "migrated"
    done = {(run.family, run.fixture, run.form, run.number) for run in done_before(options.log)}
    folders = sorted(path.parent for path in FIXTURES.glob(f"{options.select}/case.toml"))
    for number in range(1, options.runs + 1):
        for folder in folders:
            key = (folder.parent.name, folder.name, form, number)
            if key in done:
                continue
            run = run_once(load_case(folder), options.legacy, python, number)
            with options.log.open("a") as stream:
                stream.write(json.dumps(asdict(run)) + "\n")
            if run.alarm:
                print(f"{'/'.join(key[:3])}, run {number}: {run.alarm}", flush=True)


def table(runs: list[Run]) -> Iterator[str]:
    """Yields the lines of the table of docs/reference/verification_results.md."""
    yield "| family | form | programs | runs of each | alarms | loss | share of variables' limits |"
    yield "|---|---|---|---|---|---|---|"
    for family, form in sorted({(run.family, run.form) for run in runs}, key=lambda k: k[::-1]):
        group = [run for run in runs if (run.family, run.form) == (family, form)]
        programs = {run.fixture for run in group}
        counts = [sum(run.fixture == name for run in group) for name in programs]
        alarms = sum(bool(run.alarm) for run in group)
        each = " to ".join(str(count) for count in sorted({min(counts), max(counts)}))
        loss, share = max(run.loss for run in group), max(run.variable for run in group)
        counted = f"{len(programs)} | {each} | {alarms}"
        yield f"| {family} | {form} | {counted} | {loss:.1e} | {share:.2f} |"
    loads = sorted(run.load for run in runs)
    codes = ", ".join(
        f"{sum(run.code == code for run in runs)} times {code}"
        for code in sorted({run.code for run in runs})
    )
    yield ""
    yield (
        f"{len(runs)} runs on {os.cpu_count()} cores, which {statistics.median(loads):.1f} "
        f"processes wanted (median; in nine tenths of the runs {loads[len(loads) // 10]:.1f} or "
        "more)."
    )
    yield f"Exit codes: {codes}."


@contextlib.contextmanager
def busy_cores(wanted: bool) -> Iterator[None]:
    """Keeps every core busy by a process that does nothing useful."""
    count = (os.cpu_count() or 1) if wanted else 0
    idle = [subprocess.Popen([sys.executable, "-c", _BUSY]) for _ in range(count)]
    try:
        yield
    finally:
        for process in idle:
            process.kill()
            process.wait()


@contextlib.contextmanager
def warm_python() -> Iterator[str]:
    """Gives a Python that has imported TensorFlow already."""
    sys.path.insert(0, str(ROOT / "tests" / "warm_python"))
    from warm_launcher import write_launcher

    with tempfile.TemporaryDirectory(prefix="tfmigrate-warm-") as folder:
        yield str(write_launcher(Path(folder), sys.executable))


def main() -> None:
    """Makes the runs, or prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=20, help="of each program (default: 20)")
    parser.add_argument("--log", type=Path, required=True, help="a line of JSON for every run")
    parser.add_argument("--select", default="*/*", help="FAMILY/FIXTURE, a pattern")
    parser.add_argument("--legacy", action="store_true", help="originals, by the legacy runtime")
    parser.add_argument("--busy", action="store_true", help="keep all cores busy meanwhile")
    parser.add_argument("--table", action="store_true", help="only print the table of the log")
    options = parser.parse_args()
    if not options.table:
        with busy_cores(options.busy), warm_python() as python:
            make_runs(options, python)
    print("\n".join(table(done_before(options.log))))


if __name__ == "__main__":
    main()
