"""Runs TensorFlow's own tests of what tfmigrate replaces, and writes down what came of them.

    python scripts/peer_suites/run.py --estimator CHECKOUT [--tensorflow CHECKOUT] [FILE ...]
    python scripts/peer_suites/run.py --table    # into docs/explanation/peer_suites.md

CHECKOUT is a clone of github.com/tensorflow/estimator and one of github.com/tensorflow/tensorflow
that still has tensorflow/contrib (1.15 or older). FILE is the end of a test file's path. The tests
are EXECUTED. Each file's outcomes are a line of the log, but for single methods (--method); the
table takes the last one of each file.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from peer_table import write_page
from suites import LEFT_OUT, MIGRATED, RUNTIME, RUNTIME_V1, SUITES, Suite

HERE = Path(__file__).parent
MINUTES = 30


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", metavar="FILE", help="ends of paths (default: all)")
    parser.add_argument("--estimator", type=Path, help="a checkout of tensorflow/estimator")
    parser.add_argument("--tensorflow", type=Path, help="a checkout of tensorflow/tensorflow 1.x")
    parser.add_argument("--way", help="only this one of runtime, tf1_shim and migrated")
    parser.add_argument("--method", action="append", default=[], help="a part of methods' names")
    parser.add_argument("--log", type=Path, default=Path("peer_suites.jsonl"))
    parser.add_argument("--table", action="store_true", help="write the log into the page")
    return parser.parse_args()


def _migrated(suite: Suite, checkout: Path, file: Path, folder: Path) -> Path:
    """Returns a migrated copy of a test file; copies of its helpers lie beside it."""
    shutil.copyfile(file, folder / file.name)
    for helper in suite.helpers:
        path = Path(f"{helper.replace('.', '/')}.py")
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(checkout / path, folder / path)
    command = [sys.executable, "-m", "tfmigrate", "--unsafe", "--quiet", str(folder)]
    subprocess.run(command, check=False, capture_output=True, cwd=folder)
    return folder / file.name


def run_file(
    suite: Suite, way: str, checkout: Path, file: str, methods: list[str]
) -> list[dict[str, str]]:
    """Runs a file, and again, with the behaviour of TensorFlow 1, what asks for that.

    Returns:
        A record for each method.
    """
    records = _run(suite, way, checkout, file, methods)
    skipped = [r["method"].split(" ")[0] for r in records if r["outcome"] == "skipped"]
    if way == RUNTIME and skipped:
        again = {
            record["method"]: record for record in _run(suite, RUNTIME_V1, checkout, file, skipped)
        }
        records = [again.get(record["method"], record) for record in records]
    return [{"suite": suite.name, "way": way, "file": file, **record} for record in records]


def _run(
    suite: Suite, way: str, checkout: Path, file: str, methods: list[str]
) -> list[dict[str, str]]:
    """Runs a file in a process of its own, in an empty folder; returns a record for each method."""
    with tempfile.TemporaryDirectory() as made:
        folder, out = Path(made), Path(made) / "outcomes.jsonl"
        path = (checkout / suite.root / file).resolve()
        source = _migrated(suite, checkout, path, folder) if way == MIGRATED else path
        command = [sys.executable, str(HERE / "run_file.py"), suite.name, way]
        command += [str(checkout.resolve()), str(source), str(out), *methods]
        try:
            ended = subprocess.run(
                command,
                check=False,
                capture_output=True,
                text=True,
                cwd=folder,
                timeout=60 * MINUTES,
                env=os.environ | {"TMPDIR": made},
            )
            died = "" if ended.returncode in (0, 1) else f"exit {ended.returncode}"
        except subprocess.TimeoutExpired:
            died = f"not done after {MINUTES} minutes"
        lines = out.read_text(encoding="utf-8").splitlines() if out.exists() else []
    records = [json.loads(line) for line in lines]
    if died:
        records.append({"method": "", "outcome": "failed", "reason": died, "where": ""})
    return records


def _chosen(arguments: argparse.Namespace) -> Iterator[tuple[Suite, str, Path, str]]:
    for suite in SUITES:
        checkout = arguments.tensorflow if suite.name == "contrib" else arguments.estimator
        for file in suite.files:
            wanted = not arguments.files or any(file.endswith(end) for end in arguments.files)
            for way in suite.ways:
                if checkout and wanted and arguments.way in (None, way):
                    yield suite, way, checkout, file


def main() -> int:
    """Runs the files that are asked for; 1 where a method fails."""
    arguments = _arguments()
    if arguments.table:
        write_page(arguments.log)
        return 0
    for end in arguments.files:
        if not any(file.endswith(end) for suite in SUITES for file in suite.files):
            why = [why for files, why in LEFT_OUT.items() if end in files] or ["no such file"]
            print(f"{end} is left out: {why[0]}", file=sys.stderr)
            return 2
    chosen = list(_chosen(arguments))
    missing = [file for _, _, checkout, file in chosen if not checkout.is_dir()]
    if not chosen or missing:
        print("no test file: --estimator and --tensorflow take checkouts", file=sys.stderr)
        return 2
    failed = 0
    for suite, way, checkout, file in chosen:
        if not (checkout / suite.root / file).is_file():
            print(f"{checkout / suite.root / file}: no such file in this version", file=sys.stderr)
            continue
        records = run_file(suite, way, checkout, file, arguments.method)
        if records and not arguments.method:
            with arguments.log.open("a", encoding="utf-8") as log:
                log.write(json.dumps(records) + "\n")
        counts = Counter(record["outcome"] for record in records)
        failed += counts["failed"]
        print(
            f"{file} ({way}): {', '.join(f'{n} {name}' for name, n in counts.items())}", flush=True
        )
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
