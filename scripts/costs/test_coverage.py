"""Measures which lines and branches of both packages the test suite reaches, also in programs.

    pip install coverage
    python scripts/costs/test_coverage.py [--folder F] [--read] [PYTEST ARGUMENTS]

Without arguments it runs what ``make test-tensorflow`` runs. Programs that tests start are measured
as well, cold ones (by coverage's own .pth file) and forks of warm ones (tests/warm_python). What a
signal ends is not. Each test is a context of the data in F/.coverage, so that ``coverage report
--contexts`` shows what one of them reaches.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import coverage
from test_costs import NOT_LONG, ROOT, SUITE, run_suite

# A program's context is the test that started it; the plugin switches that of pytest's own process.
_CONFIGURATION = """\
[run]
branch = true
parallel = true
source =
    {root}/migrator
    {root}/runtime/tfmigrate_runtime
data_file = {folder}/.coverage
context = ${{PYTEST_CURRENT_TEST-}}
patch = _exit
"""


def measure(folder: Path, arguments: list[str]) -> int:
    """Runs pytest under coverage; returns its exit code."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob(".coverage*"):
        old.unlink()
    configuration = folder / "coveragerc"
    configuration.write_text(_CONFIGURATION.format(root=ROOT, folder=folder), "utf-8")
    variables = {"COVERAGE_PROCESS_START": str(configuration)}
    code = run_suite("coverage_plugin", arguments, variables)
    coverage.Coverage(config_file=str(configuration)).combine()
    return code


def main() -> int:
    """Returns the exit code of pytest, or 0 after reading an earlier run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "coverage")
    parser.add_argument("--read", action="store_true", help="report on an earlier run only")
    options, arguments = parser.parse_known_args()
    folder = options.folder.resolve()
    code = 0 if options.read else measure(folder, arguments or [*SUITE, *NOT_LONG])
    measured = coverage.Coverage(config_file=str(folder / "coveragerc"))
    measured.load()
    measured.report(skip_covered=True, sort="miss")
    return code


if __name__ == "__main__":
    sys.exit(main())
