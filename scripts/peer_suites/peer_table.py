"""Writes docs/explanation/peer_suites.md from the log of run.py."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from reasons import FAILED, NOT_APPLICABLE, Reason, read, reason_of
from suites import LEFT_OUT, SUITES

PAGE = Path(__file__).parents[2] / "docs/explanation/peer_suites.md"
_WAYS = {
    "runtime": "on the runtime",
    "tf1_shim": "under tfmigrate-run",
    "migrated": "migrated",
}
_INTRODUCTION = """\
# TensorFlow's own tests

Migrated programs run on this project's Estimator, and originals on its legacy runtime. TensorFlow
has tests of what both replace: `scripts/peer_suites/run.py` runs those of
[tensorflow/estimator](https://github.com/tensorflow/estimator) with the runtime's objects under the
names of its modules, and those of tf.contrib (TensorFlow 1.15) under tfmigrate-run and as tfmigrate
rewrites them (`--unsafe`). It wrote this page; none of the tests is in this repository. The
[glossary](../reference/glossary.md) has the terms.

A method that asks for something private to TensorFlow, such as `estimator._call_model_fn`, tests
nothing that programs can see. It is *not applicable*, as is what TensorFlow 2 changed after 1.15.
*Skipped* are methods that TensorFlow itself skips on this machine. The share is that of passed
methods among those that pass or fail. A test that runs in graphs and eagerly is counted in graphs,
in which Estimators build their models.
"""


def read_log(log: Path) -> list[dict[str, str]]:
    """Returns the records of the last run of each file."""
    runs: dict[tuple[str, str], list[dict[str, str]]] = {}
    for line in log.read_text(encoding="utf-8").splitlines():
        records = json.loads(line)
        runs[records[0]["file"], records[0]["way"]] = records
    return [record for records in runs.values() for record in records]


def _share(counts: Mapping[str, int]) -> str:
    tried = counts["passed"] + counts["failed"]
    return f"{100 * counts['passed'] / tried:.1f} %" if tried else ""


def _row(name: str, counts: Counter[str]) -> str:
    numbers = [counts[key] for key in ("passed", "failed", "skipped", *NOT_APPLICABLE)]
    return f"| {' | '.join([name, *map(str, numbers), _share(counts)])} |"


def _outcome(record: Mapping[str, str], reason: Reason | None) -> str:
    kind = reason.kind if reason else record["outcome"]
    return "failed" if kind in FAILED else kind


def _failures(records: Iterable[Mapping[str, str]], reasons: list[Reason]) -> list[str]:
    """Returns a line for each reason, with the methods that it is for."""
    found: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for record in records:
        reason = reason_of(record, reasons)
        if _outcome(record, reason) == "failed":
            why = f"{FAILED[reason.kind]}: {reason.reason}" if reason else record["reason"]
            key = (record["file"], _WAYS[record["way"]], why)
            found[key].append(record["method"].split(".")[-1].split(" ")[0] or "(the file)")
    lines = ["| file | methods | reason |", "|---|---|---|"]
    for (file, way, why), methods in sorted(found.items()):
        names = ", ".join(f"`{name}`" for name in sorted(set(methods)))
        cells = [f"{file} ({way})", names, why.replace("|", "\\|").replace("<", "&lt;")]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def page(records: list[dict[str, str]], reasons: list[Reason]) -> str:
    """Returns the text of the page."""
    files = {file for suite in SUITES for file in suite.files}
    records = [record for record in records if record["file"] in files]
    lines = [_INTRODUCTION]
    for suite in SUITES:
        for way in suite.ways:
            of_way = [r for r in records if r["suite"] == suite.name and r["way"] == way]
            if not of_way:
                continue
            lines += [f"## {suite.name}, {_WAYS[way]}", ""]
            titles = ["file", "passed", "failed", "skipped", *NOT_APPLICABLE, "share"]
            lines += [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
            total: Counter[str] = Counter()
            for file in suite.files:
                counts = Counter(
                    _outcome(r, reason_of(r, reasons)) for r in of_way if r["file"] == file
                )
                if counts:
                    total += counts
                    lines.append(_row(file, counts))
            lines += [_row("all", total), ""]
    lines += [f"*{kind}*: {text}." for kind, text in NOT_APPLICABLE.items()]
    lines += ["", "## What fails, and why", "", *_failures(records, reasons), ""]
    lines += ["## Files that are left out", "", "| files | reason |", "|---|---|"]
    lines += [f"| {files} | {why} |" for files, why in LEFT_OUT.items()]
    return "\n".join(lines) + "\n"


def write_page(log: Path) -> None:
    """Writes the page."""
    PAGE.write_text(page(read_log(log), read()), encoding="utf-8")
