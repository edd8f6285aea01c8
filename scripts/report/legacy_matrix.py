"""Runs the shim's tests on TensorFlow versions; writes their table in docs/explanation/tf1_shim.md.

python scripts/report/legacy_matrix.py
python scripts/report/legacy_matrix.py --python 2.16=VENV/bin/python --python 2.21=.venv/bin/python

Every version gets a virtual environment with the project's [runtime,test] extras, kept in build/
for the next run, unless ``--python`` names an interpreter that has them.
``--version`` runs some versions again: the page has the last run of each, with its day and commit.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/explanation/tf1_shim.md"
_BEGIN, _END = "<!-- begin tests -->\n", "<!-- end tests -->\n"
BUILD = ROOT / "build" / "legacy_matrix"
VERSIONS = ("2.16.2", "2.18.*", "2.20.*", "2.21.*")
OUTCOMES = ("passed", "failed", "skipped")
_PACKAGES = ("tensorflow", "tf-keras", "tensorflow-estimator", "tf-slim", "numpy", "protobuf")
_ASK = (
    "import platform; from importlib.metadata import version;"
    f"print(platform.python_version(), *map(version, {_PACKAGES!r}))"
)


@dataclass(frozen=True)
class Run:
    """The tests on one version.

    Attributes:
        packages: the versions that ran, by package; "python" is one too, and so are "day" and
            "commit".
        cases: the outcome of every test, by its module's name and its own.
        minutes: how long it took.
    """

    packages: dict[str, str]
    cases: dict[tuple[str, str], str]
    minutes: float

    def counts(self, family: str | None = None) -> Counter[str]:
        """Returns how many tests of a family, or of all, passed, failed and were skipped."""
        return Counter(
            outcome for (name, _), outcome in self.cases.items() if family in (None, name)
        )


def read_report(report: str) -> dict[tuple[str, str], str]:
    """Returns the outcome of every test of a JUnit report of pytest, by module and test."""
    cases = {}
    for case in ElementTree.fromstring(report).iter("testcase"):
        kinds = {child.tag for child in case}
        outcome = (
            "failed"
            if kinds & {"failure", "error"}
            else "skipped"
            if "skipped" in kinds
            else "passed"
        )
        family = (case.get("classname") or case.get("name") or "").rpartition(".")[2]
        cases[family.removeprefix("test_"), case.get("name") or ""] = outcome
    return cases


def interpreter_for(version: str, base: str) -> Path:
    """Returns the interpreter of a virtual environment with a TensorFlow version; makes it once.

    Raises:
        subprocess.CalledProcessError: the environment could not be made.
    """
    folder = BUILD / f"tensorflow-{version.rstrip('.*')}"
    python = folder / "bin" / "python"
    done = folder / ".installed"
    if not done.exists():
        print(f"making {folder}", flush=True)
        subprocess.run([base, "-m", "venv", "--clear", folder], check=True)
        wanted = ["-e", f"{ROOT}[runtime,test]", f"tensorflow=={version}"]
        subprocess.run([python, "-m", "pip", "install", "--quiet", *wanted], check=True)
        done.touch()
    return python


def run_tests(version: str, python: Path, tests: list[str], workers: int) -> Run:
    """Runs the tests on one version; the output of pytest goes to build/legacy_matrix.

    Raises:
        RuntimeError: pytest did not come to its end.
    """
    BUILD.mkdir(parents=True, exist_ok=True)
    report = BUILD / f"{version.rstrip('.*')}.xml"
    report.unlink(missing_ok=True)
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT / "migrator"), str(ROOT / "runtime")]),
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "TF_ENABLE_ONEDNN_OPTS": "0",
    }
    command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}"]
    command += ["-n", str(workers)] if workers > 1 else []
    started = datetime.now(timezone.utc)
    with report.with_suffix(".txt").open("wb") as log:
        subprocess.run(
            [*command, *tests], cwd=ROOT, env=environment, stdout=log, stderr=subprocess.STDOUT
        )
    minutes = (datetime.now(timezone.utc) - started).total_seconds() / 60
    if not report.exists():
        raise RuntimeError(f"pytest on {version} wrote no report: see {log.name}")
    asked = subprocess.run([python, "-c", _ASK], check=True, capture_output=True, text=True).stdout
    packages = dict(zip(("python", *_PACKAGES), asked.split(), strict=True))
    commit = ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"]
    packages["commit"] = subprocess.run(
        commit, check=True, capture_output=True, text=True
    ).stdout.strip()
    packages["day"] = f"{started:%Y-%m-%d}"
    report.with_suffix(".json").write_text(json.dumps([packages, minutes]), "utf-8")
    return Run(packages, read_report(report.read_text("utf-8")), minutes)


def last_runs() -> list[Run]:
    """Returns the last run of every version, the oldest version first."""
    runs = []
    for kept in BUILD.glob("*.json"):
        packages, minutes = json.loads(kept.read_text("utf-8"))
        report = kept.with_suffix(".xml").read_text("utf-8")
        runs.append(Run(packages, read_report(report), minutes))
    return sorted(runs, key=lambda run: [int(n) for n in run.packages["tensorflow"].split(".")])


def page(runs: list[Run]) -> str:
    """Returns the tables of the page, without its headings."""
    families = sorted({family for run in runs for family, _ in run.cases})
    titles = [run.packages["tensorflow"] for run in runs]
    lines = [
        "`python scripts/report/legacy_matrix.py` wrote this: the tests of `tests/tf1_shim` on "
        "each version, passed / failed / skipped.",
        "",
        f"| tests | {' | '.join(f'TensorFlow {title}' for title in titles)} |",
        f"|---|{'---|' * len(runs)}",
        *(f"| {family} | {_cells(runs, family)} |" for family in families),
        f"| **all** | {_cells(runs, None)} |",
    ]
    for package in ("python", *_PACKAGES[1:], "day", "commit"):
        versions = " | ".join(run.packages[package] for run in runs)
        lines.append(f"| {package} | {versions} |")
    failed = [
        f"- TensorFlow {title}: {family}, `{name}`"
        for title, run in zip(titles, runs, strict=True)
        for (family, name), outcome in run.cases.items()
        if outcome == "failed"
    ]
    lines += ["", "### What failed", "", *failed] if failed else ["", "Nothing failed."]
    return "\n".join(lines) + "\n"


def _cells(runs: list[Run], family: str | None) -> str:
    counts = [run.counts(family) for run in runs]
    return " | ".join(" / ".join(str(count[name]) for name in OUTCOMES) for count in counts)


def main() -> int:
    """Runs all versions and writes the page; returns 1 where a test failed."""
    options = _arguments()
    given = dict(pair.split("=", 1) for pair in options.python)
    pythons = {}
    for version in options.version or VERSIONS:
        short = re.match(r"\d+\.\d+", version)
        found = given.get(short.group() if short else version)
        pythons[version] = Path(found) if found else interpreter_for(version, options.base)
    with ThreadPoolExecutor(options.at_once) as pool:
        runs = list(
            pool.map(
                lambda version: run_tests(
                    version, pythons[version], options.tests, options.workers
                ),
                pythons,
            )
        )
    for run in runs:
        print(
            f"TensorFlow {run.packages['tensorflow']}: {dict(run.counts())}, {run.minutes:.0f} min"
        )
    before, _, rest = PAGE.read_text("utf-8").partition(_BEGIN)
    after = rest.partition(_END)[2]
    PAGE.write_text(before + _BEGIN + page(last_runs()) + _END + after, "utf-8")
    return int(any(run.counts()["failed"] for run in runs))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "tests", nargs="*", default=["tests/tf1_shim"], help="default: tests/tf1_shim"
    )
    parser.add_argument(
        "--version", action="append", help=f"a TensorFlow version (default: {', '.join(VERSIONS)})"
    )
    parser.add_argument(
        "--python",
        action="append",
        default=[],
        metavar="2.16=PATH",
        help="an interpreter that has a version already",
    )
    parser.add_argument("--base", default="python3.11", help="makes the environments (python3.11)")
    parser.add_argument("--workers", type=int, default=1, help="processes of pytest-xdist, each")
    parser.add_argument("--at-once", type=int, default=1, help="versions that run side by side")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
