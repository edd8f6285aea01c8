"""Between-graph training speed: migrated programs against real TensorFlow 1.15, 1 ps + 2 workers.

Every round runs each contender once, one after the other, asynchronously and in lock step, on this
machine; figures are medians of the rounds, examples a second of both workers together. Quote the
ratios: absolute figures are this machine's, at this moment.

    python benchmarks/cluster.py --reference-python PATH_OF_A_PYTHON_WITH_TENSORFLOW_1_15
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TextIO

from rich.console import Console
from rich.progress import track
from rich.table import Table

from tfmigrate_runtime.verify.cluster import Cluster, free_addresses

PROGRAMS = Path(__file__).parent / "programs"
KINDS = {"asynchronous": [], "synchronous": ["--sync_replicas"]}
ORIGINAL, MIGRATED = "original, TF 1.15", "migrated"
SOURCES = {ORIGINAL: "cluster_original.py", MIGRATED: "cluster_migrated.py"}
CLUSTER = Cluster({"ps": 1, "worker": 2})
SECONDS = 180  # a worker that comes too early waits 30 s for its chief


def main() -> int:
    """Runs the rounds and prints the table."""
    arguments = _arguments()
    interpreters = {ORIGINAL: arguments.reference_python, MIGRATED: sys.executable}
    rates: dict[tuple[str, str], list[float]] = {}
    runs = [(k, c) for _ in range(arguments.rounds) for k in KINDS for c in interpreters]
    console = Console()
    for kind, contender in track(runs, "Training", console=console):
        options = [*KINDS[kind], f"--steps={arguments.steps}"]
        rate = _examples_per_second(interpreters[contender], SOURCES[contender], options)
        rates.setdefault((kind, contender), []).append(rate)
    console.print(_table(rates))
    if arguments.json:
        named = {f"{kind} | {contender}": values for (kind, contender), values in rates.items()}
        arguments.json.write_text(json.dumps(named, indent=2))
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--reference-python",
        default=os.environ.get("TFMIGRATE_REFERENCE_PYTHON"),
        help="a Python with TensorFlow 1.15",
    )
    parser.add_argument("--rounds", type=int, default=5, help="rounds (default: 5)")
    parser.add_argument("--steps", type=int, default=1500, help="steps of each worker (1500)")
    parser.add_argument("--json", type=Path, help="where to write all figures")
    arguments = parser.parse_args()
    if not arguments.reference_python:
        parser.error("--reference-python is needed: the ratio is that to TensorFlow 1.15")
    return arguments


def _examples_per_second(python: str, source: str, options: list[str]) -> float:
    """Runs one cluster; every worker prints its rate as its last word."""
    environment = {n: v for n, v in os.environ.items() if n != "TF2_BEHAVIOR"}
    if source == SOURCES[ORIGINAL]:
        environment.pop("PYTHONPATH", None)
    environment.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1")
    addresses = free_addresses(CLUSTER)
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        command = [python, str(PROGRAMS / source), *options, f"--meeting_place={folder}"]
        command += [f"--{job}_hosts={','.join(hosts)}" for job, hosts in addresses.items()]
        processes = {}
        for task in CLUSTER.tasks:
            # A file, not a pipe, which a program that nobody listens to would fill.
            log = stack.enter_context(tempfile.TemporaryFile("w+"))
            own = [f"--job_name={task.job}", f"--task_index={task.index}"]
            process = subprocess.Popen(
                [*command, *own], env=environment, stdout=log, stderr=subprocess.STDOUT
            )
            stack.callback(process.wait)
            stack.callback(process.kill)
            processes[task] = (process, log)
        return sum(_rate_of(*processes[task]) for task in CLUSTER.training)


def _rate_of(worker: subprocess.Popen[bytes], log: TextIO) -> float:
    code = worker.wait(SECONDS)
    log.seek(0)
    text = log.read()
    found = re.search(r"^examples a second: (.*)$", text, re.MULTILINE)
    if code or not found:
        sys.exit(f"a worker ended with exit code {code}:\n{text[-3000:]}")
    return float(found[1])


def _table(rates: dict[tuple[str, str], list[float]]) -> Table:
    table = Table(title="examples/s of two workers, median")
    for heading in ("training", ORIGINAL, MIGRATED, "migrated / original"):
        table.add_column(heading, justify="left" if heading == "training" else "right")
    for kind in KINDS:
        original, migrated = (statistics.median(rates[kind, c]) for c in SOURCES)
        table.add_row(kind, f"{original:,.0f}", f"{migrated:,.0f}", f"{migrated / original:.2f}")
    return table


if __name__ == "__main__":
    sys.exit(main())
